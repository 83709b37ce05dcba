"""Lakes that were moved or copied: their catalog still has the old paths."""

import shutil

from changelake.build.marks import Marks
from changelake.core import settings
from changelake.core.terminal import say
from changelake.spark.derby import CATALOG_WAIT_SECONDS, derby_directory, wait_for_derby
from changelake.spark.profile import profile_confs


def follow_move(target: str) -> None:
    """Remove the catalog of a lake that was moved here, before Java opens it.

    The build that follows registers the tables in a new one, see restore_catalog().

    Args:
        target: the profile's target, an embedded one.

    Raises:
        UserError: another process has the catalog, for too long.
    """
    settings.export_home()
    confs, marks = profile_confs(target), Marks(target)
    if not (directory := derby_directory(confs)):
        return
    here, before = str(directory.resolve().parent), marks.place()
    if before == here:
        return
    if before and directory.exists():
        wait_for_derby(confs, CATALOG_WAIT_SECONDS)
        shutil.rmtree(directory)
        marks.forget()
        say(f"this lake was in {before}: its catalog is rebuilt")
    marks.write(place=here)
