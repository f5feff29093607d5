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
from inspect import isfunction

from mlcore.base import say

__all__ = ["CHAPTERS", "Chapter", "Term", "chapter", "check_versions", "core", "glossary"]


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
    Chapter(18, "kernel_methods", "Kernel methods", "核方法", (3, 17), ("support_vector_machines",)),
    Chapter(
        19, "ensembles", "Combining, bagging and random forests", "结合策略, Bagging 与随机森林", (15,),
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


def core(number: int) -> dict:
    """Return the core functions of a chapter, by name: what ``mlcore/core/<chapter>.py`` defines, in its order.

    Each is short and plain: checked arrays in, arrays out, its formula as docstring. The models run it, and the
    chapter's notebook shows it after its derivation. tests/test_core.py holds them to that.
    """
    if not files("mlcore.core").joinpath(f"{chapter(number).name}.py").is_file():
        return {}
    module = import_module(f"mlcore.core.{chapter(number).name}")
    return {name: f for name, f in vars(module).items() if isfunction(f) and f.__module__ == module.__name__}


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
    text = files("mlcore").joinpath("classroom/glossary.csv").read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines())
    terms = [Term(row["english"], row["chinese"], row["meaning"], int(row["chapter"])) for row in rows]
    return sorted(terms, key=lambda term: term.english.lower())
