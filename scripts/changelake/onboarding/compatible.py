"""Whether one declaration covers another or some values, and which one would cover both."""

from changelake.onboarding.declarations import (
    LABELS,
    Declaration,
    declare,
    declared_element,
    digits_of,
    list_of,
)
from changelake.onboarding.source_types import element_of, has_own_types
from changelake.onboarding.values import MAX_PRECISION, Values


def is_exceeded(
    declared: Declaration, format_id: str, type_text: str | None, family: str, values: Values
) -> bool:
    """Say whether messages hold values beyond the declaration of a column of a known type.

    Args:
        declared: the result of declare_known().
        format_id, type_text, family, values: see there.
    """
    if element := declared_element(declared.text):
        sent = element_of(type_text or "")
        return is_exceeded(Declaration(element), format_id, sent, family, values)
    spark_type, encoding = declared.spark_type, declared.encoding
    if spark_type.startswith("map<") and values.count and not values.objects:
        return True
    if values.numbers and not holds(declared.text, Declaration("", inferred=True), values):
        return True
    # an encoding that the seed does not know
    if values.count and encoding == "base64" and not values.base64:
        return True
    if values.count and not encoding:
        # integers hold booleans; decimals do if each message tells that it has them
        is_held = values.booleans and (type_text or not spark_type.startswith("decimal"))
        if digits_of(spark_type) and values.letters and not values.numbers and not is_held:
            return True
        if spark_type.startswith(("date", "timestamp")) and values.numbers:
            return True
    if not type_text or has_own_types(format_id):
        return False
    told = declare("", family, type_text, Values())
    if told.inferred:
        return False
    # compare the types only, whatever their encodings
    plain = Declaration(told.spark_type)
    return (
        not holds(spark_type, plain, Values())
        or bool(wider(plain, spark_type))
        or {spark_type, plain.text} == {"timestamp", "timestamp_ntz"}
    )


def is_exact(declared: str) -> bool:
    """Say whether a declaration is of an exact numeric type."""
    return digits_of(_parts(declared_element(declared) or declared)[0]) is not None


def holds(
    declared: str, needed: Declaration, values: Values, tells_encodings: bool = False
) -> bool:
    """Say whether a declared column holds the values of one that needs another declaration.

    A declaration of an entirely different kind is a person's choice, and taken to hold them.

    Args:
        declared: `<spark type>[ from <encoding>]`.
        needed: what the source's type needs, or the values if it has none.
        values: what the values look like.
        tells_encodings: each message says how its values are encoded.

    >>> holds("decimal(20,0)", Declaration("bigint"), Values())
    True
    >>> holds("decimal(10,2)", Declaration("decimal(12,4)"), Values())
    False
    """
    element, needed_element = declared_element(declared), declared_element(needed.text)
    if element and needed_element:
        return holds(element, Declaration(needed_element, needed.inferred), values, tells_encodings)
    (one, encoding), (other, other_encoding) = _parts(declared), _parts(needed.text)
    have, need = digits_of(one), digits_of(other)
    if needed.inferred:
        # a guess is wider than necessary
        return not (have and values.numbers) or (
            10 ** max(values.whole_digits - 1, 0) <= have[0] and values.fraction_digits <= have[1]
        )
    is_read = tells_encodings or encoding == other_encoding
    if have and need:
        return is_read and have[0] >= need[0] and have[1] >= need[1]
    if one == other:
        # a text that is not a label is passed on
        passes = not encoding or encoding.startswith(LABELS) and not other_encoding
        return is_read or (one == "string" and passes)
    return (one, other) != ("float", "double")


_WIDER = {
    ("timestamp_ntz", "date"), ("double", "float"),
    *(("double", one) for one in ("tinyint", "smallint", "int")),
    *(("float", one) for one in ("tinyint", "smallint")),
}  # fmt: skip


def wider(needed: Declaration, declared: str, tells_encodings: bool = False) -> str:
    """Return the declaration that holds both what was declared and what a source's type now needs.

    Args:
        needed: what the type needs; a guess from values does not widen.
        declared: `<spark type>[ from <encoding>]`.
        tells_encodings: each message says how its values are encoded.

    Returns:
        Empty where the declared type already holds both, or none does.

    >>> wider(Declaration("bigint"), "int"), wider(Declaration("int"), "bigint")
    ('bigint', '')
    >>> wider(Declaration("decimal(10,4)"), "decimal(10,2)")
    'decimal(12,4)'
    >>> wider(Declaration("string"), "timestamp from epoch_seconds")
    ''
    >>> wider(Declaration("string"), "date from epoch_days", tells_encodings=True)
    'string'
    """
    element, before = declared_element(needed.text), declared_element(declared)
    if element and before:
        found = wider(Declaration(element, needed.inferred), before, tells_encodings)
        return list_of(Declaration(found)).text if found else ""
    (one, encoding), (other, other_encoding) = _parts(needed.text), _parts(declared)
    # otherwise older events, in the encoding of the old type, would be read as the new one
    is_read = tells_encodings or encoding == other_encoding
    if needed.inferred or not is_read:
        return ""
    need, have = digits_of(one), digits_of(other)
    if need and have:
        whole, scale = max(need[0], have[0]), max(need[1], have[1])
        if (whole, scale) == have:
            return ""
        if (whole, scale) == need:
            return needed.text
        precision = len(str(whole)) + scale
        if precision > MAX_PRECISION:
            return ""
        return Declaration.of(f"decimal({precision},{scale})", encoding).text
    is_wider = (one, other) in _WIDER or (one == "string" and other not in ("string", "binary"))
    return needed.text if is_wider else ""


def is_written_alike(one: str, other: str) -> bool:
    """Say whether columns of two declarations hold their values in the same way in the messages.

    >>> is_written_alike("string", "bigint from exact")
    True
    >>> is_written_alike("string", "timestamp from epoch_seconds")
    False
    """
    return _parts(declared_element(one) or one)[1] == _parts(declared_element(other) or other)[1]


def _parts(declaration: str) -> tuple[str, str]:
    declared = Declaration(declaration)
    # these read the same texts
    encoding = "" if declared.encoding in ("text", "exact") else declared.encoding
    return declared.spark_type.lower(), encoding
