"""`sssp-scope licences`: under which terms come the packages that this program runs on.

What is listed is what is installed here: what the program requires, what that requires in turn,
and of our extras those that are there. The words are the packages' own.
"""

from __future__ import annotations

import argparse
import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import NamedTuple

from gpu.cli.inputs import add_examples
from gpu.cli.outcome import DONE
from gpu.cli.parser import Parser
from gpu.errors import GpuError

OURS = "sssp-scope"
UNSAID = "not said by the package"
MOST_LETTERS = 60  # some packages put the whole text where its name belongs
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


class Package(NamedTuple):
    """One installed package; `needed_for` is the program itself, or one of its extras."""

    name: str
    version: str
    licence: str
    needed_for: str


def add_licences(parser: Parser) -> None:
    """Fill the parser of `licences`."""
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    parser.set_defaults(handle=_licences)
    add_examples(parser, "sssp-scope licences", "sssp-scope licences --json")


def installed_packages(ours: str = OURS) -> list[Package]:
    """Return what a package runs on, by name, what it requires itself first.

    Raises GpuError where it is not installed: then nothing says what it requires.
    """
    try:
        top = distribution(ours)
    except PackageNotFoundError as error:
        raise GpuError(f"{ours} is not installed, so nothing says what it needs") from error
    found = {_plain(ours): Package(ours, top.version, licence_of(top), "itself")}
    wanted = [(name, extra or "the program") for name, extra in _requirements(top)]
    wanted.sort(key=lambda pair: pair[1] != "the program")
    for name, needed_for in wanted:  # grows while it is walked
        try:
            package = distribution(name)
        except PackageNotFoundError:  # an extra that is not here, or of another system
            continue
        if _plain(name) in found:
            continue
        row = Package(package.metadata["Name"], package.version, licence_of(package), needed_for)
        found[_plain(name)] = row
        wanted += [(below, needed_for) for below, extra in _requirements(package) if not extra]
    first, *others = found.values()
    others.sort(key=lambda row: (row.needed_for != "the program", row.needed_for, row.name.lower()))
    return [first, *others]


def licence_of(package: Distribution) -> str:
    """Return a package's licence as it says itself: an SPDX expression, classifiers, or words."""
    told = package.metadata
    expression, words = (
        (told.get_all(name) or [""])[0] for name in ("License-Expression", "License")
    )
    if expression:
        return str(expression)
    classes = [row for row in told.get_all("Classifier") or () if row.startswith("License ::")]
    named = [row.rpartition(" :: ")[2] for row in classes if not row.endswith("OSI Approved")]
    words = str(words).strip().partition("\n")[0]
    if named:
        return "; ".join(named)
    return words if 0 < len(words) <= MOST_LETTERS else words[:MOST_LETTERS] + "…" * bool(words)


def _requirements(package: Distribution) -> list[tuple[str, str]]:
    """Return (name, extra or "") of all that a package names."""
    rows = []
    for line in package.requires or ():
        name, extra = _NAME.match(line), _EXTRA.search(line)
        if name is not None:
            rows.append((name[0], extra[1] if extra is not None else ""))
    return rows


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _licences(args: argparse.Namespace) -> int:
    rows = [row._replace(licence=row.licence or UNSAID) for row in installed_packages()]
    if args.json:
        print(json.dumps({"packages": [row._asdict() for row in rows]}))
        return DONE
    width = max(len(f"{row.name} {row.version}") for row in rows)
    group = ""
    for row in rows:
        if row.needed_for not in {group, "itself"}:
            group = row.needed_for
            print(f"\n{group if group == 'the program' else f'extra {group}'} needs")
        print(f"{f'{row.name} {row.version}':{width}}  {row.licence}")
    return DONE
