"""Everything that is installed or fetched matches the repository's lock files byte for byte."""

import re
from pathlib import Path

import pytest

import sbom
from changelake.core.errors import UserError
from changelake.spark import jar_lock, jars

# Not settings.REPO, which is a copy while other tests build in one.
REPO = Path(__file__).resolve().parents[2]
LOCKS = sorted(REPO.glob("requirements*.lock"))
SETTINGS = """
<ivysettings>
  <settings defaultResolver="here"/>
  <resolvers><ibiblio name="here" m2compatible="true" root="{root}"/></resolvers>
</ivysettings>
"""
POM = """
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.example</groupId> <artifactId>{name}</artifactId> <version>1.0</version>
  {rest}
</project>
"""
NEEDS = """
  <dependencies> <dependency>
    <groupId>org.example</groupId> <artifactId>needed</artifactId> <version>1.0</version>
  </dependency> </dependencies>
"""
IVY = """
<ivy-module version="2.0">
  <info organisation="changelake" module="test"/>
  <configurations><conf name="spark"/></configurations>
  <dependencies>
    <dependency org="org.example" name="wanted" rev="1.0" conf="spark->default"/>
  </dependencies>
</ivy-module>
"""


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_package_has_its_hashes_and_no_host(lock: Path) -> None:
    text = lock.read_text()
    assert "://" not in text
    entries = re.split(r"\n(?=[a-z0-9])", text)
    assert entries
    for entry in entries:
        assert re.match(r"[\w.\[\], -]+==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


def test_every_jar_of_the_repository_is_locked() -> None:
    folders = ("scripts", "tests")
    there = {file for one in folders for file in (REPO / one).rglob("ivy.xml")}
    assert there == set(jars.IVY_FILES)
    for ivy_file in jars.IVY_FILES:
        locked = jar_lock.read(jars.lock_file(ivy_file))
        assert len({jar.file for jar in locked}) == len(locked)
        named = re.findall(
            r'<dependency org="(.*?)" name="(.*?)" rev="(.*?)"', ivy_file.read_text()
        )
        assert named and set(named) <= {(jar.group, jar.name, jar.version) for jar in locked}


class Central:
    """A Maven repository of two jars, one of which depends on the other.

    Args:
        directory: an empty directory.
    """

    def __init__(self, directory: Path) -> None:
        self.root = directory / "central"
        self.ivy_file = directory / "project" / "ivy.xml"
        self.ivy_file.parent.mkdir()
        self.ivy_file.write_text(IVY)
        self.settings = directory / "settings.xml"
        self.settings.write_text(SETTINGS.format(root=self.root.as_uri()))
        self.serve("wanted", b"the jar", NEEDS)
        self.serve("needed", b"the jar that it needs")

    def serve(self, name: str, content: bytes, rest: str = "") -> None:
        """Serve this content as a jar."""
        place = self.root / "org" / "example" / name / "1.0"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{name}-1.0.pom").write_text(POM.format(name=name, rest=rest))
        (place / f"{name}-1.0.jar").write_bytes(content)


@pytest.fixture
def central(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Central:
    """The repository from which jars are fetched."""
    made = Central(tmp_path)
    monkeypatch.setenv(jars.IVY_SETTINGS_VARIABLE, str(made.settings))
    return made


def test_a_fetch_that_takes_too_long_says_so(
    central: Central, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jars, "TIME_LIMIT_SECONDS", 0.01)
    with pytest.raises(UserError, match="within .* minutes: run it again, it continues from"):
        jars.fetch(tmp_path / ".jars", central.ivy_file)


def test_a_jar_is_the_locked_one_or_none(central: Central, tmp_path: Path) -> None:
    place = tmp_path / ".jars"
    locked = jars.lock(central.ivy_file)
    assert [(jar.configuration, jar.group, jar.name, jar.version) for jar in sorted(locked)] == [
        ("spark", "org.example", "needed", "1.0"),
        ("spark", "org.example", "wanted", "1.0"),
    ]
    assert jars.fetch(place, central.ivy_file) and not jars.fetch(place, central.ivy_file)
    assert (place / "spark" / "needed-1.0.jar").read_bytes() == b"the jar that it needs"

    # Another lock means another fetch; the replaced jar does not match it and is refused.
    jar_lock.write(jars.lock_file(central.ivy_file), locked)
    lock = jars.lock_file(central.ivy_file)
    lock.write_text(lock.read_text() + "# fetched anew\n")
    central.serve("needed", b"another jar")
    for _ in range(2):
        with pytest.raises(UserError, match=r"^the jar spark/needed-1\.0\.jar is not the one .*"):
            jars.fetch(place, central.ivy_file)
        assert not jars.present(place, central.ivy_file)

    # Nothing of it is kept: the right jar is fetched as soon as it exists.
    central.serve("needed", b"the jar that it needs")
    assert jars.fetch(place, central.ivy_file)


@pytest.mark.parametrize(
    ("kept", "message"),
    [
        (["wanted"], r"the jar spark/needed-1\.0\.jar does not stand in jars\.lock and was"),
        (["wanted", "needed", "gone"], r"the jar spark/gone-1\.0\.jar stands in .* and was not"),
    ],
)
def test_no_jar_comes_along_or_is_left_out(
    central: Central, tmp_path: Path, kept: list[str], message: str
) -> None:
    locked = {jar.name: jar for jar in jars.lock(central.ivy_file)}
    locked["gone"] = jar_lock.Jar("spark", "org.example", "gone", "1.0", "0" * 64)
    jar_lock.write(jars.lock_file(central.ivy_file), [locked[name] for name in kept])
    with pytest.raises(UserError, match=f"^{message} fetched: .* run `make lock`"):
        jars.fetch(tmp_path / ".jars", central.ivy_file)


def test_a_broken_lock_is_named_with_its_line(tmp_path: Path) -> None:
    lock = tmp_path / "jars.lock"
    lock.write_text("# a comment\nspark org.example:wanted 00\n")
    with pytest.raises(UserError, match=r"^jars\.lock line 2 is broken: run `make lock`$"):
        jar_lock.read(lock)


def test_a_scanner_gets_each_jar_by_its_coordinates() -> None:
    jar = jar_lock.Jar("spark", "org.example", "needed", "1.0", "0" * 64)
    component = sbom.bill([jar])["components"][0]
    assert component["purl"] == "pkg:maven/org.example/needed@1.0"
    assert component["hashes"] == [{"alg": "SHA-256", "content": "0" * 64}]
