"""The files in deploy, checked by what reads them: Airflow, systemd, Kubernetes' schema."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from canal import canal_message
from changelake.core import settings, tuning
from processes import copy_with_scripts
from python.conftest import TopicMaker

PROJECT = Path(__file__).resolve().parents[2]
DEPLOY = PROJECT / "deploy"
# created by `make test-schedule`
BIN = PROJECT / ".venv-schedule" / "bin"


class Airflow:
    """Airflow with its own home, and the project and lake that its DAG works on."""

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
            **tuning.LITTLE_DATA,
        }
        self._call(BIN / "airflow", "db", "migrate")

    def _call(self, *command: str | Path, task_per: str = "run", code: int = 0) -> str:
        done = subprocess.run(
            command, cwd=self._project,
            env={**self._environment, "CHANGELAKE_TASK_PER": task_per},
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == code, (done.stdout + done.stderr)[-5000:]
        return done.stdout

    def run(self, task_per: str, dag: str = "changelake") -> set[str]:
        """Run a DAG, which must succeed, and return its tasks."""
        # List them before the run, which may tell Cosmos about new tables.
        tasks = self._call(BIN / "airflow", "tasks", "list", dag, task_per=task_per)
        self._call(BIN / "airflow", "dags", "test", dag, task_per=task_per)
        return set(tasks.split())

    def refusal(self, task_per: str) -> str:
        """Return Airflow's message about a DAG that it refuses."""
        command = (BIN / "airflow", "dags", "list-import-errors", "--local", "--output", "json")
        return self._call(*command, task_per=task_per, code=1)

    def tasks_without_home(self) -> set[str]:
        """Return the DAG's tasks when nothing says where the lake is."""
        del self._environment[settings.HOME_VARIABLE]
        return set(self._call(BIN / "airflow", "tasks", "list", "changelake").split())

    def parse(self) -> None:
        """Have dbt write down which tables exist, with the command in the guide."""
        guide = (PROJECT / "docs" / "guides" / "schedule.md").read_text()
        (command,) = re.findall(r"^    (\S+dbt parse .*)$", guide, re.MULTILINE)
        self._call("sh", "-c", command)

    def failure(self, bash_command: str) -> str:
        """Return the kind of error that ends a run's task with this command."""
        program = (
            "import changelake_dag\n"
            "try:\n"
            f"    changelake_dag.Run(task_id='r', bash_command={bash_command!r}).execute({{}})\n"
            "except Exception as error:\n"
            "    print(type(error).__name__)\n"
        )
        self._environment["PYTHONPATH"] = str(DEPLOY / "airflow")
        return self._call(BIN / "python", "-c", program).splitlines()[-1]

    def script(self, name: str, *arguments: str) -> str:
        """Call a script of the project, and return what it prints."""
        python = self._project / ".venv" / "bin" / "python"
        return self._call(python, f"scripts/{name}", *arguments)

    def add_alert(self) -> None:
        """Add a failing test of the current table that is tagged as an alert."""
        test = "{{ config(tags=['alert']) }}\nselect 1 as a from {{ ref('shop__people') }}\n"
        (self._project / "tests" / "singular" / "alert.sql").write_text(test)

    def names(self) -> list[dict[str, Any]]:
        """The rows of the current table."""
        query = "select id, name from current.shop__people order by id"
        lines = self.script("sql.py", "--format", "json", query).splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def airflow(tmp_path: Path, broker: str) -> Airflow:
    """Airflow, with a copy of the project that has one feed."""
    project = copy_with_scripts(tmp_path / "project", "shop,shop,,canal,")
    (project / ".venv").symlink_to(PROJECT / ".venv")
    return Airflow(project, tmp_path, broker)


def publish(topic: TopicMaker, key: int, name: str, kind: str) -> None:
    """Publish a row's message in Canal's format."""
    value = canal_message(
        kind, "shop", "people", 1_772_323_200_000, [{"id": str(key), "name": name}],
        mysqlType={"id": "int", "name": "varchar(20)"}, old=[{"name": "?"}],
    )  # fmt: skip
    topic.publish("shop", 1, value=json.dumps(value).encode())


def test_airflow_runs_a_task_a_run_and_a_task_a_table(airflow: Airflow, topic: TopicMaker) -> None:
    topic.create("shop")
    publish(topic, 1, "Ann", "INSERT")
    publish(topic, 2, "Bo", "INSERT")
    # In a new lake nothing says yet which tables exist.
    assert airflow.run("table") == {"silver"}
    airflow.script("onboard.py", "--all")
    airflow.add_alert()
    assert airflow.run("run") == {"run"}
    assert airflow.names() == [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}]

    publish(topic, 2, "Bob", "UPDATE")
    airflow.parse()
    assert airflow.run("table") == {
        "silver",
        "tables.shop__people_model_build",
        "tables.shop__people__history_model_build",
    }
    assert airflow.names() == [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bob"}]
    assert airflow.run("run", "changelake_maintain") == {"maintain"}


def test_airflow_says_what_a_task_can_be_for(airflow: Airflow) -> None:
    assert "CHANGELAKE_TASK_PER=day: write run or table" in airflow.refusal("day")


def test_airflow_tries_again_unless_a_person_has_to_decide(airflow: Airflow) -> None:
    assert airflow.failure("exit 6") == "AirflowFailException"
    assert airflow.failure("exit 3") == "AirflowException"


def test_airflow_needs_no_home_of_the_lake(airflow: Airflow) -> None:
    assert airflow.tasks_without_home() == {"run"}


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not here")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    units = [tmp_path / unit.name for unit in sorted(DEPLOY.glob("systemd/changelake*.[st]*"))]
    assert [one.name for one in units] == [
        "changelake-maintain.service", "changelake-maintain.timer",
        "changelake-resident.service", "changelake.service", "changelake.timer",
    ]  # fmt: skip
    for unit in units:
        text = (DEPLOY / "systemd" / unit.name).read_text()
        unit.write_text(text.replace("/srv/changelake", str(PROJECT)))
    read = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True
    )
    assert (read.returncode, read.stderr) == (0, "")


def test_kubernetes_takes_the_objects() -> None:
    file = DEPLOY / "kubernetes" / "cronjob.yaml"
    read = subprocess.run([BIN / "kubernetes-validate", "--strict", file], capture_output=True)
    assert read.returncode == 0, read.stderr.decode()


def cron_jobs() -> dict[str, Any]:
    """Return the CronJobs' jobs by name."""
    objects = yaml.safe_load_all((DEPLOY / "kubernetes" / "cronjob.yaml").read_text())
    return {
        one["metadata"]["name"]: one["spec"]["jobTemplate"]["spec"]
        for one in objects
        if one["kind"] == "CronJob"
    }


def test_units_and_cron_jobs_call_the_scripts_as_they_are() -> None:
    units = (DEPLOY / "systemd").glob("*.service")
    lines = [
        shlex.split(line)[1:]
        for unit in units
        for line in unit.read_text().splitlines()
        if line.startswith("ExecStart=")
    ]
    for job in cron_jobs().values():
        lines += [one["args"] for one in job["template"]["spec"]["containers"]]
    scripts = sorted(script for script, *_ in lines)
    assert scripts == ["scripts/maintain.py"] * 2 + ["scripts/run.py"] * 3
    for arguments in lines:
        # An unknown option would be an error before the help is shown.
        called = subprocess.run([sys.executable, *arguments, "--help"], cwd=PROJECT)
        assert called.returncode == 0


def test_a_run_that_hangs_does_not_hold_up_the_schedule() -> None:
    hours = 12
    assert {one["activeDeadlineSeconds"] for one in cron_jobs().values()} == {hours * 3600}
    for unit in ("changelake", "changelake-maintain"):
        text = (DEPLOY / "systemd" / f"{unit}.service").read_text()
        assert f"TimeoutStartSec={hours}h\n" in text
    dag = (DEPLOY / "airflow" / "changelake_dag.py").read_text()
    assert f'"execution_timeout": timedelta(hours={hours})' in dag


def test_the_pod_of_the_upkeep_is_that_of_a_run() -> None:
    run, upkeep = (cron_jobs()[one]["template"] for one in ("changelake", "changelake-maintain"))
    (container,) = upkeep["spec"]["containers"]
    container["args"] = ["scripts/run.py"]
    assert upkeep == run


def test_the_cron_job_goes_with_its_image() -> None:
    image = (DEPLOY / "Dockerfile").read_text()
    said = dict(re.findall(r"^(WORKDIR|ENV CHANGELAKE_HOME)[ =](.*)$", image, re.MULTILINE))
    text = (DEPLOY / "kubernetes" / "cronjob.yaml").read_text()
    mounts = list(dict.fromkeys(re.findall(r"mountPath: (.*)$", text, re.MULTILINE)))
    assert said["ENV CHANGELAKE_HOME"] in mounts
    in_project = {one.removeprefix(said["WORKDIR"] + "/") for one in mounts[1:]}
    assert in_project == {"models/current", "models/history", "seeds/feeds.csv"}
    (uid,) = re.findall(r"useradd --uid (\d+)", image)
    assert f"runAsUser: {uid}\n" in text and f"fsGroup: {uid}\n" in text
