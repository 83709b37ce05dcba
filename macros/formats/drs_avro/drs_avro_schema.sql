{% macro drs_avro_schema() -%}
{
  "type": "record",
  "name": "Record",
  "namespace": "com.huawei.hwclouds.drs.avro",
  "doc": "A change as Huawei Cloud DRS writes it; its CRC-64-AVRO fingerprint, as on the wire, is 4e9ea30940ac78cc",
  "fields": [
    {"name": "version", "type": "string"},
    {"name": "seqno", "type": "long"},
    {"name": "shardId", "type": "long"},
    {"name": "eventid", "type": "string"},
    {"name": "updateTimestamp", "type": "long", "doc": "milliseconds"},
    {"name": "tableName", "type": ["null", "string"], "doc": "\"database\".\"table\""},
    {"name": "operation", "type": "string"},
    {"name": "columnCount", "type": "long"},
    {
      "name": "fields",
      "type": [
        "null",
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
            {"type": "record", "name": "Date", "fields": [{"name": "value", "type": "string"}]},
            {
              "type": "record",
              "name": "Bit",
              "fields": [{"name": "precision", "type": "int"}, {"name": "value", "type": "string"}]
            },
            {
              "type": "record",
              "name": "BinaryObject",
              "fields": [{"name": "type", "type": "string"}, {"name": "value", "type": "bytes"}]
            }
          ]
        }
      ],
      "doc": "by position as fields"
    },
    {
      "name": "afterImages",
      "type": [
        "null",
        {
          "type": "array",
          "items": [
            "null",
            "Integer",
            "Character",
            "Decimal",
            "Float",
            "Timestamp",
            "Date",
            "Bit",
            "BinaryObject"
          ]
        }
      ]
    }
  ]
}
{%- endmacro %}
