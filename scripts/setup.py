"""Sets up what `pip` does not: checks Java, fetches jars, archives classes. Called by `make`."""

from typing import Annotated

import typer

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.core.errors import UserError
from changelake.spark import class_archive, hadoop_defaults, jars
from changelake.spark.java import find_java

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
@one_line_errors
def main(
    archive: Annotated[
        bool, typer.Option("--archive", help="Archive Spark's classes, so that it starts sooner.")
    ] = False,
) -> None:
    """Check Java, then fetch the jars where they are missing."""
    find_java()
    _fetch_jars()
    hadoop_defaults.write_jar()
    if not archive or class_archive.present():
        return
    print("preparing Spark's classes, so that it starts faster…", flush=True)
    try:
        class_archive.make()
    except UserError as error:
        print(f"that failed, and commands start some seconds later without it: {error}")


def _fetch_jars() -> None:
    if not jars.present():
        print("fetching jars from Maven Central…", flush=True)
    if jars.fetch():
        count = sum(1 for _ in settings.JARS.glob("*/*.jar"))
        print(f"{count} jars in {settings.JARS.name}/")


if __name__ == "__main__":
    app()
