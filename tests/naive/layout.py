"""One epoch of the refinement of a drawing by its definition, node by node in plain Python."""

MASK = 2**64 - 1


def drawn_by_hash(key, node, sample, count):
    """The node that pushes: SplitMix64 of key and node, its upper half scaled to the number of nodes."""
    z = ((key ^ (node * 0xD1B54A32D192ED03 & MASK)) + (sample + 1) * 0x9E3779B97F4A7C15) & MASK
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    z ^= z >> 31
    return (z >> 32) * count >> 32


def epoch(graph, old, before, key, forces):
    """Where every node is after an epoch; complex numbers are places in the plane."""
    places = [complex(*row) for row in old.tolist()]
    after = []
    for i, place in enumerate(places):
        weights = {int(j): graph.weight(i, int(j)) for j in graph.neighbors(i) if graph.weight(i, int(j)) > 0}
        if not weights:
            after.append((place.real, place.imag))
            continue
        step = sum(
            w
            / sum(weights.values())
            * (places[j] - place)
            / (1 + forces.sharpness * abs(places[j] - place) ** 2)
            for j, w in weights.items()
        )
        for sample in range(forces.samples):
            away = place - places[drawn_by_hash(key, i, sample, len(places))]
            square = abs(away) ** 2
            chance = (forces.softness + square) * (1 + forces.sharpness * square)
            step += forces.push / forces.samples * away / chance
        if abs(step) > forces.longest:
            step *= forces.longest / abs(step)
        place += forces.rate * step + forces.momentum * (place - complex(*before[i].tolist()))
        after.append((place.real, place.imag))
    return after
