"""What a run builds: silver, then the tables with pending changes."""

from collections.abc import Set

from rich.console import Console

from changelake.build.codegen import generated_code
from changelake.build.dbt import Build
from changelake.build.declared_tables import OFF, DeclaredTable, current_files, declared_tables
from changelake.build.evolution import evolve
from changelake.build.evolving_models import Evolution
from changelake.build.idle import checksum_of
from changelake.build.marks import Marks, Part, Recorded
from changelake.build.outgrown import outgrown_columns
from changelake.build.pending_tables import pending_tables
from changelake.build.report import BuildReport, BuildResult
from changelake.build.states import has_large_table
from changelake.build.widening import widen_by_values
from changelake.core import settings
from changelake.core.feeds import FORMATS, Feed, feeds_file, read_feeds, seed_file, shown_file
from changelake.core.words import listed
from changelake.onboarding.table_events import TableEvents, new_events

# Alerts do not check what a run builds, and have a schedule of their own.
ALERTS = "tag:alert"
# Left to a bare `dbt build`: the accounting finds most of what the second one would.
LEFT_OUT = ("test_type:unit", "test_name:unique_rows", ALERTS)
# They test files of the project, or what reading feeds.csv has checked already.
OF_THE_PROJECT = ("test_name:unique", "test_name:not_null", "test_name:accepted_values")
SILVER_FOLDERS = ("macros", "models/silver", "models/monitoring", "seeds")


class PendingBuild:
    """Builds what is pending, and records what was built.

    Args:
        project: the dbt project.
        listed: all feeds.
        report: gets each finished node.
        console: where to print what is left out, and why.
        is_little: the run has few messages to process, and was begun without generated code.
    """

    def __init__(
        self,
        project: Build,
        listed: list[Feed],
        report: BuildReport,
        console: Console,
        is_little: bool,
    ) -> None:
        self._project, self._listed, self._report = project, listed, report
        self._console, self._is_little = console, is_little
        self._marks = Marks(project.target)

    def run(self, formats: Set[str], variables: list[str]) -> BuildResult:
        """Build silver of some formats, then the tables with pending changes.

        In between, models get the new columns and wider types of their sources.

        Args:
            formats: those whose messages are parsed.
            variables: dbt's option --vars, or nothing.
        """
        self._declared()  # raises for a wrong model before silver is built
        silver = self._silver(formats, variables)
        unbuilt = {node.name for node in silver.failed}
        errors = {node.name for node in silver.failed if node.status == "error"}
        # A format that cannot be read does not stop the tables of others; any other failure does.
        broken = unbuilt & {f"{one}_events" for one in FORMATS}
        if errors - broken or (unbuilt and not errors):
            return silver
        names = {one["events"] for one in self._declared().values()} - broken
        events = new_events(self._project.lake, names, self._marks.batches())
        # source_columns covers all formats: while one cannot be read, it is out of date
        evolution = Evolution() if broken else self._evolve(events)
        tables = self._tables(broken, events, evolution)
        if broken:
            self._say(
                [
                    f"{', '.join(sorted(broken))} cannot be built: schema changes are followed by"
                    " the first run that can read all formats"
                ]
            )
        marks: Recorded = {
            **tables.marks,
            "told": self._marks.told() | evolution.differences,
            "outgrown": self._marks.outgrown() | evolution.outgrown,
            "asked": self._marks.asked() if broken else evolution.decisions,
        }
        return BuildResult(
            silver.nodes + tables.nodes,
            asked=evolution.asked,
            open=self._marks.open() if broken else evolution.open,
            marks=marks,
        )

    def _silver(self, formats: Set[str], variables: list[str]) -> BuildResult:
        # Only these formats' events and what counts them; all of silver if its files have changed,
        # or if feeds use other formats: relations name those in use.
        seed = seed_file(self._project.target)
        in_use = {feed.format for feed in read_feeds(seed, self._project.target)}
        silver = checksum_of(*SILVER_FOLDERS, leave_out=seed)
        checksums: dict[Part, str] = {
            "silver": " ".join([silver, *sorted(in_use)]),
            "feeds": checksum_of(str(seed.relative_to(settings.REPO))),
            "current": checksum_of("models/current"),
        }
        changed: set[Part] = {
            part for part, now in checksums.items() if self._marks.checksum(part) != now
        }
        excluded = [*LEFT_OUT]
        if "silver" not in changed:
            chosen = [f"{one}_events" for one in sorted(formats)]
            if "current" in changed:
                chosen.append("declared_source_columns")
            if "feeds" in changed:
                chosen.append("feeds")
                excluded += OF_THE_PROJECT
            chosen += ["message_counts_by_day", "source_columns", "every_message_is_accounted_for"]
        else:
            chosen = ["resource_type:seed", "path:models/silver", "path:models/monitoring"]
            self._report.leave_out({f"{one}_events" for one in FORMATS if one not in in_use})
            # a person's own tests may query tables that are not built yet
            chosen.append("path:tests/singular")
            excluded += OF_THE_PROJECT
        built = self._project.invoke(
            "build", "--select", *chosen, "--exclude", *excluded, *variables
        )
        if not built.failed:
            self._marks.write(
                silver=checksums["silver"], feeds=checksums["feeds"], current=checksums["current"]
            )
        return built

    def _evolve(self, events: list[TableEvents]) -> Evolution:
        project, tables = self._project, self._declared()
        # the sources of the samples do not change
        if not tables or not project.lake or project.target == "sample":
            return Evolution()
        files = current_files(project.manifest())
        evolution = evolve(project.lake, tables, files, events, self._marks)
        self._say(evolution.remarks)
        if evolution.is_changed:
            project.read_again()
        return evolution

    def _say(self, lines: list[str]) -> None:
        for line in lines:
            self._console.print(line, markup=False, soft_wrap=True)

    def _tables(
        self, broken: Set[str], events: list[TableEvents], evolution: Evolution
    ) -> BuildResult:
        # Build the tables with pending changes whose events are not among the broken ones.
        built, marks = BuildResult(), self._marks
        tables = self._declared()
        if not tables:
            self._say(["no tables are declared yet: write their models with scripts/onboard.py"])
            return built
        if remark := self._without_rows(tables):
            self._say([remark])
        lake = self._project.lake
        readable = {name: one for name, one in tables.items() if one["events"] not in broken}
        pending = pending_tables(lake, readable, events, marks.tables())
        # if statements that alter tables were not followed, the next run looks at them again
        followed = [] if broken else sorted(events, key=lambda one: one.batch)
        batches = {one.events: one.batch for one in followed}
        seen = set(readable)
        if pending := sorted({*pending, *self._to_rebuild(readable)}):
            states = {tables[name]["state"] for name in pending}
            is_large = not self._is_little or has_large_table(lake, states)
            with generated_code(self._project.embedded, is_large):
                built = self._build(pending, readable)
                if self._outgrown({name: tables[name] for name in pending}, built, evolution):
                    again = self._build(self._to_rebuild(readable), readable)
                    names = {node.name for node in again.nodes}
                    kept = [node for node in built.nodes if node.name not in names]
                    built = BuildResult(kept + again.nodes)
            failed = {node.name for node in built.failed}
            # If anything but a table failed, it is unknown which events that concerns: mark none.
            if failed - tables.keys():
                return built
            # a table whose test failed is built again until the test passes
            failed |= {name for test in built.failed_tests for name in test.tested} & tables.keys()
            behind = {tables[name]["events"] for name in failed}
            batches = {name: batch for name, batch in batches.items() if name not in behind}
            seen -= failed
        known = seen | (marks.tables() & tables.keys())
        # written together with the decisions about these batches: a run that ends in between must
        # not lose them
        built.marks = {"batches": marks.batches() | batches, "tables": sorted(known)}
        return built

    def _to_rebuild(self, tables: dict[str, DeclaredTable]) -> list[str]:
        rebuild = self._marks.rebuild()
        return sorted(name for name, one in tables.items() if one["current"] in rebuild)

    def _build(self, pending: list[str], tables: dict[str, DeclaredTable]) -> BuildResult:
        # Build tables; some have to be rebuilt from all events.
        self._report.plan(pending)
        built, marks, to_rebuild = BuildResult(), self._marks, self._to_rebuild(tables)
        if to_rebuild:
            built = self._project.invoke(
                "build", "--full-refresh", "--select", *to_rebuild, "--exclude", ALERTS
            )
            failed = {one.name for one in built.failed}
            good = {tables[name]["current"] for name in to_rebuild if name not in failed}
            bad = {tables[name]["current"] for name in to_rebuild if name in failed}
            marks.write(rebuild=sorted(marks.rebuild() - (good - bad)))
        if others := [name for name in pending if name not in to_rebuild]:
            done = self._project.invoke("build", "--select", *others, "--exclude", ALERTS)
            built = BuildResult(built.nodes + done.nodes)
        return built

    def _outgrown(
        self, pending: dict[str, DeclaredTable], built: BuildResult, evolution: Evolution
    ) -> bool:
        # Widen columns that do not hold what has just come; say whether tables have to be rebuilt
        # for that.
        project, marks = self._project, self._marks
        if not evolution.sources:
            return False
        failed = {node.name for node in built.failed}
        tables = {
            name: one
            for name, one in pending.items()
            if name not in failed and one["evolve"] != OFF
        }
        known = {name for name in tables if name in marks.tables()}
        since = {name: marks.batches().get(tables[name]["events"], 0) for name in known}
        outgrown = outgrown_columns(
            project.lake, tables, evolution.sources, since, marks.outgrown()
        )
        if not outgrown:
            return False
        manifest, said = project.manifest(), len(evolution.remarks)
        evolution.is_changed = False
        widen_by_values(
            project.lake, declared_tables(manifest), current_files(manifest), marks, outgrown,
            evolution,
        )  # fmt: skip
        self._say(evolution.remarks[said:])
        if evolution.is_changed:
            project.read_again()
        return evolution.is_changed

    def _declared(self) -> dict[str, DeclaredTable]:
        return declared_tables(self._project.manifest())

    def _without_rows(self, tables: dict[str, DeclaredTable]) -> str:
        # The remark about tables whose feeds do not exist, empty if there are none.
        feeds = {feed.feed for feed in self._listed}
        unknown: dict[str, set[str]] = {
            name: set(table["feeds"]) - feeds for name, table in tables.items()
        }
        named = sorted(set[str]().union(*unknown.values()))
        if not named:
            return ""
        models = sorted(name for name, found in unknown.items() if found)
        file = shown_file(feeds_file(self._project.target))
        some = listed(models, 3)
        return f"{file} does not have the feed {', '.join(named)}: no rows come from it for {some}"
