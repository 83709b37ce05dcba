"""OceanBase's OMS, serialization DefaultExtendColumnType: Default, with types in each image."""

from collections.abc import Callable
from functools import partial
from typing import Any

from changes import DATABASE, Change, Message, Row
from dialects import oceanbase_default
from dialects._shared import oceanbase_image, oceanbase_type

FORMAT = "oceanbase_default_extended"
ZONE = "UTC"
KEY_KNOWN = True


def image(row: Row | None) -> dict[str, Any] | None:
    """Return a row with its types as an extra last column."""
    if row is None:
        return None
    types = {one.name: {"schemaType": oceanbase_type(one)} for one in row.columns}
    return {**(oceanbase_image(row) or {}), "__light_type": types}


def without_tenant(change: Change) -> dict[str, Any]:
    """Return the metadata of this dialect's samples: the database without a tenant (line 1071)."""
    return {**oceanbase_default.short_meta_of(change), "db": DATABASE}


encode = partial(oceanbase_default.encode, image=image)


def types_after(change: Change) -> list[Message]:
    """Return the template's message: only the image after has types (lines 1046-1049)."""

    def one(row: Row | None) -> dict[str, Any] | None:
        return image(row) if row is change.after else oceanbase_image(row)

    return encode(change, image=one)


VARIANTS: dict[str, Callable[[Change], list[Message]]] = {
    "types_after": types_after,
    "without_tenant": partial(encode, meta=without_tenant),
}
