"""Lets a script run in the project's environment, whichever Python it was called with.

Imported by the scripts before anything else: where the packages are missing it starts the script
again with the Python of `.venv`, and says what to do where there is none.
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
