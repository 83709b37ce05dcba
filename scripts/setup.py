"""Prepares what `pip` does not: checks Java, fetches the jars. Called by `make setup`."""

from changelake.errors import one_line_errors
from changelake.jars import main as fetch_jars
from changelake.java import find_java


@one_line_errors
def main() -> None:
    """Check Java, then fetch the jars that are missing."""
    find_java()
    fetch_jars()


if __name__ == "__main__":
    main()
