"""A network of sums: how much of each word arrives where, and by which edge.

Its n words are the first of its nodes. An edge hands over a part of what its lower node holds, and
stands behind all edges that lead to that node. The browser has the same in `src/arithmetic.js`.
"""

from typing import NamedTuple

import numpy as np


class Network(NamedTuple):
    """Edges (m, 2), from and to, and the weight of each, (m,)."""

    n: int
    nodes: int
    edges: np.ndarray
    weights: np.ndarray


def layered(weights, depth):
    """Return layers above each other, all of the same weights (n, n); a weight of 0 is no edge.

    Node l * n + i is word i after l layers.
    """
    n = len(weights)
    to, start = np.nonzero(weights)
    one = np.stack([start, to + n], axis=1)
    edges = np.concatenate([one + layer * n for layer in range(depth)])
    return Network(n, (depth + 1) * n, edges, np.tile(weights[to, start], depth))


def recurrent(gates):
    """Return a chain of states: at each word the gate's part of the last one, the rest the word.

    Node n + i is the state at word i.
    """
    n = len(gates)
    edges = [edge for i in range(n) for edge in ((n + i - 1, n + i), (i, n + i))][1:]
    weights = np.stack([gates, 1 - gates], axis=1).ravel()[1:]
    return Network(n, 2 * n, np.array(edges), weights)


def held(network, word=None):
    """Return how much each node holds of one word, or of all words together, (nodes,)."""
    amounts = np.zeros(network.nodes)
    amounts[slice(network.n) if word is None else word] = 1
    for (start, to), weight in zip(network.edges, network.weights, strict=True):
        amounts[to] += weight * amounts[start]
    return amounts


def flows_to(network, target, word=None):
    """Return the share of what the target holds that comes along each edge, (m,).

    It is that of one word, or of all.
    """
    amounts, total = held(network, word), held(network)[target]
    counts = np.zeros(network.nodes)  # how much of what a node holds the target holds
    counts[target] = 1
    for (start, to), weight in zip(network.edges[::-1], network.weights[::-1], strict=True):
        counts[start] += weight * counts[to]
    start, to = network.edges.T
    return counts[to] * network.weights * amounts[start] / total


def flows_from(network, word):
    """Return the share of what each edge's upper end holds that comes along it from a word."""
    start, to = network.edges.T
    return network.weights * held(network, word)[start] / held(network)[to]


def widest_path(network, flows, target):
    """Return the edges, from above, by which most of what flows arrives: at each node the widest.

    Of edges that are as wide but for rounding, it is the first; where nothing arrives, none.
    """
    path, node = [], target
    while node >= network.n:
        here = np.flatnonzero(network.edges[:, 1] == node)
        widest = here[0]
        for k in here[1:]:
            widest = k if flows[k] > flows[widest] * (1 + 1e-9) else widest
        if not flows[widest]:
            break
        path.append(int(widest))
        node = network.edges[widest, 0]
    return path
