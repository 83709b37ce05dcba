"""Prepares what `pip` does not: Java's version, the jars, their classes. Called by `make setup`."""

from changelake import class_archive, jars
from changelake.errors import one_line_errors
from changelake.java import find_java


@one_line_errors
def main() -> None:
    """Check Java, then fetch the jars and archive their classes, where that is not done."""
    find_java()
    jars.main()
    if class_archive.present():
        return
    print("preparing Spark's classes, so that it starts faster…", flush=True)
    if not class_archive.make():
        print("that failed: Spark works without, and starts some seconds later")


if __name__ == "__main__":
    main()
