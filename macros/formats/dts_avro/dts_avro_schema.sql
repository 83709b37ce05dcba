{% macro dts_avro_schema() -%}
{
  "type": "record",
  "name": "Record",
  "namespace": "com.alibaba.dts.formats.avro",
  "doc": "A change as Alibaba Cloud DTS and CloudCanal write it",
  "fields": [
    {"name": "version", "type": "int"},
    {"name": "id", "type": "long", "doc": "unique in the stream"},
    {"name": "sourceTimestamp", "type": "long", "doc": "seconds"},
    {"name": "sourcePosition", "type": "string"},
    {"name": "safeSourcePosition", "type": "string"},
    {"name": "sourceTxid", "type": "string"},
    {
      "name": "source",
      "type": {
        "type": "record",
        "name": "Source",
        "fields": [
          {
            "name": "sourceType",
            "type": {
              "type": "enum",
              "name": "SourceType",
              "symbols": [
                "MySQL",
                "Oracle",
                "SQLServer",
                "PostgreSQL",
                "MongoDB",
                "Redis",
                "DB2",
                "PPAS",
                "DRDS",
                "HBASE",
                "HDFS",
                "FILE",
                "OTHER"
              ]
            }
          },
          {"name": "version", "type": "string"}
        ]
      }
    },
    {
      "name": "operation",
      "type": {
        "type": "enum",
        "name": "Operation",
        "symbols": [
          "INSERT",
          "UPDATE",
          "DELETE",
          "DDL",
          "BEGIN",
          "COMMIT",
          "ROLLBACK",
          "ABORT",
          "HEARTBEAT",
          "CHECKPOINT",
          "COMMAND",
          "FILL",
          "FINISH",
          "CONTROL",
          "RDB",
          "NOOP",
          "INIT"
        ]
      }
    },
    {
      "name": "objectName",
      "type": ["null", "string"],
      "doc": "database.table or database.schema.table, a dot inside a name as \\u002E"
    },
    {"name": "processTimestamps", "type": ["null", {"type": "array", "items": "long"}]},
    {
      "name": "tags",
      "type": {"type": "map", "values": "string"},
      "doc": "pk_uk_info holds the keys"
    },
    {
      "name": "fields",
      "type": [
        "null",
        "string",
        {
          "type": "array",
          "items": {
            "type": "record",
            "name": "Field",
            "fields": [{"name": "name", "type": "string"}, {"name": "dataTypeNumber", "type": "int"}]
          }
        }
      ]
    },
    {
      "name": "beforeImages",
      "type": [
        "null",
        "string",
        {
          "type": "array",
          "items": [
            "null",
            {
              "type": "record",
              "name": "Integer",
              "fields": [{"name": "precision", "type": "int"}, {"name": "value", "type": "string"}]
            },
            {
              "type": "record",
              "name": "Character",
              "fields": [{"name": "charset", "type": "string"}, {"name": "value", "type": "bytes"}]
            },
            {
              "type": "record",
              "name": "Decimal",
              "fields": [
                {"name": "value", "type": "string"},
                {"name": "precision", "type": "int"},
                {"name": "scale", "type": "int"}
              ]
            },
            {
              "type": "record",
              "name": "Float",
              "fields": [
                {"name": "value", "type": "double"},
                {"name": "precision", "type": "int"},
                {"name": "scale", "type": "int"}
              ]
            },
            {
              "type": "record",
              "name": "Timestamp",
              "fields": [
                {"name": "timestamp", "type": "long"},
                {"name": "millis", "type": "int", "doc": "microseconds"}
              ]
            },
            {
              "type": "record",
              "name": "DateTime",
              "fields": [
                {"name": "year", "type": ["null", "int"]},
                {"name": "month", "type": ["null", "int"]},
                {"name": "day", "type": ["null", "int"]},
                {"name": "hour", "type": ["null", "int"]},
                {"name": "minute", "type": ["null", "int"]},
                {"name": "second", "type": ["null", "int"]},
                {
                  "name": "millis",
                  "type": ["null", "int"],
                  "doc": "microseconds of MySQL and PostgreSQL, else nanoseconds"
                }
              ]
            },
            {
              "type": "record",
              "name": "TimestampWithTimeZone",
              "fields": [{"name": "value", "type": "DateTime"}, {"name": "timezone", "type": "string"}]
            },
            {
              "type": "record",
              "name": "BinaryGeometry",
              "fields": [{"name": "type", "type": "string"}, {"name": "value", "type": "bytes"}]
            },
            {
              "type": "record",
              "name": "TextGeometry",
              "fields": [{"name": "type", "type": "string"}, {"name": "value", "type": "string"}]
            },
            {
              "type": "record",
              "name": "BinaryObject",
              "fields": [{"name": "type", "type": "string"}, {"name": "value", "type": "bytes"}]
            },
            {
              "type": "record",
              "name": "TextObject",
              "fields": [{"name": "type", "type": "string"}, {"name": "value", "type": "string"}]
            },
            {"type": "enum", "name": "EmptyObject", "symbols": ["NULL", "NONE"]}
          ]
        }
      ],
      "doc": "by position as fields"
    },
    {
      "name": "afterImages",
      "type": [
        "null",
        "string",
        {
          "type": "array",
          "items": [
            "null",
            "Integer",
            "Character",
            "Decimal",
            "Float",
            "Timestamp",
            "DateTime",
            "TimestampWithTimeZone",
            "BinaryGeometry",
            "TextGeometry",
            "BinaryObject",
            "TextObject",
            "EmptyObject"
          ]
        }
      ],
      "doc": "of a DDL the statement"
    },
    {"name": "bornTimestamp", "type": "long", "doc": "milliseconds; older producers end before it"}
  ]
}
{%- endmacro %}
