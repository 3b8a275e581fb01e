"""Print the lowest version of each dependency allowed, as constraints for pip."""

import re
import tomllib
from pathlib import Path


def lowest(requirement: str) -> str:
    """Turn ``name>=1.2`` into ``name==1.2.*``: the release line that was asked for at least."""
    match = re.match(r"([\w.-]+)>=([\d.]+)", requirement)
    if match is None:
        raise SystemExit(f"no lowest version is given: {requirement}")
    return f"{match[1]}=={match[2]}.*"


project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
print(*map(lowest, project["dependencies"]), sep="\n")
