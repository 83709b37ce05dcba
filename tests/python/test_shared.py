"""Small modules that the scripts share, without Spark or a broker."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import fields, replace
from pathlib import Path

import pytest
import yaml
from py4j.protocol import Py4JNetworkError
from pyspark.errors import PySparkException

from changelake.build.report import NodeResult
from changelake.core import logs, settings, tuning
from changelake.core.cli import one_line_errors
from changelake.core.error_text import error_text
from changelake.core.errors import UserError
from changelake.core.feeds import Feed
from changelake.core.file_locks import locked
from changelake.core.intervals import interval_seconds
from changelake.core.words import size
from changelake.kafka.client import Topic, check_reachable, kafka_properties, parse_properties
from changelake.landing.checkpoints import Progress, parse_offsets, replace_offsets
from changelake.landing.checks import (
    check_batches,
    check_marker,
    check_offsets,
    expired,
    has_new_messages,
    missing_topics,
    remark,
)
from changelake.landing.explain import explain
from changelake.query import rows
from changelake.query.relations import TableSize
from changelake.query.statements import split_statements
from changelake.reconcile import results
from changelake.runs import costs
from changelake.runs.summary import RunSummary
from changelake.spark import session as spark
from changelake.spark.derby import derby_directory
from changelake.spark.java import find_java, parse_version
from changelake.spark.profile import profile_confs, profile_target
from changelake.spark.session import check_place
from processes import SCRIPTS

FEED = Feed("f", "canal", ("t",))


@pytest.mark.parametrize(
    ("text", "version"),
    [('openjdk version "17.0.15" 2025', 17), ('java version "1.8.0_402"', 8), ("what?", None)],
)
def test_java_versions(text: str, version: int | None) -> None:
    assert parse_version(text) == version


@pytest.mark.parametrize(
    ("prints", "message"), [(None, "and none was found"), ('version "11.0.2"', "is of version 11")]
)
def test_says_what_java_is_needed(
    prints: str | None, message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    if prints:
        java = tmp_path / "java"
        java.write_text(f"#!/bin/sh\necho 'openjdk {prints}' >&2\n")
        java.chmod(0o755)
    with pytest.raises(UserError, match=f"^Java 17 or 21 is needed .*{message}"):
        find_java()


def test_a_java_home_that_is_wrong_is_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def said(home: Path) -> str:
        monkeypatch.setenv("JAVA_HOME", str(home))
        with pytest.raises(UserError, match=f"JAVA_HOME={home} is not one: ") as error:
            find_java()
        return str(error.value)

    assert "is not one: there is no such directory: set it to one" in said(tmp_path / "none")
    assert f"is not one: there is no {tmp_path}/bin/java: set it" in said(tmp_path)
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    assert "bin/java does not run" in said(tmp_path)
    java.write_text("#!/bin/sh\necho 'version \"11.0.2\"'\n")
    assert "bin/java is of version 11" in said(tmp_path)
    java.write_text("#!/bin/sh\necho 'version \"21.0.2\"'\n")
    assert find_java() == java
    for empty in ("", " "):
        monkeypatch.setenv("JAVA_HOME", empty)
        monkeypatch.setenv("PATH", str(java.parent))
        assert find_java() == java


def test_errors_are_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    @one_line_errors
    def command() -> None:
        raise UserError("do this")

    with pytest.raises(SystemExit) as ended:
        command()
    assert (ended.value.code, capsys.readouterr().err) == (1, "error: do this\n")


def shown(code: str, before: str = "", **environment: str) -> tuple[int, bytes, bytes]:
    """Run a command of one line in a shell; return its exit code and output."""
    body = f"from changelake.core.cli import one_line_errors as c\nc(lambda: {code})()"
    done = subprocess.run(
        ["sh", "-c", f'"$0" "$@" {before}', sys.executable, "-c", body],
        cwd=SCRIPTS,
        env={**os.environ, **environment},
        capture_output=True,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_command_needs_neither_an_output_nor_its_letters() -> None:
    failing = "__import__('changelake.core.settings').core.settings.check_target('…')"
    assert shown(failing, ">&-")[::2] == (1, shown(failing)[2])
    assert shown("print('x')", ">&-") == (0, b"", b"")
    code, _, said = shown(failing, PYTHONIOENCODING="latin-1")
    assert (code, said.startswith(b"error: there is no target '\\u2026'")) == (1, True)
    # A value is never spelled differently.
    exact = (
        "__import__('changelake.query.printing').query.printing.print_result("
        "(['a'], iter([__import__('json').dumps({'a': '…'}, ensure_ascii=False)])), 'csv')"
    )
    assert shown(exact, PYTHONIOENCODING="utf-8")[1] == "a\n…\n".encode()
    code, said, error = shown(exact, PYTHONIOENCODING="latin-1")
    assert (code, b"2026" in said) == (1, False)
    assert b"set PYTHONIOENCODING=utf-8" in error


def test_a_lake_in_a_store_leaves_one_directory_of_logs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(settings.HOME_VARIABLE, "s3a://bucket/lake")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    places = set[Path]()
    for _ in range(2):
        logs._own_directory.cache_clear()
        places.add(logs.log_file())
    (own,) = places
    assert own.parent.stat().st_mode & 0o777 == 0o700
    # A symbolic link would be somebody else's.
    own.parent.rmdir()
    own.parent.symlink_to(tmp_path)
    logs._own_directory.cache_clear()
    assert logs.log_file().parent not in (own.parent, tmp_path)
    logs._own_directory.cache_clear()


def test_a_profile_in_another_encoding_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "profiles.yml").write_bytes("# é".encode("latin-1"))
    monkeypatch.setenv(settings.PROFILES_VARIABLE, str(tmp_path))
    with pytest.raises(UserError, match="is not UTF-8: save it as UTF-8$"):
        profile_target("local")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left on device"), "No space left on device: make room, and run"),
        (PermissionError(13, "Permission denied", "/lake/spark"), "/lake/spark: Permission denied"),
        (Py4JNetworkError("Answer from Java side is empty"), "Spark's Java process has ended: see"),
        (ConnectionRefusedError(111, "Connection refused"), "CHANGELAKE_SPARK_MEMORY"),
        (
            PySparkException("[X] It is\nwrong; line 1 pos 2;\n'Project [*]\n+- 'T"),
            "Spark: [X] It is w",
        ),
    ],
)
def test_what_the_machine_refuses_is_one_line(
    error: Exception, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @one_line_errors
    def command() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        command()
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert said.startswith("error: ") and said.count("\n") == 1 and message in said


def test_a_place_that_cannot_be_used_names_what_it_comes_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.touch()
    for place in (file, file / "lake"):
        monkeypatch.setenv(settings.HOME_VARIABLE, str(place))
        with pytest.raises(UserError) as error:
            settings.check_home()
        assert str(error.value) == (
            f"the lake's directory {place} cannot be used: there is a file where a directory has to"
            " be: it comes from CHANGELAKE_HOME"
        )
    for sign in ";[]{}*?\\":
        monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path / f"lake{sign}1"))
        with pytest.raises(UserError) as error:
            settings.check_home()
        assert f"must not contain '{sign}': it comes from CHANGELAKE_HOME" in str(error.value)
    monkeypatch.setenv(settings.HOME_VARIABLE, "~no-such-user/lake")
    with pytest.raises(UserError, match="^~no-such-user/lake: ~no-such-user has no home directory"):
        settings.check_home()
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path / "new" / "lake"))
    settings.check_home()
    assert list((tmp_path / "new" / "lake").iterdir()) == []
    monkeypatch.setenv(settings.HOME_VARIABLE, "s3a://bucket/lake")
    settings.check_home()
    full = OSError(28, "No space left on device", str(tmp_path / "kafka" / "broker.log"))
    monkeypatch.setenv(settings.HOME_VARIABLE, str(tmp_path))
    assert error_text(full) == (
        f"{tmp_path}/kafka/broker.log: No space left on device: the lake's directory is {tmp_path},"
        " it comes from CHANGELAKE_HOME"
    )
    jar = OSError(13, "Permission denied", f"{settings.JARS}.lock")
    assert error_text(jar) == f"{settings.JARS}.lock: Permission denied: it holds the jars"
    monkeypatch.setenv("DBT_PROFILES_DIR", str(tmp_path))
    with pytest.raises(UserError, match="No such file or directory: it comes from DBT_PROFILES"):
        profile_target("local")
    for name, message in ((file / "x", "Not a directory"), (tmp_path, "Is a directory")):
        with pytest.raises(UserError, match=f"--kafka-properties {name} cannot be read: {message}"):
            kafka_properties(name, {})


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        (tuning.CODEGEN_VARIABLE, ["maybe", "True", ""], ["true", "false"]),
        (spark.MEMORY_VARIABLE, ["abc", "3 g", "3gg"], ["3g", "512m", "2048"]),
        (spark.PARTITIONS_VARIABLE, ["0", "four", "-1", ""], ["1", "200"]),
    ],
)
def test_a_variable_with_a_wrong_value_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: list[str], right: list[str]
) -> None:
    for value in right:
        monkeypatch.setenv(name, value)
        spark._check_variables()
    for value in wrong:
        monkeypatch.setenv(name, value)
        with pytest.raises(UserError, match=f"^{name}={value}: write "):
            spark._check_variables()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CHANGELAKE_HOEM", "CHANGELAKE_HOME"),
        ("CHANGLAKE_HOME", "CHANGELAKE_HOME"),
        ("changelake_home", "CHANGELAKE_HOME"),
        ("CHANGELAKE_KAFKA_BOOTSTRAP_SERVER", "CHANGELAKE_KAFKA_BOOTSTRAP_SERVERS"),
        # somebody's own, Kubernetes' and Kafka's
        ("CHANGELAKE_VERSION", ""),
        ("CHANGELAKE_SCHEMA_REGISTRY_PORT", ""),
        ("CHANGELAKE_KAFKA_SECURITY_PROTOCOL", ""),
    ],
)
def test_a_misspelt_variable_is_not_passed_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, meant: str
) -> None:
    monkeypatch.setenv(name, "/secret")
    with pytest.raises(SystemExit) if meant else nullcontext():
        one_line_errors(lambda: None)()
    said = f"error: {name} is no setting: did you mean {meant}? If not, unset it\n"
    assert capsys.readouterr().err == (said if meant else "")


def test_a_directory_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    program = f"""if True:
        import os
        from pathlib import Path
        from changelake.core.cli import one_line_errors
        from changelake.spark.java import find_java
        os.rmdir({str(gone)!r})
        find_java()
        one_line_errors(lambda: Path("file").absolute())()
    """
    environment = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=gone, env=environment, capture_output=True, text=True
    )
    said = "error: the directory in which this was called is gone: change into another one\n"
    assert (done.returncode, done.stderr) == (1, said)


@pytest.mark.parametrize("trigger", ["10", "10x", "10 ss", "often", "", "seconds 10"])
def test_triggers(trigger: str) -> None:
    assert interval_seconds("1 minute 30 seconds", "--trigger") == 90
    assert interval_seconds(" 500 milliseconds", "--trigger") == 0.5
    short = {"30s": 30, "1m30s": 90, "5 min": 300, "2h": 7200, "1d": 86_400, "500ms": 0.5}
    assert {text: interval_seconds(text, "--trigger") for text in short} == short
    with pytest.raises(UserError, match=f"--trigger {trigger}: write numbers and units"):
        interval_seconds(trigger, "--trigger")


def test_the_lake_is_absolute_or_a_url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHANGELAKE_HOME", "somewhere")
    assert settings.bronze("canal") == str(tmp_path / "somewhere/bronze/canal")
    monkeypatch.setenv("CHANGELAKE_HOME", "s3a://bucket/lake/")
    assert settings.checkpoint("f") == "s3a://bucket/lake/checkpoints/f"
    with pytest.raises(UserError, match="not a local directory"):
        settings.home()
    with (
        pytest.raises(UserError, match="is not a local file, so it cannot be locked"),
        locked("bronze", ".canal.lock"),
    ):
        pass
    monkeypatch.delenv("CHANGELAKE_HOME")
    assert settings.home() == settings.REPO / "lake"


def test_a_place_by_any_spelling_is_one_lock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    lake.mkdir()
    (tmp_path / "link").symlink_to(lake)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    spellings = ["lake", "./lake/", "x/../lake", "~/lake", f"/{lake}", f"{lake}//"]
    spellings += [
        f"{scheme}{lake}" for scheme in ("file:", "file://", "FILE:///", "file://localhost")
    ]
    for spelling in spellings:
        assert settings.local_path(spelling) == lake
        monkeypatch.setenv("CHANGELAKE_HOME", spelling)
        assert settings.home() == lake
        assert settings.bronze("canal") == f"{lake}/bronze/canal"
    for spelling in [*spellings, "link", f"file:{tmp_path}/link"]:
        with locked(".lock", root=lake), pytest.raises(BlockingIOError):  # noqa: SIM117
            with locked(".lock", root=spelling, wait=False):
                pass
    for url in ("s3a://bucket/lake", "hdfs:/lake", "abfss://c@a.dfs/lake", "file://host/lake"):
        assert settings.local_path(url) is None


def test_the_profile_is_the_scripts_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHANGELAKE_HOME", "/somewhere")
    confs = profile_confs("local")
    assert confs["spark.sql.session.timeZone"] == "UTC"
    assert confs["spark.ui.enabled"] == "false"
    jars = f"{settings.REPO}/.jars"
    assert confs["spark.driver.extraClassPath"] == f"{jars}/local/*:{jars}/spark/*"
    monkeypatch.setenv("CHANGELAKE_SPARK_MASTER", "yarn")
    assert profile_confs("local")["spark.driver.extraClassPath"] == f"{jars}/spark/*"
    assert derby_directory(confs) == Path("/somewhere/metastore_db")
    assert derby_directory(profile_confs("sample")) == Path("/somewhere/sample/metastore_db")
    with pytest.raises(UserError, match="no target 'prod'"):
        profile_confs("prod")


def test_an_empty_home_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHANGELAKE_HOME", "")
    assert derby_directory(profile_confs("local")) == Path("lake/metastore_db")
    monkeypatch.setenv("CHANGELAKE_HOME", "/a b")
    options = profile_confs("local")["spark.driver.extraJavaOptions"]
    assert "-Dderby.system.home=/a b" in shlex.split(options)
    monkeypatch.setenv("CHANGELAKE_HOME", "/customer-profiles/user profiles/lake")
    confs = profile_confs("local")
    assert confs["spark.sql.warehouse.dir"] == "/customer-profiles/user profiles/lake/warehouse"
    assert f"{settings.REPO}/profiles/" in confs["spark.driver.extraJavaOptions"]


def test_the_profile_is_the_projects(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DBT_PROFILES_DIR", str(tmp_path))
    file = tmp_path / "profiles.yml"
    file.write_text("other: {outputs: {local: {type: spark}}}\n")
    with pytest.raises(UserError, match="has no 'changelake'"):
        profile_target("local")
    file.write_text(file.read_text() + "changelake: {outputs: {local: {type: ours}}}\n")
    assert profile_target("local") == {"type": "ours"}


def test_a_lake_stays_where_it_was_made(tmp_path: Path) -> None:
    (made := tmp_path / "a b" / "warehouse").mkdir(parents=True)
    uri = f"file:{str(made).replace(' ', '%20')}"
    check_place(uri, str(made))
    (tmp_path / "link").symlink_to(made.parent)
    check_place(uri, str(tmp_path / "link" / "warehouse"))
    with pytest.raises(UserError, match=f"made in {made.parent}, .* remove {tmp_path}/moved/meta"):
        check_place(uri, str(tmp_path / "moved" / "warehouse"))


@pytest.mark.parametrize(("given", "read"), [("", None), ("0123", "0123"), ("a {b}", "a {b}")])
def test_the_profile_gives_a_password_or_none(
    monkeypatch: pytest.MonkeyPatch, given: str, read: str | None
) -> None:
    monkeypatch.setenv("DBT_ENV_SECRET_CHANGELAKE_THRIFT_PASSWORD", given)
    assert profile_target("cluster")["password"] == read


def test_properties_files() -> None:
    text = (
        "# comment\n! comment\n\nsecurity.protocol = SASL_SSL\n  a:b=c\nempty\n"
        'sasl.jaas.config=Module required \\\n    username="u" \\\n    password="p\\\\=1";\n'
        "tab=a\\tb\\u00e9\nki\\:nd\\ x v\r\npassword=a\x85b\x0cc\u2028\n"
    )
    assert parse_properties(text) == {
        "security.protocol": "SASL_SSL",
        "a": "b=c",
        "empty": "",
        "sasl.jaas.config": 'Module required username="u" password="p\\=1";',
        "tab": "a\tbé",
        "ki:nd x": "v",
        "password": "a\x85b\x0cc\u2028",
    }


def test_settings_of_the_environment_win(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "client.properties"
    file.write_text("security.protocol=SSL\nssl.truststore.type=PEM\nbootstrap.servers=x:1\n")
    environment = {"CHANGELAKE_KAFKA_SECURITY_PROTOCOL": "SASL_SSL", "OTHER": "1"}
    assert kafka_properties(file, environment) == {
        "security.protocol": "SASL_SSL",
        "ssl.truststore.type": "PEM",
    }
    environment = {"CHANGELAKE_KAFKA_SSL_TRUSTSTORE_LOCATION": "trust.pem"}
    monkeypatch.chdir(tmp_path)
    assert kafka_properties(None, environment) == {
        "ssl.truststore.location": str(tmp_path / "trust.pem")
    }
    with pytest.raises(UserError, match="cannot be read"):
        kafka_properties(tmp_path / "none", {})


def test_settings_that_exactly_once_stands_on_are_reserved(tmp_path: Path) -> None:
    file = tmp_path / "client.properties"
    for line in (
        "isolation.level=read_uncommitted",
        "Isolation.LEVEL : read_uncommitted",
        "isolation.level\\  read_uncommitted",
        "isolation.level",
        "auto.offset.reset=latest",
        "enable.auto.commit=true",
        "check.crcs=false",
        "allow.auto.create.topics=true",
        "interceptor.classes=x.Y",
        "value.deserializer=x.Y",
    ):
        file.write_text(f"client.id=lake\n{line}\n")
        with pytest.raises(UserError, match=r"^the Kafka setting [a-z.]+ is reserved"):
            kafka_properties(file, {})
    for name in ("ISOLATION_LEVEL", "isolation_level", "Isolation.Level", "CHECK_CRCS"):
        with pytest.raises(UserError, match="is reserved, since exactly-once landing depends on"):
            kafka_properties(None, {f"CHANGELAKE_KAFKA_{name}": "read_uncommitted"})
    # Settings that only matter for speed are up to the person.
    file.write_text("Fetch.Max.Bytes=1000\nmax.poll.records=5\ngroup.id=lake\n")
    assert kafka_properties(file, {}) == {
        "fetch.max.bytes": "1000",
        "max.poll.records": "5",
        "group.id": "lake",
    }


@pytest.mark.parametrize("servers", ["localhost", "", "a:b", "h:99999", "h:²", "http://h:9092"])
def test_malformed_servers(servers: str) -> None:
    with pytest.raises(UserError, match="HOST:PORT"):
        check_reachable(servers)


OFFSET_LOG = 'v1\n{"batchWatermarkMs":0}\n{"t":{"1":7,"0":5}}'


def test_offset_logs() -> None:
    assert parse_offsets(OFFSET_LOG) == {("t", 0): 5, ("t", 1): 7}
    changed = replace_offsets(OFFSET_LOG, {("t", 0): 5, ("u", 0): 2})
    assert changed == 'v1\n{"batchWatermarkMs":0}\n{"t":{"0":5},"u":{"0":2}}'


def test_what_there_is_to_land() -> None:
    done = Progress(started=True, next_offsets={("t", 0): 5}, last_batch=0)
    assert not has_new_messages(done, {("t", 0): (0, 5)})
    assert has_new_messages(done, {("t", 0): (0, 6)})
    assert has_new_messages(done, {("t", 0): (0, 5), ("t", 1): (0, 1)})
    assert not has_new_messages(done, {("t", 0): (0, 5), ("t", 1): (4, 4)})
    assert has_new_messages(Progress(started=True, last_batch=0, in_flight=True), {})
    assert not has_new_messages(Progress(), {("t", 0): (3, 3)})


def test_offsets_that_do_not_fit_the_broker() -> None:
    progress = Progress(started=True, next_offsets={("t", 0): 5}, last_batch=0)
    check_offsets(FEED, progress, {("t", 0): (5, 5)}, {"t"})
    for offsets, topics, message in (
        ({("t", 0): (8, 9)}, {"t"}, "feed f: topic 't', partition 0: the offsets 5 to 7 expired"),
        (
            {("t", 0): (0, 4)},
            {"t"},
            "landed up to offset 4, and the broker has only offsets up to 3",
        ),
        ({("t", 0): (0, 0)}, {"t"}, "to offset 4, and the broker has only an empty partition"),
        ({("t", 1): (0, 4)}, {"t"}, "partition 0 of the topic 't' is gone"),
        (
            {},
            set(),
            "'t' has been landed, but is no longer at .* --accept-loss --feed f continues",
        ),
    ):
        with pytest.raises(UserError, match=message):
            check_offsets(FEED, progress, offsets, topics)
    assert expired(progress, {("t", 0): (8, 9)}) == {("t", 0): 8}
    assert expired(progress, {("t", 0): (5, 9)}) == {}
    # A topic that is only in the batch in flight still belongs to the feed.
    planned = Progress(
        started=True, next_offsets={("t", 0): 5}, last_batch=1, in_flight=True,
        planned={("t", 0): 5, ("u", 0): 100},
    )  # fmt: skip
    there = {("t", 0): (0, 5), ("u", 0): (60, 150)}
    with pytest.raises(UserError, match="'u', partition 0: the offsets 0 to 59 expired"):
        check_offsets(FEED, planned, there, {"t", "u"})
    with pytest.raises(UserError, match="checkpoint also covers the topic 'u'"):
        check_offsets(FEED, planned, {("t", 0): (0, 5)}, {"t"})
    assert planned.without({"u"}) == replace(planned, planned={("t", 0): 5})
    check_offsets(FEED, planned.moved({("u", 0): 60}), there, {"t", "u"})
    many = {("t", number): (8, 9) for number in range(22)}
    with pytest.raises(UserError, match="partition 1: the offsets 0 to 7; .*2 more partitions ex"):
        check_offsets(FEED, progress, many, {"t"})


def test_a_checkpoint_knows_what_it_is_of() -> None:
    marker = {"feed": "f", "format": "canal", "topics": {"t": "id1"}, "bronze": "b1"}
    done = Progress(started=True, next_offsets={("t", 0): 5}, last_batch=0)
    two = {"t": Topic("t", "id1", (0,)), "u": Topic("u", "x", (0,))}
    check_marker(FEED, marker, two, "b1", done)
    check_marker(FEED, {}, {"t": Topic("t", "id1", (0,))}, "b1", done)
    again = {"t": Topic("t", "id2", (0,))}
    # on the wrong broker nobody should rename topics
    with pytest.raises(UserError, match="another broker .check --bootstrap.* created again"):
        check_marker(FEED, marker, again, "b1", done)
    planned = Progress(started=True, last_batch=0, in_flight=True, planned={("t", 0): 5})
    with pytest.raises(UserError, match="created again"):
        check_marker(FEED, marker, again, "b1", planned)
    # The checkpoint of an empty topic has nothing in bronze.
    check_marker(FEED, marker, again, "b1", Progress(started=True, next_offsets={("t", 0): 0}))
    with pytest.raises(UserError, match="another bronze table"):
        check_marker(FEED, marker, {}, "b2", done)


@pytest.mark.parametrize(
    ("last", "in_flight", "in_bronze", "message"),
    [
        (None, False, None, None),
        (None, False, 0, "checkpoint is older"),
        (0, True, None, None),
        (3, True, 2, None),
        (3, True, 3, None),
        (3, True, 4, "checkpoint is older"),
        (3, False, 3, None),
        (3, False, 2, "bronze is older"),
        (3, True, 1, "bronze is older"),
    ],
)
def test_a_checkpoint_and_bronze_are_of_one_time(
    last: int | None, in_flight: bool, in_bronze: int | None, message: str | None
) -> None:
    progress = Progress(started=True, last_batch=last, in_flight=in_flight)
    with pytest.raises(UserError, match=message) if message else nullcontext():
        check_batches(FEED, progress, in_bronze)


def test_explains_errors_of_queries() -> None:
    assert "do not fit into Spark's memory" in explain(
        "java.lang.OutOfMemoryError: Java heap space"
    )
    text = (
        "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: it is\nbad\n"
        "\tat org.x(Y.scala:1)\n=== Streaming Query ===\nIdentifier: f\n"
    )
    assert explain(text) == "it is bad"
    assert explain(text, "it is bad (IOException)") == "it is bad"
    assert explain(text, "why (IOException)") == "it is bad: why (IOException)"
    full = "No space left on device (IOException)"
    assert explain(text, full) == f"the disk is full: make room, and run again (it is bad: {full})"
    gone = "This server does not host this topic (UnknownTopicOrPartitionException)"
    assert explain(text, gone).startswith("a topic is no longer at the broker: run again, which")
    damaged = "Record batch for partition t-0 at offset 3 is invalid, cause: Record is corrupt (K)"
    assert explain(text, damaged).startswith("the broker's copy of a message is damaged: restore")
    late = "Timed out waiting for a node assignment. Call: listNodes (TimeoutException)"
    assert explain(text, late).startswith("the broker no longer answers: once it does, run")


def test_compacted_topics_are_remarked() -> None:
    feed, names = Feed("f", "canal", topic_pattern="t.*"), [f"t{n}" for n in range(9)]
    assert remark(feed, names, set()) is None
    said = remark(feed, names, set(names))
    assert said is not None
    assert said.startswith("feed f: compacted (cleanup.policy): 't0', 't1', 't2', 't3', 't4' and 4")
    assert "'t1': the broker removes" in (remark(feed, ["t1", "u"], {"t1", "x"}) or "")


def test_topics_that_are_not_there_are_remarked() -> None:
    feed = Feed("f", "canal", topic_pattern=r"crm\.public\.")
    said = r"feed f: no topic at the broker matches its topic_pattern 'crm\.public\.', which has to"
    assert (remark(feed, [], set()) or "").startswith(said)
    feed = Feed("f", "canal", ("t", "u"))
    said = "feed f: given up, and no longer at the broker: 'u': remove from the list of feeds"
    assert remark(feed, ["t"], set(), {"u", "x"}) == said
    assert remark(feed, ["t"], set(), {"x"}) is None
    said = missing_topics(feed, {"t"}, ["T", "other"])
    assert said.startswith("feed f: the topic 't' does not exist at the broker (or may not be read")
    assert "did you mean 'T'? check --bootstrap-servers, correct the list of feeds, or" in said
    said = missing_topics(feed, {"t", "u"}, ["other"])
    start = (
        "feed f: the topic 't' does not exist at the broker, nor 'u' (or may not be read): check"
    )
    assert said.startswith(start)


@pytest.mark.parametrize(("count", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 KB")])
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("", []),
        (" ; -- nothing; \n ;", []),
        ("select 1", ["select 1"]),
        ("select ';' ; select \"a;\"", ["select ';'", 'select "a;"']),
        ("select 'it\\'s; x';select 2", ["select 'it\\'s; x'", "select 2"]),
        ("select r'\\'; select 2", ["select r'\\'", "select 2"]),
        ("select 'a''b;'; select 2", ["select 'a''b;'", "select 2"]),
        ("select `a;b`, 1 -- x;y\n; select /* ;/* ; */ */ 2", None),
        ("-- head\nselect 1; /* tail */", ["select 1"]),
        ("/*+ hint */ select 1", ["/*+ hint */ select 1"]),
        ("select 5 / 2 * 3 - -1", ["select 5 / 2 * 3 - -1"]),
    ],
)
def test_splits_statements(text: str, statements: list[str] | None) -> None:
    expected = (
        ["select `a;b`, 1 -- x;y", "select /* ;/* ; */ */ 2"] if statements is None else statements
    )
    assert split_statements(text) == expected


def test_rows_keep_their_digits() -> None:
    line = (
        '{"a":0E-18,"b":1.000E-7,"c":{"d":[1.10,12345678901234567890.123]},"e":1.0E10,"f":"1E-5"}'
    )
    spelled = rows.spell_out(line)
    assert spelled == (
        '{"a":0.000000000000000000,"b":0.0000001000,"c":{"d":[1.10,12345678901234567890.123]},'
        '"e":1.0E10,"f":"1E-5"}'
    )
    cells = [rows.cell(value) for _, value in rows.parse(spelled)]
    assert cells[2:] == ['{"d":[1.10,12345678901234567890.123]}', "1.0E10", "1E-5"]


def test_csv_tells_null_from_empty() -> None:
    assert rows.csv_line([None, "", "a", 'b"c', "d,e"]) == ',"",a,"b""c","d,e"'


def test_repeated_columns_get_names_of_their_own() -> None:
    assert rows.unique_names(["a", "a_2", "a", "b"]) == ["a", "a_2", "a_3", "b"]


MONITORING = settings.REPO / "models" / "monitoring"


def read_by(model: str) -> list[str]:
    """Return the columns that a model of monitoring reads from JSON lines."""
    found = re.search(r"json_lines\(.*?'\n(.*?)'\)", (MONITORING / model).read_text(), re.DOTALL)
    assert found
    return [one.split()[0] for one in found[1].split(",")]


def test_models_read_what_is_written_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model ignores fields that it does not name; fields that nothing writes would be null."""
    written: list[dict[str, object]] = []
    monkeypatch.setattr(costs, "append_lines", lambda name, target, lines: written.extend(lines))
    done = RunSummary(built=[NodeResult("a", "model", "success", "", 1.0)])
    costs.RunCosts("local").add(1.0, done)
    (line,) = written
    assert sorted(line) == sorted(read_by("run_costs.sql"))
    assert ["measured_at", *(one.name for one in fields(TableSize))] == read_by("table_sizes.sql")


def test_the_table_of_reconciliations_is_as_its_source_says() -> None:
    schema, table = results.RELATION.split(".")
    text = (MONITORING / "_monitoring__sources.yml").read_text()
    (source,) = [one for one in yaml.safe_load(text)["sources"] if one["name"] == schema]
    (declared,) = [one["columns"] for one in source["tables"] if one["name"] == table]
    columns = re.findall(r"(\w+) (\w+(?:<.*?>)?)", results._COLUMNS)
    assert [(name, kind.replace(" ", "")) for name, kind in columns] == [
        (one["name"], one["data_type"]) for one in declared
    ]
