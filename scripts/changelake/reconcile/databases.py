"""What differs between databases: drivers, catalogs, and the texts of values.

The database itself writes the texts, since drivers' types change values: a year becomes a date, a
small number a boolean, a time with a zone is shifted, and a long number is rounded.
"""

import re
from dataclasses import dataclass

from changelake.core.errors import UserError

# the driver's package by the scheme of the URL
DRIVERS = {
    "mariadb": "org.mariadb.jdbc:mariadb-java-client:3.5.3",
    "mysql": "com.mysql:mysql-connector-j:9.3.0",
    "postgresql": "org.postgresql:postgresql:42.7.7",
    "oracle": "com.oracle.database.jdbc:ojdbc11:23.8.0.25.04",
    "sqlserver": "com.microsoft.sqlserver:mssql-jdbc:12.10.0.jre11",
}
_CLASSES = {
    "mariadb": "org.mariadb.jdbc.Driver",
    "mysql": "com.mysql.cj.jdbc.Driver",
    "postgresql": "org.postgresql.Driver",
    "oracle": "oracle.jdbc.OracleDriver",
    "sqlserver": "com.microsoft.sqlserver.jdbc.SQLServerDriver",
}
_TRIMMED = "trim(trailing '.' from trim(trailing '0' from cast({} as char)))"
_OF_MARIADB = r"decimal\(\d+,0\).*|(?:tinyint|smallint|mediumint|int|bigint|year|bit)\b.*"
_BINARY = r"(?:var)?binary\(.*|(?:tiny|medium|long)?blob"
_MOMENT = "YYYY-MM-DD HH24:MI:SS"
Rules = tuple[tuple[str, str, str], ...]
# a pattern of types, what such a column holds, and the SQL of its text
_MYSQL: Rules = (
    (r"bit\(1\)", "boolean", "case {} + 0 when 0 then 'false' when 1 then 'true' end"),
    (_OF_MARIADB, "number", "cast({} + 0 as char)"),
    (r"decimal.*", "number", _TRIMMED),
    (r"float.*", "float", "cast({} + 0e0 as char)"),
    (r"double.*", "float", "cast({} as char)"),
    (r"date", "date", "cast({} as char)"),
    (r"datetime", "datetime", "cast({} as char)"),
    (r"datetime\(.*", "datetime", _TRIMMED),
    (r"timestamp", "instant", "cast({} as char)"),
    (r"timestamp\(.*", "instant", _TRIMMED),
    (r"time", "time", "cast({} as char)"),
    (r"time\(.*", "time", _TRIMMED),
    (_BINARY, "binary", "lower(hex({}))"),
    (r"json", "json", "cast({} as char character set utf8mb4)"),
    (
        r"(?:char|varchar|enum|set)\(.*|(?:tiny|medium|long)?text|uuid|inet[46]",
        "text",
        "cast({} as char character set utf8mb4)",
    ),
)
# as the type's output has it: a cast to text cuts the blanks of CHAR, and writes an address's mask
_FORMATTED = "case when {0} is not null then format('%s', {0}) end"
_POSTGRESQL: Rules = (
    (r"smallint|integer|bigint|oid", "number", "{}::text"),
    (r"numeric[^\[]*", "number", "trim_scale({})::text"),
    (r"money", "number", "trim_scale({}::numeric)::text"),
    (r"real|double precision", "float", "{}::text"),
    (r"boolean", "boolean", "{}::text"),
    (r"date", "date", "{}::text"),
    (r"timestamp.* without time zone", "datetime", "{}::text"),
    (r"timestamp.* with time zone", "instant", "({} at time zone 'UTC')::text"),
    (r"time(?:\(.*\))? without time zone", "time", "{}::text"),
    (r"bytea", "binary", "encode({}, 'hex')"),
    (r"jsonb?", "json", "{}::text"),
    (
        r"text|character[^\[]*|name|citext|enum|uuid|xml|inet|cidr|macaddr8?|tsvector"
        r"|(?:int4|int8|num|ts|date)range",
        "text",
        _FORMATTED,
    ),
)
_ORACLE: Rules = (
    (
        r"NUMBER|FLOAT",
        "number",
        "to_char({}, 'TM9', 'nls_numeric_characters=''. ''')",
    ),
    (r"BINARY_(?:FLOAT|DOUBLE)", "float", "to_char({})"),
    (r"N?VARCHAR2|N?CHAR|N?CLOB", "text", "{}"),
    (r"DATE", "datetime", f"to_char({{}}, '{_MOMENT}')"),
    (r"TIMESTAMP\(\d\)", "datetime", f"to_char({{}}, '{_MOMENT}.FF9')"),
    (
        r"TIMESTAMP\(\d\) WITH (?:LOCAL )?TIME ZONE",
        "instant",
        f"to_char(sys_extract_utc({{}}), '{_MOMENT}.FF9')",
    ),
    (r"RAW", "binary", "lower(rawtohex({}))"),
)
_SQLSERVER: Rules = (
    (r"tinyint|smallint|int|bigint|decimal|numeric", "number", "convert(varchar(60), {})"),
    (r"(?:small)?money", "number", "convert(varchar(60), {}, 2)"),
    (r"real|float", "float", "convert(varchar(60), {}, 3)"),
    (r"bit", "boolean", "case {} when 0 then 'false' when 1 then 'true' end"),
    (r"date", "date", "convert(varchar(10), {}, 23)"),
    (r"(?:small)?datetime2?", "datetime", "convert(varchar(40), {}, 121)"),
    (r"datetimeoffset", "instant", "convert(varchar(40), convert(datetime2, {}, 1), 121)"),
    (r"time", "time", "convert(varchar(20), {})"),
    (
        r"n?(?:var)?char|n?text|xml|uniqueidentifier",
        "text",
        "convert(nvarchar(max), {})",
    ),
    (
        r"(?:var)?binary|image|timestamp",
        "binary",
        "lower(convert(varchar(max), convert(varbinary(max), {}), 2))",
    ),
)
_PG_TYPE = (
    "case t.typtype when 'd' then format_type(t.typbasetype, t.typtypmod) when 'e' then 'enum'"
    " else format_type(a.atttypid, a.atttypmod) end"
)
_SECRET = re.compile(
    r"(?:password|passwd|pwd|secret|token)\s*=|://[^/?;@]*:[^/?;@]*@"
    r"|^jdbc:oracle:\w+:[^/@]+/[^@]*@",
    re.IGNORECASE,
)
_SYSTEM = "'information_schema', 'pg_catalog', 'mysql', 'performance_schema', 'sys'"


@dataclass(frozen=True)
class Database:
    """How to query a kind of database.

    Attributes:
        rules: how columns become texts, by their types.
        quotes: around a name; the second one is doubled in it.
        parts: of a table's name, out of database_name, schema_name and table_name.
        columns: a query of column_name and column_type of the table {database}, {schema}, {table},
            literals or null. It has no order: Spark puts it in brackets, where SQL Server has none.
        tables: a query of database_name, schema_name and table_name of all tables.
        clock: the time of UTC as text.
        no_table: what follows a select that reads no table.
        session: a statement that initializes a session.
        options: of the driver.
        hash: a number of 60 bits of the MD5 of a text; empty: the table is read as a whole.
        number_text: the SQL of a number's text, if there is a hash.
        joined: the SQL that concatenates any number of texts.
    """

    rules: Rules
    quotes: str
    parts: tuple[str, ...]
    columns: str
    tables: str
    clock: str
    no_table: str = ""
    session: str = ""
    options: tuple[tuple[str, str], ...] = ()
    hash: str = ""
    number_text: str = ""
    joined: str = "concat({})"

    def name(self, name: str) -> str:
        """Return a quoted name."""
        return self.quotes[0] + name.replace(self.quotes[1], self.quotes[1] * 2) + self.quotes[1]

    def text(self, name: str, source_type: str) -> tuple[str, str] | None:
        """Return what a column holds and the SQL of its text, None if there is no rule for it.

        Args:
            name: the column's.
            source_type: its type, as the catalog has it.
        """
        for pattern, holds, sql in self.rules:
            if re.fullmatch(pattern, source_type):
                return holds, sql.format(self.name(name))
        return None


_INFORMATION = (
    "select column_name, {type} as column_type from information_schema.columns"
    " where table_schema = coalesce({{{schema}}}, {default}) and table_name = {{table}}{more}"
)
# these compare without case, also where the tables are two
_OF_ONE_CASE = (
    " and (@@lower_case_table_names > 0 or binary table_name = {table}"
    " and binary table_schema = coalesce({database}, database()))"
)
MYSQL = Database(
    rules=_MYSQL,
    quotes="``",
    parts=("database", "table"),
    columns=_INFORMATION.format(
        type="lower(column_type)", schema="database", default="database()", more=_OF_ONE_CASE
    ),
    tables=(
        "select table_schema as database_name, cast(null as char) as schema_name, table_name"
        " from information_schema.tables"
        f" where table_type = 'BASE TABLE' and table_schema not in ({_SYSTEM})"
    ),
    clock="cast(utc_timestamp(6) as char)",
    # a backslash in a text is then one of SQL's standard
    session="set time_zone = '+00:00', sql_mode = 'NO_BACKSLASH_ESCAPES'",
    # streams rows, instead of holding all of them in memory
    options=(("useCursorFetch", "true"),),
    hash="cast(conv(left(md5({}), 15), 16, 10) as unsigned)",
    number_text="cast({} as char)",
)
POSTGRESQL = Database(
    rules=_POSTGRESQL,
    quotes='""',
    parts=("schema", "table"),
    columns=(
        f"select a.attname as column_name, {_PG_TYPE} as column_type from pg_class r"
        " join pg_namespace n on n.oid = r.relnamespace"
        " join pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped"
        " join pg_type t on t.oid = a.atttypid"
        " where n.nspname = coalesce({schema}, current_schema()) and r.relname = {table}"
    ),
    tables=(
        "select current_database() as database_name, schemaname as schema_name,"
        f" tablename as table_name from pg_tables where schemaname not in ({_SYSTEM})"
    ),
    clock="to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')",
    session="set timezone = 'UTC'; set datestyle = 'ISO'; set extra_float_digits = 1",
    hash="('x' || left(md5(convert_to({}, 'UTF8')), 15))::bit(60)::bigint",
    number_text="{}::text",
    # a function takes at most a hundred arguments
    joined="array_to_string(array[{}], '')",
)
ORACLE = Database(
    rules=_ORACLE,
    quotes='""',
    parts=("schema", "table"),
    columns=(
        "select column_name, data_type as column_type from all_tab_columns where owner ="
        " coalesce({schema}, sys_context('userenv', 'current_schema')) and table_name = {table}"
    ),
    tables=(
        "select null as database_name, owner as schema_name, table_name from all_tables"
        " where owner not in ('SYS', 'SYSTEM')"
    ),
    clock="to_char(sys_extract_utc(systimestamp), 'YYYY-MM-DD HH24:MI:SS.FF6')",
    no_table=" from dual",
)
SQLSERVER = Database(
    rules=_SQLSERVER,
    quotes="[]",
    parts=("database", "schema", "table"),
    columns=_INFORMATION.format(
        type="lower(data_type)", schema="schema", default="schema_name()", more=""
    ),
    tables=(
        "select table_catalog as database_name, table_schema as schema_name, table_name"
        " from information_schema.tables where table_type = 'BASE TABLE'"
    ),
    clock="convert(varchar(40), sysutcdatetime(), 121)",
)
_DATABASES = {
    "mariadb": MYSQL,
    "mysql": MYSQL,
    "postgresql": POSTGRESQL,
    "oracle": ORACLE,
    "sqlserver": SQLSERVER,
}


def scheme_of(url: str) -> str:
    """Return the kind of database of a URL, a key of DRIVERS.

    Raises:
        UserError: the kind is unknown, or the URL contains a password.
    """
    if _SECRET.search(url):
        raise UserError(
            "--jdbc has a password in its URL, which others can see: leave it out, and set"
            " CHANGELAKE_JDBC_PASSWORD"
        )
    found = re.match(r"jdbc:(\w+):", url)
    if not found or found[1] not in DRIVERS:
        known = ", ".join(f"jdbc:{one}:" for one in DRIVERS)
        # what it is instead can hold a password in a way that is not known here
        raise UserError(f"--jdbc: write a URL that begins with one of {known}")
    return found[1]


def database_of(scheme: str) -> Database:
    """Return how to query a kind of database."""
    return _DATABASES[scheme]


def jdbc_options(scheme: str, url: str) -> dict[str, str]:
    """Return Spark's options for a connection.

    Args:
        scheme: which database, see scheme_of().
        url: the URL that a person gave.
    """
    if scheme == "mariadb":
        # Spark quotes names as MariaDB does only for MySQL's URLs: else each value of a column
        # would be the column's name
        sign = "&" if "?" in url else "?"
        url = f"jdbc:mysql:{url.removeprefix('jdbc:mariadb:')}{sign}permitMysqlScheme"
    database = database_of(scheme)
    return {
        "url": url,
        "driver": _CLASSES[scheme],
        "fetchsize": "1000",
        # Oracle refuses an empty one
        **({"sessionInitStatement": database.session} if database.session else {}),
        **dict(database.options),
    }
