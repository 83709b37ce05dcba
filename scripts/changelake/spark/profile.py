"""The dbt profile: its targets, and the Spark configuration that a session takes from it."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import jinja2
import yaml

from changelake.core import settings
from changelake.core.errors import UserError

# its name in dbt_project.yml
PROFILE = "changelake"


def _env_var(name: str, default: str | None = None) -> str:
    value = os.environ.get(name, default)
    if value is None:
        raise UserError(f"the environment variable {name}, which the profile needs, is not set")
    return value


def profile_file() -> Path:
    """Return the profile that dbt reads: in DBT_PROFILES_DIR if that is set, else the project's."""
    directory = os.environ.get(settings.PROFILES_VARIABLE)
    return Path(directory) / "profiles.yml" if directory else settings.PROFILES


def profile_target(target: str, edit: Callable[[str], str] = str) -> dict[str, Any]:
    """Return a target of the profile, with its `env_var(…)` calls rendered as dbt does it.

    Args:
        target: its name: sample, local or cluster.
        edit: applied to each string before it is rendered.

    Raises:
        UserError: no such target, or the profile is missing or broken.
    """
    settings.check_target(target)
    file = profile_file()
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    for name in ("as_number", "as_bool", "as_native", "as_text"):
        environment.filters[name] = lambda value: value

    def render(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: render(value) for key, value in cast(dict[str, Any], node).items()}
        if isinstance(node, list):
            return [render(value) for value in cast(list[Any], node)]
        if not isinstance(node, str):
            return node
        node = edit(node)
        if "{" not in node:
            return node
        # a string that is one expression keeps the type of its value: none stays none
        if whole := re.fullmatch(r"{{([^{}]*)}}", node):
            expression = environment.compile_expression(whole[1], undefined_to_none=False)
            return expression(env_var=_env_var)
        return environment.from_string(node).render(env_var=_env_var)

    try:
        profiles = yaml.safe_load(file.read_text(encoding="utf-8"))
        if PROFILE not in profiles:
            raise UserError(
                f"the profile {file} has no {PROFILE!r}: add it, as {settings.PROFILES} has it"
            )
        outputs = profiles[PROFILE]["outputs"]
        # Only this target is rendered: the variables of others need not be set.
        return render(outputs[target])
    except UnicodeDecodeError:
        raise UserError(f"the profile {file} is not UTF-8: save it as UTF-8") from None
    except OSError as error:
        variable = settings.PROFILES_VARIABLE
        origin = f": it comes from {variable}" if os.environ.get(variable) else ""
        raise UserError(f"the profile {file} cannot be read: {error.strerror}{origin}") from None
    except (yaml.YAMLError, jinja2.TemplateError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(
            f"the profile {file} is broken: {reason}: write it as {settings.PROFILES} is"
        ) from None
    except KeyError:
        raise UserError(
            f"the profile {file} has no target {target!r}: add it, as {settings.PROFILES} has it"
        ) from None


def profile_confs(target: str) -> dict[str, str]:
    """Return the Spark configuration of a target, with the repository's paths made absolute."""
    # dbt runs in the repository, but a script may run from anywhere. Edited before rendering, since
    # the lake's own path may contain such a part too.
    relative = re.compile(r"(?<![\w./])(?:\./)?(?=(?:\.jars|profiles)/)")
    edited = profile_target(target, lambda text: relative.sub(lambda _: f"{settings.REPO}/", text))
    return {
        key: str(value).lower() if isinstance(value, bool) else str(value)
        for key, value in edited.get("server_side_parameters", {}).items()
    }
