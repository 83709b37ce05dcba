"""Small files of the lake, on whatever file system it lies."""

from pathlib import Path
from typing import Any


class HadoopFiles:
    """Files below a directory or URL, each named by the steps that lead there.

    Args:
        spark: the session.
        root: the directory or URL.
    """

    def __init__(self, spark: Any, root: str) -> None:
        self._local = None if "://" in root else Path(root)
        self._gateway = spark.sparkContext._gateway
        self._jvm = spark.sparkContext._jvm
        self._hadoop = self._jvm.org.apache.hadoop.fs
        self._configuration = spark._jsparkSession.sessionState().newHadoopConf()
        self._root = self._hadoop.Path(root)
        self._system = self._root.getFileSystem(self._configuration)

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
        """Write a file, over the one that is there."""
        # Beside it and then renamed over it: a kill leaves the old or the new, never half of one.
        if self._local is not None:
            _write_local(text, self._local.joinpath(*steps))
            return
        path = self._path(*steps)
        self._system.mkdirs(path.getParent())
        temporary = self._write_beside(text, path)
        context = self._hadoop.FileContext.getFileContext(path.toUri(), self._configuration)
        rename = self._hadoop.Options.Rename
        overwrite = self._gateway.new_array(rename, 1)
        overwrite[0] = rename.OVERWRITE
        context.rename(temporary, path, overwrite)

    def write_new_text(self, text: str, *steps: str) -> None:
        """Write a file whole and at once, unless it is there by then."""
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
        stream = self._system.create(temporary, True)
        stream.write(bytearray(text.encode()))
        stream.close()
        return temporary


def _write_local(text: str, path: Path) -> None:
    # Hadoop removes the old file before it renames, and the checksum (of spark-submit) after it.
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, encoding="utf-8")
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    temporary.replace(path)
