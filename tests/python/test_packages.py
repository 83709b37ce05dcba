"""The packages of scripts/changelake import each other in one direction, see CONTRIBUTING.md."""

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "scripts" / "changelake"
# Each package may import from those before it.
ORDER = [
    "core", "spark", "kafka", "landing", "onboarding", "build", "runs", "query", "reconcile",
    "health", "dev",
]  # fmt: skip


def imports(file: Path) -> set[str]:
    """Return the modules of changelake that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("changelake"):
            inside = (node.module or "").split(".")[1:]
            if len(inside) == 1:
                found |= {f"{inside[0]}.{alias.name}" for alias in node.names}
            else:
                found.add(".".join(inside))
    return found


def modules() -> dict[str, set[str]]:
    return {
        f"{file.parent.name}.{file.stem}": imports(file)
        for file in PACKAGE.glob("*/*.py")
        if file.stem != "__init__"
    }


def test_every_package_has_its_place() -> None:
    assert sorted(
        one.name for one in PACKAGE.iterdir() if (one / "__init__.py").exists()
    ) == sorted(ORDER)
    assert [one.name for one in PACKAGE.glob("*.py")] == ["__init__.py"]


def test_packages_import_in_one_direction() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in modules().items()
        for other in others
        if ORDER.index(other.split(".")[0]) > ORDER.index(module.split(".")[0])
    ]
    assert wrong == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = modules()
    assert graph["core.settings"]
    while leaves := {module for module, others in graph.items() if not others & graph.keys()}:
        graph = {module: others for module, others in graph.items() if module not in leaves}
    assert sorted(graph) == []


def test_what_pyspark_keeps_private_is_read_in_one_place() -> None:
    private = re.compile(
        r"\b(?:spark|sparkContext|context|context_class|SparkContext)"
        r"\._(?:jvm|jsc|gateway|jsparkSession|active_spark_context|sc)\b"
    )
    readers = [file.name for file in PACKAGE.rglob("*.py") if private.search(file.read_text())]
    assert readers == ["jvm.py"]
