"""A Spark Standalone cluster of two workers, with the lake's metastore and S3 storage."""

import json
import os
import subprocess
import time
import urllib.request
from pathlib import Path

import pyspark

from changelake.core import settings
from changelake.kafka.broker import free_port
from changelake.spark.java import find_java
from processes import stop_process
from sources.servers import Postgres
from thrift_server import HOST, ThriftServer, answers

JARS = settings.REPO / ".jars-cluster"
IVY_FILE = Path(__file__).with_name("ivy.xml")
MOTO = settings.REPO / ".venv-cluster" / "bin" / "moto_server"
START_SECONDS = 60.0
BUCKET = "lake"
# Each worker has room for two executors, one of each application.
WORKERS, WORKER_CORES, WORKER_MEMORY = 2, 2, "2g"
EXECUTORS = {
    "spark.executor.cores": "1",
    "spark.executor.memory": "1g",
    "spark.cores.max": "2",
    "spark.driver.host": HOST,
    "spark.driver.bindAddress": HOST,
    # The master's REST server: no test submits through it, and its port is fixed.
    "spark.master.rest.enabled": "false",
}


class Standalone:
    """The processes of the cluster.

    Args:
        directory: where the processes keep their configuration and logs.

    Attributes:
        thrift: the Thrift server on the cluster.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.master = f"spark://{HOST}:{free_port()}"
        self._page_port, self._s3_port = free_port(), free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._workers: list[subprocess.Popen[bytes]] = []
        self._metastore: Postgres | None = None
        self.thrift: ThriftServer | None = None

    def environment(self) -> dict[str, str]:
        """Return the environment variables that a container image of the cluster would set."""
        return {
            "SPARK_CONF_DIR": str(self.directory),
            # These jars are on every machine, beside Spark's own.
            "SPARK_DIST_CLASSPATH": f"{JARS}/s3/*:{JARS}/metastore/*",
            "CHANGELAKE_SPARK_MASTER": self.master,
            settings.HOME_VARIABLE: f"s3a://{BUCKET}/home",
            "CHANGELAKE_THRIFT_HOST": HOST,
        }

    def start(self) -> None:
        """Start everything but the Thrift server; environment() must already be in effect."""
        find_java()
        self._start_s3()
        s3 = {
            "endpoint": f"http://{HOST}:{self._s3_port}",
            "endpoint.region": "us-east-1",
            "path.style.access": "true",
            "access.key": "any",
            "secret.key": "any",
        }
        confs = EXECUTORS | {f"spark.hadoop.fs.s3a.{name}": value for name, value in s3.items()}
        lines = [f"{name} {value}\n" for name, value in confs.items()]
        (self.directory / "spark-defaults.conf").write_text("".join(lines))
        self._metastore = Postgres()
        _, _, port = self.master.rpartition(":")
        package = "org.apache.spark.deploy"
        self._spawn(
            "master", f"{package}.master.Master", "--host", HOST, "--port", port,
            "--webui-port", str(self._page_port),
        )  # fmt: skip
        self._wait(self._page_port)
        for number in range(WORKERS):
            worker = self._spawn(
                f"worker-{number}", f"{package}.worker.Worker", self.master, "--host", HOST,
                "--cores", str(WORKER_CORES), "--memory", WORKER_MEMORY,
                "--webui-port", str(free_port()),
                "--work-dir", str(self.directory / f"worker-{number}"),
            )  # fmt: skip
            self._workers.append(worker)
        # An application that starts before both workers have registered gets all its executors
        # on one of them.
        while self._alive_workers() < WORKERS:
            time.sleep(0.1)

    def start_thrift(self) -> None:
        """Start the Thrift server, or a new one after the last one was killed."""
        assert self._metastore
        jdo = "spark.hadoop.javax.jdo.option"
        confs = {
            "spark.master": self.master,
            "spark.driver.memory": "2g",
            "spark.jars": ",".join(map(str, sorted((settings.JARS / "spark").glob("*.jar")))),
            "spark.sql.warehouse.dir": f"s3a://{BUCKET}/home/warehouse",
            f"{jdo}.ConnectionURL": f"jdbc:postgresql://{HOST}:{self._metastore.port}/postgres",
            f"{jdo}.ConnectionDriverName": "org.postgresql.Driver",
            f"{jdo}.ConnectionUserName": "postgres",
            f"{jdo}.ConnectionPassword": "",
            # Hive creates its tables on demand, in the middle of a transaction. Adding a foreign
            # key to a table that the transaction has written to would wait forever for its end.
            "spark.hadoop.datanucleus.schema.autoCreateTables": "true",
            "spark.hadoop.datanucleus.schema.autoCreateColumns": "true",
            "spark.hadoop.datanucleus.schema.autoCreateConstraints": "false",
            "spark.hadoop.hive.metastore.schema.verification": "false",
            # Settings for a lake on a local disk do not apply here.
            "spark.hadoop.fs.file.impl": "",
            "spark.hadoop.fs.AbstractFileSystem.file.impl": "",
            **self._defaults(),
        }
        directory = self.directory / "thrift"
        directory.mkdir(exist_ok=True)
        self.thrift = ThriftServer(directory, confs)
        os.environ["CHANGELAKE_THRIFT_PORT"] = str(self.thrift.port)
        self.thrift.start()

    def executors(self) -> list[int]:
        """Return the process ids of all executors, by worker and age."""
        return [
            int(child)
            for worker in self._workers
            for tasks in Path(f"/proc/{worker.pid}/task").glob("*/children")
            for child in tasks.read_text().split()
        ]

    def stop(self) -> None:
        """Stop all processes."""
        if self.thrift:
            self.thrift.stop()
        for process in reversed(self._processes):
            stop_process(process)
        if self._metastore:
            self._metastore.stop()

    def _defaults(self) -> dict[str, str]:
        # A server started with a properties file does not read spark-defaults.conf.
        lines = (self.directory / "spark-defaults.conf").read_text().splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def _start_s3(self) -> None:
        self._popen("s3", [str(MOTO), "-H", HOST, "-p", str(self._s3_port)])
        self._wait(self._s3_port)
        place = f"http://{HOST}:{self._s3_port}/{BUCKET}"
        urllib.request.urlopen(urllib.request.Request(place, method="PUT")).close()

    def _spawn(self, name: str, *command: str) -> "subprocess.Popen[bytes]":
        spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
        return self._popen(name, [str(spark_class), *command])

    def _alive_workers(self) -> int:
        with urllib.request.urlopen(f"http://{HOST}:{self._page_port}/json/") as page:
            return int(json.load(page)["aliveworkers"])

    def _popen(self, name: str, command: list[str]) -> "subprocess.Popen[bytes]":
        with (self.directory / f"{name}.log").open("wb") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory
            )
        self._processes.append(process)
        return process

    def _wait(self, port: int) -> None:
        until = time.monotonic() + START_SECONDS
        while not answers(port):
            assert self._processes[-1].poll() is None, f"see the logs in {self.directory}"
            assert time.monotonic() < until, f"nothing listens on port {port}"
            time.sleep(0.1)
