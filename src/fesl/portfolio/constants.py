"""The numbers of the default learner, the same for every stream. They were chosen by mean accuracy over the paper's
nine sets and some others; a factor of two either way moves that mean by a few
thousandths."""

from __future__ import annotations

from typing import NamedTuple


class Expert(NamedTuple):
    """One second-order linear expert.

    `tau` is the prior variance of a weight (half of that for classes); one that `recovers` sees E[absent | present]
    for what is missing and is taught at a switch, the other sees the mean; `keep` < 1 makes its memory fade. One
    that is `plain` sees values cut at CLIP deviations where the others see squashed ones; in a regression they are
    not cut, and its weights move with means and deviations: it is a line. One that is `diagonal` believes that
    weights err independently. To one that is `central` what is absent from a sparse event is like its mean, where
    to the others it is zero. One that `whitens` expects the same of every direction of its inputs: `priors`.
    """

    name: str
    tau: float
    recovers: bool
    keep: float = 1.0
    plain: bool = False
    diagonal: bool = False
    central: bool = False
    whitens: bool = False

    @property
    def inherits(self) -> bool:
        """Whether it goes on, at a switch, with what the old features knew: it is taught, and does not forget."""
        return self.recovers and self.keep == 1.0


EXPERTS = (
    Expert("observed", 0.3, False, diagonal=True, central=True),
    Expert("strong prior", 0.03, True),
    Expert("middle prior", 0.3, True),
    Expert("weak prior", 3.0, True, plain=True),
    Expert("whitened", 3.0, True, plain=True, whitens=True),
    Expert("forgetting", 0.3, True, 0.98),
)
#: Those of a wide learner: diagonal covariances know no directions.
WIDE_EXPERTS = tuple(e for e in EXPERTS if not e.whitens)
#: Local experts beside those, of a narrow learner only: a curve a feature, a weight a value, a surface a pair of
#: features, rows alike.
LOCAL = ("additive", "values", "pairwise", "neighbours")


#: Of classes only: it speaks as loud as all others together.
COUNCIL = "council"
#: Of classes only: how often each came. Where features tell nothing, nobody is better; it is hardly heard at first.
FREQUENCIES, HARDLY = "frequencies", 0.01
#: Inside a wide learner: a narrow one of its readings, as one more expert.
INSIDE = "readings"


def beside(regression: bool, wide: bool, inside: bool = False) -> tuple[str, ...]:
    """The experts beside the linear ones, in the order of the mixture; of a wide learner, with a narrow one inside
    or not."""
    local = ((INSIDE,) if inside else ()) if wide else LOCAL
    return (*local, "stacker") if regression else ("naive Bayes", *local, "stacker", COUNCIL, FREQUENCIES)


#: The experts that are most often the best, and with how many voices each speaks in the mixture: it starts as if so
#: many experts said the same. All others have one, but for the council and the frequencies.
LOUD, VOICES = ("middle prior", "weak prior", INSIDE, "stacker"), 4


def voices(experts: tuple[str, ...]) -> tuple[float, ...]:
    """The share of each of these experts in all voices.

    >>> voices(("strong prior", "middle prior", "stacker", "forgetting"))
    (0.1, 0.4, 0.4, 0.1)
    >>> voices(("observed", "stacker", "council"))
    (0.1, 0.4, 0.5)
    """
    return shares(experts, [VOICES if name in LOUD else 1 for name in experts])


def shares(experts: tuple[str, ...], each: list[int]) -> tuple[float, ...]:
    """The same of so many voices each; the council's are as many as those of all others together, and the
    frequencies have the share HARDLY of all.

    >>> shares(("one", "two", "council"), [1, 1, 1]), shares(("one", "council", "frequencies"), [1, 1, 1])
    ((0.25, 0.25, 0.5), (0.495, 0.495, 0.01))
    """
    others = sum(v for name, v in zip(experts, each, strict=True) if name not in (COUNCIL, FREQUENCIES))
    total = (1 + (COUNCIL in experts)) * others / (1.0 - HARDLY * (FREQUENCIES in experts))
    return tuple(
        HARDLY if name == FREQUENCIES else (others if name == COUNCIL else v) / total
        for name, v in zip(experts, each, strict=True)
    )


# Inputs
OUTLYING = 1600.0  # variances: no value counts as further from the mean than that, or than doubles the variance
OFF = 100.0  # the same of a target
MEASURE = 96  # every so many rounds features are compared with the last so many rows
MISFIT = 25.0  # times the variance of these: statistics that do not fit them
SQUASH = 1.5  # deviations: a squashed value is nearly plain below it, nearly a logarithm above
CLIP = 3.0  # of a recovered or plain value, in (squashed) standard deviations
FURTHER = 3.0  # times as far from the mean as any value, or target, before, a line is followed by a regressor

# What is absent for a moment is recovered
STEPS = 10  # of conjugate gradients
RIDGE = 0.1  # in variances: what is expected is believed that much less
CHECK = 8  # every so many rounds one present feature is recovered from the others and compared

# Numbers that are no longer what they were
WATCH = 32  # every so many rounds (a part of MEASURE) the experts are compared with the forgetting one
USUAL = 4  # looks that tell how far behind it everyone is anyway
LOST = 20.0  # bits behind it: an expert that has lost its way

# Naive Bayes, curves and surfaces
BINS = 7  # of naive Bayes; odd, so that no bin ends at the mean
KNOTS = 7  # of the curve of a feature, and of a surface either way
PAIRED = 10  # features that are paired
SPAN = 2.0  # the bins, and the knots, part [-SPAN, SPAN]
CURVE = 0.3  # prior variance of a curve, or a surface, at a knot

# Values
VALUES = 64  # of a feature that have a weight of their own
VALUED = 1.0  # prior variance of such a weight, and of the line that other values lie on
FADED = 0.9  # what is left of how often a value came, whenever one looks in vain for a place

# Neighbours
NEAR = 256  # labelled rows that an event is compared with
APART = 2.0  # variances: no feature alone puts two rows further apart
EACH = 0.3  # what a feature counts for in that, whatever it tells about the label
SHARED = 0.39  # of an event, by what its features count for, what a row must hold, too: two of five are enough
NARROW = 12.0  # how fast a row's weight falls with its distance
SLACK = 0.1  # noise of what a row of old is told in new features, in mean powers of a row
ALONE = 0.5  # rows that say what they all say on average, beside those that are alike

# The mixture
FLOOR = 20.0  # no log-probability lies further than this below the largest one
SHARE = 1e-3  # the least share step
GAMMA = 0.4  # the share step at a return, and at a switch that loses half of the features; in proportion below

# The lives of features
ALARM = 1e-4  # how unlikely an absence must be, times the rounds lived, to mean that the feature is gone
ALIKE = 8.0  # rounds that a feature is taken to have lived like the others
OUTAGE = 100  # a feature back after no more rounds than this had not gone: the alarm was false
STILL = 8  # a run of equal values shorter than this never counts as frozen
DEAD = 1000  # vanished features that are remembered; beyond it the one longest gone is let go
LOG = 1000  # feature events that are remembered

# The kept rows, and when they are learned anew
ROWS = 192  # kept rows
AGES = (8, 24, 48, 64, 96, 128)  # rounds after a start or switch: the linear experts learn the kept rows anew
RENEWED = (8, 24, 48, 96)  # rounds after these, or a birth: curves, values, surfaces and counts do (`renewal`)
EVEN = 0.004  # variances: a direction that varies less is expected to matter less
PASSES = 2  # through the kept rows, of curves and surfaces that are learned anew

# A switch
YOUNG = 64  # a survivor seen less often starts anew at a switch
FLEETING = 3  # a feature seen less often has nothing to teach when it vanishes
MEASURED = 24  # rows on which the recovery of a vanished feature is measured
TOLD = 32  # rows of what remains that make curves and surfaces keep their powers at a switch
TEACH = 0.1  # noise of a taught score
HEED = 0.15  # of a taught score's variance, what counts as noise when weights move...
DOUBT = 0.4  # ... and when their covariance shrinks
AFRESH = 2.0  # the prior variance of a weight that starts anew at a switch, in priors
LEVEL = 0.1  # what a switch adds to the variance of the intercept, in priors

# A return
QUARTER = 0.25  # a switch that loses this share of the live features is worth a snapshot
BACK = 0.9  # the share of a snapshot's features that must be there for it to return
SPACES = 8  # snapshots

# A wide learner
WIDE = 400  # above this many live features covariances are diagonal
SPARSE = 64  # so they are above this many if an event with strangers, like those before, holds less than QUARTER
LATELY = 3  # events before, that hold anything: all must be like this one where it is told what a stream is like
STEADY = 0.9  # of the last MEASURE events (all kept ones, at first), how many hold a feature that is always there
READINGS = 64  # there are no more than so many of which a narrow learner goes on inside
NOTICED = 8  # events in a row that hold a newcomer, with ever other values: it is a reading
SWAPPED = 8  # readings that may give their seats up to others, every MEASURE rounds
SHOWN = 24  # kept rows that must show who was followed before, to have its seat back from another
BUDGET = 100_000  # features remembered by a wide learner; beyond it those longest unseen are let go
WIDE_TEACH = 0.5  # noise of a taught score
FEW = 0.2  # events that hold fewer features of old than this share of the usual, beside others, show that a space
SURE = 12.0  # is gone, if they should have held so many of them

#: Places of the clock: rounds so far; of these labelled; the round of the last start, switch or return; rows kept;
#: the round after the last late sample (0: none); the labels after which features are paired anew; the round after
#: the last crowd of strangers that was passed over (0: none).
ROUND, LABELLED, SINCE, KEPT, LATE, PAIR_AT, CROWD = range(7)
