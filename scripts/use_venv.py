"""Runs a script in the project's environment, whichever Python it was called with.

The scripts import it before anything else: if the packages are missing, it restarts the script with
the Python of `.venv`, or says what to do if there is none.
"""

import importlib.util
import os
import sys
from pathlib import Path

if importlib.util.find_spec("typer") is None or importlib.util.find_spec("pyspark") is None:
    python = Path(__file__).resolve().parents[1] / ".venv" / "bin" / "python"
    if not python.exists() or Path(sys.executable).absolute() == python:
        sys.exit("error: the project's packages are not installed: run `make setup`")
    os.execv(python, [str(python), *sys.argv])
