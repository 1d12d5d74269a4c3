"""Finding a rare class: recall against nodes asked, and what costs decide.

    python benchmarks/choices/find.py [--rows NAME ...] [--costs] [--orders 3] [--plot FILE] [--list]

Every way of asking begins with the same nodes drawn at random until one of the class is among them, which
count as asked. Then the first of `Session.open_questions` are answered, one in 400 nodes at a time (one in
100 of 5,000 or more): ``find:CLASS``, the least confident first (``margin``), and at random. `hindsight` is
the best ranking there is, all of the class first. The learner is `auto`.

Cora is its smallest class against all others. The graph of `signed_wiki_editor` is made of its positive
edges, its largest component; its vandals are no rare class (64 of 100 editors), so the rarer class, benign,
is sought, and in another row vandals of whom all but one in fifty were left out, with their edges. Fraud
rings are drawn (`zerokelvin.generators.fraud_rings`, 4,000 accounts, 80 of them fraudulent).

With --costs every graph is played online with a miss at 20, a false alarm at 1 and a question at 0.5:
``costs=``, against the threshold 1/2 with the questions of ``margin`` at their best scale in hindsight, never
asking after a tenth of the nodes drawn at random, and asking always.
"""

from __future__ import annotations

import argparse

import numpy as np

import zerokelvin as zk

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)
"""Shares of the nodes after which recall is told."""

WAYS = ("find", "uncertain", "random")
PRICES = {"miss": 20.0, "alarm": 1.0, "ask": 0.5}


def cora():
    data = zk.load_dataset("cora")
    graph, nodes = data.graph.largest_component()
    codes = data.labels[nodes]
    return graph, codes == np.bincount(codes).argmin()


def editors(kept):
    """The positive edges among all benign editors and a share of the vandals."""
    data = zk.load_dataset("signed_wiki_editor")
    codes = data.labels
    vandals = codes == list(data.label_names).index("vandal")
    stay = ~vandals | (np.random.default_rng(0).random(len(codes)) < kept)
    edges = data.graph.edges
    there = (data.graph.edge_weights > 0) & stay[edges].all(axis=1)
    graph, nodes = zk.Graph.from_edges(edges[there], num_nodes=len(codes)).largest_component()
    return graph, vandals[nodes] if kept < 1 else ~vandals[nodes]


def rings():
    drawn = zk.generators.fraud_rings(4000, np.random.default_rng(0))
    graph, nodes = drawn.graph.largest_component()
    return graph, drawn.labels[nodes] == 1


ROWS = {
    "cora, smallest class": (cora,),
    "fraud rings": (rings,),
    "editors, benign": (editors, 1.0),
    "editors, 1 vandal in 50": (editors, 0.02),
}


def ask(graph, sought, way, order):
    """The nodes in the order in which they are asked, up to the largest share."""
    total, step = graph.num_nodes, max(1, graph.num_nodes // (400 if graph.num_nodes < 5_000 else 100))
    rng = np.random.default_rng(order)
    drawn = rng.permutation(total)
    most = round(max(SHARES) * total)
    if way == "random":
        return drawn[:most]
    labels = np.where(sought, "sought", "other").tolist()
    policy = "find:sought" if way == "find" else "margin:1"
    session = zk.start(graph, classes=["other", "sought"], policy=policy, seed=order)
    asked = drawn[: 1 + int(np.flatnonzero(sought[drawn])[0])].tolist()
    session.teach([(node, labels[node]) for node in asked])
    while len(asked) < most:
        fresh = session.open_questions(min(step, most - len(asked)))
        session.teach([(node, labels[node]) for node in fresh])
        asked += fresh
    return np.array(asked)


def curves(graph, sought, orders):
    """Recall after every number of nodes asked, the mean over the orders, by way of asking."""
    found = {}
    for way in WAYS:
        played = [np.cumsum(sought[ask(graph, sought, way, order)]) for order in range(orders)]
        length = min(map(len, played))
        found[way] = np.mean([one[:length] for one in played], axis=0) / sought.sum()
    return found


def draw(found, path):
    from matplotlib.figure import Figure

    from zerokelvin.plot.style import LINES, layout, plain_style

    figure = Figure(figsize=(3.2 * len(found), 3), layout=layout())
    places = figure.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for place, (name, (total, count, by_way)) in zip(places, found.items(), strict=True):
        asked = np.arange(1, round(max(SHARES) * total) + 1)
        place.plot(asked / total, np.minimum(1, asked / count), ":", color="black", label="hindsight")
        for way, stroke, colour in zip(WAYS, ("-", "--", "-."), LINES, strict=False):
            share = np.arange(1, len(by_way[way]) + 1) / total
            place.plot(share, by_way[way], stroke, color=colour, label=way)
        plain_style(place)
        place.set_title(name, fontsize=9)
        place.set_xlabel("share of the nodes asked")
    places[0].set_ylabel("recall")
    places[0].legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=110)


def recall_table(names, orders, path):
    heads = " | ".join(f"{share:.0%}" for share in SHARES)
    print(f"| graph | nodes, sought | way | {heads} | half found after |\n|{'---|' * (4 + len(SHARES))}")
    kept = {}
    for name in names:
        make, *how = ROWS[name]
        graph, sought = make(*how)
        total, count = graph.num_nodes, int(sought.sum())
        by_way = curves(graph, sought, orders)
        kept[name] = total, count, by_way
        best = np.minimum(1.0, np.arange(1, round(max(SHARES) * total) + 1) / count)
        for way, recall in {"hindsight": best, **by_way}.items():
            cells = " | ".join(f"{recall[round(share * total) - 1]:.2f}" for share in SHARES)
            half = 1 + int(np.argmax(recall >= 0.5)) if recall[-1] >= 0.5 else None
            told = f"{half:,} nodes" if half else f"more than {len(recall):,}"
            print(f"| {name} | {total:,}, {count:,} | {way} | {cells} | {told} |", flush=True)
    if path:
        draw(kept, path)


def cost_of(run):
    """What a game without costs would have cost."""
    prices = zk.asking.Costs(**PRICES)
    code = list(run.classes).index("sought")
    return prices.total(run.codes == code, run.predicted == code, ~run.unasked)


def cost_table(names, orders):
    ways = ["costs=", "1/2, margin", "1/2, a tenth at random", "always ask"]
    print(f"| graph | {' | '.join(ways)} | asked | scale |\n|{'---|' * (len(ways) + 3)}")
    for name in names:
        make, *how = ROWS[name]
        graph, sought = make(*how)
        labels = np.where(sought, "sought", "other")
        wanted = PRICES | {"class": "sought"}

        def played(orders=orders, graph=graph, labels=labels, **terms):
            return [zk.play(graph, labels, seed=order, **terms) for order in range(orders)]

        own = played(costs=wanted)
        scales = {s: np.mean([cost_of(r) for r in played(policy=f"margin:{s}")]) for s in (0.1, 1.0, 10.0)}
        best = min(scales, key=scales.get)
        tenth = np.mean([cost_of(run) for run in played(policy="random:0.1")])
        asked = np.mean([run.queried_nodes for run in own])
        cells = [np.mean([run.cost for run in own]), scales[best], tenth, 0.5 * graph.num_nodes]
        row = " | ".join(f"{cell:,.0f}" for cell in cells)
        print(f"| {name} | {row} | {asked:,.0f} of {graph.num_nodes:,} | {best:g} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="NAME")
    parser.add_argument("--orders", type=int, default=3)
    parser.add_argument("--costs", action="store_true", help="what costs decide, instead of recall")
    parser.add_argument("--plot", metavar="FILE", help="draw the recall")
    parser.add_argument("--list", action="store_true", help="print the names of the rows")
    options = parser.parse_args()
    if options.list:
        print("\n".join(ROWS))
    elif options.orders < 1:
        parser.error("--orders takes 1, 2, 3, ...")
    elif options.costs:
        cost_table(options.rows, options.orders)
    else:
        recall_table(options.rows, options.orders, options.plot)


if __name__ == "__main__":
    main()
