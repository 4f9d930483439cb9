"""The command `start`: one command to begin with. Few questions, then a `shoal.toml` and a release that is verified.

Every question has a flag. Nothing is asked where nobody can answer: without a terminal, with --json, with --yes.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from shoal.cli import show
from shoal.cli.anonymize import Written, publish
from shoal.cli.inspect import show_columns
from shoal.cli.options import Json, request_options
from shoal.cli.settings import flag_values, table_file
from shoal.cli.terminal import console, somebody_answers
from shoal.config import seen_from
from shoal.core.atomic_files import put_text, replacing
from shoal.core.errors import ParameterError, ReleaseError, RoleError, ShoalError, cannot_write, nearest
from shoal.core.number_format import counted
from shoal.inspection import Answers, Inspection, Role, inspect
from shoal.inspection.suggestion import KEYS
from shoal.models.presets import PRESETS, Preset, proposed
from shoal.models.requirement import as_models
from shoal.release.files import REPORT
from shoal.release.release import check_target
from shoal.release.verification import Verification, verify
from shoal.request import SETTINGS
from shoal.steps.safety import as_flags
from shoal.studies.first_compilation import compile_beside
from shoal.tables.roles import MEANING, REST, listed, with_rest
from shoal.tables.table import Table, read

FOLDER = "release"
"""Where the release goes, unless another place is named."""
ABOUT = (
    "Written by `shoal start`: change it, then run `shoal anonymize --config` with it; --overwrite replaces a release."
)


@dataclass(frozen=True)
class Asked:
    """What flags say, and whether the rest is proposed (`yes`) or asked."""

    flags: Mapping[str, Any]
    preset: str | None
    report: bool | None
    yes: bool
    terminal: bool

    @property
    def overwrite(self) -> bool:
        """Whether existing files may be replaced."""
        return bool(self.flags.get("overwrite"))


@request_options("start", config=False)
def start(
    given: dict[str, Any],
    preset: Annotated[
        str | None, typer.Option(metavar="NAME", help=f"A usual requirement: {', '.join(PRESETS)}.")
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    toml: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the settings.")] = Path("shoal.toml"),
    yes: Annotated[bool, typer.Option("--yes", help="Accept every proposal; open roles need a flag.")] = False,
    as_json: Json = False,
) -> None:
    """Begin here: answer a few questions about a table, and get a verified release and a shoal.toml.

    Every question can be answered by a flag; without a terminal, or with --json, all must be. Exit code 0 if the
    release was made and verified.
    """
    flags = flag_values(given)
    report = False if no_report else flags.get("report")
    asked = Asked(flags, preset, report, yes, somebody_answers() and not as_json)
    _refuse_early(asked, toml)
    if asked.terminal and not yes:
        compile_beside()
    path, reading = table_file(dict(flags))
    table = read(path, **reading)
    found = _with_roles(inspect(table), table, asked)
    answers = _answers(found, asked, toml)
    made = _publish(toml, found.answered(answers, seen_from(toml, Path(path)), reading), asked.overwrite)
    verified = verify(made.folder, original=table)
    if as_json:
        print(json.dumps(_as_data(toml, made, verified), indent=2))
    else:
        show.saved(made.folder, as_json=False, seconds=made.seconds, limit=made.limit)
        how = [word for name, said in reading.items() if said is not None for word in (SETTINGS[name].flag, str(said))]
        _next_steps(toml, made.folder, ["--original", str(path), *how], verified)
    raise typer.Exit(0 if verified.passed else 1)


def _refuse_early(asked: Asked, toml: Path) -> None:
    """Refuse contradictions and places where nothing may be written, before anything is read or asked."""
    if not asked.flags.get("file"):
        raise ParameterError("FILE is not given", hint="name the table: shoal start people.csv")
    if asked.preset is not None and asked.preset not in PRESETS:
        raise ParameterError(f"unknown preset {asked.preset!r}", expected=", ".join(PRESETS))
    if asked.preset is not None and "require" in asked.flags:
        raise ParameterError("both --preset and --require are given", hint="leave one of the two out")
    if asked.report is False and "report" in asked.flags:
        raise ParameterError("both --report and --no-report are given", hint="leave one of the two out")
    if toml.exists() and not asked.overwrite:
        raise ReleaseError(f"{str(toml)!r} exists already", hint="name another with --toml, or add --overwrite")
    if not toml.absolute().parent.is_dir():
        raise ReleaseError(f"there is no folder {str(toml.parent)!r}", hint="make it, or name another file")
    if "folder" in asked.flags:
        check_target(Path(asked.flags["folder"]), overwrite=asked.overwrite)


# Roles


def _with_roles(found: Inspection, table: Table, asked: Asked) -> Inspection:
    """Return the inspection with the roles that were decided on; afterwards none is open."""
    flagged = _flagged_roles(found, table.columns, asked.flags)
    found = found.decided(table, flagged)
    left = [name for name in table.columns if name not in flagged]
    _refuse_unasked(found, left, asked)
    if asked.terminal and not asked.yes and left:
        found = found.decided(table, _ask_roles(found))
    if not found.named(Role.QUASI):
        raise RoleError(
            "no column is a quasi-identifier",
            expected="at least one column that an attacker may know",
            hint=f"name it with {SETTINGS['quasi'].flag}",
        )
    return found


def _flagged_roles(found: Inspection, columns: Sequence[str], flags: Mapping[str, Any]) -> dict[str, Role]:
    """Return the roles that flags give, by column.

    `rest` stands for every column that no flag names; without --quasi only for those that have no proposed role.
    """
    given = {key: listed(flags.get(key, ())) for key in KEYS}
    named = with_rest(columns, given)
    open_roles = found.named(Role.OPEN)
    return {
        name: role
        for key, role in KEYS.items()
        for name in named[key]
        if name in given[key] or given["quasi"] or name in open_roles
    }


def _refuse_unasked(found: Inspection, left: Sequence[str], asked: Asked) -> None:
    """Guarantees that nothing is asked where nobody can answer, and that no open role is answered by --yes."""
    undecided = found.named(Role.OPEN)
    if undecided and (asked.yes or not asked.terminal):
        some = as_flags({"leave_out": undecided if asked.flags.get("quasi") else [REST]})
        raise RoleError(
            f"{counted(len(undecided), 'column has', 'columns have')} no role, and none is proposed:"
            f" {', '.join(map(repr, undecided))}",
            hint=f"decide on each with --quasi, --sensitive, --identifier, --other or --leave-out, such as {some}",
        )
    if asked.yes or asked.terminal:
        return
    missing = {
        f"the roles of {counted(len(left), 'column')}": "--quasi, --sensitive, --other rest, ..." if left else "",
        "what to require": "" if asked.preset or "require" in asked.flags else "--preset NAME or --require",
        "where to put the release": "" if "folder" in asked.flags else "--output DIR",
        "whether to write a report": "" if asked.report is not None else "--report or --no-report",
    }
    unsaid = [f"{what} ({flag})" for what, flag in missing.items() if flag]
    if unsaid:
        raise ParameterError(
            f"there is no terminal to ask in, and these answers are missing: {', '.join(unsaid)}",
            hint="give these flags, or --yes to take every proposal; in a terminal shoal start asks",
        )


def _ask_roles(found: Inspection) -> dict[str, Role]:
    """Show the proposals, ask for the open roles, and let any be changed; return what was decided."""
    out = console()
    show_columns(found)
    out.print("\nWhat a role means:", style="bold")
    for role, meaning in MEANING.items():
        out.print(f"  {role:<10}  {meaning}")
    decided = {name: _ask_role(name) for name in found.named(Role.OPEN)}
    names = [column.name for column in found.columns]
    while name := typer.prompt("Change the role of a column? Its name, or Enter to go on", "", show_default=False):
        if name in names:
            decided[name] = _ask_role(name)
        else:
            out.print(f"the table has no column {name!r}; {nearest(name, names)}", style="yellow")
    return decided


def _ask_role(name: str) -> Role:
    words = ", ".join(MEANING)
    while (said := typer.prompt(f"The role of {name!r} ({words})").strip()) not in MEANING:
        console().print(f"expected one of {words}", style="yellow")
    return Role(said)


# What else is asked


def _answers(found: Inspection, asked: Asked, toml: Path) -> Answers:
    """Return what is required, where the release goes and whether there is a report: by flags, asked, or proposed."""
    require, meaning = _requirement(found, asked)
    folder, report = _folder(asked), asked.report
    if report is None:
        report = asked.yes or typer.confirm(
            "A report explains the release in words and pictures: one HTML file to share, one to keep. Write it?", True
        )
    return Answers(ABOUT, require, meaning, seen_from(toml, folder), report, asked.flags.get("allow", ()))


def _requirement(found: Inspection, asked: Asked) -> tuple[str, str]:
    """Return the requirement, and what it means."""
    values = {one.name: one.distinct for one in found.columns if one.role == Role.SENSITIVE}
    if "require" in asked.flags:
        return str(as_models(asked.flags["require"])), ""
    preset = PRESETS.get(asked.preset or "") or proposed(found.rows, values)
    problem = "the table has fewer than 3 rows" if preset is None else preset.problem(found.rows, values)
    if preset is None or problem:
        raise ParameterError(f"the preset cannot be met: {problem}", hint="choose another, or give --require")
    if asked.preset is None and not asked.yes:
        possible = [one for one in PRESETS.values() if not one.problem(found.rows, values)]
        return _ask_requirement(possible, possible.index(preset), values)
    return " ".join(preset.require(values)), preset.meaning


def _ask_requirement(possible: Sequence[Preset], first: int, sensitive: Mapping[str, int]) -> tuple[str, str]:
    """Show the presets that the table can meet, and ask for one of them, or for a requirement of one's own."""
    out = console()
    out.print("\nHow well people are hidden (a crowd is a group of published rows that look alike):", style="bold")
    for number, preset in enumerate(possible, 1):
        out.print(f"  {number}  {preset.title}: {preset.meaning}")
    while True:
        said = typer.prompt("A number, or a requirement such as k=5", str(first + 1)).strip()
        if said.isdecimal() and 0 < int(said) <= len(possible):
            chosen = possible[int(said) - 1]
            return " ".join(chosen.require(sensitive)), chosen.meaning
        if said.isdecimal():
            out.print(f"expected a number from 1 to {len(possible)}, or a requirement", style="yellow")
            continue
        try:
            return str(as_models(said)), ""
        except ShoalError as error:
            out.print(str(error), style="yellow")


def _folder(asked: Asked) -> Path:
    """Return a folder where the release may go."""
    if "folder" in asked.flags or asked.yes:
        folder = Path(asked.flags.get("folder", FOLDER))
        check_target(folder, overwrite=asked.overwrite)
        return folder
    while True:
        folder = Path(typer.prompt("\nThe folder for the release: one part to share, one to keep", FOLDER))
        try:
            check_target(folder, overwrite=asked.overwrite)
        except ReleaseError as error:
            console().print(str(error), style="yellow")
        else:
            return folder


# The release


def _publish(toml: Path, text: str, overwrite: bool) -> Written:
    """Make the release as `shoal anonymize --config` does; an interruption leaves neither it nor the configuration.

    What is refused leaves the configuration, to be changed.
    """
    refused: ShoalError | None = None
    try:
        with replacing(toml) as beside:
            put_text(beside, text)
            try:
                made = publish({"config": beside, "overwrite": overwrite})
            except ShoalError as error:
                refused = error
    except OSError as error:
        raise cannot_write(toml, error) from error
    if refused is not None:
        print(f"shoal: the answers are in {toml}: change it, then run shoal anonymize --config {toml}", file=sys.stderr)
        raise refused
    return made


def _as_data(toml: Path, made: Written, verified: Verification) -> dict[str, Any]:
    certificate = json.loads((made.folder / "public" / "certificate.json").read_text(encoding="utf-8"))
    found = {"passed": verified.passed, **asdict(verified)}
    return {"config": str(toml), "release": str(made.folder), "certificate": certificate, "verification": found}


def _next_steps(toml: Path, folder: Path, original: Sequence[str], verified: Verification) -> None:
    """Print what came of the verification, what was made, and what to do next; `original` is named by flags."""
    out, public = console(), folder / "public"
    passed = f"verified again from its files: {counted(len(verified.checks), 'check')} passed"
    out.print(passed if verified.passed else f"REFUSED: {'; '.join(verified.failures)}; do not share it")
    made = {str(public): "the table, its certificate and its codebook", str(folder / "internal"): "keep it private"}
    if (public / REPORT).is_file():
        made |= {str(public / REPORT): "the report to share", str(folder / "internal" / REPORT): "the report to keep"}
    made[str(toml)] = "the settings, with comments"
    steps = {
        shlex.join(["shoal", "attack", str(folder), *original]): "who could still be found, and what could be learnt",
        shlex.join(["shoal", "utility", str(folder), *original]): "what an analyst keeps",
        shlex.join(["shoal", "anonymize", "--config", str(toml), "--overwrite"]): "after you change the settings",
    }
    for title, lines in (("Made", made if verified.passed else {}), ("Next", steps)):
        out.print(f"\n{title}:" if lines else "", style="bold")
        for name, meaning in lines.items():
            out.print(f"  {name}\n      {meaning}", soft_wrap=True)
