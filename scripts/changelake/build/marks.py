"""What a lake's builds have recorded, so that the next one can skip what is done."""

import contextlib
import json
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast

from changelake.build.decisions import texts_of
from changelake.core import settings
from changelake.core.files import write_whole
from changelake.spark.hadoop_files import HadoopFiles

if TYPE_CHECKING:
    # Python has it only from 3.11 on
    from typing_extensions import Unpack

# the parts of the project whose checksums are recorded
Part = Literal["silver", "feeds", "current"]


class Upkeep(TypedDict):
    """When the upkeep was last done.

    Attributes:
        at: when, in seconds since 1970; before the first one, when a run first looked.
        bronze: the versions of the bronze tables then, by format.
        told_at: when a run last said that it is due; 0: not since then.
    """

    at: float
    bronze: dict[str, int]
    told_at: float


class Kept(TypedDict, total=False):
    """The marks that Marks.forget() keeps; the methods of these names describe them."""

    told: dict[str, list[list[str]]]
    asked: dict[str, list[list[str]]]
    outgrown: dict[str, dict[str, list[str]]]
    rebuild: list[str]
    widened: dict[str, list[list[str]]]
    upkeep: Upkeep
    place: str


class Recorded(Kept, total=False):
    """All marks: these, and those that only save work."""

    batches: dict[str, int]
    tables: list[str]
    idle: dict[str, Any]
    silver: str
    feeds: str
    current: str


class Marks:
    """What a lake's builds have recorded, in a file of the lake.

    Nearly all of it only saves work: if the file is lost, that work is repeated. Besides, remarks
    are printed again, a table that was due for a rebuild is not rebuilt, and a redeployed model
    does not get the wider types that its table has.
    """

    def __init__(self, target: str) -> None:
        self._name = f"built-{target}.json"
        self._store = _store()
        self._marks: Recorded = {}
        with contextlib.suppress(OSError, ValueError):
            self._marks = json.loads(self._read())

    def batches(self) -> dict[str, int]:
        """Return by model of events the last batch that all tables built from it have seen."""
        return dict(self._marks.get("batches", {}))

    def tables(self) -> set[str]:
        """Return the tables whose models existed then."""
        return set(self._marks.get("tables", ()))

    def write(self, **marks: "Unpack[Recorded]") -> None:
        """Update some marks, in one write."""
        self._marks.update(marks)
        self._write()

    def forget(self) -> None:
        """Forget what saves work: the next run builds everything, even if nothing is new."""
        kept = {name: one for name, one in self._marks.items() if name in Kept.__annotations__}
        self._marks = cast(Recorded, kept)
        self._write()

    def _read(self) -> str:
        if self._store:
            return self._store.read_text(self._name) or "{}"
        return (settings.home() / self._name).read_text()

    def _write(self) -> None:
        text = json.dumps(self._marks)
        if self._store:
            self._store.write_text(text, self._name)
        else:
            write_whole(settings.home() / self._name, text)

    def idle(self) -> dict[str, Any]:
        """Return inputs() and outputs() of the last build that left nothing to do."""
        return dict(self._marks.get("idle", {}))

    def told(self) -> dict[str, list[list[str]]]:
        """Return by model how its source differed when that was last reported."""
        return dict(self._marks.get("told", {}))

    def asked(self) -> dict[str, list[list[str]]]:
        """Return by current model the decisions that a person was asked for, see decisions.py."""
        return dict(self._marks.get("asked", {}))

    def open(self) -> list[str]:
        """Return the texts of these decisions, a line each."""
        return [line for asked in self.asked().values() for line in texts_of(asked)]

    def outgrown(self) -> dict[str, dict[str, list[str]]]:
        """Return by current model and column a type that was reported not to hold all values.

        After it come the texts that it does not hold; none if a person was asked.
        """
        return dict(self._marks.get("outgrown", {}))

    def rebuild(self) -> set[str]:
        """Return the current models whose tables have to be rebuilt as declared."""
        return set(self._marks.get("rebuild", ()))

    def widened(self) -> dict[str, list[list[str]]]:
        """Return by current model the widened columns: source's name, type before and after."""
        return dict(self._marks.get("widened", {}))

    def upkeep(self) -> Upkeep | None:
        """Return when the upkeep was last done; None: no run has looked yet."""
        return self._marks.get("upkeep")

    def place(self) -> str:
        """Return where the lake was when it was last built, empty if unknown."""
        return self._marks.get("place", "")

    def checksum(self, part: Part) -> str:
        """Return the checksum of a part of the project as it was last built; empty if unknown."""
        return self._marks.get(part, "")


def _store() -> HadoopFiles | None:
    """Return the lake's files if it is in a store, which only Hadoop's Java client reads."""
    if settings.local_path(settings.location()) is not None:
        return None
    from pyspark.sql import SparkSession

    return HadoopFiles(SparkSession.getActiveSession(), settings.location())
