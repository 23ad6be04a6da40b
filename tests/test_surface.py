"""The public surface: what is exported, documented, importable without extras, and raised."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

import fesl
from fesl import errors
from fesl.errors import FeslError, MissingExtraError

#: The packages of the engine whose `__all__` is public.
PACKAGES = [
    "fesl",
    "fesl.demo",
    "fesl.evaluation",
    "fesl.losses",
    "fesl.models",
    "fesl.paper",
    "fesl.projections",
    "fesl.recovery",
    "fesl.report",
    "fesl.rules",
    "fesl.saving",
    "fesl.spaces",
    "fesl.steps",
]

#: Public names without a doctest of their own, and why.
EXEMPT = {
    "Loss": "a protocol: nothing to run",
    "Model": "a protocol: nothing to run",
    "Projection": "a protocol: nothing to run",
    "Rule": "a protocol: nothing to run",
    "Spaces": "a protocol: nothing to run",
    "Fresh": "a setting, shown where the paper's methods are made",
    "Recovered": "a setting, shown where the paper's methods are made",
    "Run": "what EvolvingLearner.run returns, shown there",
    "Sighting": "made by the learner for the spaces",
    "Columns": "made by LeastSquares, shown there",
    "LeastSquaresLens": "made by LeastSquares, shown there",
    "RecoveredModel": "made by LeastSquares, shown there",
    "Point": "two arrays, shown wherever there is a model",
    "Metric": "a protocol: nothing to run",
    "Effect": "made by effect, shown there",
    "Story": "what run returns, shown there",
    "Network": "made by network, shown there",
}

EXTRAS = [
    "river",
    "sklearn",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "matplotlib",
    "pooch",
    "tqdm",
    "rich",
    "typer",
]


def public(package):
    module = importlib.import_module(package)
    return [(name, getattr(module, name)) for name in module.__all__]


def engine_modules():
    """Every module of the engine, by name."""
    roots = [p for p in PACKAGES if p != "fesl"] + ["fesl.evolving", "fesl.descent", "fesl.regret", "fesl.tables"]
    for root in roots:
        module = importlib.import_module(root)
        yield module
        for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
            yield importlib.import_module(f"{root}.{found.name}")


@pytest.mark.parametrize("package", PACKAGES)
def test_all_is_what_is_public(package):
    module = importlib.import_module(package)
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert hasattr(module, name), f"{package}.__all__ names {name}, which is not there"
    here = {
        name
        for name, thing in vars(module).items()
        if not name.startswith("_")
        and not isinstance(thing, ModuleType)
        and getattr(thing, "__module__", package).startswith(package)
        and (inspect.isclass(thing) or inspect.isfunction(thing))
    }
    assert here - {"Shared"} <= set(module.__all__)


def test_the_front_door():
    assert {"EvolvingLearner", "paper", "losses", "errors", "__version__"} <= set(fesl.__all__)
    assert all(isinstance(part, str) for part in fesl.__version__.split("."))


@pytest.mark.parametrize(
    ("name", "thing"),
    [(f"{p}.{n}", t) for p in PACKAGES for n, t in public(p) if inspect.isclass(t) or inspect.isfunction(t)],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_everything_public_is_documented_with_an_example(name, thing):
    doc = inspect.getdoc(thing)
    assert doc, f"{name} has no docstring"
    if thing.__name__ in EXEMPT:
        assert ">>>" not in doc, f"{name} has an example now: take it off the list of exemptions"
    else:
        assert ">>>" in doc, f"{name} has no example"


def test_no_exemption_is_left_over():
    names = {n for p in PACKAGES for n, _ in public(p)}
    assert set(EXEMPT) <= names


def test_every_module_says_what_it_is():
    undocumented = [m.__name__ for m in engine_modules() if not m.__doc__]
    assert undocumented == []


def test_every_method_of_the_learner_is_documented():
    members = dict(inspect.getmembers(fesl.EvolvingLearner))
    bare = [name for name, thing in members.items() if not name.startswith("_") and not thing.__doc__]
    assert bare in ([], ["state"])  # what `state` holds is said by State


# Without extras


def run_without(modules, code):
    blocked = "\n".join(f"sys.modules[{m!r}] = None" for m in modules)
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import sys\n{blocked}\n{code}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_engine_needs_no_extra():
    code = """
import fesl
import numpy as np
model = fesl.paper.fesl_c()
model.run(np.array([[1.0, np.nan], [2.0, 1.0], [np.nan, 1.0]]), [True, False, True])
model.learn_one({"a": 1.0}, True)
print(model.predict_one({"a": 1.0}))
"""
    done = run_without(EXTRAS, code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() in ("True", "False")


def test_importing_the_engine_loads_no_extra():
    code = f"import fesl\nprint([name for name in {EXTRAS!r} if name in sys.modules])"
    done = run_without([], code)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_data_frame_without_narwhals_names_the_line_that_helps(monkeypatch):
    for name in [n for n in sys.modules if n.startswith("narwhals")] + ["narwhals"]:
        monkeypatch.setitem(sys.modules, name, None)
    model = fesl.EvolvingLearner()
    with pytest.raises(MissingExtraError) as caught:
        model.learn_many(pd.DataFrame({"a": [1.0]}), [True])
    assert str(caught.value) == "this needs the package 'narwhals': pip install \"fesl[frames]\""
    model.learn_many(np.ones((2, 1)), [True, False])


# Errors


def test_every_error_is_ours():
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == "fesl.errors"]
    assert len(classes) > 5
    assert all(issubclass(c, FeslError) for c in classes)
    assert all(c.__name__ in errors.__doc__ for c in classes)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (errors.ConfigError, ValueError),
        (errors.FeatureError, ValueError),
        (errors.LabelError, ValueError),
        (errors.DataError, ValueError),
        (errors.MissingExtraError, ImportError),
    ],
)
def test_errors_are_also_what_python_would_raise(error, kind):
    assert issubclass(error, kind)


def test_errors_can_be_pickled():
    for error in (MissingExtraError("river", "river"), errors.LabelError("label")):
        twin = pickle.loads(pickle.dumps(error))
        assert type(twin) is type(error)
        assert str(twin) == str(error)
