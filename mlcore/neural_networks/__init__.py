"""Neural networks (神经网络): back-propagation, multi-layer perceptrons, autoencoders, pre-training. Notes C 6.6-7.3.

- ``activations``: the functions of a unit and the losses of the outputs, each with its slope.
- ``propagation``: forward and backward through a network, the δ of every layer.
- ``descent``: first weights, penalties, one step of stochastic gradient descent.
- ``mlp``: ``MLPClassifier`` and ``MLPRegressor``.
- ``autoencoder``: ``Autoencoder`` and ``pretrain``.
"""

from mlcore.neural_networks.autoencoder import Autoencoder, pretrain
from mlcore.neural_networks.mlp import MLPClassifier, MLPRegressor
from mlcore.neural_networks.propagation import Slopes, backward, forward

__all__ = ["Autoencoder", "MLPClassifier", "MLPRegressor", "Slopes", "backward", "forward", "pretrain"]
