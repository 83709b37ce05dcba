"""What `make docs` adds to the pages in docs: others of the repository, and a code reference.

A hook of mkdocs, which reads the settings in mkdocs.yml. It runs in an environment of its own.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Any, cast

import yaml
from mkdocs.structure.files import File  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

REPO = Path(__file__).resolve().parents[1]
# Pages outside of docs, with their names on the site.
BESIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
COMMANDS = (
    "run", "land", "onboard", "sql", "reconcile", "report", "maintain", "kafka", "check_format",
    "new_format",
)  # fmt: skip


def on_config(config: Any) -> Any:
    """Give each section of the menu that names a folder the pages in it."""
    config.nav = [_with_pages(entry) for entry in config.nav]
    return config


def _with_pages(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_with_pages(one) for one in cast(list[Any], entry)]
    if isinstance(entry, dict):
        below = cast(dict[str, Any], entry).items()
        return {title: _with_pages(pages) for title, pages in below}
    if entry.endswith("/"):
        return sorted(f"{entry}{page.name}" for page in (REPO / "docs" / entry).glob("*.md"))
    return entry


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that docs does not have."""
    for source, name in BESIDE.items():
        text = (REPO / source).read_text()
        # links from the repository's root lead into docs, or to folders that the site lacks
        text = re.sub(
            r"\]\(docs/decisions\)", "](decisions/0001-one-table-of-events-per-format.md)", text
        )
        files.append(File.generated(config, name, content=text.replace("](docs/", "](")))
    for file in (REPO / "deploy").rglob("*"):
        if file.is_file():
            name = file.relative_to(REPO).as_posix()
            files.append(File.generated(config, name, content=file.read_text()))
    files.append(File.generated(config, "macros.md", content=_macros()))
    files.append(File.generated(config, "commands.md", content=_commands()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links out of docs to pages of the site, and show dbt's docs blocks as sections."""
    up = "../" * page.file.src_uri.count("/")
    for source, name in BESIDE.items():
        markdown = re.sub(rf"\]\((?:\.\./)*{re.escape(source)}", f"]({up}{name}", markdown)
    markdown = re.sub(r"\]\((?:\.\./)*deploy/", f"]({up}deploy/", markdown)
    return re.sub(
        r"{% docs (\w+) %}\n(.*?){% enddocs %}", r"## `\1`\n\n\2", markdown, flags=re.DOTALL
    )


def _macros() -> str:
    """Return the page of the macros, from their yml."""
    parts = ["# Macros\n"]
    for file in sorted((REPO / "macros").rglob("_*__macros.yml")):
        parts.append(f"## {file.parent.relative_to(REPO)}\n")
        for macro in yaml.safe_load(file.read_text())["macros"]:
            parts.append(f"### `{macro['name']}`\n\n{macro.get('description', '')}\n")
            for argument in macro.get("arguments", []):
                parts.append(
                    f"- `{argument['name']}` ({argument.get('type', 'any')}):"
                    f" {argument.get('description', '')}"
                )
            parts.append("")
    return "\n".join(parts)


def _commands() -> str:
    """Return the page of the commands: the output of each with --help."""
    parts = ["# Commands\n"]
    for name in COMMANDS:
        said = subprocess.run(
            [REPO / ".venv" / "bin" / "python", REPO / "scripts" / f"{name}.py", "--help"],
            env={**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        lines = [line.rstrip() for line in said.strip("\n").splitlines()]
        parts.append(f"## scripts/{name}.py\n\n```text\n" + "\n".join(lines).strip() + "\n```\n")
    return "\n".join(parts)
