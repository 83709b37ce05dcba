"""Spark's log: what a person needs, no secrets, and never much more than 20 MB."""

import os
import shlex
import threading
from pathlib import Path
from typing import Any

import pytest

from changelake.core.logs import log_file
from changelake.spark.jvm import STDERR_BYTES, _log_stderr
from changelake.spark.profile import profile_confs

ONE_FILE = 10 * 1024 * 1024


def test_what_java_says_without_a_logger_is_limited(tmp_path: Path) -> None:
    log = tmp_path / "spark.log"
    log.write_bytes(b"before\n")
    read, write = os.pipe()

    def say() -> None:
        with os.fdopen(write, "wb") as stderr:
            stderr.write(b"first\n" + b"x" * (2 * STDERR_BYTES))

    java = threading.Thread(target=say)
    java.start()
    _log_stderr(read, log)
    java.join()
    assert log.read_bytes().startswith(b"before\nfirst\nxxx")
    assert log.stat().st_size == len(b"before\n") + STDERR_BYTES


def test_a_bare_dbt_logs_into_the_lake(monkeypatch: pytest.MonkeyPatch) -> None:
    for home, place in (("/a b", "/a b"), ("", "lake")):
        monkeypatch.setenv("CHANGELAKE_HOME", home)
        options = shlex.split(profile_confs("sample")["spark.driver.extraJavaOptions"])
        assert f"-Dchangelake.log={place}/spark/spark.log" in options


def _nothing_is_forged(log: Path, logger: Any, exception: Any) -> None:
    line = "2030-01-01 00:00:00 1 ERROR forged: x"
    ends = ("\n", "\r", "\r\n", "\v", "\f", "\x85", "\u2028", "\u2029")
    breaks = "".join(f"{end}{line}" for end in ends) + "\n"
    before = len(log.read_text().splitlines())
    for text in (breaks, "\x1b]0;owned\x07 \x1b[31m \x9b2J \x00 \u202e \u200b \ufeff"):
        logger.error(f"said {text}", exception(f"thrown {text}"))
    logger.error("said last")
    # Python's splitlines() knows all line separators.
    said = log.read_text().splitlines()[before:]
    begun = [one for one in said if not one.startswith("    ")]
    assert [one.split(" ERROR test: said ")[-1] for one in begun] == [
        "", "?]0;owned? ?[31m ?2J ? ? ? ?", "last",
    ]  # fmt: skip
    assert f"    {line}" in said
    assert "    java.lang.RuntimeException: thrown ?]0;owned? ?[31m ?2J ? ? ? ?" in said
    assert any(one.startswith("    \tat ") for one in said)


@pytest.mark.e2e
def test_the_log_has_errors_without_secrets_and_an_end(spark: Any) -> None:
    log = log_file()
    jvm = spark.sparkContext._jvm
    logger = jvm.org.apache.logging.log4j.LogManager.getLogger("changelake.test")
    login = 'PlainLoginModule required username="lake" password="s\\"3cret of two words";'
    secrets = [
        login,
        "fs.s3a.secret.key=s3cret",
        "{ssl.key.password: s3cret}",
        "mask_salt -> s3cret",
    ]
    secrets += ["-----BEGIN PRIVATE KEY-----\ns3cret\n-----END PRIVATE KEY-----"]
    for text in secrets:
        logger.error(f"seen {text}", jvm.java.lang.RuntimeException(f"thrown {text}"))
    logger.info("too little to be kept")
    said = log.read_text()
    assert "ERROR test: seen PlainLoginModule required username" in said
    assert "java.lang.RuntimeException: thrown" in said and "\tat " in said
    for secret in ("s3cret", "of two words", "too little to be kept"):
        assert secret not in said
    _nothing_is_forged(log, logger, jvm.java.lang.RuntimeException)
    for _ in range(25):
        logger.warn("x" * 1_000_000)
    files = sorted(log.parent.glob("spark.log*"))
    assert [file.name for file in files] == ["spark.log", "spark.log.1"]
    assert all(file.stat().st_size <= ONE_FILE + 1_000_100 for file in files)
