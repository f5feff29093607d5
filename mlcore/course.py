"""The table of contents: which chapters there are, what each is called and what it needs.

Everything that must know the chapters reads this one table: the map in ``00_start_here``, the exercises
(which find the grader of "2.3" in the chapter with number 2), the build tools and the tests.
"""

import csv
import re
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files

from mlcore.base import say


@dataclass(frozen=True)
class Chapter:
    """One chapter: its number, the one word that names it everywhere, its titles and the chapters it needs."""

    number: int
    name: str
    title: str
    title_zh: str
    needs: tuple[int, ...] = ()
    imports: tuple[str, ...] = ()
    """Other chapters' modules that this chapter's module is built on and may import."""

    @property
    def notebook(self) -> str:
        """File name of the notebook, such as ``02_linear_regression.ipynb``."""
        return f"{self.number:02d}_{self.name}.ipynb"


CHAPTERS = (
    Chapter(0, "start_here", "Start here", "开始"),
    Chapter(1, "what_is_learning", "What is learning?", "绪论"),
    Chapter(2, "linear_regression", "Linear regression and gradient descent", "线性回归与梯度下降"),
    Chapter(3, "logistic_regression", "Logistic regression", "对数几率回归", (2,)),
    Chapter(4, "generalized_linear_models", "Generalised linear models", "指数族与广义线性模型", (3,)),
    Chapter(5, "discriminant_analysis", "Linear discriminant analysis", "线性判别分析", (2,)),
    Chapter(6, "multiclass", "Multi-class learning", "多分类学习", (3,)),
    Chapter(7, "class_imbalance", "Class imbalance", "类别不平衡", (3,), ("boosting",)),
    Chapter(8, "model_selection", "Evaluation and model selection", "评估方法与模型选择", (2,)),
    Chapter(9, "performance_metrics", "Performance metrics and tests", "性能度量与比较检验", (3,)),
    Chapter(10, "learning_theory", "Learning theory", "学习理论", (1, 8)),
    Chapter(11, "feature_selection", "Feature selection", "特征选择", (8,)),
    Chapter(12, "parameter_estimation", "Parameter estimation", "参数估计", (2, 3)),
    Chapter(13, "bayes_classifiers", "Bayes classifiers", "贝叶斯分类器", (12,)),
    Chapter(14, "nearest_neighbors", "Nearest neighbours and density estimation", "K近邻与核密度估计", (12,)),
    Chapter(15, "decision_trees", "Decision trees", "决策树", (1,)),
    Chapter(16, "constrained_optimization", "Constrained optimisation and duality", "约束优化与对偶", (2,)),
    Chapter(
        17, "support_vector_machines", "Support vector machines", "支持向量机", (3, 16), ("constrained_optimization",)
    ),
    Chapter(
        18,
        "kernel_methods",
        "Kernel methods",
        "核方法",
        (3, 17),
        ("support_vector_machines",),
    ),
    Chapter(
        19,
        "ensembles",
        "Combining, bagging and random forests",
        "结合策略, Bagging 与随机森林",
        (15,),
        ("decision_trees",),
    ),
    Chapter(20, "boosting", "AdaBoost and gradient boosting", "AdaBoost 与 GBDT", (15,), ("decision_trees",)),
    Chapter(21, "neural_networks", "Neural networks and autoencoders", "神经网络与自编码器", (3,)),
    Chapter(22, "rbf_networks", "RBF networks", "RBF 网络", (18, 23), ("clustering",)),
    Chapter(23, "clustering", "Clustering", "聚类", (14,)),
    Chapter(24, "mixture_models", "Mixture models and EM", "混合模型与EM", (12, 23), ("clustering",)),
    Chapter(25, "dimensionality_reduction", "PCA, SVD and norms", "主成分分析, SVD 与范数", (2,)),
    Chapter(26, "matrix_factorization", "Matrix factorisation", "矩阵分解", (2, 25)),
)


CORE = {
    1: (),

    2: (
        "linear_regression.slope_and_intercept",
        "linear_regression.mean_gradient",
        "optimize.descend",
        "optimize.descend_by_batches",
        "linear_regression.normal_equation",
        "linear_regression.shortest_solution",
        "linear_regression.ridge_weights",
        "linear_regression.filtered_weights",
        "linear_regression.shrink",
        "linear_regression.lasso_sweep",
        "linear_regression.support_step",
        "linear_regression.nearness",
        "linear_regression.local_value",
        "linear_regression.products",
    ),

    3: (
        "numerics.special.expit",
        "numerics.special.softplus",
        "logistic_regression.row_losses",
        "logistic_regression.gradient",
        "logistic_regression.hessian",
        "losses.surprise",
        "logistic_regression.tangent_step",
        "logistic_regression.newton_step",
        "logistic_regression.perceptron_update",
    ),

    4: (
        "generalized_linear_models.families.gaussian",
        "generalized_linear_models.families.bernoulli",
        "generalized_linear_models.families.poisson",
        "generalized_linear_models.irls.gradient",
        "generalized_linear_models.irls.information",
        "generalized_linear_models.irls.irls_step",
        "generalized_linear_models.families.Poisson.half_deviance",
        "generalized_linear_models.log_linear.log_fit",
        "generalized_linear_models.families.categorical",
        "numerics.special.shares",
        "numerics.special.log_shares",
        "generalized_linear_models.softmax_regression.gradient",
        "generalized_linear_models.softmax_regression.hessian",
        "generalized_linear_models.softmax_regression.free_directions",
        "generalized_linear_models.softmax_regression.newton_step",
    ),

    5: (
        "discriminant_analysis.within_scatter",
        "discriminant_analysis.between_scatter",
        "discriminant_analysis.criterion",
        "discriminant_analysis.direction",
        "discriminant_analysis.principal_axes",
        "discriminant_analysis.discriminant_axes",
        "discriminant_analysis.linear_rule",
        "discriminant_analysis.shrunk",
        "discriminant_analysis.shrinkage_ratio",
    ),

    6: (
        "multiclass.surest",
        "multiclass.tally",
        "multiclass.most_votes",
        "multiclass.knockout",
        "multiclass.divisions",
        "multiclass.distances",
        "multiclass.decode",
    ),

    7: (
        "class_imbalance.rescaled",
        "class_imbalance.rescaled_shares",
        "class_imbalance.cascade_rate",
        "class_imbalance.cascade_round",
        "class_imbalance.between",
        "class_imbalance.kinds",
    ),

    8: (),

    9: (),

    10: (),

    11: (),

    12: (),

    13: (),

    14: (),

    15: (
        "decision_trees.measures.entropy_of_counts",
        "decision_trees.measures.gini_of_counts",
        "decision_trees.measures.remaining",
        "decision_trees.measures.gain_of_table",
        "decision_trees.measures.gain_ratio_of_table",
        "decision_trees.measures.impurity_fall",
        "decision_trees.measures.prefix_gains",
        "decision_trees.growing.grow",
        "decision_trees.growing.class_table",
        "decision_trees.id3.largest_gain",
        "decision_trees.multiway.divide",
        "decision_trees.multiway.class_part",
        "decision_trees.multiway.share_out",
        "decision_trees.c45.best_threshold",
        "decision_trees.c45.known_gain",
        "decision_trees.c45.largest_ratio",
        "decision_trees.cart.best_split",
        "decision_trees.cart.mean_and_error",
        "decision_trees.cart.error_fall",
        "decision_trees.cart.two_sides",
        "decision_trees.pruning.bottom_up",
        "decision_trees.pruning.top_down",
        "decision_trees.pruning.node_errors",
        "decision_trees.pruning.link_prices",
        "decision_trees.pruning.cut_weakest_links",
    ),

    16: (
        "constrained_optimization.kkt.kkt_residual", "constrained_optimization.duality.dual_value",
        "constrained_optimization.duality.dual_program", "engines.interior_point.newton_step",
        "engines.interior_point.step_length", "engines.interior_point.predictor_corrector",
        "engines.interior_point.mehrotra", "constrained_optimization.active_set.active_set_step",
        "constrained_optimization.certificates.least_violation", "constrained_optimization.certificates.falling_ray",
        "constrained_optimization.coordinates.best_coordinate",
    ),

    17: (
        "support_vector_machines.margins.functional_margins",
        "support_vector_machines.margins.geometric_margins",
        "support_vector_machines.margins.primal_matrices",
        "support_vector_machines.margins.dual_matrices",
        "support_vector_machines.margins.support_share",
        "support_vector_machines.svc.decision_values",
        "support_vector_machines.svc.kinds_of_points",
        "support_vector_machines.svc.duality_gap",
        "support_vector_machines.smo.ballots",
        "support_vector_machines.smo.select_pair",
        "support_vector_machines.smo.move_pair",
        "support_vector_machines.smo.smo",
        "support_vector_machines.smo.intercept",
        "support_vector_machines.linear_svc.hinge_objective",
        "support_vector_machines.linear_svc.hinge_subgradient",
        "support_vector_machines.linear_svc.pegasos_step",
        "support_vector_machines.linear_svc.best_intercept",
    ),

    18: (
        "kernels.polynomial",
        "kernels.gaussian",
        "kernels.laplacian",
        "kernels.sigmoid",
        "kernels.squared_distances",
        "kernel_methods.feature_maps.polynomial_features",
        "kernel_methods.feature_maps.products",
        "kernel_methods.feature_maps.gaussian_features",
        "kernel_methods.least_squares.ridge_coefficients",
        "kernel_methods.least_squares.lssvm_coefficients",
        "kernel_methods.kernel_logistic.objective",
        "kernel_methods.kernel_logistic.residuals",
        "kernel_methods.kernel_logistic.newton_target",
        "kernel_methods.svr.tube_dual",
        "kernel_methods.svr.coefficients",
        "kernel_methods.svr.duality_gap",
        "kernel_methods.calibration.soft_targets",
        "kernel_methods.calibration.platt_objective",
        "kernel_methods.calibration.platt_step",
    ),

    19: (
        "ensembles.combining.majority_probability",
        "ensembles.combining.geometric_rule",
        "ensembles.combining.arithmetic_rule",
        "ensembles.combining.majority_rule",
        "ensembles.combining.class_votes",
        "ensembles.blending.held_out_opinions",
        "ensembles.blending.blending_weights",
        "optimize.nonnegative_coordinate",
        "members.bootstrap_sample",
        "ensembles.bagging.left_out",
        "ensembles.bagging.add_opinion",
        "ensembles.bagging.mean_opinion",
        "engines.trees.splitting.random_order",
        "ensembles.forest.random_mixtures",
        "ensembles.importance.falls_of_score",
        "ensembles.importance.shuffled",
    ),

    20: (
        "boosting.adaboost.reweighted",
        "boosting.adaboost.vote_weight",
        "boosting.adaboost.rounds",
        "boosting.stumps.left_weights",
        "boosting.stumps.weight_right",
        "boosting.stumps.best_question",
        "boosting.gradient_boosting.descent_squared",
        "boosting.gradient_boosting.descent_logistic",
        "boosting.gradient_boosting.leaf_steps",
        "boosting.gradient_boosting.boosting_round",
    ),

    21: (),

    22: (),

    23: (
        "clustering.kmeans.assign",
        "clustering.kmeans.update",
        "clustering.kmeans.squares",
        "clustering.kmeans.reseed",
        "clustering.kmeans.draw",
        "clustering.kmeans.plus_plus",
        "clustering.quality.widths",
        "clustering.hierarchical.nearest_pair",
        "clustering.hierarchical.merge",
        "clustering.hierarchical.single",
        "clustering.hierarchical.complete",
        "clustering.hierarchical.average",
        "clustering.hierarchical.centroid",
        "clustering.hierarchical.ward",
        "clustering.hierarchical.groups_after",
        "clustering.hierarchical.leaf_order",
        "clustering.divisive.farthest_pair",
        "clustering.divisive.divide",
    ),

    24: (),

    25: (),

    26: (),
}
"""The functions that are each chapter's algorithms, by their place in mlcore: "linear_regression.ridge_weights", say.

Each is short and plain: checked arrays in, arrays out, its formula as docstring. The estimators call it and the
chapter's notebook shows it after its derivation. tests/test_core.py holds them to that.
"""


def core(number: int) -> dict:
    """Return the core functions of a chapter, by their names: those that its estimators run and its notebook shows."""
    functions = {}
    for name in CORE.get(number, ()):
        parts = name.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                thing = import_module("mlcore." + ".".join(parts[:cut]))
            except ModuleNotFoundError:
                continue
            break
        for part in parts[cut:]:
            thing = getattr(thing, part)
        functions[name] = thing
    return functions


def chapter(number: int) -> Chapter:
    """Return the chapter with this number.

    Raises
    ------
    ValueError
        If the course has no such chapter.
    """
    for entry in CHAPTERS:
        if entry.number == number:
            return entry
    raise ValueError(f"the course has no chapter {number!r}; chapters are numbered 0 to {CHAPTERS[-1].number}")


NEEDED_PYTHON = (3, 11)
NEEDED_VERSIONS = {"numpy": (2, 0), "matplotlib": (3, 8), "ipywidgets": (8, 0)}


def check_versions():
    """Say whether this installation is new enough for the course, in lines that do not depend on the exact versions.

    Raises
    ------
    RuntimeError
        If a package is missing or too old: which, and what to do.
    """
    problems = []
    if sys.version_info[:2] < NEEDED_PYTHON:
        problems.append(f"Python 3.11 or newer is needed, this is {sys.version_info[0]}.{sys.version_info[1]}")
    for package, needed in NEEDED_VERSIONS.items():
        wanted = ".".join(map(str, needed))
        try:
            found = version(package)
        except PackageNotFoundError:
            problems.append(f"{package} >= {wanted} is needed, but it is not installed")
            continue
        if tuple(int(part) for part in re.findall(r"\d+", found)[:2]) < needed:
            problems.append(f"{package} >= {wanted} is needed, this is {found}")
    if problems:
        raise RuntimeError(
            "; ".join(problems) + ". Run `make lab` in the folder of the course: it installs what is needed."
        )
    wanted = ", ".join(f"{package} >= {'.'.join(map(str, needed))}" for package, needed in NEEDED_VERSIONS.items())
    say(f"✓ Python >= 3.11, {wanted}")


@dataclass(frozen=True)
class Term:
    """One entry of the glossary."""

    english: str
    chinese: str
    meaning: str
    chapter: int


def glossary():
    """Return every technical term of the course as a list of ``Term``, sorted by the English word."""
    text = files("mlcore").joinpath("glossary.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    terms = [Term(row["english"], row["chinese"], row["meaning"], int(row["chapter"])) for row in rows]
    return sorted(terms, key=lambda term: term.english.lower())
