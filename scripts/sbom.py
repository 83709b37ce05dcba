"""Writes a bill of materials of all jars, for scanners. Called by `make audit`."""

import json
from typing import Any

from changelake.core import settings
from changelake.core.cli import one_line_errors
from changelake.spark import jar_lock, jars

BILL = settings.REPO / "jars.cdx.json"


def bill(locked: list[jar_lock.Jar]) -> dict[str, Any]:
    """Return the bill of materials of these jars, in CycloneDX format."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "components": [
            {
                "type": "library",
                "bom-ref": jar.file,
                "group": jar.group,
                "name": jar.name,
                "version": jar.version,
                "purl": f"pkg:maven/{jar.group}/{jar.name}@{jar.version}",
                "hashes": [{"alg": "SHA-256", "content": jar.sha256}],
                # what uses it: Spark, the local broker, or a producer of the tests
                "properties": [{"name": "changelake:configuration", "value": jar.configuration}],
            }
            for jar in sorted(locked)
        ],
    }


@one_line_errors
def main() -> None:
    """Write the bill of all jars that are locked."""
    locked = [jar for file in jars.IVY_FILES for jar in jar_lock.read(jars.lock_file(file))]
    BILL.write_text(json.dumps(bill(locked), indent=2) + "\n", encoding="utf-8")
    print(f"{BILL.name}: {len(locked)} jars, to be scanned: see CONTRIBUTING.md, Dependencies")


if __name__ == "__main__":
    main()
