"""The bronze rows of messages, and what is counted of them."""

from typing import TYPE_CHECKING, Any

from changelake.core.quoting import sql_string

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The last millisecond of the year 9999: beyond, Python, Hive and SQL have no timestamps.
LAST_TIME = 253_402_300_799_999
# What a message's timestamp was, where `kafka_timestamp` cannot hold it.
TIME_HEADER = "changelake.kafka_timestamp"


def bronze_rows(
    messages: "DataFrame", feed: str, milliseconds: str, landed_at: str = "current_timestamp()"
) -> "DataFrame":
    """Return the bronze rows of messages: their bytes, and when they were landed.

    Args:
        messages: a data frame with the columns of Spark's Kafka source.
        feed: the feed's name.
        milliseconds: an expression for the messages' timestamps. Kafka accepts any number: one
            that is not a valid time becomes null and is kept in a header, except for -1, which
            means that there is none.
        landed_at: an expression for the batch's time, which stays the same if the batch is repeated
            after a kill; in a streaming query that is the current time.
    """
    time = f"{milliseconds} between 0 and {LAST_TIME}"
    header = f"named_struct('key', '{TIME_HEADER}', 'value', encode({milliseconds}, 'UTF-8'))"
    return messages.selectExpr(
        f"{sql_string(feed)} as feed",
        "topic as kafka_topic",
        "partition as kafka_partition",
        "offset as kafka_offset",
        f"case when {time} then timestamp_millis({milliseconds}) end as kafka_timestamp",
        f"""case when {time} or {milliseconds} = -1 then headers
            else concat(coalesce(headers, array()), array({header})) end as headers""",
        "key",
        "value",
        f"{landed_at} as landed_at",
        f"cast({landed_at} as date) as landed_date",
    )


def counters() -> list[Any]:
    """Return what is counted of rows of bronze: `messages`, and the `bytes` of keys and values."""
    from pyspark.sql import functions as f

    size = f.expr("coalesce(octet_length(value), 0) + coalesce(octet_length(key), 0)")
    return [f.count("*").alias("messages"), f.sum(size).alias("bytes")]
