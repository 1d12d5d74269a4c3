"""The game by definition, with the naive perceptron: every figure recomputed from lists."""

import numpy as np

import naive.learners.perceptron as perceptron


def play(graph, trials, num_classes, *, b=1.0, asks=None, delay=0):
    """Trials are (node, class code); `asks` says per trial whether its label is asked for.

    Returns margins (trials × problems), predicted codes and which followed the class prior.
    """
    matrix = perceptron.kernel(graph, b, 0.0)
    problems = [1] if num_classes <= 2 else list(range(num_classes))
    steps = {c: [] for c in problems}
    component = _components(graph)
    all_margins, predicted, by_prior = [], [], []

    def margin(c, node):
        return sum(y * matrix[i, node] for i, y in steps[c])

    def learn(t):
        node, code = trials[t]
        if asks is not None and not asks[t]:
            return
        for c in problems:
            y = 1 if code == c else -1
            if (1 if margin(c, node) >= 0 else -1) != y:
                steps[c].append((node, y))

    for t, (node, _) in enumerate(trials):
        margins = [margin(c, node) for c in problems]
        all_margins.append(margins)
        known = [s for s in range(t - delay) if asks is None or asks[s]]
        lonely = bool(known) and all(component[trials[s][0]] != component[node] for s in known)
        by_prior.append(lonely)
        if lonely:
            counts = [sum(trials[s][1] == c for s in known) for c in range(num_classes)]
            predicted.append(int(np.argmax(counts)))
        elif num_classes <= 2:
            predicted.append(num_classes - 1 if margins[0] >= 0 else 0)
        else:
            predicted.append(int(np.argmax(margins)))
        if t - delay >= 0:
            learn(t - delay)
    return np.array(all_margins), np.array(predicted), np.array(by_prior)


def _components(graph):
    label = list(range(graph.num_nodes))
    for _ in range(graph.num_nodes):
        for u, v in graph.edges.tolist():
            label[u] = label[v] = min(label[u], label[v])
    return label
