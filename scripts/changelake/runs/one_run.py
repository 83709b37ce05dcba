"""One run: it lands what is new, and builds the tables with pending changes."""

import contextlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from changelake.build.dbt import Parsing
from changelake.build.moving import follow_move
from changelake.build.report import BuildReport, BuildResult
from changelake.build.runner import build_pending, is_idle
from changelake.core.errors import UserError
from changelake.core.feeds import Feed, choose_feeds, read_feeds
from changelake.core.operation_codes import check_operation_codes
from changelake.core.terminal import Terminal, say
from changelake.kafka.client import SERVERS_VARIABLE, check_reachable
from changelake.landing.job import LandingError, land
from changelake.landing.report import LandingReport
from changelake.runs.options import Options
from changelake.runs.report import say_errors, say_result
from changelake.runs.summary import RunSummary
from changelake.spark.derby import hold_catalog, release_catalog
from changelake.spark.interrupts import Interrupts
from changelake.spark.serving import HOST, LakeServer
from changelake.spark.session import spark_session
from changelake.spark.thrift import ThriftSession, check_server

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# 2 is the exit code of a wrong option
EXIT_LANDING, EXIT_BUILD, EXIT_TEST, EXIT_ASK = 3, 4, 5, 6


@dataclass
class Shared:
    """What the runs of a process share.

    Attributes:
        interrupts: the signal handlers.
        server: serves the lake meanwhile; None: nothing does.
        not_landed: why feeds could not be landed in the run before; a resident run says it once.
    """

    interrupts: Interrupts
    server: LakeServer | None = None
    not_landed: str = ""


def land_and_build(options: Options, done: RunSummary, shared: Shared, report: BuildReport) -> int:
    """Land and build, report it, record it in `done`, and return the exit code.

    Args:
        options: what is asked for.
        done: the summary to fill in.
        shared: what the runs of this process share.
        report: gets the outcome of each model.

    Raises:
        KeyboardInterrupt: a signal came.
    """
    started = time.monotonic()
    feeds = read_feeds(target=options.target)
    check_operation_codes()
    chosen = choose_feeds(feeds, options.feeds)
    spark = _session(options, shared)
    done.seconds["start"] = round(time.monotonic() - started, 1)
    # dbt parses the project while Java lands, if there is anything to land
    parsing = Parsing(options.target)
    not_landed: LandingError | None = None
    is_news = True
    try:
        begun = time.monotonic()
        if options.bootstrap_servers is not None:
            not_landed = _land(options, spark, feeds, chosen, done, shared.interrupts, parsing)
            is_news = _say_landing(not_landed, shared)
            done.seconds["landing"] = round(time.monotonic() - begun, 1)
        begun = time.monotonic()
        built = _build(options, spark, feeds, chosen, report, parsing)
        shared.interrupts.check()
    except UserError as error:
        raise UserError(f"{not_landed}\n{error}" if not_landed else str(error)) from None
    finally:
        # if nothing was built it may still run, and dbt parses one project at a time
        parsing.wait()
    done.built, done.rejected, done.asked = built.nodes, built.rejected, built.asked
    done.seconds["building"] = round(time.monotonic() - begun, 1)
    done.seconds["all"] = round(time.monotonic() - started, 1)
    say_result(not_landed, built, done.seconds["building"], is_news)
    if not_landed:
        return EXIT_LANDING
    if built.failed:
        return EXIT_BUILD
    if built.failed_tests:
        return EXIT_TEST
    return EXIT_ASK if built.asked else 0


def _session(options: Options, shared: Shared) -> "SparkSession":
    # Whatever can be checked without Spark is checked before it starts.
    if options.bootstrap_servers and options.target == "sample":
        raise UserError(
            "target sample builds from the seeds, and lands nothing: leave"
            f" --bootstrap-servers out, and unset {SERVERS_VARIABLE}, or take --target local"
        )
    # also refuses an empty value, as from an unset shell variable
    if options.bootstrap_servers is not None:
        check_reachable(options.bootstrap_servers)
    if options.is_on_cluster:
        check_server()
    else:
        follow_move(options.target)
    spark = spark_session("changelake run", options.target, hive=not options.is_on_cluster)
    shared.interrupts.listen()
    if not shared.server:
        # queries can use the catalog until there is something to build
        release_catalog(spark)
    elif shared.server.begin(spark):
        say(f"serving the lake at {HOST}:{options.serve}")
    return spark


def _land(
    options: Options, spark: "SparkSession", feeds: list[Feed], chosen: list[Feed],
    done: RunSummary, interrupts: Interrupts, parsing: Parsing,
) -> LandingError | None:  # fmt: skip
    # Land the chosen feeds; return the error of those that could not be.
    not_landed: LandingError | None = None
    with interrupts.graceful(), LandingReport() as landing:
        try:
            results = land(
                spark,
                chosen,
                options.bootstrap_servers or "",
                all_feeds=feeds,
                properties=options.properties,
                stop=interrupts.stop,
                report=landing.update,
                on_new_messages=parsing.begin,
            )
        except LandingError as error:
            not_landed, results = error, error.results
        if not options.is_resident or any(one.messages or one.error for one in results):
            landing.summary(results, interrupts.stop.is_set())
        done.landed = results
    return not_landed


def _say_landing(not_landed: LandingError | None, shared: Shared) -> bool:
    # Print the error at once, since the build takes a while, and say whether it is a new one.
    before, shared.not_landed = shared.not_landed, str(not_landed or "")
    is_news = before != shared.not_landed
    if not_landed and is_news:
        say_errors(not_landed)
    elif is_news:
        say("all feeds are landed again")
    return is_news


def _build(
    options: Options, spark: "SparkSession", feeds: list[Feed], chosen: list[Feed],
    report: BuildReport, parsing: Parsing,
) -> BuildResult:  # fmt: skip
    # Build what is pending, or what is asked for.
    if options.is_resident and is_idle(spark, options.target, feeds):
        return BuildResult()
    report.begin()
    # a server keeps it open all the time
    with contextlib.nullcontext() if options.serve else hold_catalog(spark):
        return build_pending(
            spark, options.target, chosen, Terminal(), options.select, options.retry_rejects,
            report, parsing.manifest, ThriftSession() if options.is_on_cluster else None,
        )  # fmt: skip
