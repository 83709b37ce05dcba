"""Makes the files of a new format, to be filled in: see CONTRIBUTING.md."""

import use_venv  # noqa: F401 - restarts the script in .venv: before any third-party import

# isort: split

from pathlib import Path
from typing import Annotated

import typer

from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.dev.message_shape import read_messages
from changelake.dev.scaffold import new_format

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    name: Annotated[str, typer.Argument(help="The format, such as cloudcanal_json.")],
    messages: Annotated[
        Path | None, typer.Option(help="Sample messages, one JSON object per line.")
    ] = None,
    field: Annotated[
        list[str] | None,
        typer.Option(help="Field that holds a part, e.g. operation=evt or table=src.tbl."),
    ] = None,
    code: Annotated[
        list[str] | None,
        typer.Option(help="What an operation's code means, e.g. SCAN=snapshot."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what the messages tell; write nothing.")
    ] = False,
) -> None:
    """Make parser, model, unit tests, samples and docs of a format; overwrite nothing."""
    fields, meanings = _pairs("--field", field), _pairs("--code", code)
    if (fields or meanings or dry_run) and not messages:
        raise UserError("--field, --code and --dry-run are about messages: give --messages too")
    samples = read_messages(messages) if messages else ()
    made = new_format(name, messages=samples, fields=fields, meanings=meanings, is_dry_run=dry_run)
    for part, path in made.found.items():
        print(f"found     {part} in {path}")
    if made.unknown:
        print(f"not found {', '.join(made.unknown)}: --field PART=FIELD gives the field of one")
    for unclear in made.unclear:
        print(f"unclear   operation {unclear}: --code {unclear}=MEANING says what it means")
    for case, reason in made.left_out.items():
        print(f"left out  case {case}: {reason}")
    if dry_run:
        print("nothing was written")
        return
    for path in made.written:
        print(f"written   {path}")
    for path in made.extended:
        print(f"extended  {path}")
    print("next: fill in what is marked TODO, as CONTRIBUTING.md shows, and keep open beside it")
    print(f"      python scripts/check_format.py {name}")


def _pairs(option: str, texts: list[str] | None) -> dict[str, str]:
    """Return what an option gives as NAME=VALUE, by name."""
    pairs: dict[str, str] = {}
    for text in texts or []:
        name, is_given, value = text.partition("=")
        if not is_given:
            raise UserError(f"{option} {text}: write NAME=VALUE")
        pairs[name] = value
    return pairs


if __name__ == "__main__":
    app()
