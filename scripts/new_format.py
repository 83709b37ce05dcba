"""Makes the files of a new format, to be filled in: see CONTRIBUTING.md."""

from pathlib import Path
from typing import Annotated

import typer

from changelake.core.cli import one_line_errors
from changelake.dev.message_shape import read_messages
from changelake.dev.scaffold import new_format

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    name: Annotated[str, typer.Argument(help="The format, such as cloudcanal_json.")],
    messages: Annotated[
        Path | None, typer.Option(help="Sample messages, a JSON object a line.")
    ] = None,
) -> None:
    """Make parser, model, unit tests, samples and docs of a format; overwrite nothing."""
    made = new_format(name, messages=read_messages(messages) if messages else ())
    for path in made.written:
        print(f"written   {path}")
    for path in made.extended:
        print(f"extended  {path}")
    for code in made.unclear:
        print(f"unclear   operation {code}: say in seeds/operation_codes.csv what it means")
    print("next: fill in what is marked TODO, as CONTRIBUTING.md shows, and keep open beside it")
    print(f"      python scripts/check_format.py {name}")


if __name__ == "__main__":
    app()
