"""SGD of chapter 26 takes many ratings in one stroke: those that share neither a user nor an item."""

import numpy as np


def block_numbers(users, items, n_users, n_items):
    """A block for each rating, the first in which neither its user nor its item is busy, of shape (m,).

    Binary digit b of a user's (an item's) number says whether block b has a rating of that user (item).
    """
    busy_users, busy_items, blocks = [0] * n_users, [0] * n_items, []
    for u, i in zip(users.tolist(), items.tolist()):
        busy = busy_users[u] | busy_items[i]
        first_free = ~busy & (busy + 1)  # a single 1, where busy has its lowest 0
        busy_users[u] |= first_free
        busy_items[i] |= first_free
        blocks.append(first_free.bit_length() - 1)
    return np.array(blocks)
