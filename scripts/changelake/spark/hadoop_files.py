"""Small files of the lake, on whatever file system it is."""

import contextlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

from changelake.core.files import write_whole
from changelake.spark.jvm import java_array, java_packages, java_session


class HadoopFiles:
    """Files below a directory or URL, each named by the parts of its path.

    Args:
        spark: the session.
        root: the directory or URL.

    Attributes:
        is_local: they lie in a file system of this machine, which has locks.
    """

    def __init__(self, spark: Any, root: str) -> None:
        self._spark, self._jvm = spark, java_packages(spark)
        self._hadoop = self._jvm.org.apache.hadoop.fs
        self._configuration = java_session(spark).sessionState().newHadoopConf()
        self._root = self._hadoop.Path(root)
        self._system = self._root.getFileSystem(self._configuration)
        scheme = str(self._system.getUri().getScheme())
        self.is_local, self._is_hdfs = scheme == "file", scheme in ("hdfs", "viewfs")

    def names(self, *steps: str) -> list[str]:
        """Return the names in a directory; none where it is not there."""
        path = self._path(*steps)
        if not self._system.exists(path):
            return []
        return [status.getPath().getName() for status in self._system.listStatus(path)]

    def read_text(self, *steps: str) -> str | None:
        """Return the text of a file, None if it is not there."""
        path = self._path(*steps)
        if not self._system.exists(path):
            return None
        stream = self._system.open(path)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write_text(self, text: str, *steps: str) -> None:
        """Write a file, over the one that is there. Only one process at a time may write it."""
        # A kill leaves the old file or the new one, never half of one. Where a rename replaces a
        # file, it is written beside it and renamed over it. An object store shows whole files only,
        # and would delete the old one before it renames.
        path = self._path(*steps)
        if self.is_local:
            local = Path(path.toUri().getPath())
            # Hadoop would delete the old file before it renames. The checksum that it writes under
            # spark-submit would no longer match.
            local.with_name(f".{local.name}.crc").unlink(missing_ok=True)
            write_whole(local, text)
            return
        if not self._is_hdfs:
            self._put(text, path)
            return
        self._system.mkdirs(path.getParent())
        temporary = self._write_beside(text, path)
        context = self._hadoop.FileContext.getFileContext(path.toUri(), self._configuration)
        rename = self._hadoop.Options.Rename
        context.rename(temporary, path, java_array(self._spark, rename, rename.OVERWRITE))

    def put_text(self, text: str, *steps: str) -> None:
        """Write a file in place; of two processes that write it at once, the last one's stays.

        Unlike with write_text(), they share no file beside it. But HDFS shows a reader half of it,
        and a kill leaves half of it there; an object store shows the old one or the new one.
        """
        self._put(text, self._path(*steps))

    @contextlib.contextmanager
    def stream(self, *steps: str) -> Generator[Any]:
        """Write a file as a stream of Java's."""
        stream = self._jvm.java.io.BufferedOutputStream(
            self._system.create(self._path(*steps), True)
        )
        try:
            yield stream
        finally:
            stream.close()

    def location(self, *steps: str) -> str:
        """Return a file's place as Spark takes it."""
        return str(self._system.makeQualified(self._path(*steps)).toString())

    def delete(self, *steps: str) -> None:
        """Delete a file or a directory, if it is there."""
        self._system.delete(self._path(*steps), True)

    def write_new_text(self, text: str, *steps: str) -> None:
        """Write a file beside its place and rename it, unless it exists by then."""
        path = self._path(*steps)
        temporary = self._write_beside(text, path)
        if self._system.exists(path):
            self._system.delete(temporary, False)
        else:
            self._system.rename(temporary, path)

    def _path(self, *steps: str) -> Any:
        return self._hadoop.Path(self._root, "/".join(steps))

    def _write_beside(self, text: str, path: Any) -> Any:
        temporary = self._hadoop.Path(path.getParent(), f".{path.getName()}.tmp")
        self._put(text, temporary)
        return temporary

    def _put(self, text: str, path: Any) -> None:
        stream = self._system.create(path, True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
