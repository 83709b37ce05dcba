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
) -> None:
    """Make parser, model, unit tests, samples and docs of a format; overwrite nothing."""
    fields: dict[str, str] = {}
    for text in field or []:
        part, is_named, name_of_it = text.partition("=")
        if not is_named or not messages:
            raise UserError(f"--field {text}: write a part and its field, and give --messages")
        fields[part] = name_of_it
    made = new_format(name, messages=read_messages(messages) if messages else (), fields=fields)
    for path in made.written:
        print(f"written   {path}")
    for path in made.extended:
        print(f"extended  {path}")
    for code in made.unclear:
        print(f"unclear   operation {code}: say in seeds/operation_codes.csv what it means")
    if made.unknown:
        print(f"not found {', '.join(made.unknown)}: where your messages use other names, delete")
        print("          the generated files and run again with --field PART=FIELD")
    print("next: fill in what is marked TODO, as CONTRIBUTING.md shows, and keep open beside it")
    print(f"      python scripts/check_format.py {name}")


if __name__ == "__main__":
    app()
