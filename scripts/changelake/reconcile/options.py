"""What is compared with what, and which options do not go together."""

import re
from dataclasses import InitVar, dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.reconcile.model import Model
from changelake.reconcile.sources import FileSource, JdbcSource, Source, readable_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DEFAULT_WAIT_SECONDS = 900.0


@dataclass
class Options:
    """What a comparison is asked to do.

    Args:
        at: the moment that the file is of, as text.
        wait: for how many seconds to wait for the lake; None: the default.

    Attributes:
        target: the profile's target.
        jdbc: the URL of the source database; None: a file is compared.
        source_table: the table there; None: the one that the model declares.
        user: the database user.
        file: the file; None: a database is compared.
        lag: the longest time from commit to landing that is guaranteed, in seconds; None: none is.
        moment: the moment that the file is of; None: the table is compared as it is now.
        wait_seconds: for how many seconds to wait for the lake.

    Raises:
        UserError: an option is wrong, or some do not go together.
    """

    target: str
    jdbc: str | None
    source_table: str | None
    user: str | None
    file: Path | None
    lag: float | None
    at: InitVar[str | None]
    wait: InitVar[float | None]
    moment: datetime | None = field(init=False)
    wait_seconds: float = field(init=False)

    def __post_init__(self, at: str | None, wait: float | None) -> None:
        """Check the options, and read those that are texts or files."""
        settings.check_target(self.target, embedded=True)
        if (self.jdbc is None) == (self.file is None):
            raise UserError("give either --jdbc or --file")
        if self.file is not None and (self.source_table is not None or self.user is not None):
            raise UserError("--source-table and --user go with --jdbc, not with --file")
        if at is not None and self.file is None:
            raise UserError("--at goes with --file: a database shows its rows as they are now")
        if self.file is not None and at is None and (self.lag is not None or wait is not None):
            raise UserError(
                "--lag and --wait go with --jdbc or --at: a file without a moment is compared with"
                " the table as it is now"
            )
        self.wait_seconds = DEFAULT_WAIT_SECONDS if wait is None else wait
        self.moment = None if at is None else _moment(at)
        self.file = self.file and readable_file(self.file)

    def source(self, spark: "SparkSession", model: Model) -> Source:
        """Return what a model's table is compared with."""
        if self.jdbc is not None:
            return JdbcSource(spark, model, self.jdbc, self.user, self.source_table)
        assert self.file
        return FileSource(spark, model, self.file)


def _moment(text: str) -> datetime:
    try:
        # Python 3.10 does not parse a Z
        moment = datetime.fromisoformat(re.sub("[Zz]$", "+00:00", text.strip()))
    except ValueError:
        raise UserError(f"--at {text}: write a moment such as 2026-03-01T08:00:00") from None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc)
