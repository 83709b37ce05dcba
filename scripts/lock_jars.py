"""Locks each jar as Maven Central has it now. Called by `make lock`."""

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.spark import jars


@one_line_errors
def main() -> None:
    """Write the locks of Spark's and the broker's jars, and of the producers' in tests/sources."""
    for ivy_file in jars.IVY_FILES:
        locked = jars.lock(ivy_file)
        print(f"{len(locked)} jars in {jars.lock_file(ivy_file).relative_to(settings.REPO)}")


if __name__ == "__main__":
    main()
