"""How to make the release again, and how to check it."""

from __future__ import annotations

import shoal
from shoal.config import as_toml
from shoal.core.markup import Markup, facts, listed, tag
from shoal.report.evidence import Evidence


def reproduce(found: Evidence) -> Markup:
    """Return the configuration that makes the release again; to the public, how it was made and how it is checked."""
    heading = tag("h2", "How to reproduce and check it")
    software = tag("p", f"Made with shoal {shoal.__version__}.")
    if found.is_public:
        settings = facts({name.replace("_", " "): _said(value) for name, value in found.config.items()})
        check = "Everybody who has the public folder can check the release, this report included:"
        return tag("section", heading, software, settings, tag("p", check), tag("pre", "shoal verify DIR"))
    check = "Check it against the original:"
    return tag(
        "section",
        heading,
        software,
        tag("p", "Keep this as shoal.toml beside the original. It holds the random seed: keep it private."),
        tag("details", tag("summary", "shoal.toml"), tag("pre", _toml(found))),
        tag("pre", "shoal anonymize --config shoal.toml"),
        tag("p", check),
        tag("pre", f"shoal verify release --original {found.source}"),
        *([tag("h3", "What was decided on the way"), listed(found.decisions)] if found.decisions else []),
    )


def _toml(found: Evidence) -> str:
    return as_toml({**found.config, "file": found.source, "folder": "release"})


def _said(value: object) -> str:
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)
