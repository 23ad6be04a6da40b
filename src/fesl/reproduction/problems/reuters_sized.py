"""reuters-sized: documents of our own making, as many and as wide as the paper's r.EN-FR.

18,758 documents of about 100 words, 21,531 words in the old language and 24,892 in the new. Words are drawn from
Zipf's law, a fifth of them from the words that favour the document's class; the translation of a word is a fixed
word of the other language, or in one case of five any word at all; weights are inverse document frequencies.
"""

import numpy as np
import numpy.typing as npt
from scipy import sparse

from fesl._typing import Floats, Ints
from fesl.losses import Logistic
from fesl.reproduction.base import Problem, Tables

ROWS, OLD, NEW, WORDS = 18_758, 21_531, 24_892, 100
TELLING, LOST = 0.2, 0.2


def tables(seed: int) -> Tables:
    rng = np.random.default_rng([seed, ROWS])
    y = rng.choice(np.array([-1, 1]), ROWS)
    said = zipf(rng, OLD, (ROWS, WORDS))
    telling = rng.random(said.shape) < TELLING
    # Words with even numbers favour one class, those with odd numbers the other.
    said = np.where(telling & (said % 2 != (y[:, None] > 0)), said ^ 1, said) % OLD
    dictionary = rng.permutation(NEW)[:OLD]
    translated = np.where(rng.random(said.shape) < LOST, zipf(rng, NEW, said.shape), dictionary[said])
    return Tables(weigh(said, OLD), weigh(translated, NEW), y)


def zipf(rng: np.random.Generator, words: int, shape: tuple[int, int]) -> Ints:
    """Word numbers with probability proportional to 1 / (number + 10)."""
    edges = np.cumsum(1.0 / np.arange(10.0, words + 10.0))
    drawn: Ints = np.searchsorted(edges, rng.random(shape) * edges[-1]).astype(np.int64)
    return drawn


def weigh(documents: Ints, words: int) -> sparse.csr_matrix:
    """Documents as rows; a word weighs ln(documents / documents that hold it), however often it is said."""
    n, length = documents.shape
    pointers: npt.NDArray[np.int64] = np.arange(0, n * length + 1, length)
    X = sparse.csr_matrix((np.ones(n * length), documents.ravel(), pointers), shape=(n, words))
    X.sum_duplicates()
    held: Floats = np.bincount(X.indices, minlength=words).astype(np.float64)
    X.data[:] = np.log(n / np.maximum(held, 1.0))[X.indices]
    return X


PROBLEM = Problem(
    name="reuters-sized",
    title="made to the size of r.EN-FR",
    group="size",
    loss=Logistic(),
    c=50.0,
    overlap=50,
    tables=tables,
    runs=3,
    protocols=("stream",),
    caveat="of our own making: shows that a stream of this size runs, and what a long one does",
)
