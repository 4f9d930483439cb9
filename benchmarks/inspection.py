"""How often the roles that `shoal inspect` proposes are right, and whether an identifier is ever missed.

python -m benchmarks.inspection             names of columns in other languages, `inspection_words.toml`
python -m benchmarks.inspection FOLDER      and the tables of FOLDER, as `../shared/data`, `inspection_roles.toml`

Both files hold roles that a person wrote down. A proposal is right, open (a person has to decide), or wrong. An
identifier is missed if it is proposed for another role, or if it would be published: if `look_alikes` says nothing of
it. Sensitive columns and others that `look_alikes` would refuse, which are no measures, are false alarms.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.inspection import inspect
from shoal.inspection.look_alikes import look_alikes
from shoal.tables.table import Table, read

WORDS, ROLES = (Path(__file__).with_name(f"inspection_{name}.toml") for name in ("words", "roles"))
VALUES = [f"v{number % 200}" for number in range(800)]
"""Values that repeat and say nothing, for names that say an identifier."""
CODES = [number % 30 for number in range(800)]
"""Numbers that say nothing, for other names."""
RIGHT = {"either": ("open", "quasi", "sensitive")}
"""What is right where a column is a matter of judgement."""
HEADINGS = ("columns", "right", "open", "wrong", "identifiers", "missed", "quasi", "false alarms")


def expected(about: dict[str, Any]) -> dict[str, str]:
    """Return the right role of each column of a table."""
    roles = ("identifier", "quasi", "sensitive", "other", "either")
    return {name: role for role in roles for name in about.get(role, "").split()}


def measured(table: Table, roles: dict[str, str]) -> tuple[Counter[str], list[str]]:
    """Return how many proposals are right, open and wrong, and what was missed; then those that are not right."""
    found, alarms = inspect(table), look_alikes(table.frame)
    counts: Counter[str] = Counter(columns=len(roles), identifiers=list(roles.values()).count("identifier"))
    others = []
    for name, role in roles.items():
        proposed = found[name].role
        right = proposed in RIGHT.get(role, (role,))
        counts["right" if right else "open" if proposed == "open" else "wrong"] += 1
        counts["quasi"] += proposed == "quasi"
        if role == "identifier":
            counts["missed"] += name not in alarms or proposed not in ("identifier", "open")
        elif role != "quasi":
            counts["false alarms"] += name in alarms and not alarms[name].measure
        others += [] if right else [f"{name}: {proposed}"]
    return counts, others


def named() -> Iterator[tuple[str, Table, dict[str, str]]]:
    """Yield, language by language, tables of one column whose name alone says what it is."""
    for language, about in tomllib.loads(WORDS.read_text(encoding="utf-8")).items():
        for name, role in expected(about).items():
            yield language, Table.of({name: VALUES if role == "identifier" else CODES}), {name: role}


def tables(folder: Path, part: str) -> Iterator[tuple[str, Table, dict[str, str]]]:
    """Yield the tables of a folder that were seen, or put aside."""
    for name, about in tomllib.loads(ROLES.read_text(encoding="utf-8"))[part].items():
        yield name, read(folder / about["file"], separator=about.get("separator")), expected(about)


def report(title: str, parts: Iterator[tuple[str, Table, dict[str, str]]]) -> None:
    """Print a line a table or language, and the sums."""
    print("\t".join((title, *HEADINGS)))
    sums, amiss = defaultdict[str, Counter[str]](Counter), defaultdict[str, list[str]](list)
    for name, table, roles in parts:
        counts, others = measured(table, roles)
        sums[name].update(counts)
        sums["all"].update(counts)
        amiss[name] += others
    for name in (*amiss, "all"):
        print("\t".join([name, *(str(sums[name][heading]) for heading in HEADINGS), ", ".join(amiss[name])]))


def main(folder: Path | None = None) -> None:
    """Print what names alone lead to, then the tables of a folder, both halves."""
    report("language", named())
    if folder is not None:
        report("seen", tables(folder, "seen"))
        report("aside", tables(folder, "aside"))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
