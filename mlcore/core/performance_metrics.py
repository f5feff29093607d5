"""Chapter 9. Performance metrics and comparison tests: how good is a model, and is a difference more than chance?

Of the positive rows TP are predicted positive and FN are missed; of the negative ones FP are predicted positive by
mistake and TN are not. m⁺ and m⁻ are the numbers of positive and negative rows; with weights, their sums of weights.
"""

import math

import numpy as np

from mlcore.core.arithmetic import incomplete_beta, normal_tail


# ---------------------------------------------------------------------------------------------------------------
# The confusion matrix
# ---------------------------------------------------------------------------------------------------------------
def confusion_counts(true, predicted, K, weights=None):
    """C of shape (K, K): C[i, j] rows of class i are predicted as class j, for codes 0 ... K - 1.

    Each pair (i, j) is the number iK + j; one count of these numbers fills the table.
    """
    return np.bincount(true * K + predicted, weights, minlength=K * K).reshape(K, K)


def one_against_rest(C):
    """TP, FP and FN of each class against all others, (K,): the diagonal, the rest of its column and of its row."""
    TP = np.diag(C)
    return TP, C.sum(axis=0) - TP, C.sum(axis=1) - TP


def share(part, whole, empty=0.0):
    """part / whole, or ``empty`` where the whole is 0: nothing was predicted positive, or nothing is."""
    return np.where(whole == 0, empty, part / np.where(whole == 0, 1.0, whole))


def f_measure(TP, FP, FN, beta=1.0, empty=0.0):
    """F_β = (1 + β²) TP / ((1 + β²) TP + β² FN + FP): P and R averaged as rates are, R with weight β²  (9.1), (9.2)."""
    hits = (1 + beta**2) * TP
    return share(hits, hits + beta**2 * FN + FP, empty)


def averages(TP, FP, FN):
    """Macro P, R, the F1 of these two, the mean of the F1s; micro P, R, F1, from the summed counts  (9.3), (9.4)."""
    P, R = share(TP, TP + FP).mean(), share(TP, TP + FN).mean()
    macro = P, R, share(2 * P * R, P + R), f_measure(TP, FP, FN).mean()
    TP, FP, FN = TP.sum(), FP.sum(), FN.sum()
    return macro, (share(TP, TP + FP), share(TP, TP + FN), f_measure(TP, FP, FN))


# ---------------------------------------------------------------------------------------------------------------
# All thresholds at once
# ---------------------------------------------------------------------------------------------------------------
def sweep(positive, score, weights):
    """Thresholds ∞ = t₀ > t₁ > ..., each score once, and TP and FP at each of them: one pass down the ranking.

    A row is predicted positive if its score is at least the threshold. Rows with one score pass it together, so only
    the last of them ends a step.
    """
    order = np.argsort(-score)
    score, weights, positive = score[order], weights[order], positive[order]
    up, right = positive * weights, ~positive * weights
    last = np.flatnonzero(np.append(score[1:] < score[:-1], True))
    TP, FP = up.cumsum()[last], right.cumsum()[last]
    return np.append(np.inf, score[last]), np.append(0.0, TP), np.append(0.0, FP)


def rates(TP, FP):
    """(FPR, TPR) = (FP / m⁻, TP / m⁺), the points of the ROC curve; the last threshold predicts all positive."""
    return FP / FP[-1], TP / TP[-1]


def trapezoids(x, y):
    """½ Σ (x_{i+1} - x_i)(y_i + y_{i+1}): the area under the line through these points  (9.5)."""
    return np.sum(np.diff(x) * (y[1:] + y[:-1])) / 2


def pair_loss(above, below):
    """ℓ = Σ⁺ Σ⁻ [1(f⁺ < f⁻) + ½ 1(f⁺ = f⁻)] / m⁺m⁻: pairs in the wrong order, a tie being half a mistake  (9.5).

    Both are sorted; a search then counts the f⁻ in ``below`` that a positive is not above, and those that beat it.
    """
    above, below = np.sort(above), np.sort(below)
    not_above = len(below) - np.searchsorted(below, above, side="left")
    beaten_by = len(below) - np.searchsorted(below, above, side="right")
    return np.mean(not_above + beaten_by) / 2 / len(below)


def precision_recall(TP, FP):
    """P = TP / (TP + FP) and R = TP / m⁺ at each threshold where something is predicted positive."""
    return TP[1:] / (TP[1:] + FP[1:]), TP[1:] / TP[-1]


def balance(TP, FP):
    """TP / m⁺ where m⁺ rows are predicted positive: there P = R  (9.7). A tie across this rank is cut in proportion."""
    return np.interp(TP[-1], TP + FP, TP) / TP[-1]


def step_sum(P, R):
    """AP = Σ_k (R_k - R_{k-1}) P_k, R_0 = 0: the mean, over the positives, of P where each is found  (9.8)."""
    return np.sum(np.diff(R, prepend=0.0) * P)


# ---------------------------------------------------------------------------------------------------------------
# Mistakes that cost differently. cost₁₀ is the price of a missed positive, cost₀₁ that of a false alarm, p the share
# of positives among the rows to come; P(+)cost is q = p cost₁₀ / (p cost₁₀ + (1 - p) cost₀₁).
# ---------------------------------------------------------------------------------------------------------------
def mean_cost(C, cost):
    """Σ_ij C_ij cost_ij / m: what a row costs on average, for counts C and prices of shape (K, K)  (9.9)."""
    return np.sum(C * cost) / np.sum(C)


def normalised_cost(q, FPR, FNR):
    """FNR · q + FPR · (1 - q): a line over q, from FPR at q = 0 to FNR at q = 1  (9.10)."""
    return FNR * q + FPR * (1 - q)


def upper_hull(x, y):
    """Places of the points, x and y never falling, that a rope laid over them from above would touch.

    Walk along; while the last place kept lies on or below the chord from the one before it to the new one, drop it.
    """
    kept = []
    for i in range(len(x)):
        while len(kept) > 1:
            a, b = kept[-2:]
            if (y[b] - y[a]) * (x[i] - x[a]) > (y[i] - y[a]) * (x[b] - x[a]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept)


def envelope_corners(FPR, TPR):
    """q where the cheapest threshold changes, and the cost there: the lower envelope, for points on the hull  (9.11).

    Two neighbours cost the same where q ΔTPR = (1 - q) ΔFPR. Past the last change, q = 1 costs 0, and so does q = 0.
    """
    right, up = np.diff(FPR), np.diff(TPR)
    q = right / (right + up)
    cost = normalised_cost(q, FPR[1:], 1 - TPR[1:])
    return np.concatenate([[0.0], q, [1.0]]), np.concatenate([[0.0], cost, [0.0]])


# ---------------------------------------------------------------------------------------------------------------
# Comparison tests (比较检验). k error rates have the mean μ and the deviation s, with k - 1 below the fraction line.
# ---------------------------------------------------------------------------------------------------------------
def binomial_tail(k, n, p, q=None):
    """P(X >= k) = Σ_{i >= k} C(n, i) pⁱ qⁿ⁻ⁱ = I_p(k, n - k + 1) for 1 <= k <= n; 1 for k <= 0, 0 beyond n.

    Give q = 1 - p where you have it with more digits.
    """
    k = np.asarray(k)
    inside = np.clip(k, 1, n)
    area = incomplete_beta(inside, n - inside + 1, p, q)
    return np.where(k < 1, 1.0, np.where(k > n, 0.0, area))[()]


def t_tail(t, df):
    """P(T > t) for Student's T with df degrees of freedom: ½ I_x(df/2, ½), x = df / (df + t²), for t >= 0."""
    df, square = np.asarray(df, dtype=float), np.square(np.asarray(t, dtype=float))
    half = incomplete_beta(df / 2, 0.5, df / (df + square), square / (df + square)) / 2
    return np.where(np.asarray(t) >= 0, half, 1 - half)[()]


def t_statistic(d, mean=0.0):
    """t = √k (μ - ε₀) / s, for k numbers d that would have the mean ε₀  (9.14)."""
    return np.sqrt(len(d)) * (d.mean() - mean) / d.std(ddof=1)


def mcnemar_statistic(b, c):
    """χ² = max(|b - c| - 1, 0)² / (b + c): b rows only the first model gets wrong, c only the second  (9.15)."""
    return max(abs(b - c) - 1, 0) ** 2 / (b + c)


def five_by_two_statistic(D, numerator):
    """t̃ = numerator / √(Σ_i s_i² / 5), s_i² = ½ (Δ_i1 - Δ_i2)², for D of shape (5, 2)  (9.16)."""
    return numerator / np.sqrt(np.mean((D[:, 0] - D[:, 1]) ** 2 / 2))


def ranks(V):
    """Of each value in its row, for V of shape (N, k): 1 + how many are smaller + half of how many others are equal."""
    smaller = np.sum(V[:, np.newaxis, :] < V[:, :, np.newaxis], axis=2)
    equal = np.sum(V[:, np.newaxis, :] == V[:, :, np.newaxis], axis=2)
    return smaller + (equal + 1) / 2


def friedman_statistic(R):
    """χ² = 12N / k(k + 1) · Σ_j (r_j - (k + 1)/2)², r_j the mean of column j of the ranks R of shape (N, k)  (9.17)."""
    N, k = R.shape
    return 12 * N / (k * (k + 1)) * np.sum((R.mean(axis=0) - (k + 1) / 2) ** 2)


def f_statistic(chi2, N, k):
    """F = (N - 1) χ² / (N(k - 1) - χ²): variance between the columns over what is left within the rows  (9.18)."""
    return (N - 1) * chi2 / (N * (k - 1) - chi2)


def range_tail(q, k):
    """P(max - min > q) of k standard normals: 1 - k ∫ φ(z) [Φ(z) - Φ(z - q)]ᵏ⁻¹ dz, where z is the largest  (9.19)."""
    z = np.linspace(-9.0, 9.0, 121)
    inside = normal_tail(z - q) - normal_tail(z)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    return 1 - k * np.sum(density * inside ** (k - 1)) * (z[1] - z[0])


def critical_difference(q, k, N):
    """CD = q / √2 · √(k(k + 1) / 6N): mean ranks of k models on N data sets that differ by more do differ  (9.19)."""
    return q / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * N))
