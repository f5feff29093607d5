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
    Chapter(11, "feature_selection", "Feature selection", "特征选择", (8,), ("model_selection",)),
    Chapter(12, "parameter_estimation", "Parameter estimation", "参数估计", (2, 3), ("logistic_regression",)),
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
    1: (
        "what_is_learning.covers",
        "what_is_learning.generalised",
        "what_is_learning.specialised",
        "what_is_learning.maximal",
        "what_is_learning.update",
        "what_is_learning.answers",
        "what_is_learning.error_counts",
    ),

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

    8: (
        "model_selection.portions",
        "model_selection.split_scores",
        "model_selection.blocks",
        "model_selection.dealt",
        "model_selection.leverages",
        "model_selection.left_out_residuals",
        "members.bootstrap_sample",
        "model_selection.settings",
    ),

    9: (
        "performance_metrics.confusion.confusion_counts",
        "performance_metrics.confusion.one_against_rest",
        "performance_metrics.confusion.share",
        "performance_metrics.confusion.f_measure",
        "performance_metrics.confusion.averages",
        "performance_metrics.ranking.sweep",
        "performance_metrics.ranking.rates",
        "performance_metrics.ranking.trapezoids",
        "performance_metrics.ranking.pair_loss",
        "performance_metrics.ranking.precision_recall",
        "performance_metrics.ranking.balance",
        "performance_metrics.ranking.step_sum",
        "performance_metrics.costs.mean_cost",
        "performance_metrics.costs.normalised_cost",
        "performance_metrics.costs.upper_hull",
        "performance_metrics.costs.envelope_corners",
        "numerics.special.binomial_tail",
        "numerics.special.t_tail",
        "performance_metrics.comparison.t_statistic",
        "performance_metrics.comparison.mcnemar_statistic",
        "performance_metrics.comparison.five_by_two_statistic",
        "performance_metrics.comparison.ranks",
        "performance_metrics.comparison.friedman_statistic",
        "performance_metrics.comparison.f_statistic",
        "performance_metrics.comparison.range_tail",
        "performance_metrics.comparison.critical_difference",
    ),

    10: (
        "learning_theory.split",
        "learning_theory.corrected",
        "learning_theory.tail",
        "learning_theory.exact_tail",
        "learning_theory.training_errors",
        "learning_theory.uniform_tail",
        "learning_theory.rows_for",
        "learning_theory.gap_of",
        "learning_theory.all_labelings",
        "learning_theory.realised",
        "learning_theory.count_distinct",
        "learning_theory.ray_from",
        "learning_theory.box_around",
        "learning_theory.exchange",
        "learning_theory.least",
        "learning_theory.next_exchange",
        "learning_theory.walk",
        "learning_theory.separator",
        "learning_theory.weights_of_proof",
        "learning_theory.full_subsets",
        "learning_theory.sauer",
        "learning_theory.vc_gap",
        "learning_theory.margin_dimension",
    ),

    11: (
        "feature_selection.covariances",
        "feature_selection.joint_shares",
        "feature_selection.mutual_information",
        "feature_selection.largest",
        "feature_selection.best_addition",
        "feature_selection.best_removal",
        "feature_selection.linear_weights",
        "features.falls_of_score",
        "features.shuffled",
    ),

    12: (
        "parameter_estimation.frequencies",
        "parameter_estimation.beta_update",
        "parameter_estimation.beta_mean",
        "parameter_estimation.beta_mode",
        "parameter_estimation.dirichlet_update",
        "parameter_estimation.dirichlet_mean",
        "parameter_estimation.dirichlet_mode",
        "numerics.gaussian.inverse_root",
        "numerics.gaussian.gaussian_log_density",
        "numerics.gaussian.gaussian_mle",
        "parameter_estimation.mean_update",
        "parameter_estimation.weight_update",
        "parameter_estimation.weight_posterior",
        "parameter_estimation.predictive_variance",
        "parameter_estimation.moderated",
    ),

    13: (
        "bayes_classifiers.decision.conditional_risk",
        "bayes_classifiers.gaussian.gaussian_log_joint",
        "bayes_classifiers.counts.contingency",
        "bayes_classifiers.naive.value_table",
        "bayes_classifiers.naive.categorical_log_joint",
        "bayes_classifiers.gaussian.independent_log_joint",
        "bayes_classifiers.counts.smoothed",
        "bayes_classifiers.text.word_shares",
        "bayes_classifiers.text.multinomial_log_joint",
        "bayes_classifiers.semi_naive.parent_table",
        "bayes_classifiers.semi_naive.child_table",
        "bayes_classifiers.semi_naive.spode_log_joint",
        "bayes_classifiers.semi_naive.information_of_counts",
        "bayes_classifiers.semi_naive.tree_log_joint",
        "bayes_classifiers.semi_naive.heaviest_first",
        "bayes_classifiers.semi_naive.parents",
        "bayes_classifiers.semi_naive.kruskal",
        "bayes_classifiers.semi_naive.average",
    ),

    14: (
        "distances.block_of_distances",
        "nearest_neighbors.log_ball_volume",
        "nearest_neighbors.log_count_density",
        "nearest_neighbors.log_bump_density",
        "nearest_neighbors.log_knn_density",
        "distances.k_smallest",
        "distances.first_in_each_row",
        "nearest_neighbors.vote",
        "nearest_neighbors.neighbor_weights",
        "nearest_neighbors.mean_of_neighbors",
        "distances.whitened",
    ),

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
        "features.falls_of_score",
        "features.shuffled",
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

    21: (
        "neural_networks.activations.relu",
        "neural_networks.activations.tanh_slope",
        "neural_networks.activations.logistic_slope",
        "neural_networks.activations.relu_slope",
        "neural_networks.activations.squared_error",
        "neural_networks.activations.squared_error_delta",
        "neural_networks.activations.log_loss",
        "neural_networks.activations.log_loss_delta",
        "neural_networks.activations.cross_entropy",
        "neural_networks.activations.cross_entropy_delta",
        "neural_networks.propagation.layer_outputs",
        "neural_networks.propagation.deltas",
        "neural_networks.propagation.mean_slopes",
        "neural_networks.mlp.gradient",
        "neural_networks.descent.first_weights",
        "neural_networks.descent.momentum_step",
        "neural_networks.descent.decay_slope",
        "neural_networks.descent.elimination_slope",
        "neural_networks.autoencoder.encoded",
        "neural_networks.autoencoder.tied_outputs",
        "neural_networks.autoencoder.tied_slopes",
        "neural_networks.autoencoder.stage",
    ),

    22: (
        "rbf_networks.design",
        "rbf_networks.output_weights",
        "rbf_networks.free_bias",
        "rbf_networks.filtered_weights",
        "rbf_networks.interpolating_weights",
        "rbf_networks.vote",
    ),

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

    24: (
        "mixture_models.draw",
        "mixture_models.log_joint",
        "mixture_models.independent_log_density",
        "mixture_models.e_step",
        "mixture_models.m_step",
        "mixture_models.full",
        "mixture_models.diagonal",
        "mixture_models.spherical",
        "mixture_models.bound",
    ),

    25: (
        "dimensionality_reduction.covariance",
        "dimensionality_reduction.most_variance",
        "dimensionality_reduction.encode",
        "dimensionality_reduction.decode",
        "dimensionality_reduction.whitened",
        "dimensionality_reduction.svd_by_eigenvectors",
        "dimensionality_reduction.pointing",
        "dimensionality_reduction.rank_k",
        "dimensionality_reduction.least_error",
        "dimensionality_reduction.p_norm",
        "dimensionality_reduction.column_sum_norm",
        "dimensionality_reduction.row_sum_norm",
        "dimensionality_reduction.spectral_norm",
        "dimensionality_reduction.frobenius_norm",
        "dimensionality_reduction.nuclear_norm",
        "dimensionality_reduction.power_step",
        "dimensionality_reduction.deflated",
    ),

    26: (
        "matrix_factorization.products",
        "matrix_factorization.penalised_loss",
        "matrix_factorization.als_half_step",
        "matrix_factorization.main_axes",
        "matrix_factorization.sgd_step",
        "matrix_factorization.block_numbers",
        "matrix_factorization.sgd_epoch",
    ),
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
