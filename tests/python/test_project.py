"""The project's own rules: what every format, macro and seed must have."""

import csv
import json
import os
import re
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jinja2
import pytest
import yaml
from dbt.cli.main import dbtRunner

import avro
import avro_samples
from changelake.build.codegen import generated_code
from changelake.build.dbt import Build, parse
from changelake.core import settings, tuning
from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS
from changelake.core.macros import macro_sql
from changelake.core.operation_codes import check_operation_codes, parse_operation_codes
from changelake.dev.bench_messages import cases
from changelake.dev.draft import CASES
from changelake.onboarding.declarations import declare_known
from changelake.onboarding.values import Values
from changelake.spark.profile import profile_confs, profile_target
from compiled_text import compiled_text

pytestmark = pytest.mark.e2e

LONGEST_PARSER = 120
# Codes that no sample has: a parser derives them, or takes them for a typo of another code.
NOT_IN_MESSAGES = {
    ("cloudcanal_json", "DDL"),
    ("debezium", "heartbeat"),
    ("debezium_mongodb", "heartbeat"),
    ("ckafka_format_one", "L"),
    ("dms_json", "droptable"),
    ("dms_json", "truncatetable"),
}


@pytest.fixture(scope="module")
def manifest(spark: Any, project: Path) -> Any:
    """The manifest of target sample, which includes the unit tests."""
    return parse("sample")


def test_the_threads_of_a_run_have_its_notes_in_common(project: Path) -> None:
    found: list[dict[str, Any]] = []
    threads = ["the other one"]

    def seed_node(_: str) -> Any:
        if threads:
            # another thread intervenes
            threads.pop()
            module.run_notes()
        return SimpleNamespace(unique_id="seed.feeds")

    context = {
        "graph": {"changelake": {"an earlier run": {"feeds": {"shop": {}}, "answers": {"a": 1}}}},
        "invocation_id": "this run",
        "selected_resources": [],
        "seed_node": seed_node,
        "return": found.append,
    }
    text = (project / "macros" / "session" / "run_notes.sql").read_text()
    environment = jinja2.Environment(extensions=["jinja2.ext.do"])
    module: Any = environment.from_string(text, globals=context).module
    module.run_notes()
    module.run_notes()
    assert len(found) == 3 and found[0] is found[1] is found[2]
    assert (found[0]["feeds"], found[0]["answers"]) == ({"shop": {}}, {})
    assert list(context["graph"]["changelake"]) == ["this run"]


def test_no_expression_fills_the_stack(project: Path) -> None:
    """In Java, a repeated group that can backtrack overflows the stack, which ends the process."""
    found = {
        f"{file.relative_to(project)}: {line.strip()}"
        for file in (project / "macros").rglob("*.sql")
        for line in file.read_text().splitlines()
        # Jinja itself reads these; they are Python's.
        if re.search(r"\)[*+](?!\+)", line) and "modules.re" not in line
    }
    assert found == set()


def test_no_expression_ends_with_a_dollar(project: Path) -> None:
    """In Java and Python it also matches before a final line break: `\\z` is the end."""
    found = {
        f"{file.relative_to(project)}: {line.strip()}"
        for root in ("macros", "models")
        for file in (project / root).rglob("*.sql")
        for line in file.read_text().splitlines()
        # MongoDB's operators begin with a dollar.
        if re.search(r"""(?<!\\)(?<!\{")(?<!\{"s)\$(?=['"|)])""", line)
    }
    assert found == set()


def rows_of(seed: str) -> list[dict[str, str]]:
    with (settings.REPO / "seeds" / f"{seed}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_formats_of_the_design_are_there() -> None:
    # Others may follow them.
    assert FORMATS[:14] == (
        "drs_json", "drs_json_c", "drs_mongo", "drs_avro", "oceanbase_default",
        "oceanbase_default_extended", "oceanbase_dataworks", "oceanbase_shareplex", "canal",
        "cloudcanal_json", "debezium", "dts_avro", "ckafka_format_one", "dataworks_streamx",
    )  # fmt: skip
    assert len(set(FORMATS)) == len(FORMATS)


def test_every_format_can_be_measured() -> None:
    assert {case.format for case in cases(list(FORMATS))} == set(FORMATS)


def test_every_format_has_every_case(manifest: Any) -> None:
    names = {test.name for test in manifest.unit_tests.values()}
    models = {node.name: node for node in manifest.nodes.values() if node.resource_type == "model"}
    for format_id in FORMATS:
        exceptions = models[f"{format_id}_events"].config.meta.get("unit_test_exceptions", {})
        assert set(exceptions) <= CASES.keys()
        assert all(len(str(reason).split()) > 2 for reason in exceptions.values())
        tested = {
            name.removeprefix(f"{format_id}__")
            for name in names
            if name.startswith(f"{format_id}__")
        }
        # A case can have several tests, named <format>__<case>_<what>.
        missing = {
            case
            for case in CASES.keys() - set(exceptions)
            if not any(name == case or name.startswith(f"{case}_") for name in tested)
        }
        assert (format_id, missing) == (format_id, set())
        assert (format_id, set(exceptions) & tested) == (format_id, set())


def test_the_samples_have_every_operation() -> None:
    def messages(format_id: str) -> str:
        if format_id in avro_samples.FORMATS:
            return avro_samples.fixture(format_id).read_text(encoding="utf-8")
        return "\n".join(row["value"] for row in rows_of(f"samples/{format_id}_messages"))

    texts = {format_id: messages(format_id) for format_id in FORMATS}
    missing = {
        (row["format"], row["code"])
        for row in rows_of("operation_codes")
        # MongoDB's codes are an operation and a record type.
        for word in row["code"].split()
        if not re.search(rf'"{word}\\?"', texts[row["format"]])
    }
    assert missing == NOT_IN_MESSAGES


def test_hadoops_settings_of_other_schedulers_are_left_out(spark: Any) -> None:
    settings_of_hadoop = spark.sparkContext._jsc.hadoopConfiguration()
    assert settings_of_hadoop.get("yarn.resourcemanager.address") is None
    assert settings_of_hadoop.get("hadoop.tmp.dir") is not None
    assert settings_of_hadoop.size() < 500


def test_workers_are_of_the_same_python(spark: Any) -> None:
    """The python3 on the PATH may be another version, with which Spark does not work."""
    assert spark.sparkContext.pythonExec == sys.executable


def test_every_macro_is_documented_and_typed(manifest: Any) -> None:
    wrong = []
    for macro in manifest.macros.values():
        if macro.package_name != "changelake" or macro.name.startswith(
            ("_", "test_", "materialization_")
        ):
            continue
        signature = re.search(r"{%-?\s*macro\s+\w+\((.*?)\)\s*-?%}", macro.macro_sql, re.DOTALL)
        names = re.findall(
            r"(?:^|,)\s*(\w+)",
            re.sub(r"=\s*(\[.*?\]|'[^']*'|\"[^\"]*\")", "", signature[1]) if signature else "",
        )
        documented = [argument.name for argument in macro.arguments]
        if names != documented:
            wrong.append(f"{macro.name}: takes {names} and documents {documented}")
        if not macro.description:
            wrong.append(f"{macro.name}: no description")
        for argument in macro.arguments:
            if not argument.type or not argument.description:
                wrong.append(f"{macro.name}: {argument.name} has no type or description")
    assert wrong == []


def test_one_public_macro_a_file(manifest: Any) -> None:
    wrong = []
    for macro in manifest.macros.values():
        stem = Path(macro.original_file_path).stem
        if (
            macro.package_name == "changelake"
            and not macro.name.startswith(("_", "test_", "materialization_"))
            and macro.name != stem
        ):
            wrong.append(f"{macro.name} in {macro.original_file_path}")
    assert wrong == []


def test_a_private_macro_is_called_in_its_own_file_alone(project: Path) -> None:
    """Or within its folder if it is in a file that begins with _, as part of a parser."""
    texts = {
        file: re.sub(r"{#.*?#}", "", file.read_text(), flags=re.DOTALL)
        for folder in ("macros", "models", "snapshots", "tests")
        for file in (project / folder).rglob("*.sql")
    }
    owners = {
        name: file
        for file, text in texts.items()
        for name in re.findall(r"{%-?\s*macro\s+(_\w+)", text)
    }
    wrong = []
    for file, text in texts.items():
        for name in set(re.findall(r"(?<![\w.])(_\w+)\(", text)) & owners.keys():
            owner = owners[name]
            is_part = owner.stem.startswith("_") and owner.parent == file.parent
            if file != owner and not is_part:
                wrong.append(f"{name} of {owner.name} in {file.name}")
    assert owners and wrong == []


def test_parsers_are_short_and_pure(project: Path) -> None:
    for format_id in FORMATS:
        text = (project / "macros" / "formats" / format_id / f"parse_{format_id}.sql").read_text()
        assert (format_id, len(text.splitlines()) <= LONGEST_PARSER) == (format_id, True)
        code = re.sub(r"{#.*?#}", "", text, flags=re.DOTALL)
        assert (format_id, re.findall(r"\b(?:ref|source|var|is_incremental)\(", code)) == (
            format_id,
            [],
        )


def test_the_state_engine_names_no_dialect(project: Path) -> None:
    macros = {file.name: file.read_text() for file in (project / "macros/state").rglob("*.sql")}
    names = re.compile(rf"\b({'|'.join(FORMATS)})(_events)?\b")
    assert len(macros) > 50
    assert [name for name, text in macros.items() if names.search(text)] == []


def test_drs_schema_is_the_one_in_use(project: Path) -> None:
    assert avro.DRS_HEADER[2:] == avro.fingerprint(avro.schema_of("drs_avro"))


@pytest.mark.parametrize("format_id", avro_samples.FORMATS)
def test_avro_samples_are_what_the_fixtures_say(format_id: str) -> None:
    seed = settings.REPO / "seeds" / "samples" / f"{format_id}_messages.csv"
    assert seed.read_text() == avro_samples.sample_csv(format_id)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("declared_column('a', 'timestamp from epoch_milis')", "encodings text, .*epoch_millis"),
        ("declared_column('a', 'bigint from epoch_millis')", "of bigint write one of the enc"),
        ("declared_column('a', {'type': 'string', 'ignorecase': true})", "declares ignorecase"),
        ("declared_column('a', {'type': 'int', 'mask': 'hash'})", "mask hash"),
        ("declared_column('a', {'type': 'array<string>', 'mask': 'hash'})", "mask hash"),
        ("declared_column('a', 'array<int> from epoch_days')", "of int write one of the enc"),
        ("declared_column('a', 'array<string> from document')", "of string write one of the enc"),
        ("key_of_table({'key': ['b']}, [declared_column('a', 'int')])", "names b, .*one of a"),
        (
            "key_of_table({'key': ['a']}, [declared_column('a', {'type': 'int', 'mask': 'null'})])",
            "has a with the mask null",
        ),
    ],
)
def test_declarations_that_mean_nothing(spark: Any, project: Path, call: str, message: str) -> None:
    inline = f"{{% set x = {call} %}} select 1"
    said = said_by_failing(project, "compile", "--inline", inline)
    assert [text for text in said if re.search(message, text)]


def said_by_failing(project: Path, *arguments: str) -> list[str]:
    """Run a dbt command that must fail, and return its output."""
    said: list[str] = []

    # dbt's own event type does not declare the text.
    def hear(event: Any) -> None:
        said.append(" ".join(event.info.msg.split()))

    runner = dbtRunner(parse("local"), [hear])
    os.chdir(project)
    assert not runner.invoke(["--quiet", *arguments, "--target", "local"]).success
    return said


@pytest.mark.parametrize(
    ("name", "due", "other"),
    [
        ("spark.sql.session.timeZone", "UTC", "Asia/Shanghai"),
        ("spark.sql.variable.substitute", "false", "true"),
    ],
)
def test_a_session_with_other_settings_is_refused(
    spark: Any, project: Path, tmp_path: Path, name: str, due: str, other: str
) -> None:
    profile = yaml.safe_load((project / "profiles" / "profiles.yml").read_text())
    profile["changelake"]["outputs"]["local"]["server_side_parameters"][name] = other
    (tmp_path / "profiles.yml").write_text(yaml.safe_dump(profile))
    try:
        said = said_by_failing(
            project, "run-operation", "check_session", "--profiles-dir", str(tmp_path)
        )
    finally:
        spark.conf.set(name, due)
    assert [text for text in said if f"{name}={other}: set it to {due}" in text]


def test_generated_code_stays_off_in_dbts_statements(
    spark: Any, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each statement, dbt sets the settings in the profile to the profile's values."""
    monkeypatch.delenv(tuning.CODEGEN_VARIABLE, raising=False)
    with generated_code(spark, generated=False):
        Build(spark, "local", lambda node: None).operate("check_session", {})
        assert {name: spark.conf.get(name) for name in tuning.NO_CODEGEN} == tuning.NO_CODEGEN


def test_no_target_puts_variables_into_statements() -> None:
    for target in ("sample", "local"):
        assert profile_confs(target)["spark.sql.variable.substitute"] == "false"
    cluster = profile_target("cluster")["server_side_parameters"]
    assert cluster["set:hiveconf:spark.sql.variable.substitute"] == "false"


def test_every_type_of_the_seed_can_be_declared(project: Path) -> None:
    macro = (project / "macros" / "values" / "encodings_of.sql").read_text()
    known = set(re.findall(r"'(\w+)'", macro))
    for row in rows_of("source_types"):
        assert (row["encoding"].split("(")[0] or "text") in known, row


def test_codes_mean_what_the_contract_knows() -> None:
    check_operation_codes()
    assert {row["format"] for row in rows_of("operation_codes")} == set(FORMATS)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("canal,UPSERT,row,upsert", "unknown operation 'upsert' of row: use one of delete, insert"),
        ("canal,GONE,row,delte", "line 3: unknown operation 'delte' of row"),
        ("canal,PING,heartbeat,ping", "unknown operation 'ping' of heartbeat: leave it empty"),
        ("canal,UPSERT,rows,insert", "unknown event_type 'rows': use one of row, truncate"),
        ("cannal,UPSERT,row,insert", "unknown format 'cannal'"),
        ("canal,INSERT,row,update", "the code 'INSERT' of canal is in line 2 too: remove one"),
        ("canal,UPSERT,insert", "line 3: write format,code,event_type,operation"),
        ('canal,"UP,row,insert', "line 3: not a line of CSV"),
    ],
)
def test_a_wrong_code_is_named_with_its_line(line: str, message: str) -> None:
    lines = ["format,code,event_type,operation", "canal,INSERT,row,insert", line]
    with pytest.raises(UserError, match=message):
        parse_operation_codes("\n".join(lines))


def test_the_table_of_jdbc_types_is_whole() -> None:
    assert {row["jdbc_type"]: int(row["code"]) for row in rows_of("jdbc_types")} == {
        "BIT": -7, "TINYINT": -6, "SMALLINT": 5, "INTEGER": 4, "BIGINT": -5, "FLOAT": 6, "REAL": 7,
        "DOUBLE": 8, "NUMERIC": 2, "DECIMAL": 3, "CHAR": 1, "VARCHAR": 12, "LONGVARCHAR": -1,
        "DATE": 91, "TIME": 92, "TIMESTAMP": 93, "BINARY": -2, "VARBINARY": -3, "LONGVARBINARY": -4,
        "NULL": 0, "OTHER": 1111, "JAVA_OBJECT": 2000, "DISTINCT": 2001, "STRUCT": 2002,
        "ARRAY": 2003, "BLOB": 2004, "CLOB": 2005, "REF": 2006, "DATALINK": 70,
        "BOOLEAN": 16, "unknown": 10000,
    }  # fmt: skip


def test_seeds_keep_every_character(spark: Any, project: Path) -> None:
    texts = [
        "it's", '"quoted"', "back\\slash \\n \\' \\\\", "two\nlines", "100 %s %(a)s %",
        "{{ x }} {% y %} {# z #}", "华为 🙂", " blank ", "a,b;c", "`tick`", "'; drop table x; --",
        r"(\d+|[^'])\.t", "null?", "-- no", "a${usd}b ${env:HOME} ${system:user.name}",
    ]  # fmt: skip
    file = project / "seeds" / "escapes.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(["number", "text"])
        writer.writerow(["# a comment"])
        writer.writerows(enumerate(texts))
    try:
        result = Build(spark, "local", lambda node: None).invoke("seed", "--select", "escapes")
        assert [node.status for node in result.nodes if node.name == "escapes"] == ["success"]
        rows = spark.sql("select text from silver.escapes order by int(number)").collect()
        assert [row.text for row in rows] == texts
        file.write_text("number,text\n# nothing yet\n")
        Build(spark, "local", lambda node: None).invoke("seed", "--select", "escapes")
        assert spark.table("silver.escapes").count() == 0
    finally:
        file.unlink()
        spark.sql("drop table if exists silver.escapes")


def test_what_producers_write_in_their_own_way(spark: Any, project: Path) -> None:
    inline = (
        "{{ position_numbers('text') }};;"
        """{{ charset_text("encode(text, 'ISO-8859-1')", "'latin1'") }};;"""
        """{{ charset_text("encode(text, 'ISO-8859-1')", "'LATIN1'") }};;"""
        """{{ charset_text("encode(text, 'UTF-32')", "'utf32'") }};;"""
        """{{ table_of_statement('text', "'shop'") }};;"""
        """{{ comparable_type('text') }};;{{ labels_type("ENUM('A b','it''s') charset x") }}"""
    )
    os.chdir(project)
    position, latin1, capitals, utf32, table, type_text, labels = compiled_text(inline).split(";;")

    def values(expression: str, texts: list[str]) -> list[Any]:
        frame = spark.createDataFrame([(text,) for text in texts], "text string").coalesce(1)
        return [row[0] for row in frame.selectExpr(expression).collect()]

    found = values(position, ["72469@78", "binlog.000010:4"])
    assert [list(map(int, numbers)) for numbers in found] == [[78, 72469], [10, 4]]
    # MySQL's latin1 is windows-1252, with control characters in its five gaps.
    assert values(latin1, list(map(chr, range(256)))) == [
        bytes([number]).decode("cp1252", errors="ignore") or chr(number) for number in range(256)
    ]
    # PostgreSQL's latin1 is ISO-8859-1.
    assert values(capitals, list(map(chr, range(256)))) == list(map(chr, range(256)))
    assert values(utf32, ["\ufeffa", "", "\U0001f600"]) == ["\ufeffa", "", "\U0001f600"]
    statements = ["create or replace table t (id int)", "create or replace table other.t (id int)"]
    assert values(table, statements) == ["t", None]
    statements = ["alter online table t rename column a to b", "drop tables if exists `shop`.`t`"]
    assert values(table, statements) == ["t", "t"]
    spelled = ["Decimal( 10, 2 ) UNSIGNED", "ENUM( 'A b', 'it''s' ) CHARSET x", "int"]
    assert values(type_text, spelled) == [
        "decimal(10,2)unsigned", "enum('A b','it''s')CHARSETx", "int",
    ]  # fmt: skip
    assert labels == "enum('A b','it''s')"


def test_lists_are_cut(spark: Any, project: Path) -> None:
    """Debezium's truncated arrays: a place after the cut can only be set after the cut."""
    assert project
    gone = object()
    document = {"_id": 1, "l": [1, "s", None, {"a": [5, 6]}], "o": {"m": [[1, 2], "3"]}, "t": "x"}
    cases: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({"$truncate": {"l": 2}}, {"l": [1, "s"]}),
        ({"$truncate": {"l": 0, "o.m": 1}}, {"l": [], "o": {"m": [[1, 2]]}}),
        ({"$truncate": {"l.3.a": 1, "o.m.0": 0}}, {
            "l": [1, "s", None, {"a": [5]}], "o": {"m": [[], "3"]},
        }),
        ({"$set": {"l.2": 9, "l.1": 8}, "$truncate": {"l": 2}, "$unset": {"t": True}}, {
            "l": [1, 8, 9], "t": gone,
        }),
        # Shorter, not a list, or missing.
        ({"$truncate": {"l": 4, "l.0": 1, "o": 1, "t": 0, "none.a": 0}}, {}),
        ({"$truncate": {"l": 99}}, {}),
        ({"$truncate": {"l": 3}, "$set": {}}, {"l": [1, "s", None]}),
    ]  # fmt: skip
    rows = [(json.dumps(document), json.dumps(patch)) for patch, _ in cases]
    for text, (_, changed) in zip(patched_texts(spark, rows), cases, strict=True):
        due = {name: one for name, one in (document | changed).items() if one is not gone}
        assert json.dumps(json.loads(text)) == json.dumps(due)


def test_a_patched_document_keeps_its_letters(spark: Any, project: Path) -> None:
    """Spark writes characters beyond 16 bits as two escapes, which are the same in JSON."""
    assert project
    whole = '{"_id":1,"o":{"🙂":{"𠮷":["é🙂",{"中":"\\"\\\\"}],"n":1.5}}}'
    rows = [
        (whole, '{"$set":{"o.🙂.n":{"a🙂":[2]}}}'),
        (whole, '{"$set":{"t":"x"}}'),
        ('{"_id":1,"o":{"é":["\\""]}}', '{"$set":{"o.b":["𠮷"]}}'),
        # Existing escapes stay, also of other characters.
        ('{"_id":1,"o":{"🙂":["\\u4e2d"]}}', '{"$set":{"t":1}}'),
    ]
    *exact, escaped = patched_texts(spark, rows)
    assert exact == [
        whole.replace("1.5", '{"a🙂":[2]}'),
        whole.removesuffix("}") + ',"t":"x"}',
        '{"_id":1,"o":{"é":["\\""],"b":["𠮷"]}}',
    ]
    assert json.loads(escaped) == {"_id": 1, "o": {"🙂": ["中"]}, "t": 1}


def patched_texts(spark: Any, rows: list[tuple[str, str]]) -> list[str]:
    """Return each document after its patch."""
    patched_by = compiled_text("{{ document_patched('document', 'array(patch)') }}")
    frame = spark.createDataFrame(
        [(place, *row) for place, row in enumerate(rows)],
        "place int, document string, patch string",
    )
    frame.createOrReplaceTempView("documents_to_patch")
    found = spark.sql(f"select {patched_by} from documents_to_patch order by place").collect()
    return [text for (text,) in found]


def test_no_two_values_of_a_row_without_a_key_have_one_text(spark: Any, project: Path) -> None:
    os.chdir(project)
    values = {
        "array<string>": ["array('a, b')", "array('a', 'b')", "array()", "array('')"]
        + ["array(null)", "array('null')"],
        "array<binary>": ["array(x'00ff')", "array(x'00', x'ff')"],
        "array<array<string>>": ["array(array('a'), array())", "array(array('a'))"],
        "map<string,string>": ["map('a', null)", "map('a', 'null')", "map()", "map('', '')"],
    }
    for type_, each in values.items():
        column = f"declared_column('c', '{type_}')"
        macro = compiled_text(f"{{{{ value_text('value', {column}) }}}}")
        texts = [
            spark.sql(f"select {macro} from (select cast({one} as {type_}) as value)").first()[0]
            for one in each
        ]
        assert len(set(texts)) == len(each) and None not in texts
    entries = compiled_text("{{ value_text('value', declared_column('c', 'map<string,string>')) }}")
    rows = "select map('a', '1', 'b', '2') as value union all select map('b', '2', 'a', '1')"
    assert len(spark.sql(f"select distinct {entries} from ({rows})").collect()) == 1


def test_an_infinity_says_nothing_of_a_times_unit(spark: Any) -> None:
    values = ("1772352000000000", "9223372036825200000", "-9223372036832400000")
    events = "select 'f' as feed, 'd' as database_name, null as schema_name, 't' as table_name"
    columns = ", ".join(f"map('at', '{one}')" for one in values)
    spark.sql(
        f"{events}, 'row' as event_type, null as `before`, explode(array({columns})) as `after`"
    ).createOrReplaceTempView("infinities")
    asked = macro_sql("onboarding", "seen_values", "infinities", "true", "false")
    (row,) = spark.sql(asked).collect()
    assert (row["count"], row.integers, row.whole_digits) == (3, True, 16)
    seen = Values(3, integers=True, numbers=True, whole_digits=row.whole_digits)
    found = declare_known("debezium", "postgresql", None, "postgresql", "timestamp", seen)
    assert found.text == "timestamp_ntz from epoch_micros"


def test_lengths_that_a_message_makes_up_cost_nothing(spark: Any, project: Path) -> None:
    """Lengths come with the source's types; a value of a gigabyte of zeros would end the run."""
    inline = ";;".join(
        f"{{{{ decode('text', declared_column('c', '{type_}')) }}}}"
        for type_ in (
            "binary from latin1(999999999)", "string from base64_unscaled(-99999999999)",
            "string from base64_unscaled(99999999999)", "string from bits(999999999)",
            "binary from latin1(3)", "string from base64_unscaled(2)",
        )
    )  # fmt: skip
    os.chdir(project)
    expressions = compiled_text(inline).split(";;")
    frame = spark.createDataFrame([("AQ==",)], "text string")
    (row,) = frame.selectExpr(*expressions[:5]).collect()
    assert tuple(row) == (b"AQ==", None, None, "1", b"AQ==")
    frame = spark.createDataFrame([("A",)], "text string")
    assert frame.selectExpr(expressions[4]).first()[0] == b"A\0\0"
    long = spark.range(1).selectExpr("base64(repeat('x', 1000000)) as text")
    begun = time.monotonic()
    assert long.selectExpr(expressions[5]).first()[0] is None
    assert time.monotonic() - begun < 60


def test_what_statements_do_to_a_table(spark: Any, project: Path) -> None:
    due = {
        "drop table t": "drop",
        "DROP TEMPORARY TABLE IF EXISTS `t` /* generated by server */": "other",
        "DROP /*!40005 TEMPORARY */ TABLE t": "other",
        "/* a */ DROP /* b */ TABLE IF EXISTS t": "drop",
        "create temporary table t (id int)": "other",
        "create or replace table t (id int)": "create",
        "/* a */ create or replace table t (id int)": "create",
        "; create /* b */ or replace table t (id int)": "create",
        "/*!40000 ALTER TABLE t DISABLE KEYS */": "alter",
        "drop database shop": "other",
    }
    os.chdir(project)
    inline = "{{ ddl_operation('statement') }} | {{ truncates_table() }}"
    operation, empties = compiled_text(inline).split(" | ")
    rows = spark.createDataFrame([(text,) for text in due], "statement string")
    found = rows.selectExpr("statement", f"{operation} as operation").collect()
    assert {row.statement: row.operation for row in found} == due
    events = rows.selectExpr(
        "'schema' as event_type", "statement as ddl", f"{operation} as operation"
    )
    truncation = {row.ddl for row in events.where(empties).collect()}
    assert truncation == {text for text, one in due.items() if one == "drop" or "replace" in text}


def test_a_key_goes_by_the_name_that_a_column_has_now(project: Path) -> None:
    columns = "{'old_id': {'type': 'bigint', 'source': ['old_id', 'id']}, 'id': 'bigint'}"
    key = f"key_of_table({{'key': [name]}}, declared_columns({{'columns': {columns}}}))"
    inline = f"{{% for name in ['id', 'old_id'] %}}{{{{ {key} | map(attribute='name') | join }}}};"
    os.chdir(project)
    assert compiled_text(inline + "{% endfor %}") == "id;old_id;"


@pytest.mark.parametrize("salt", ["''", "'long and random'"])
def test_masks_without_a_salt_are_said_once(
    spark: Any, project: Path, monkeypatch: pytest.MonkeyPatch, salt: str
) -> None:
    # Spark's Java has the salt of the tests.
    macro = project / "macros" / "state" / "declaration" / "mask_salt.sql"
    before, said = macro.read_text(), list[str]()
    monkeypatch.delenv("CHANGELAKE_MASK_SALT")
    macro.write_text(f"{{% macro mask_salt() -%}}\n{salt}\n{{%- endmacro %}}\n")
    inline = "{% if execute %}{{ salt_digits() }}{{ salt_digits() }}{% endif %}"
    try:
        parse("local").nodes.pop("sql_operation.changelake.inline_query", None)
        build = Build(spark, "local", lambda node: None, warn=said.append)
        build.invoke("compile", "--inline", inline)
    finally:
        macro.write_text(before)
    expected = ["CHANGELAKE_MASK_SALT is not set, so the values that are masked by hash can be"]
    assert [one.split(" guessed: ")[0] for one in said] == (expected if salt == "''" else [])


@pytest.mark.parametrize("declared", ["array<variant>", "array<map<string,string>>"])
def test_lists_that_spark_cannot_compare_are_refused(project: Path, declared: str) -> None:
    said = said_by_failing(
        project, "compile", "--inline", f"{{{{ declared_column('c', '{declared}') }}}}"
    )
    assert [one for one in said if f"declared as {declared}: Spark cannot compare" in one]


def test_a_row_of_a_later_snapshot_is_not_there_at_an_earlier_position(
    spark: Any, project: Path
) -> None:
    os.chdir(project)
    known = {
        "_key": "'1'", "_epoch": "0", "_is_boundary": "true", "_row_count": "1",
        "_operation": "operation", "_source_position": "position", "_sequence": "at", "v": "at",
        "_last_position": "if(at < 2, null, cast(array(1, 300) as array<decimal(38, 0)>))",
    }  # fmt: skip
    names = compiled_text("{{ history_metadata() | join(' ') }}").split()
    columns = {name: "null" for name in names} | known
    spark.sql("create schema if not exists state")
    spark.sql(
        "create or replace view state.snapshots__history as"
        f" select {', '.join(f'{value} as {name}' for name, value in columns.items())}"
        " from values (0, 'snapshot', null), (1, 'update', 'b.1:100'), (2, 'update', 'b.1:300'),"
        " (3, 'snapshot', null) as rows (at, operation, position)"
    )
    history = "api.Relation.create(schema='history', identifier='snapshots')"
    for position, value in (("b.1:99", 0), ("b.1:100", 1), ("b.1:299", 1), ("b.1:300", 3)):
        found = compiled_text(f"select v from {{{{ as_of({history}, position='{position}') }}}}")
        assert [row.v for row in spark.sql(found).collect()] == [value]
    with pytest.raises(AssertionError, match="no position 'b.x': write one as .*, such as 'b.1:"):
        compiled_text(f"{{{{ as_of({history}, position='b.x') }}}}")
    spark.sql("drop view state.snapshots__history")
