"""DAGs for Airflow 3: one task per run or per table, and the upkeep. For Airflow's folder of DAGs.

What it reads from the environment of Airflow's workers and of its DAG processor:

- `CHANGELAKE_PROJECT`: where the repository is, after `make archive`; by default /srv/changelake.
- `CHANGELAKE_HOME`: where the lake is; by default `lake` in the repository.
- `CHANGELAKE_KAFKA_BOOTSTRAP_SERVERS`, and the client's other settings.
- `CHANGELAKE_TASK_PER`: `run`, the default, or `table`, for which Airflow needs astronomer-cosmos.

dbt and Spark stay in the repository's environment, and Airflow in its own.
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from airflow.exceptions import AirflowException, AirflowFailException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

PROJECT = Path(os.environ.get("CHANGELAKE_PROJECT", "/srv/changelake"))
# what dbt last knew of the project: written by each run's first task
MANIFEST = Path(os.environ.get("CHANGELAKE_HOME") or PROJECT / "lake", "airflow", "manifest.json")
TASK_PER = os.environ.get("CHANGELAKE_TASK_PER", "run")
RUN = ".venv/bin/python scripts/run.py"
# Before the tables: land, and parse what has landed.
SILVER = "--select resource_type:seed --select path:models/silver --select path:models/monitoring"
PARSE = f".venv/bin/dbt --quiet parse --target local --target-path '{MANIFEST.parent}'"
# A task can be killed and repeated at any time: landing is exactly once, and a table merges only
# the events that it has not seen.
TASKS = {
    "retries": 2,
    "retry_delay": timedelta(minutes=2),
    # Longer than your first load: one that hangs would hold up the schedule for good.
    "execution_timeout": timedelta(hours=12),
}


class Run(BashOperator):
    """A run. It is not tried again where a person has to decide: the next one would end with 0."""

    exit_ask = 6

    def execute(self, context: Any) -> Any:
        """Run, and fail for good where the exit code asks for a person."""
        try:
            return super().execute(context)
        except AirflowException as error:
            if self.subprocess_hook.sub_process.returncode == self.exit_ask:
                raise AirflowFailException(str(error)) from error
            raise


with DAG(
    "changelake",
    schedule="*/10 * * * *",
    catchup=False,
    # The embedded catalog admits one process at a time: of two dbt commands the second one fails.
    max_active_runs=1,
    max_active_tasks=1,
    default_args=TASKS,
):
    if TASK_PER == "run":
        Run(task_id="run", bash_command=RUN, cwd=str(PROJECT))
    elif TASK_PER == "table":
        from cosmos import (
            DbtTaskGroup,
            ExecutionConfig,
            LoadMode,
            ProfileConfig,
            ProjectConfig,
            RenderConfig,
        )
        from cosmos import settings as cosmos_settings
        from cosmos.constants import InvocationMode, TestBehavior

        # It would read all of the project's folder, Spark's jars too, at each parse of this file.
        cosmos_settings.enable_dag_versioning = False
        silver = BashOperator(
            task_id="silver", bash_command=f"{RUN} {SILVER} && {PARSE}", cwd=str(PROJECT)
        )
        # a new lake gets its tables with the second run
        if MANIFEST.exists():
            silver >> DbtTaskGroup(
                "tables",
                project_config=ProjectConfig(PROJECT, manifest_path=MANIFEST),
                profile_config=ProfileConfig(
                    profile_name="changelake",
                    target_name="local",
                    profiles_yml_filepath=PROJECT / "profiles" / "profiles.yml",
                ),
                execution_config=ExecutionConfig(
                    invocation_mode=InvocationMode.SUBPROCESS,
                    dbt_executable_path=PROJECT / ".venv" / "bin" / "dbt",
                ),
                render_config=RenderConfig(
                    load_method=LoadMode.DBT_MANIFEST,
                    select=["path:models/current", "path:models/history"],
                    # a table and its tests in one task, since each task starts Spark
                    test_behavior=TestBehavior.BUILD,
                ),
                # an alert must not fail a table's task
                operator_args={"exclude": "tag:alert"},
            )
    else:
        raise ValueError(f"CHANGELAKE_TASK_PER={TASK_PER}: write run or table")

# It waits for a run that is under way, or is retried after it.
with DAG("changelake_maintain", schedule="15 3 * * 0", catchup=False, default_args=TASKS):
    BashOperator(
        task_id="maintain", bash_command=".venv/bin/python scripts/maintain.py", cwd=str(PROJECT)
    )
