"""How often the roles that `shoal inspect` proposes are right, and whether an identifier is ever missed.

python -m benchmarks.inspection             names of columns in other languages, `inspection_words.toml`
python -m benchmarks.inspection FOLDER      the tables of FOLDER, as `../shared/data`

Reads the roles that people wrote down in `inspection_roles.toml`. A proposal is right, open (a person has to decide),
or wrong. An identifier is missed if it is proposed for another role, or if it would be published: if `look_alikes` says
nothing of it. Sensitive columns and others that `look_alikes` would refuse, which are no measures, are false alarms.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

from shoal.inspection import inspect
from shoal.inspection.look_alikes import look_alikes
from shoal.tables.table import Table, read

WORDS = Path(__file__).with_name("inspection_words.toml")
VALUES = [f"v{number % 200}" for number in range(800)]
"""Values that repeat and say nothing, for names that say an identifier."""
CODES = [number % 30 for number in range(800)]
"""Numbers that say nothing, for other names."""
ROLES = Path(__file__).with_name("inspection_roles.toml")
EITHER = ("open", "quasi", "sensitive")
HEADINGS = ("table", "columns", "right", "open", "wrong", "identifiers", "missed", "quasi", "false alarms")


def expected(about: dict[str, Any]) -> dict[str, str]:
    """Return the right role of each column of a table; a name with spaces is written with underlines for them."""
    roles = ("identifier", "quasi", "sensitive", "other", "either")
    return {name: role for role in roles for name in about.get(role, "").split()}


def measured(table: Table, roles: dict[str, str]) -> Counter[str]:
    """Return how many proposals are right, open and wrong, and what was missed."""
    found, alarms = inspect(table), look_alikes(table.frame)
    names = {name: roles[name.replace(" ", "_")] for name in table.columns}
    counts: Counter[str] = Counter(columns=len(names), identifiers=list(names.values()).count("identifier"))
    for name, role in names.items():
        proposed = found[name].role
        right = proposed in EITHER if role == "either" else proposed == role
        counts["right" if right else "open" if proposed == "open" else "wrong"] += 1
        counts["quasi"] += proposed == "quasi"
        if role == "identifier":
            counts["missed"] += name not in alarms or proposed not in ("identifier", "open")
        elif role != "quasi":
            counts["false alarms"] += name in alarms and not alarms[name].measure
    return counts


def mistakes(table: Table, roles: dict[str, str], passed: tuple[str, ...] = ("open",)) -> list[str]:
    """Return the columns whose proposal is neither right nor passed over, with it."""
    found = inspect(table)
    named = ((name, found[name].role, roles[name.replace(" ", "_")]) for name in table.columns)
    right = ((name, role, EITHER if known == "either" else (known,)) for name, role, known in named)
    return [f"{name}: {role}" for name, role, known in right if role not in (*known, *passed)]


def by_language() -> None:
    """Print for each language how many names alone lead to the role that they say."""
    print("\t".join(("language", "names", "right", "open", "wrong", "identifiers", "missed")))
    total: Counter[str] = Counter()
    for language, about in tomllib.loads(WORDS.read_text(encoding="utf-8")).items():
        roles = expected(about)
        table = Table.of({name: VALUES if role == "identifier" else CODES for name, role in roles.items()})
        counts = measured(table, roles)
        total.update(counts)
        print("\t".join([language, *(str(counts[heading]) for heading in HEADINGS[1:7])]), *mistakes(table, roles, ()))
    print("\t".join(["all", *(str(total[heading]) for heading in HEADINGS[1:7])]))


def main(folder: Path) -> None:
    """Print a line a table, and the sums of those that were seen and of those put aside."""
    for part, tables in tomllib.loads(ROLES.read_text(encoding="utf-8")).items():
        total: Counter[str] = Counter()
        print("\t".join(HEADINGS))
        for name, about in tables.items():
            table = read(folder / about["file"], separator=about.get("separator"))
            counts = measured(table, expected(about))
            total.update(counts)
            print(
                "\t".join([name, *(str(counts[heading]) for heading in HEADINGS[1:])]),
                *mistakes(table, expected(about)),
            )
        print("\t".join([f"all {part}", *(str(total[heading]) for heading in HEADINGS[1:])]))


if __name__ == "__main__":
    main(Path(sys.argv[1])) if len(sys.argv) > 1 else by_language()
