"""Messages for benchmarks: one table of 14 columns, as each dialect writes its changes.

All is SQL, so that Spark generates them in seconds. A message has about 1.2 KB; values vary by key
and version as they do in a shop: texts in several languages, escaped quotes, nulls, decimals.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from changelake.core.errors import UserError
from changelake.core.macros import macro_text
from changelake.core.quoting import sql_string

TABLE = "orders"
FIRST_SECOND = 1_772_352_000
_TIMESTAMP = 93


@dataclass(frozen=True)
class Column:
    """A column: its types, and its value as an SQL expression of `key` and of a version `{v}`.

    `number`: JSON writers leave it bare; `debezium`: how Debezium writes it, if not as `value`.
    """

    name: str
    mysql: str
    jdbc: int
    connect: str
    value: str
    number: bool = False
    debezium: str = ""
    semantic: str = ""


def _hash(limit: int, salt: str) -> str:
    return f"pmod(hash(key, {salt}), {limit})"


def _choice(salt: str, *texts: str) -> str:
    return f"element_at(array({', '.join(map(sql_string, texts))}), {_hash(len(texts), salt)} + 1)"


_CENTS = f"({_hash(9_000_000, '{v}')} + 1000)"
_BASIS = f"{_hash(10_000, '7')}"
_CREATED = f"({FIRST_SECOND}000 + pmod(key, 86400) * 1000 + {_hash(1000, '9')})"
_UPDATED = f"timestamp_micros(({FIRST_SECOND} + pmod(key + {{v}}, 86400)) * 1000000 + {_hash(1000000, '{v}')})"  # noqa: E501


def _unscaled(number: str) -> str:
    return f"base64(unhex(lpad(hex({number}), 8, '0')))"


COLUMNS = [
    Column("id", "bigint unsigned", -5, "int64", "key", number=True),
    Column("order_no", "varchar(32)", 12, "string", "concat('SO2026', lpad(key, 10, '0'))"),
    Column("customer_id", "int", 4, "int32", f"{_hash(250_000, '1')} + 1", number=True),
    Column(
        "status", "varchar(20)", 12, "string",
        "element_at(array('new', 'paid', 'packed', 'shipped', 'done'), pmod({v}, 5) + 1)",
    ),
    Column(
        "amount", "decimal(12,2)", 3, "bytes",
        f"concat({_CENTS} div 100, '.', lpad({_CENTS} % 100, 2, '0'))", number=True,
        debezium=_unscaled(_CENTS), semantic="org.apache.kafka.connect.data.Decimal",
    ),
    Column(
        "discount", "decimal(10,4)", 3, "bytes", f"concat('0.', lpad({_BASIS}, 4, '0'))",
        number=True, debezium=_unscaled(_BASIS), semantic="org.apache.kafka.connect.data.Decimal",
    ),
    Column("quantity", "int", 4, "int32", f"{_hash(20, '2')} + 1", number=True),
    Column("is_gift", "tinyint(1)", -6, "int16", "pmod(key, 2)", number=True),
    Column("currency", "char(3)", 1, "string", _choice("3", "CNY", "EUR", "USD", "PLN")),
    Column(
        "receiver", "varchar(60)", 12, "string",
        _choice("4", "王小明", "Ana Müller", "José García Fernández", "Zoë O'Brien", "李雷"),
    ),
    Column(
        "address", "varchar(200)", 12, "string",
        f"concat({_hash(900, '5')} + 1, ' ', "
        + _choice("6", "Nanjing East Road, Huangpu District, Shanghai", "中关村大街, 海淀区, 北京",
                  "Rue de la République, Lyon", "Grünberger Straße, Berlin")
        + f", ', ', lpad({_hash(1_000_000, '8')}, 6, '0'))",
    ),
    Column(
        "remark", "text", -1, "string",
        "if(pmod(key + {v}, 10) < 3, null, concat('code ', left(md5(string(key * 31 + {v})), 12),"
        " r', ring \\\"twice\\\"'))",
    ),
    Column(
        "created_at", "datetime(3)", 93, "int64",
        f"date_format(timestamp_millis({_CREATED}), 'yyyy-MM-dd HH:mm:ss.SSS')",
        debezium=f"{_CREATED}", semantic="io.debezium.time.Timestamp",
    ),
    Column(
        "updated_at", "timestamp(6)", 93, "string",
        f"date_format({_UPDATED}, 'yyyy-MM-dd HH:mm:ss.SSSSSS')",
        debezium=f"date_format({_UPDATED}, r\"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")",
        semantic="io.debezium.time.ZonedTimestamp",
    ),
]  # fmt: skip
CHANGED = ("status", "amount", "remark", "updated_at")


def changes(messages: int, keys: int) -> str:
    """Return a select of `i, key, version, kind`: a table's life, in order.

    The first `keys` messages insert them; then every key is updated, round by round in scattered
    order; the last 2 % of the messages delete.

    Args:
        messages: how many there are.
        keys: how many keys they touch.
    """
    deletes = messages - messages // 50 if messages > keys else messages
    return f"""
        select i, if(i < {keys}, i, pmod(i * 7919, {keys})) + 1 as key, int(i div {keys}) as version,
            case when i < {keys} then 'insert' when i >= {deletes} then 'delete' else 'update' end as kind
        from (select id as i from range(0, {messages}, 1, 8))"""  # noqa: E501


def later_changes(messages: int, keys: int, run: int) -> str:
    """Return a select as of changes(), of a later run: 90 % updates, 5 % inserts, 5 % deletes."""
    return f"""
        select i, int(100 + {run}) as version,
            if(pmod(i, 20) = 0, {keys} + {run} * {messages} + i, pmod(i * 7919 + {run} * 104729, {keys})) + 1 as key,
            case pmod(i, 20) when 0 then 'insert' when 1 then 'delete' else 'update' end as kind
        from (select id as i from range(0, {messages}, 1, 2))"""  # noqa: E501


def _text(expression: str, bare: bool) -> str:
    if bare:
        return f"coalesce(string({expression}), 'null')"
    return f"coalesce(concat('\"', {expression}, '\"'), 'null')"


def _row(version: str, style: str, only: tuple[str, ...] = ()) -> str:
    """Return the SQL of a row as a JSON object.

    `text` quotes all values, `bare` not the numbers, and `streamx` also has numbers as times.
    """
    parts: list[str] = []
    for column in COLUMNS:
        if only and column.name not in only:
            continue
        value, bare = column.value, column.number and style != "text"
        if style == "debezium" and column.debezium:
            value, bare = column.debezium, column.connect == "int64"
        if style == "streamx" and column.jdbc == _TIMESTAMP:
            value, bare = f"unix_millis(cast({value} as timestamp))", True
        name = ("," if parts else "{") + json.dumps(column.name) + ":"
        parts.append(f"'{name}', {_text(value.replace('{v}', version), bare)}")
    return f"concat({', '.join(parts)}, '}}')"


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


_TYPES = _json({column.name: column.mysql for column in COLUMNS})
_CODES = _json({column.name: column.jdbc for column in COLUMNS})
_BEFORE, _AFTER = "greatest(version - 1, 0)", "version"
_SECOND = f"({FIRST_SECOND} + i div 100)"


def canal(table: str = f"'{TABLE}'", changed_only: bool = False) -> str:
    """Return the SQL of Canal's flat message; `old` has the columns that the update changed.

    Args:
        table: an SQL expression of the table's name.
        changed_only: an update's `data` has the key and these columns only, as under MySQL's
            binlog_row_image=MINIMAL.
    """
    data = _row(_AFTER, "text")
    if changed_only:
        data = f"if(kind = 'update', {_row(_AFTER, 'text', ('id', *CHANGED))}, {data})"
    return f"""concat(
        '{{"data":[', {data}, '],"database":"shop","es":', {_SECOND}, '000,"gtid":"","id":', i,
        ',"isDdl":false,"mysqlType":{_TYPES},"old":',
        if(kind = 'update', concat('[', {_row(_BEFORE, "text", CHANGED)}, ']'), 'null'),
        ',"pkNames":["id"],"sql":"","sqlType":{_CODES},"table":"', {table}, '","ts":', {_SECOND}, '123,"type":"', upper(kind), '"}}'
    )"""  # noqa: E501


def _drs(data: str, old: str) -> str:
    """Return the SQL of DRS's message of a MySQL source with these SQL texts of rows."""
    return f"""concat(
        '{{"mysqlType":{_TYPES},"id":', i, ',"es":', {_SECOND}, '000,"ts":', {_SECOND},
        '345,"database":"shop","table":"{TABLE}","type":"', upper(kind), '","isDdl":false,"sql":"","sqlType":{_CODES},"data":',
        {data}, ',"old":', {old}, ',"pkNames":["id"]}}'
    )"""  # noqa: E501


def _listed(row: str, nothing: str) -> str:
    return f"if({nothing}, 'null', concat('[', {row}, ']'))"


def drs_json() -> str:
    """Return the SQL of DRS's message of a MySQL source; `old` is the whole row before."""
    return _drs(
        _listed(_row(_AFTER, "text"), "kind = 'delete'"),
        _listed(_row(_BEFORE, "text"), "kind = 'insert'"),
    )


def drs_json_c() -> str:
    """Return the SQL of DRS's JSON-C message: a deleted row stands in `data`."""
    return _drs(
        _listed(_row(f"if(kind = 'delete', {_BEFORE}, {_AFTER})", "text"), "false"),
        _listed(_row(_BEFORE, "text"), "kind != 'update'"),
    )


# What stands around a value of a BSON type in the text of the Mongo shell, and in the modes of the
# Java driver's JSON that Debezium has for documents and for descriptions of updates.
_SHELL = {
    "bigint": ('NumberLong("', '")'),
    "decimal": ('NumberDecimal("', '")'),
    "date": ('ISODate("', '")'),
}
_STRICT = {
    "bigint": ('{"$numberLong": "', '"}'),
    "decimal": ('{"$numberDecimal": "', '"}'),
    "date": ('{"$date": ', "}"),
}
_RELAXED = _STRICT | {"bigint": ("", ""), "date": ('{"$date": "', '"}')}


def _mongo_document(
    version: str, only: tuple[str, ...] = (), spelling: dict[str, tuple[str, str]] = _SHELL
) -> str:
    """Return the SQL of a row as a document, without its `_id` and the braces."""
    parts: list[str] = []
    for column in COLUMNS:
        if only and column.name not in only:
            continue
        value = column.value.replace("{v}", version)
        kind = column.mysql.split("(")[0].split()[0]
        if column.jdbc == _TIMESTAMP:
            kind = "date"
            value = (
                f"unix_millis(cast({value} as timestamp))"
                if spelling is _STRICT
                else f"concat(replace(left({value}, 23), ' ', 'T'), 'Z')"
            )
        if kind in spelling:
            begin, end = spelling[kind]
            text = f"concat('{begin}', {value}, '{end}')"
        else:
            text = _text(value, column.number)
        parts.append(f"'\"{column.name}\": ', {text}")
    return "concat(" + f", '{',' if spelling is _STRICT else ', '}', ".join(parts) + ")"


def _as_text(json: str) -> str:
    """Return the SQL of a JSON text as a text inside of JSON; null is null."""
    return f"""coalesce(concat('"', replace(replace({json}, r'\\', r'\\\\'),
        '"', r'\\"'), '"'), 'null')"""


def drs_mongo() -> str:
    """Return the SQL of DRS's message of a MongoDB source; an update is a `$set` of four fields."""
    key = "concat('\"_id\": ObjectId(\"', lpad(hex(key), 24, '0'), '\")')"
    texts = {
        "value": f"""case kind
            when 'insert' then concat('{{', {key}, ', ', {_mongo_document(_AFTER)}, '}}')
            when 'update' then concat('{{\"$set\": {{', {_mongo_document(_AFTER, CHANGED)}, '}}}}')
            else concat('{{', {key}, '}}')
        end""",
        "where": f"if(kind = 'update', concat('{{', {key}, '}}'), null)",
    }
    value, where = map(_as_text, texts.values())
    return f"""concat(
        '{{"id":', i, ',"op":"', upper(kind), '","dbType":"MongoDB","db":"shop","coll":"{TABLE}","value":', {value},
        ',"where":', {where}, ',"recordType":"', replace(kind, 'delete', 'doc'), '","extra":"', replace(kind, 'delete', 'doc'),
        '","es":', {_SECOND}, '000,"ts":', {_SECOND}, '345,"clusterTime":"', {_SECOND}, ':', i % 100 + 1, '"}}'
    )"""  # noqa: E501


def debezium_mongodb() -> str:
    """Return the SQL of Debezium's envelope of a document, which an update has as a whole too."""
    key = '\'{"_id": {"$numberLong": "\', key, \'"},\''
    after = f"""if(kind = 'delete', null,
        concat({key}, {_mongo_document(_AFTER, spelling=_STRICT)}, '}}'))"""
    sets = f"""concat('{{', {_mongo_document(_AFTER, CHANGED, _RELAXED)}, '}}')"""
    return f"""concat(
        '{{"before":null,"after":', {_as_text(after)}, ',"updateDescription":',
        if(kind = 'update', concat('{{"removedFields":null,"updatedFields":', {_as_text(sets)}, ',"truncatedArrays":null}}'), 'null'),
        ',"source":{{"version":"3.5.0.Final","connector":"mongodb","name":"dbz","ts_ms":', {_SECOND},
        '000,"snapshot":"false","db":"shop","sequence":null,"ts_us":', {_SECOND}, '000000,"ts_ns":', {_SECOND},
        '000000000,"collection":"{TABLE}","ord":', i % 100 + 1, ',"lsid":null,"txnNumber":null,"wallTime":', {_SECOND},
        '217}},"op":"', left(replace(kind, 'insert', 'create'), 1), '","ts_ms":', {_SECOND}, '456,"ts_us":', {_SECOND},
        '456789,"ts_ns":', {_SECOND}, '456789000,"transaction":null}}'
    )"""  # noqa: E501


def oceanbase_default(before: str = "", after: str = "") -> str:
    """Return the SQL of OMS's default message: both rows whole, numbers bare."""
    return f"""concat(
        '{{"prevStruct":', if(kind = 'insert', 'null', {before or _row(_BEFORE, "bare")}),
        ',"postStruct":', if(kind = 'delete', 'null', {after or _row(_AFTER, "bare")}),
        ',"allMetaData":{{"checkpoint":"', {_SECOND}, '","record_primary_key":"id","source_identity":"subtopic-1","record_primary_value":"', key,
        '","dbType":"OB_MYSQL","storeDataSequence":', {_SECOND}, lpad(i, 8, '0'), ',"table_name":"{TABLE}","db":"tenant1.shop","timestamp":"', {_SECOND},
        '","uniqueId":"tx_', i, '"}},"recordType":"', upper(kind), '"}}'
    )"""  # noqa: E501


def oceanbase_default_extended() -> str:
    """Return the SQL of OMS's default message with the types in both rows."""
    kinds = {"varchar": "VARCHAR", "char": "VARCHAR", "text": "VARCHAR", "bigint": "INT64"}
    types: dict[str, dict[str, str]] = {}
    for column in COLUMNS:
        kind = column.mysql.split("(")[0].split()[0]
        types[column.name] = {"schemaType": kinds.get(kind, kind.upper())}
    rows = (
        f"""concat(rtrim('}}', {_row(version, "bare")}), ',"__light_type":{_json(types)}}}')"""
        for version in (_BEFORE, _AFTER)
    )
    return oceanbase_default(*rows)


def oceanbase_shareplex() -> str:
    """Return the SQL of OMS's SharePlex message: of an update what changed, and the row before."""
    before = _row(_BEFORE, "bare")
    time = f"date_format(timestamp_seconds({_SECOND}), r\"yyyy-MM-dd'T'HH:mm:ss\")"
    return f"""concat(
        '{{"data":', case kind when 'insert' then {_row(_AFTER, "bare")} when 'delete' then {before} else {_row(_AFTER, "bare", CHANGED)} end,
        ',"meta":{{"posttime":"', {time}, '","op":"', left(replace(kind, 'date', 'd'), 3), '","size":1,"time":"', {time},
        '","idx":"1/1","seq":1,"table":"shop.{TABLE}","rowid":"shop.{TABLE}-', key, '","trans":"tx_', i,
        '","scn":"', {_SECOND}, lpad(i, 8, '0'), '"}}', if(kind = 'update', concat(',"key":', {before}), ''), '}}'
    )"""  # noqa: E501


def cloudcanal_json() -> str:
    """Return the SQL of CloudCanal's own message: both rows whole, values as texts."""
    return f"""concat(
        '{{"action":"', upper(kind), '","before":',
        if(kind = 'update', concat('[', {_row(_BEFORE, "text")}, ']'), '[]'),
        ',"bid":', i div 50, ',"data":[', {_row(f"if(kind = 'delete', {_BEFORE}, {_AFTER})", "text")},
        '],"db":"shop","dbValType":{_TYPES},"isDdl":false,"entryType":"ROWDATA","execTs":', {_SECOND}, '000,"jdbcType":{_CODES}'
        ',"pks":["id"],"schema":"shop","sendTs":', {_SECOND}, '456,"sql":"","table":"{TABLE}"}}'
    )"""  # noqa: E501


def _debezium_payload() -> str:
    return f"""concat(
        '{{"before":', if(kind = 'insert', 'null', {_row(_BEFORE, "debezium")}),
        ',"after":', if(kind = 'delete', 'null', {_row(_AFTER, "debezium")}),
        ',"source":{{"version":"3.5.0.Final","connector":"mysql","name":"dbz","ts_ms":', {_SECOND},
        '000,"snapshot":"false","db":"shop","sequence":null,"ts_us":', {_SECOND}, '000000,"ts_ns":', {_SECOND},
        '000000000,"table":"{TABLE}","server_id":184054,"gtid":null,"file":"binlog.000007","pos":', i * 1200,
        ',"row":0,"thread":41,"query":null}},"transaction":null,"op":"', left(replace(kind, 'insert', 'create'), 1),
        '","ts_ms":', {_SECOND}, '456,"ts_us":', {_SECOND}, '456789,"ts_ns":', {_SECOND}, '456789000}}'
    )"""  # noqa: E501


def debezium() -> str:
    """Return the SQL of Debezium's envelope without its schema part."""
    return _debezium_payload()


def _decimal_parameters(column: Column) -> dict[str, str]:
    precision, scale = column.mysql.partition("(")[2].rstrip(")").split(",")
    return {"scale": scale, "connect.decimal.precision": precision}


def debezium_with_schema() -> str:
    """Return the SQL of Debezium's envelope with its schema part."""
    columns: list[dict[str, object]] = []
    for column in COLUMNS:
        field: dict[str, object] = {"type": column.connect, "optional": column.name != "id"}
        if column.semantic:
            field |= {"name": column.semantic, "version": 1}
        if column.connect == "bytes":
            field["parameters"] = _decimal_parameters(column)
        columns.append({**field, "field": column.name})
    row = {"type": "struct", "fields": columns, "optional": True, "name": "dbz.shop.orders.Value"}
    numbers = ("ts_ms", "ts_us", "ts_ns", "server_id", "pos", "row", "thread")
    texts = ("version", "connector", "name", "snapshot", "db", "table", "gtid", "file", "query")
    source = [{"type": "int64", "optional": True, "field": name} for name in numbers]
    source += [{"type": "string", "optional": True, "field": name} for name in texts]
    schema = {
        "type": "struct",
        "fields": [
            {**row, "field": "before"},
            {**row, "field": "after"},
            {"type": "struct", "fields": source, "optional": False,
             "name": "io.debezium.connector.mysql.Source", "field": "source"},
            {"type": "string", "optional": False, "field": "op"},
            {"type": "int64", "optional": True, "field": "ts_ms"},
        ],
        "optional": False,
        "name": "dbz.shop.orders.Envelope",
    }  # fmt: skip
    return f"""concat('{{"schema":{_json(schema)},"payload":', {_debezium_payload()}, '}}')"""


def debezium_flattened() -> str:
    """Return the SQL of the row as ExtractNewRecordState flattens it, with four added fields."""
    return f"""concat(
        rtrim('}}', {_row(_AFTER, "debezium")}),
        ',"__deleted":"', kind = 'delete', '","__op":"', left(replace(kind, 'insert', 'create'), 1),
        '","__source_db":"shop","__source_ts_ms":', {_SECOND}, '000,"__table":"{TABLE}"}}'
    )"""


def ckafka_format_one() -> str:
    """Return the SQL of CKafka's format 1: both rows whole, all values quoted."""
    return f"""concat(
        '{{"BINLOG_NAME":"mysql-bin.000007","BINLOG_POS":', i * 1200, ',"DATABASE":"shop","EVENT_SERVER_ID":null,"GLOBAL_ID":null,"GROUP_ID":null,"NEW_VALUES":',
        if(kind = 'delete', 'null', {_row(_AFTER, "text")}), ',"OLD_VALUES":', if(kind = 'insert', 'null', {_row(_BEFORE, "text")}),
        ',"TABLE":"{TABLE}","TIME":"', date_format(timestamp_seconds({_SECOND}), 'yyyyMMddHHmmss'), '","TYPE":"', upper(left(kind, 1)), '"}}'
    )"""  # noqa: E501


def oceanbase_dataworks() -> str:
    """Return the SQL of OMS's Dataworks message: both rows whole, numbers bare, all types named."""
    names = {"bigint": "INT64", "bigint unsigned": "BIGINT", "char": "VARCHAR", "text": "VARCHAR"}
    kinds = {column.name: column.mysql.split("(")[0] for column in COLUMNS}
    columns = [{"name": name, "type": names.get(k, k.upper())} for name, k in kinds.items()]
    return f"""concat(
        '{{"version":"2.0","schema":{{"source":{{"dbType":"ob_mysql","dbVersion":null,"dbName":"shop","schema":null,"table":"{TABLE}"}},"column":{_json(columns)},"pk":["id"]}},"payload":{{"before":',
        if(kind = 'insert', 'null', concat('{{"data":', {_row(_BEFORE, "bare")}, '}}')), ',"after":', if(kind = 'delete', 'null', concat('{{"data":', {_row(_AFTER, "bare")}, '}}')),
        ',"op":"', upper(kind), '","timestamp":{{"eventTime":', {_SECOND}, '000,"systemTime":', {_SECOND}, '795,"checkpointTime":', {_SECOND},
        '}},"ddl":null,"scn":"null"}},"extend":{{"load_fm":"x"}}}}'
    )"""  # noqa: E501


def _streamx(op: str, before: str, after: str, number: str = "i") -> str:
    """Return the SQL of a message of StreamX with these SQL texts of its operation and rows.

    `number` is that of the change.
    """
    kinds = {"bigint": "LONG", "int": "LONG", "tinyint": "LONG", "decimal": "DOUBLE"}
    kinds |= {"datetime": "DATE", "timestamp": "DATE"}
    columns = [
        {"name": one.name, "type": kinds.get(one.mysql.split("(")[0].split()[0], "STRING")}
        for one in COLUMNS
    ]
    return f"""concat(
        '{{"schema":{{"dataColumn":{_json(columns)},"primaryKey":["id"],"source":{{"dbType":"MySQL","dbName":"shop","tableName":"{TABLE}"}}}},"payload":{{"before":',
        {before}, ',"after":', {after}, ',"sequenceId":"', {_SECOND}, lpad({number}, 9, '0'), '","timestamp":{{"eventTime":', {_SECOND}, '000,"systemTime":', {_SECOND},
        '795,"checkpointTime":', {_SECOND}, '000}},"op":"', {op}, '","ddl":null}},"version":"0.0.1"}}'
    )"""  # noqa: E501


def _streamx_image(version: str) -> str:
    return f"""concat('{{"dataColumn":', {_row(version, "streamx")}, '}}')"""


def dataworks_streamx() -> str:
    """Return the SQL of StreamX's message: both rows whole, numbers bare, times as numbers."""
    return _streamx(
        "if(kind = 'update', 'UPDATE_AFTER', upper(kind))",
        f"if(kind = 'insert', 'null', {_streamx_image(_BEFORE)})",
        f"if(kind = 'delete', 'null', {_streamx_image(_AFTER)})",
    )


def dataworks_streamx_pairs() -> str:
    """Return the SQL of StreamX's messages of updates in two halves, of a frame by halved()."""
    return _streamx(
        "case when kind != 'update' then upper(kind)"
        " when half = 0 then 'UPDATE_BEFOR' else 'UPDATE_AFTER' end",
        f"if(kind = 'insert' or kind = 'update' and half = 1, 'null', {_streamx_image(_BEFORE)})",
        f"if(kind = 'delete' or kind = 'update' and half = 0, 'null', {_streamx_image(_AFTER)})",
        number="i div 2",
    )


def ogg_json() -> str:
    """Return the SQL of GoldenGate's document of an operation: both rows whole, numbers bare."""
    time = f"date_format(timestamp_seconds({_SECOND}), 'yyyy-MM-dd HH:mm:ss')"
    return f"""concat(
        '{{"table":"SHOP.{TABLE}","op_type":"', upper(left(kind, 1)), '","op_ts":"', {time}, '.000000","current_ts":"', replace({time}, ' ', 'T'),
        '.795002","pos":"', lpad(i * 1200, 20, '0'), '","primary_keys":["id"],"tokens":{{}}', if(kind = 'insert', '', concat(',"before":', {_row(_BEFORE, "bare")})),
        if(kind = 'delete', '', concat(',"after":', {_row(_AFTER, "bare")})), '}}'
    )"""  # noqa: E501


def maxwell(document: str = "") -> str:
    """Return the SQL of Maxwell's message with its statement; `old` has what the update changed.

    `document`: the SQL of a JSON column's value.
    """

    def row(version: str) -> str:
        plain = _row(version, "bare")
        more = f"concat(rtrim('}}', {plain}), ',\"attributes\":', {document}, '}}')"
        return more if document else plain

    statement = "concat('replace into orders values (', " + ", ', ', ".join(
        f"coalesce(string({column.value.replace('{v}', _AFTER)}), 'null')" for column in COLUMNS
    ) + ", ')')"  # fmt: skip
    return f"""concat(
        '{{"database":"shop","table":"{TABLE}","query":"', {statement}, '","type":"', kind,
        '","ts":', {_SECOND}, ',"xid":', i div 3, ',"xoffset":', i % 3, ',"position":"binlog.000007:', i * 1200,
        '","server_id":184054,"thread_id":41,"data":', {row(f"if(kind = 'delete', {_BEFORE}, {_AFTER})")},
        if(kind = 'update', concat(',"old":', {_row(_BEFORE, "bare", CHANGED)}), ''), '}}'
    )"""  # noqa: E501


def maxwell_with_documents() -> str:
    """Return the SQL of Maxwell's message of a table with a JSON column, which stands bare."""
    return maxwell(
        f"""concat('{{"weight":', {_BASIS}, '.50,"parts":[1.0,', {_BASIS}, ',2.5e10],"gift":{{"note":"1.50"}}}}')"""  # noqa: E501
    )


def ticdc() -> str:
    """Return the SQL of TiCDC's Canal-JSON with TiDB's extension; `old` has the whole row."""
    return f"""concat(
        '{{"id":0,"database":"shop","table":"{TABLE}","pkNames":["id"],"isDdl":false,"type":"', upper(kind), '","es":', {_SECOND}, '000,"ts":', {_SECOND},
        '123,"sql":"","sqlType":{_CODES},"mysqlType":{_TYPES},"old":', if(kind = 'update', concat('[', {_row(_BEFORE, "text")}, ']'), 'null'),
        ',"data":[', {_row(_AFTER, "text")}, '],"_tidb":{{"commitTs":', shiftleft({_SECOND} * 1000L, 18), '}}}}'
    )"""  # noqa: E501


def halved(frame: str) -> str:
    """Return a select as of changes(), in which each change has two messages, `half` 0 and 1."""
    return f"""
        select i * 2 + half as i, key, version, kind, half
        from ({frame}) lateral view explode(array(0, 1)) halves as half"""


_INTEGER = "struct<precision: int, value: string>"
_CHARACTER = "struct<charset: string, value: binary>"
_DECIMAL = "struct<value: string, precision: int, scale: int>"
_FLOAT = "struct<value: double, precision: int, scale: int>"
_MOMENT = "struct<`timestamp`: bigint, millis: int>"
_DATE_TIME = f"struct<{', '.join(f'`{part}`: int' for part in ('year', 'month', 'day', 'hour', 'minute', 'second', 'millis'))}>"  # noqa: E501
_BYTES, _TEXT = "struct<type: string, value: binary>", "struct<type: string, value: string>"
# The records of the unions in their order, null left out, as Spark names their fields.
_DRS_UNION = (
    _INTEGER, _CHARACTER, _DECIMAL, _FLOAT, _MOMENT, "struct<value: string>", _INTEGER, _BYTES,
)  # fmt: skip
_DTS_UNION = (
    _INTEGER, _CHARACTER, _DECIMAL, _FLOAT, _MOMENT, _DATE_TIME,
    f"struct<value: {_DATE_TIME}, timezone: string>", _BYTES, _TEXT, _BYTES, _TEXT, "string",
)  # fmt: skip


def _member(union: tuple[str, ...], column: Column, version: str) -> str:
    """Return the SQL of a column's value as a union of records."""
    kind, value = column.mysql.split("(")[0].split()[0], column.value.replace("{v}", version)
    if kind in ("bigint", "int", "tinyint"):
        place, record = 0, f"named_struct('precision', 20, 'value', string({value}))"
    elif kind == "decimal":
        place, record = 2, f"named_struct('value', {value}, 'precision', 12, 'scale', 4)"
    elif kind == "timestamp":
        seconds = f"unix_micros({_UPDATED.replace('{v}', version)})"
        place = 4
        record = (
            f"named_struct('timestamp', {seconds} div 1000000, 'millis', int({seconds} % 1000000))"  # noqa: E501
        )
    elif kind == "datetime" and union is _DRS_UNION:
        place, record = 5, f"named_struct('value', {value})"
    elif kind == "datetime":
        time = f"timestamp_millis({_CREATED})"
        parts = ", ".join(
            f"'{part}', int({part}({time}))"
            for part in ("year", "month", "day", "hour", "minute", "second")
        )
        record = f"named_struct({parts}, 'millis', int(pmod({_CREATED}, 1000)) * 1000)"
        place = 5
    else:
        place = 1
        record = f"named_struct('charset', 'utf8mb4', 'value', cast({value} as binary))"
    members = ", ".join(
        f"'member{i}', " + (f"cast({record} as {ddl})" if i == place else f"cast(null as {ddl})")
        for i, ddl in enumerate(union)
    )
    return f"if(({value}) is null, null, named_struct({members}))"


def _images(union: tuple[str, ...], version: str) -> str:
    return f"array({', '.join(_member(union, column, version) for column in COLUMNS)})"


def _fields(numbers: dict[str, int]) -> str:
    kinds = ((column.name, numbers[column.mysql.split("(")[0].split()[0]]) for column in COLUMNS)
    return "array({})".format(
        ", ".join(f"named_struct('name', '{name}', 'dataTypeNumber', {n})" for name, n in kinds)
    )


def _to_avro(format_id: str, **fields: str) -> str:
    text = macro_text(f"formats/{format_id}", f"{format_id}_schema")
    schema = _json(json.loads(text)).replace("\\", "\\\\")
    struct = ", ".join(f"'{name}', {value}" for name, value in fields.items())
    return f"to_avro(named_struct({struct}), '{schema}')"


def dms_json() -> str:
    """Return the SQL of DMS's message: both rows whole, numbers bare, with transaction details."""
    return f"""concat(
        '{{"data":', if(kind = 'delete', {_row(_BEFORE, "bare")}, {_row(_AFTER, "bare")}),
        if(kind = 'update', concat(',"before-image":', {_row(_BEFORE, "bare")}), ''),
        ',"metadata":{{"timestamp":"', date_format(timestamp_seconds({_SECOND}), "yyyy-MM-dd'T'HH:mm:ss"), '.795001Z","record-type":"data","operation":"', kind,
        '","partition-key-type":"schema-table","schema-name":"shop","table-name":"{TABLE}","transaction-id":', 87978110000000 + i,
        ',"transaction-record-id":1,"prev-transaction-id":', 87978109999999 + i, ',"prev-transaction-record-id":1,"commit-timestamp":"', date_format(timestamp_seconds({_SECOND}), "yyyy-MM-dd'T'HH:mm:ss"),
        '.000000Z","stream-position":"mysql-bin-changelog.000007:', i * 1200, ':-1:', i * 1200 + 900, '"}}}}'
    )"""  # noqa: E501


def drs_avro() -> str:
    """Return the SQL of DRS's Avro message with its header: both rows whole."""
    numbers = {
        "bigint": -5, "int": 4, "tinyint": -6, "varchar": 12, "char": 1, "text": -1, "decimal": 3,
        "datetime": 94, "timestamp": 93,
    }  # fmt: skip
    datum = _to_avro(
        "drs_avro", version="'1.0'", seqno="i", shardId="1L",
        eventid="concat('mysql-bin.000007:', i * 1200)", updateTimestamp=f"{_SECOND} * 1000L",
        tableName=f"'\"shop\".\"{TABLE}\"'", operation="upper(kind)",
        columnCount=f"{len(COLUMNS)}L", fields=_fields(numbers),
        beforeImages=f"if(kind = 'insert', null, {_images(_DRS_UNION, _BEFORE)})",
        afterImages=f"if(kind = 'delete', null, {_images(_DRS_UNION, _AFTER)})",
    )  # fmt: skip
    return f"concat(X'C3014E9EA30940AC78CC', {datum})"


def dts_avro() -> str:
    """Return the SQL of DTS's message: both rows whole."""
    numbers = {
        "bigint": 8, "int": 3, "tinyint": 1, "varchar": 253, "char": 254, "text": 252,
        "decimal": 246, "datetime": 18, "timestamp": 17,
    }  # fmt: skip

    def images(version: str, nothing_if: str) -> str:
        listed = f"named_struct('member0', cast(null as string), 'member1', {_images(_DTS_UNION, version)})"  # noqa: E501
        return f"if({nothing_if}, null, {listed})"

    return _to_avro(
        "dts_avro", version="1", id="i", sourceTimestamp=f"bigint({_SECOND})",
        sourcePosition="concat(i * 1200, '@7')", safeSourcePosition="concat(i * 1200, '@7')",
        sourceTxid="string(i)",
        source="named_struct('sourceType', 'MySQL', 'version', '8.0.30')",
        operation="upper(kind)", objectName=f"'shop.{TABLE}'",
        processTimestamps=f"array({_SECOND} * 1000L, {_SECOND} * 1000L + 4)",
        tags="""map('pk_uk_info', '{"PRIMARY":["id"]}', 'thread_id', '41')""",
        fields=f"named_struct('member0', cast(null as string), 'member1', {_fields(numbers)})",
        beforeImages=images(_BEFORE, "kind = 'insert'"),
        afterImages=images(_AFTER, "kind = 'delete'"),
        bornTimestamp=f"{_SECOND} * 1000L + 456",
    )  # fmt: skip


_AVRO = {"int16": "int", "int32": "int", "int64": "long"}
_SPARK = {"int": "int", "long": "bigint", "bytes": "binary", "string": "string"}


def _connect_field(column: Column) -> tuple[str, dict[str, object]]:
    plain = _AVRO.get(column.connect, column.connect)
    kind: dict[str, object] = {"type": plain}
    if column.semantic:
        kind["connect.name"] = column.semantic
    if column.connect == "bytes":
        kind["connect.parameters"] = _decimal_parameters(column)
    return plain, {"name": column.name, "type": ["null", kind], "default": None}


def _debezium_avro() -> tuple[str, str]:
    """Return the type of Debezium's envelope in Spark, and its schema as a registry has it."""
    fields = [_connect_field(column) for column in COLUMNS]
    row = "struct<{}>".format(
        ", ".join(
            f"{column.name}: {_SPARK[plain]}"
            for column, (plain, _) in zip(COLUMNS, fields, strict=True)
        )
    )
    source = {
        "version": "string", "connector": "string", "name": "string", "ts_ms": "long",
        "snapshot": "string", "db": "string", "ts_us": "long", "ts_ns": "long", "table": "string",
        "server_id": "long", "gtid": "string", "file": "string", "pos": "long", "row": "int",
        "thread": "long", "query": "string",
    }  # fmt: skip
    envelope = {"op": "string", "ts_ms": "long", "ts_us": "long", "ts_ns": "long"}

    def plain(kinds: dict[str, str]) -> list[dict[str, object]]:
        return [{"name": name, "type": ["null", kind]} for name, kind in kinds.items()]

    def spark(kinds: dict[str, str]) -> str:
        return ", ".join(f"`{name}`: {_SPARK[kind]}" for name, kind in kinds.items())

    value = {"type": "record", "name": "Value", "fields": [field for _, field in fields]}
    schema = {
        "type": "record", "name": "Envelope", "namespace": "dbz.shop.orders",
        "fields": [
            {"name": "before", "type": ["null", value]},
            {"name": "after", "type": ["null", "Value"]},
            {"name": "source", "type": ["null", {
                "type": "record", "name": "Source", "fields": plain(source)}]},
            *plain(envelope),
        ],
    }  # fmt: skip
    kind = f"before: {row}, after: {row}, source: struct<{spark(source)}>, {spark(envelope)}"
    return f"struct<{kind}>", _json(schema)


def debezium_avro() -> str:
    """Return the SQL of Debezium's envelope in Avro, behind the id of its schema."""
    kind, schema = _debezium_avro()
    datum = f"from_json({_debezium_payload()}, {sql_string(kind)})"
    return f"concat(X'0000000001', to_avro({datum}, {sql_string(schema)}))"


WRITERS: dict[str, Callable[[], str]] = {
    "canal": canal,
    "cloudcanal_json": cloudcanal_json,
    "debezium": debezium,
    "drs_json": drs_json,
    "drs_json_c": drs_json_c,
    "drs_mongo": drs_mongo,
    "oceanbase_default": oceanbase_default,
    "oceanbase_default_extended": oceanbase_default_extended,
    "oceanbase_shareplex": oceanbase_shareplex,
    "ckafka_format_one": ckafka_format_one,
    "oceanbase_dataworks": oceanbase_dataworks,
    "dataworks_streamx": dataworks_streamx,
    "dms_json": dms_json,
    "ogg_json": ogg_json,
    "maxwell": maxwell,
    "debezium_mongodb": debezium_mongodb,
    "ticdc": ticdc,
    "drs_avro": drs_avro,
    "dts_avro": dts_avro,
    "debezium_avro": debezium_avro,
}
_DEBEZIUM_AVRO_KEY = (
    '{"type":"record","name":"Key","namespace":"dbz.shop.orders",'
    '"fields":[{"name":"id","type":"long"}]}'
)
_DEBEZIUM_AVRO_SCHEMAS = repr([
    {"header": "0000000001", "schema": _debezium_avro()[1]},
    {"header": "0000000002", "schema": _DEBEZIUM_AVRO_KEY},
])  # fmt: skip
_DEBEZIUM_KEY = "concat('{\"id\":', key, '}')"
_MAXWELL_KEY = f"""concat('{{"database":"shop","table":"{TABLE}","pk.id":', key, '}}')"""


@dataclass(frozen=True)
class Case:
    """What a parser is measured with: a label, the format, its messages, and their share of all.

    `key`: the SQL of their keys; `seeds`, `schemas`: what the parser wants besides the operation
    codes: relations, and a list as registry_schemas() returns it; `halved`: see halved().
    """

    label: str
    format: str
    value: str
    key: str = "null"
    share: float = 1.0
    seeds: tuple[str, ...] = ()
    schemas: str = ""
    halved: bool = False


def cases(formats: list[str]) -> list[Case]:
    """Return what the parsers of these formats are measured with.

    Raises:
        UserError: a format for which no messages are generated here.
    """
    seeds = {
        "oceanbase_shareplex": ("feeds",),
        "ckafka_format_one": ("feeds",),
        "ogg_json": ("feeds",),
        "drs_avro": ("drs_types", "jdbc_types"),
        "dts_avro": ("dts_types",),
    }
    keys = {
        "debezium": _DEBEZIUM_KEY,
        "maxwell": _MAXWELL_KEY,
        "debezium_mongodb": _DEBEZIUM_KEY,
        "debezium_avro": (
            f"concat(X'0000000002', to_avro(named_struct('id', key), '{_DEBEZIUM_AVRO_KEY}'))"
        ),
    }
    schemas = {"debezium_avro": _DEBEZIUM_AVRO_SCHEMAS}
    if unknown := sorted(set(formats) - WRITERS.keys()):
        raise UserError(f"no messages of {unknown[0]}: scripts/changelake/dev/bench_messages.py")
    found: list[Case] = []
    for name in formats:
        key = keys.get(name, "null")
        found.append(
            Case(
                name,
                name,
                WRITERS[name](),
                key,
                seeds=seeds.get(name, ()),
                schemas=schemas.get(name, ""),
            )
        )
        if name == "debezium":
            found += [
                Case("debezium, with schema", name, debezium_with_schema(), key, 0.25),
                Case("debezium, flattened", name, debezium_flattened(), key),
            ]
        if name == "dataworks_streamx":
            found.append(
                Case(f"{name}, in pairs", name, dataworks_streamx_pairs(), share=0.5, halved=True)
            )
        if name == "maxwell":
            label = f"{name}, with a JSON column"
            found.append(Case(label, name, maxwell_with_documents(), key, 0.5))
    return found


def bronze_rows(
    feed: str,
    topic: str,
    frame: str,
    value: str,
    key: str = "null",
    first_offset: int = 0,
    partitions: int = 2,
) -> str:
    """Return a select of bronze's columns, as if the messages had landed just now.

    Args:
        feed: the feed's name.
        topic: the topic's.
        frame: a select as of changes().
        value: the SQL of the message.
        key: the SQL of its key.
        first_offset: the offset of the first message of each partition.
        partitions: over how many the keys are spread.
    """
    return f"""
        select '{feed}' as feed, '{topic}' as kafka_topic, int(pmod(key, {partitions})) as kafka_partition,
            bigint({first_offset} + i) as kafka_offset, timestamp_seconds({_SECOND}) as kafka_timestamp,
            cast(array() as array<struct<key: string, value: binary>>) as headers,
            cast({key} as binary) as key, cast({value} as binary) as value,
            current_timestamp() as landed_at, current_date() as landed_date
        from ({frame})"""  # noqa: E501
