"""Texts and names in a statement of Spark SQL, as the macros of these names write them."""


def sql_string(text: str | None) -> str:
    r"""Return the literal of a text, or null.

    >>> print(sql_string("it's a \\"))
    'it\'s a \\'
    >>> print(sql_string(None))
    null
    """
    if text is None:
        return "null"
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def sql_name(name: str) -> str:
    """Return a name in quotes.

    >>> print(sql_name("a `b`"))
    `a ``b```
    """
    return "`" + name.replace("`", "``") + "`"
