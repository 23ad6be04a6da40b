"""River: dict events, features may come and go in all of its models."""

from __future__ import annotations

from river import forest, linear_model, multiclass, preprocessing, tree

from benchmarks.peers.base import Model, Table, dicts, likeliest

PACKAGE = "river"
IMPORT = "from river import linear_model"
FIRST = "m = linear_model.LogisticRegression(); m.predict_proba_one({'a': 1.0}); m.learn_one({'a': 1.0}, True)"
TABLES: dict[str, object] = {}
events = dicts


def ready() -> None:
    """Importing was all."""


def _linear(table: Table) -> object:
    """Two classes: as it is. More: one against the rest."""
    model = linear_model.LogisticRegression()
    return model if table.classes == 2 else multiclass.OneVsRestClassifier(model)


def _model(model: object) -> Model:
    return Model(model.predict_proba_one, model.learn_one, likeliest)  # type: ignore[attr-defined]


MODELS = {
    "LogisticRegression": lambda table: _model(_linear(table)),
    "Scaler | LogisticRegression": lambda table: _model(preprocessing.StandardScaler() | _linear(table)),
    "Scaler | Softmax": lambda table: _model(preprocessing.StandardScaler() | linear_model.SoftmaxRegression()),
    "HoeffdingAdaptiveTree": lambda table: _model(tree.HoeffdingAdaptiveTreeClassifier(seed=1)),
    "ARF": lambda table: _model(forest.ARFClassifier(seed=1)),
}
