"""The list of feeds: valid lists, and the errors for invalid ones."""

import re
from pathlib import Path

import pytest

from changelake.core.errors import UserError
from changelake.core.feeds import FORMATS, Feed, choose_feeds, parse_feeds, read_feeds
from changelake.kafka.topics import check_claims, claim_topics, subscription

HEADER = "feed,topics,topic_pattern,format,time_zone\n"


def test_reads_feeds() -> None:
    text = (
        HEADER
        + 'shop,a  b,,canal,\nlogs,,"x\\d{1,2}",debezium,Asia/Shanghai\noff,c,,canal,+08:00\n'
    )
    assert parse_feeds(text) == [
        Feed("shop", "canal", ("a", "b"), None, "UTC"),
        Feed("logs", "debezium", (), r"x\d{1,2}", "Asia/Shanghai"),
        Feed("off", "canal", ("c",), None, "+08:00"),
    ]


def test_further_columns_and_their_order_are_free() -> None:
    text = "note,format,feed,topics,time_zone,topic_pattern\nhello,canal,f,t,,\n"
    assert parse_feeds(text) == [Feed("f", "canal", ("t",))]


def test_comments_are_no_feeds() -> None:
    text = HEADER + "# shop,a b,,canal,\n#\n" + '"# a, b, c, d, e, f"\n' + "f,t,,canal,\n"
    assert parse_feeds(text) == [Feed("f", "canal", ("t",))]
    with pytest.raises(UserError, match=r"line 3: unknown format"):
        parse_feeds(HEADER + "# shop\nf,t,,cannal,\n")


def test_the_samples_have_feeds_of_their_own() -> None:
    assert {feed.format for feed in read_feeds(target="sample")} == set(FORMATS)
    assert not any(feed.feed.startswith("demo_") for feed in read_feeds())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: no header"),
        ("# shop\n" + HEADER, "line 1: no header: begin with feed,topics"),
        ("f,t,,canal,\n", "line 1: no header: begin with feed,topics"),
        (HEADER + "# a, b, c, d, e, f\n", "line 2: a comment with 5 commas, but dbt takes 4"),
        ("feed,topics,format,time_zone\n", "line 1: the column 'topic_pattern' is missing"),
        (HEADER + "f,t,,cannal,\n", "line 2: unknown format 'cannal' .*: did you mean canal.$"),
        (HEADER + "f,t,,Canal,\n", "line 2: unknown format 'Canal' .*: did you mean canal.$"),
        (HEADER + "f,t,,mysql,\n", "line 2: unknown format 'mysql' .*: use one of drs_json, "),
        (HEADER + "f,t,,canal,\nF,u,,canal,\n", "line 3: the feed 'F' is in line 2 too"),
        (HEADER + "f,t,,canal,\ng,t,,canal,\n", "line 3: the topic 't' belongs to the feed 'f'"),
        (HEADER + "f,,,canal,\n", "line 2: the feed 'f' has neither topics nor a topic_pattern"),
        (HEADER + "f,t,t.*,canal,\n", "line 2: the feed 'f' has both topics and a topic_pattern"),
        (
            HEADER + "f,,a\\.(,canal,\n",
            r"line 2: the topic_pattern 'a\\\.\(' is not a valid regular expression",
        ),
        (HEADER + "f,t,,canal,Asia/Shangai\n", "line 2: unknown time zone 'Asia/Shangai'"),
        (HEADER + "f,t,,canal,posix/Asia/Shanghai\n", "line 2: unknown time zone 'posix/"),
        (HEADER + "f,t,,canal,localtime\n", "line 2: unknown time zone 'localtime'"),
        (HEADER + "f,t,,canal,+18:30\n", "line 2: unknown time zone '\\+18:30'"),
        # Models read the file through dbt, which neither strips values nor skips lines.
        (HEADER + "f ,t,,canal,\n", "line 2: 'f ' begins or ends with a blank"),
        (HEADER + "f,t,,canal, Asia/Shanghai\n", "line 2: ' Asia/Shanghai' begins or ends"),
        (HEADER.replace("time", " time"), "line 1: ' time_zone' begins or ends with a blank"),
        (HEADER + "f,t,,canal,\n\n", "line 3: blank line"),
        (HEADER + ",,,,\nf,t,,canal,\n", "line 2: blank line"),
        ("\n" + HEADER, "line 1: blank line"),
        (HEADER + "f,t.*,,canal,\n", "line 2: 't.\\*' is not a valid topic name"),
        (HEADER + "f,t,,canal\n", "line 2: 4 fields .* 5: time_zone is missing.*: f,t,,canal,$"),
        (HEADER + "f,t,,canal,\ng,u\n", "line 3: 2 fields .*: topic_pattern and format and time_"),
        (HEADER + "f,a b,canal,UTC\n", "line 2: .*: topic_pattern is missing.*: f,a b,,canal,UTC$"),
        (HEADER + 'f,"a{1,2}",canal,\n', 'line 2: .*: topics is missing.*: f,,"a.1,2.",canal,$'),
        (HEADER + "f\n", "line 2: 1 field where the header has 5: topics and "),
        (HEADER + "f,t,,canal,,\n", "line 2: 6 fields .*: remove the commas at its end"),
        (HEADER + "f,t,,canal,g,u,,canal,\n", "line 2: 9 fields .*: perhaps two lines in one"),
        (
            HEADER + "f,,t{1,2},canal,\n",
            "line 2: 6 fields .*: separate topics by blanks, and put a",
        ),
        (HEADER.replace(",", ";") + "f;t;;canal;\n", "line 1: separated by semicolons: save"),
        (HEADER + "f;t;;canal;\n", "line 2: separated by semicolons: save the file with commas"),
        (HEADER.replace(",", "\t"), "line 1: separated by tabs: save the file with commas"),
        (HEADER.replace("topics", "Topics"), "the column 'topics' is missing: rename 'Topics'"),
        (HEADER + "a/b,t,,canal,\n", "line 2: 'a/b' is not a valid feed name"),
        (HEADER + "f,t1,,canal,\np,,t\\d,canal,\n", "line 3: the pattern of the feed 'p' matches"),
    ],
)
def test_names_the_line_of_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        parse_feeds(text)


def test_a_file_from_a_spreadsheet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "feeds.csv"
    file.write_bytes(b"\xef\xbb\xbf" + (HEADER + "f,t,,canal,\n").replace("\n", "\r\n").encode())
    assert read_feeds(file) == [Feed("f", "canal", ("t",))]
    with pytest.raises(UserError, match=f"--feeds-file={tmp_path}/none.csv cannot be read: No "):
        read_feeds(tmp_path / "none.csv")
    monkeypatch.setenv("CHANGELAKE_FEEDS", str(tmp_path))
    with pytest.raises(UserError, match=f"CHANGELAKE_FEEDS={tmp_path} cannot be read: Is a dir"):
        read_feeds()


def test_time_zones_are_those_of_the_seed(tmp_path: Path) -> None:
    file = tmp_path / "feeds.csv"
    file.write_text(HEADER + "f,t,,canal,Asia/Shanghai\n")
    with pytest.raises(UserError, match="feed f is in Asia/Shanghai: write that into seeds/feeds"):
        read_feeds(file)


def test_chooses_by_name() -> None:
    feeds = [Feed("a", "canal", ("t",)), Feed("b", "canal", ("u",))]
    assert choose_feeds(feeds, []) == feeds
    assert choose_feeds(feeds, ["b"]) == feeds[1:]
    with pytest.raises(UserError, match=r"no feed 'c' .*there are: a, b"):
        choose_feeds(feeds, ["c"])
    with pytest.raises(UserError, match="no feed is named yet: write a line for each into seeds/f"):
        choose_feeds([], [])


def test_a_topic_has_one_feed() -> None:
    feeds = [Feed("a", "canal", topic_pattern="t.*"), Feed("b", "canal", topic_pattern=".*1")]
    assert claim_topics(feeds, ["t2", "x1", "y"]) == {"a": ["t2"], "b": ["x1"]}
    feeds.append(Feed("c", "canal", ("u",)))
    claimed = claim_topics(feeds, ["t1", "t2", "u"])
    check_claims(feeds[2], claimed)
    for feed in feeds[:2]:
        message = f"^feed {feed.feed}: the topic 't1' belongs to two feeds, 'a' and 'b'"
        with pytest.raises(UserError, match=message):
            check_claims(feed, claimed)


def test_subscribes_to_what_no_other_feed_reads() -> None:
    feeds = [Feed("a", "canal", topic_pattern=r"(t)\1|v.*"), Feed("b", "canal", ("u", "w"))]
    assert subscription(feeds[1], feeds) == {"subscribe": "u,w"}
    pattern = subscription(feeds[0], feeds)["subscribePattern"]
    assert [name for name in ("tt", "tu", "v1", "xv") if re.search(pattern, name)] == ["tt", "v1"]
    feeds.append(Feed("c", "canal", topic_pattern=r".*(1)"))
    pattern = subscription(feeds[0], feeds)["subscribePattern"]
    assert [name for name in ("tt", "v1", "v12") if re.search(pattern, name)] == ["tt", "v12"]
