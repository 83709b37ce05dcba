"""The files in deploy, by what reads them: Airflow, systemd, Kubernetes' schema."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from changelake.core import settings
from changelake.dev.project import project_copy
from python.conftest import TopicMaker

PROJECT = Path(__file__).resolve().parents[2]
DEPLOY = PROJECT / "deploy"
# made by `make test-schedule`
BIN = PROJECT / ".venv-schedule" / "bin"
FEEDS = "feed,topics,topic_pattern,format,time_zone\nshop,shop,,canal,\n"


class Airflow:
    """Airflow with a home of its own, and the project and the lake that its DAG works on."""

    def __init__(self, project: Path, directory: Path, broker: str) -> None:
        self._project = project
        self._environment = {
            **os.environ,
            "AIRFLOW_HOME": str(directory / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(DEPLOY / "airflow"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "false",
            "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "false",
            "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "false",
            "CHANGELAKE_PROJECT": str(project),
            "CHANGELAKE_KAFKA_BOOTSTRAP_SERVERS": broker,
            settings.HOME_VARIABLE: str(directory / "lake"),
            **settings.LITTLE_DATA,
        }
        self._call(BIN / "airflow", "db", "migrate")

    def _call(self, *command: str | Path, **more: str) -> str:
        done = subprocess.run(
            command, cwd=self._project, env={**self._environment, **more},
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
        return done.stdout

    def run(self, task_per: str) -> set[str]:
        """Run the DAG, which has to succeed, and return its tasks."""
        per = {"CHANGELAKE_TASK_PER": task_per}
        self._call(BIN / "airflow", "dags", "test", "changelake", **per)
        return set(self._call(BIN / "airflow", "tasks", "list", "changelake", **per).split())

    def script(self, name: str, *arguments: str) -> str:
        """Call a script of the project, and return what it prints."""
        python = self._project / ".venv" / "bin" / "python"
        return self._call(python, f"scripts/{name}", *arguments)

    def names(self) -> list[dict[str, Any]]:
        """The rows of the current table."""
        query = "select id, name from current.shop__people order by id"
        lines = self.script("sql.py", "--format", "json", query).splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def airflow(tmp_path: Path, broker: str) -> Iterator[Airflow]:
    """Airflow, with a copy of the project that has one feed."""
    with project_copy(tmp_path / "project") as project:
        shutil.copytree(PROJECT / "scripts", project / "scripts")
        (project / ".venv").symlink_to(PROJECT / ".venv")
        (project / "seeds" / "feeds.csv").write_text(FEEDS)
        yield Airflow(project, tmp_path, broker)


def publish(topic: TopicMaker, key: int, name: str, kind: str) -> None:
    """Publish what Canal writes of a row."""
    value = {
        "data": [{"id": str(key), "name": name}], "database": "shop", "table": "people",
        "type": kind, "isDdl": False, "pkNames": ["id"], "es": 1_772_323_200_000,
        "mysqlType": {"id": "int", "name": "varchar(20)"}, "old": [{"name": "?"}],
    }  # fmt: skip
    topic.publish("shop", 1, value=json.dumps(value).encode())


def test_airflow_runs_a_task_a_run_and_a_task_a_table(airflow: Airflow, topic: TopicMaker) -> None:
    topic.create("shop")
    publish(topic, 1, "Ann", "INSERT")
    publish(topic, 2, "Bo", "INSERT")
    assert airflow.run("run") == {"run"}
    airflow.script("onboard.py", "--all")
    assert airflow.run("run") == {"run"}
    assert airflow.names() == [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}]

    publish(topic, 2, "Bob", "UPDATE")
    tables = {"tables.shop__people.build", "tables.shop__people__history.build"}
    # the first one has Cosmos know the tables
    airflow.run("table")
    assert airflow.run("table") == {"silver"} | tables
    assert airflow.names() == [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
