"""Mutants are what they say, and each is another program."""

from tests.mutation.mutants import mutants, mutated

SOURCE = """
LIMIT = 3

def least(numbers, strict=False):
    if not numbers or (strict and len(numbers) < LIMIT):
        return None
    return min(numbers) - 1

class Box:
    def holds(self, one):
        return one in (1, 2)
"""


def _made(number: int) -> dict[str, object]:
    names: dict[str, object] = {}
    exec(mutated(SOURCE, mutants(SOURCE)[number], "made.py"), names)
    return names


def test_every_change_is_listed_with_its_function() -> None:
    assert [(mutant.function, mutant.change) for mutant in mutants(SOURCE)] == [
        ("least", "condition negated"),
        ("least", "or to and"),
        ("least", "and to or"),
        ("least", "Lt to LtE"),
        ("least", "return None"),
        ("least", "Sub to Add"),
        ("least", "1 to 2"),
        ("Box.holds", "return None"),
        ("Box.holds", "In to NotIn"),
        ("Box.holds", "1 to 2"),
        ("Box.holds", "2 to 3"),
    ]
    assert len({mutant.name for mutant in mutants(SOURCE)}) == len(mutants(SOURCE))


def test_a_mutant_behaves_as_it_says() -> None:
    assert _made(5)["least"]([4, 7]) == 5  # type: ignore[operator]
    assert _made(6)["least"]([4, 7]) == 2  # type: ignore[operator]
    assert _made(8)["Box"]().holds(3) is True  # type: ignore[operator]
