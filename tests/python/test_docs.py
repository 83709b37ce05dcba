"""Links between pages work, and pages list all formats, settings, variables and macros."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from changelake.core import settings
from changelake.core.feeds import FORMATS

PROJECT = Path(__file__).parents[2]
# In the page of errors: what stands for values, and which errors are Delta's.
VALUES = re.compile(r"…|`|jars\.lock|seeds/feeds\.csv|spark\.sql\.|bronze\.|\bN\b")
OF_DELTA = re.compile("ConcurrentAppendException, DELTA_.*")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def pages() -> list[Path]:
    return [*PROJECT.glob("*.md"), *(PROJECT / "docs").rglob("*.md")]


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def broken(page: Path) -> Iterator[str]:
    for place, anchor in LINK.findall(page.read_text()):
        if place.startswith("https://"):
            continue
        target = page.parent / place if place else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield f"{page.relative_to(PROJECT)}: {place}#{anchor}"


def test_every_link_leads_somewhere() -> None:
    assert len(pages()) > 30
    assert [one for page in pages() for one in broken(page)] == []


def test_every_page_is_linked() -> None:
    linked = {
        (page.parent / place).resolve()
        for page in pages()
        for place, _ in LINK.findall(page.read_text())
        if place and not place.startswith("https://")
    }
    linked |= set((PROJECT / "docs" / "decisions").iterdir())
    assert [
        page for page in pages() if page.resolve() not in linked | {PROJECT / "README.md"}
    ] == []


def test_the_readme_has_every_format() -> None:
    readme = (PROJECT / "README.md").read_text()
    listed = re.findall(r"^\| \[`(\w+)`\]\(docs/formats/\1\.md\)", readme, re.MULTILINE)
    assert sorted(listed) == sorted(FORMATS)


def test_every_setting_is_listed() -> None:
    deployed = (one for one in (PROJECT / "deploy").rglob("*") if one.is_file())
    scripts = (PROJECT / "scripts").rglob("*.py")
    files = [PROJECT / "profiles" / "profiles.yml", *scripts, *deployed]
    read = {
        name for file in files for name in re.findall(r"\bCHANGELAKE_[A-Z_]+\b", file.read_text())
    }
    text = (PROJECT / "docs" / "guides" / "settings.md").read_text()
    listed = set(re.findall(r"`(CHANGELAKE_[A-Z_]+)", text))
    thrift = {f"CHANGELAKE_THRIFT_{one}" for one in ("PORT", "USER", "AUTH")}
    kafka = {name for name in read if name.startswith("CHANGELAKE_KAFKA_")}
    assert sorted(read - listed - thrift - kafka) == []
    known = {one for one in settings.VARIABLES if not one.startswith("CHANGELAKE_KAFKA_")}
    assert known == {one for one in listed | thrift if not one.endswith("_")}
    code = [*(PROJECT / "macros").rglob("*.sql"), *(PROJECT / "models").rglob("*.*")]
    variables = {
        name for file in code for name in re.findall(r"\bvar\('(changelake_\w+)'", file.read_text())
    }
    assert "changelake_state_schema" in variables
    assert sorted(name for name in variables if f"`{name}`" not in text) == []


def sentences(text: str) -> set[str]:
    """Return a text's sentences, normalized so that small differences do not matter."""
    found = re.split(r"[.!?:]\s", f"{text} ")
    return {" ".join(re.findall(r"\w+", one.lower())) for one in found} - {""}


def test_a_macro_is_described_once() -> None:
    """The folder's yml says what a macro does; comments in its file say why, or nothing."""
    wrong = []
    for folder in {file.parent for file in (PROJECT / "macros").rglob("*.sql")}:
        listed = yaml.safe_load((folder / f"_{folder.name}__macros.yml").read_text())["macros"]
        described = {one["name"]: one for one in listed}
        for file in folder.glob("*.sql"):
            if file.stem.startswith(("_", "materialization_")):
                continue
            macro = described.get(file.stem)
            if not macro or not macro.get("description"):
                wrong.append(f"{file.stem} has no description in {folder.name}'s yml")
                continue
            parts = [macro, *macro.get("arguments", [])]
            said = set[str]().union(*(sentences(one["description"]) for one in parts))
            if any("<" in re.sub(r"`[^`]*`", "", one["description"]) for one in parts):
                wrong.append(f"{file.stem} has a `<` outside of code, which the docs take for HTML")
            text = file.read_text()
            comments = re.findall(r"{#-?(.*?)-?#}", text, re.DOTALL)
            wrong += [
                f"{file.stem} says in its file and in the yml: {sentence}"
                for comment in comments
                for sentence in sorted(sentences(comment) & said)
            ]
            header = text.partition("{% macro")[0]
            if re.search(r"\b(Arguments|Returns|Raises)\b", header):
                wrong.append(f"{file.stem} has arguments or a result in its header, not in the yml")
    assert wrong == []


def texts() -> Iterator[str]:
    """Yield the texts in the code, with values as `…` and single blanks."""
    for file in (PROJECT / "scripts").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text())))
        inside = {
            id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values
        }
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.JoinedStr):
                parts = (getattr(part, "value", "") for part in node.values)
                yield "".join(part if isinstance(part, str) else "…" for part in parts)
            elif isinstance(node, ast.Constant) and id(node) not in inside | docstrings:
                yield str(node.value)
    for file in (PROJECT / "macros").rglob("*.sql"):
        code = re.sub(r"{#.*?#}", "", file.read_text(), flags=re.DOTALL)
        yield re.sub(r"\s+", " ", re.sub(r"""["'] ~ .*? ~ ["']""", "…", code))


def says(text: str, line: str) -> bool:
    places = [0]
    for part in VALUES.split(line):
        places.append(text.find(part.strip(), places[-1]))
    return -1 not in places


def test_the_code_says_every_error_of_the_page() -> None:
    page = (PROJECT / "docs" / "guides" / "errors.md").read_text()
    said = [
        line for row in re.findall(r"^\| (.*?) \| ", page, re.MULTILINE) for line in row.split("; ")
    ]
    lines = [one for one in said if one != "the line says" and not OF_DELTA.fullmatch(one)]
    code = list(texts())
    assert len(lines) > 60
    unsaid = [line for line in lines if not any(says(text, line) for text in code)]
    assert unsaid == []
