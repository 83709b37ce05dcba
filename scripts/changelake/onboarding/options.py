"""What onboarding is asked to do, and which options do not go together."""

from dataclasses import InitVar, dataclass, field
from pathlib import Path

from changelake.core import settings
from changelake.core.errors import UserError
from changelake.onboarding.choosing import keys_of


@dataclass
class Options:
    """What onboarding is asked to do.

    Args:
        key: the keys that a person gives, see keys_of().

    Attributes:
        target: the profile's target.
        all_tables: write the models of all tables seen in the events.
        tables: write those of the tables with these names.
        shards: NAME=PATTERN: write one model for the tables whose names match.
        feed: the feed to take the tables from; None: any.
        schema: the file with the source's own types, keys and comments.
        update: only add new columns to models, also to edited ones.
        history: also write models of the tables' histories.
        keys: by table's name, relation or bare name: the key's columns.

    Raises:
        UserError: an option is wrong, or some do not go together.
    """

    target: str
    all_tables: bool
    tables: list[str]
    shards: list[str]
    feed: str | None
    schema: Path | None
    update: bool
    history: bool
    key: InitVar[list[str]]
    keys: dict[str, list[str]] = field(init=False)

    def __post_init__(self, key: list[str]) -> None:
        """Check the options, and read the keys."""
        settings.check_target(self.target)
        if self.all_tables + bool(self.tables) + bool(self.shards) != 1:
            raise UserError(
                "choose the tables: --all, --table DATABASE[.SCHEMA].TABLE, or --shards"
                " NAME=PATTERN"
            )
        if self.update and key:
            raise UserError(
                "--update only adds columns, and takes no --key: leave --update out, or write the"
                " key into the model"
            )
        # not more, since a pipe can be read only once
        if self.schema and not self.schema.exists():
            raise UserError(f"--schema {self.schema}: No such file or directory")
        self.keys = keys_of(key)
