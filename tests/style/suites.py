"""The table of tests/README.md says of every group of tests in which suite it runs, as CMake registered it.

usage: suites.py CTEST BUILD
"""

import json
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
optional = {"mpi", "threads", "examples"}  # what a machine or a build may leave out


def said():
    table = set()
    for line in (root / "tests/README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[0].startswith("`"):
            table |= {(group, suite) for group in re.findall("`([^`]+)`", cells[0]) for suite in cells[1].split(", ")}
    return table


def registered(ctest, build):
    listed = subprocess.run([ctest, "--show-only=json-v1"], cwd=build, check=True, capture_output=True).stdout
    found = set()
    for test in json.loads(listed)["tests"]:
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        group = re.match("(unit/)?[^/]+", test["name"])[0]
        if "quick" in labels:
            found.add((group, "quick"))
        elif any(label.startswith("tenth") for label in labels):
            found |= {(group, "quick"), (group, "rest")}
        elif "host" in labels and "slow" not in labels:
            found.add((group, "rest"))
        elif "examples" in labels:
            found.add((group, "examples"))
        elif not {"cuda", "examples_cuda", "slow"} & set(labels):
            found.add((group, "no suite"))
    return found


def main():
    table, found = said(), registered(*sys.argv[1:])
    groups = {group for group, _ in found}
    wrong = [f"{g}: runs in {s}, which the table does not say" for g, s in sorted(found - table)]
    wrong += [f"{g}: does not run in {s}, which the table says" for g, s in sorted(table - found)
              if g in groups or g not in optional]
    for line in wrong:
        print("tests/README.md:", line)
    return 1 if wrong else 0


sys.exit(main())
