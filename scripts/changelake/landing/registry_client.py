"""The client of a schema registry. Its errors are single lines that never show a password."""

import base64
import contextlib
import json
import os
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any, cast
from urllib.parse import unquote, urlsplit, urlunsplit

from changelake.core.errors import UserError
from changelake.landing.bronze import SHOWN_CHARACTERS

URL_VARIABLE = "CHANGELAKE_SCHEMA_REGISTRY"
AUTH_VARIABLE = "CHANGELAKE_SCHEMA_REGISTRY_AUTH"
# The length of a header in hexadecimal, by whose serializer wrote it: see registry_header().
CONFLUENT, APICURIO = 10, 18
REQUEST_SECONDS = 5.0
# Confluent's registry keeps a schema in one message of Kafka, of 1 MB by default.
MAX_ANSWER_BYTES = 10_000_000
CHUNK_BYTES = 65_536
# A registry does not have an id, or the id is not valid there.
NO_SUCH_ID = (400, 404, 422)


class RegistryError(UserError):
    """The registry does not answer, so that further requests are useless."""


def named_registry() -> "Registry":
    """Return the registry that the environment names.

    Raises:
        UserError: it names none, or not by a URL.
    """
    text = os.environ.get(URL_VARIABLE, "").strip().rstrip("/")
    if not text:
        raise UserError(f"messages name schemas of a registry: set {URL_VARIABLE} to its URL")
    with contextlib.suppress(ValueError):
        parts = urlsplit(text)
        if parts.scheme in ("http", "https", "file"):
            user, _, host = parts.netloc.rpartition("@")
            url = urlunsplit((parts.scheme, host, parts.path, "", ""))
            return Registry(url, os.environ.get(AUTH_VARIABLE, "") or unquote(user))
    # the URL is not shown: it may contain a password
    raise UserError(f"{URL_VARIABLE} is not a URL that begins with http:, https: or file:")


@dataclass(frozen=True)
class Registry:
    """A schema registry: its URL without a password, and `user:password`, which may be empty."""

    url: str
    auth: str

    def check(self, deadline: float) -> None:
        """Raise a RegistryError if the time for the registry is over."""
        if time.monotonic() > deadline:
            raise RegistryError(f"the schema registry {self.url} is slow")

    def schema(self, header: str, schema_id: int, deadline: float) -> str:
        """Return the text of a schema, by the API whose ids are of this length.

        Raises:
            UserError: the registry does not have it, or it is not Avro's.
            RegistryError: the registry gives no answer.
        """
        if len(header) == APICURIO:
            return self._get(f"/ids/globalIds/{schema_id}", deadline)
        answer = self._get(f"/schemas/ids/{schema_id}", deadline)
        try:
            found = cast(dict[str, Any], json.loads(answer))
            kind, references = found.get("schemaType", "AVRO"), found.get("references")
            schema = str(found["schema"])
        except (ValueError, KeyError, AttributeError, RecursionError):
            raise UserError("the answer is not a schema") from None
        if references:
            raise UserError("it refers to other schemas")
        if kind != "AVRO":
            raise UserError(f"it is {str(kind)[:SHOWN_CHARACTERS]}, not Avro")
        return schema

    def _get(self, path: str, deadline: float) -> str:
        request = urllib.request.Request(
            self.url + path, headers={"Accept": "application/json, */*"}
        )
        if self.auth:
            auth = base64.b64encode(os.fsencode(self.auth)).decode()
            # not sent to another host by a redirect
            request.add_unredirected_header("Authorization", f"Basic {auth}")
        try:
            with urllib.request.urlopen(request, timeout=REQUEST_SECONDS) as response:
                return self._body(response, deadline)
        except urllib.error.HTTPError as error:
            if error.code in NO_SUCH_ID:
                raise UserError("the registry does not have it") from None
            said = _line(f"{error.code} {error.reason}")
            raise RegistryError(f"the schema registry {self.url} says {said}") from None
        except UnicodeDecodeError:
            raise UserError("the answer is not UTF-8") from None
        except (OSError, ValueError, HTTPException) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, FileNotFoundError):
                # a directory that serves as a registry
                raise UserError("there is no such file") from None
            said = _line(str(reason) or type(error).__name__)
            raise RegistryError(
                f"the schema registry {self.url} gives no answer ({said})"
            ) from None

    def _body(self, response: Any, deadline: float) -> str:
        # in chunks: the request's timeout applies to each read only
        body = bytearray()
        while chunk := response.read1(CHUNK_BYTES):
            body += chunk
            if len(body) > MAX_ANSWER_BYTES:
                raise UserError(f"the answer is larger than {MAX_ANSWER_BYTES // 1_000_000} MB")
            self.check(deadline)
        return body.decode()


def _line(text: str) -> str:
    return " ".join(text.split())[:SHOWN_CHARACTERS]
