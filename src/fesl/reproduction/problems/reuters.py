"""Reuters, twenty pairs of languages: documents in one language, then the same kind of documents translated.

The paper does not say how it made a task of the six topics, so this one keeps all six: softmax loss, and accuracy
over six classes. Its figures are therefore not comparable with the paper's, which look like those of two classes.
"""

from fesl._typing import Ints
from fesl.datasets import registry
from fesl.losses import Softmax
from fesl.reproduction.base import Problem, Tables, in_two_spaces
from fesl.reproduction.problems._of_entry import tables
from fesl.streams import Stream


def stream(tables: Tables, overlap: int, order: Ints, repeats: int) -> Stream:
    """Words that none of the documents at hand holds (most, in the subset) change nothing and are left out."""
    first, second = (X[:, X.getnnz(axis=0) > 0] for X in (tables.X1, tables.X2))
    return in_two_spaces(tables._replace(X1=first, X2=second), overlap, order, repeats)


def problem(name: str) -> Problem:
    paper = registry()[name].paper
    assert paper is not None
    return Problem(
        name=name,
        title=registry()[name].title,
        group="reuters",
        loss=Softmax(),
        c=paper.c,
        overlap=paper.overlap,
        tables=lambda seed: tables(name, seed),
        classes=(1, 2, 3, 4, 5, 6),
        runs=3,
        stream=stream,
        caveat="six topics with the softmax loss (the paper does not say how it made its task): not comparable",
        optional=True,
    )


PROBLEMS = tuple(problem(name) for name in registry() if name.startswith("reuters/"))
