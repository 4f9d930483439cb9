"""Every error shoal raises on purpose: one root, a tree by meaning.

A message says what was given, what was expected and what to do next. It names columns, counts, levels and row
numbers; it never repeats a cell of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

from shoal.core.number_format import counted


class ShoalError(Exception):
    """The root: catch this to catch everything shoal refuses.

    >>> print(ShoalError("k is 0", expected="a whole number of at least 1", hint="try k=5"))
    k is 0; expected a whole number of at least 1; try k=5
    """

    def __init__(self, given: str, *, expected: str = "", hint: str = "") -> None:
        self.given, self.expected, self.hint = given, expected, hint
        parts = [given, f"expected {expected}" if expected else "", hint]
        super().__init__("; ".join(part for part in parts if part).replace("; \n", "\n"))


class SafetyWarning(UserWarning):
    """What a release may give away although every model is met; said before the work begins."""


class PluginWarning(UserWarning):
    """A plugin of another package cannot be loaded, and is left out."""


class TableError(ShoalError):
    """The table cannot be read, or is not a table of people that can be worked on."""


class RoleError(ShoalError):
    """A column is unknown, has two roles, or no column is a quasi-identifier."""


class HierarchyError(ShoalError):
    """A hierarchy is not nested, does not cover its column, or has no single root."""


class ParameterError(ShoalError):
    """A parameter, a requirement or a setting is not of the declared form."""


class Unsupported(ShoalError):
    """The request is well formed, but what was asked to do it cannot; the message says what can."""


class ReleaseError(ShoalError):
    """A release folder cannot be written, read or trusted."""


class Infeasible(ShoalError):
    """No release of this table can meet the model: not even the whole table as one class does.

    `model` is the requirement that fails, `reached` the level the whole table reaches, `rows` the numbers
    (0-based, input order) of the rows at fault. Where the levels of columns are limited, it is `what` that reaches it.
    """

    def __init__(
        self,
        model: str,
        *,
        reached: object,
        rows: Sequence[int],
        hint: str = "",
        what: str = "all rows together as one class",
    ) -> None:
        self.model, self.reached, self.rows = model, reached, tuple(rows)
        fault = counted(len(self.rows), "row")
        super().__init__(
            f"no release of this table meets {model}: {what} reach {reached} ({fault} at fault)", hint=hint
        )


def cannot_write(path: object, error: OSError, kind: type[ShoalError] = ReleaseError) -> ShoalError:
    """Return the error to raise for a file or folder that cannot be written.

    >>> print(cannot_write("a/b.csv", OSError(13, "Permission denied")))
    cannot write 'a/b.csv': Permission denied; check the folder, its permissions and the room left on the disk
    """
    hint = "check the folder, its permissions and the room left on the disk"
    return kind(f"cannot write {str(path)!r}: {error.strerror or error}", hint=hint)


@contextmanager
def failing_as(words: Callable[[], ShoalError]) -> Iterator[None]:
    """Say in words of shoal that a library which reads files failed inside: its own words may repeat cells.

    Errors of shoal itself and a lack of memory stay as they are. A panic of a library in Rust is no `Exception`.

    >>> with failing_as(lambda: ShoalError("the file is damaged")):
    ...     raise KeyError("a cell")
    Traceback (most recent call last):
    shoal.core.errors.ShoalError: the file is damaged
    """
    try:
        yield
    except (ShoalError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise words() from error


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a hint that names what was probably meant.

    >>> nearest("agee", ["age", "sex"])
    "did you mean 'age'?"
    >>> nearest("zzz", ["age", "sex"])
    "known: 'age', 'sex'"
    """
    options = list(known)
    close = get_close_matches(name, options, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    shown = ", ".join(repr(option) for option in options[:12])
    return f"known: {shown}{', ...' if len(options) > 12 else ''}" if options else "there are none"
