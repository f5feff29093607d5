"""Clustering: k-means, and groups within groups.

Chapter 23. Sources: notes B (聚类算法; KMeans的数学证明), C 7.5.

- ``kmeans``: ``KMeans``, and its steps ``assign`` and ``update``.
- ``hierarchical``: ``AgglomerativeClustering``, ``cut``.
- ``divisive``: ``DivisiveClustering``.
- ``quality``: ``elbow``, ``silhouette``: how many clusters?
- ``pictures``: ``compress_image``, ``compressed_bits``.
"""

from mlcore.clustering.divisive import DivisiveClustering
from mlcore.clustering.hierarchical import AgglomerativeClustering, cut
from mlcore.clustering.kmeans import KMeans
from mlcore.clustering.pictures import compress_image, compressed_bits
from mlcore.clustering.quality import elbow, silhouette

__all__ = [
    "AgglomerativeClustering", "DivisiveClustering", "KMeans", "compress_image", "compressed_bits", "cut", "elbow",
    "silhouette",
]
