"""What scikit-learn asks of an estimator, and nobody else: tags, metadata routing, and the container of an output."""

import copy
import functools
import inspect
import sys

from mlcore.base.parameters import check_choice


class SklearnFace:
    """Tags and metadata routing; scikit-learn is imported only where it asks for them itself."""

    def __sklearn_tags__(self):
        """Describe the estimator to scikit-learn, which alone calls this."""
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags, TransformerTags

        kind = self._estimator_type
        return Tags(
            estimator_type=kind,
            target_tags=TargetTags(required=kind in ("classifier", "regressor")),
            transformer_tags=TransformerTags() if hasattr(self, "transform") else None,
            classifier_tags=ClassifierTags(poor_score=self._poor_score) if kind == "classifier" else None,
            regressor_tags=RegressorTags(poor_score=self._poor_score) if kind == "regressor" else None,
            input_tags=InputTags(),
        )

    def get_metadata_routing(self):
        """Tell scikit-learn, which alone calls this, what ``fit`` and the others take beside X and y, as sample_weight.

        Nothing is asked for until ``set_fit_request`` or ``set_score_request`` says so.
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        if hasattr(self, "_metadata_request"):
            return copy.deepcopy(self._metadata_request)
        request = MetadataRequest(owner=type(self).__name__)
        for method in ("fit", "predict", "score", "transform"):
            parameters = inspect.signature(getattr(self, method)).parameters if hasattr(self, method) else ()
            for name in set(parameters) - {"X", "y"}:
                getattr(request, method).add_request(param=name, alias=None)
        return request

    def set_fit_request(self, **wanted):
        """Say what scikit-learn's pipelines and searches should pass on to ``fit``: ``sample_weight=True``."""
        return self._set_request("fit", wanted)

    def set_score_request(self, **wanted):
        """Say what scikit-learn's pipelines and searches should pass on to ``score``."""
        return self._set_request("score", wanted)

    def _set_request(self, method, wanted):
        request = self.get_metadata_routing()
        for name, alias in wanted.items():
            if name not in getattr(request, method).requests:
                raise TypeError(f"{method} of {type(self).__name__} takes no {name!r}")
            getattr(request, method).add_request(param=name, alias=alias)
        self._metadata_request = request
        return self


class OutputContainer:
    """``transform`` returns an array or, after ``set_output``, a DataFrame."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "transform" in vars(cls):
            cls.transform = _in_wanted_container(cls.transform)

    def set_output(self, *, transform=None):
        """Choose what ``transform`` returns: "default" (an array), "pandas" or "polars"; None changes nothing."""
        if transform is not None:
            check_choice("transform", transform, ("default", "pandas", "polars"))
            self._sklearn_output_config = {"transform": transform}  # the name under which scikit-learn's clone finds it
        return self


def _in_wanted_container(transform):
    """Let a method ``transform`` return what ``set_output``, or scikit-learn's own setting, asks for."""
    @functools.wraps(transform)
    def wrapped(self, X, *args, **kwargs):
        values = transform(self, X, *args, **kwargs)
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform")
        if wanted is None and "sklearn" in sys.modules:
            wanted = sys.modules["sklearn"].get_config()["transform_output"]
        if wanted == "pandas":
            from pandas import DataFrame

            return DataFrame(values, columns=self.get_feature_names_out(), index=getattr(X, "index", None))
        if wanted == "polars":
            from polars import DataFrame

            return DataFrame(values, schema=list(self.get_feature_names_out()))
        return values

    return wrapped
