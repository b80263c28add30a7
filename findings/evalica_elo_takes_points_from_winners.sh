#!/usr/bin/env bash
# Guess: in `elo`, a comparison with the weight 0.5 moves the ratings half as far as one with the weight 1; the winner gets what the loser pays.
# Behaviour: the weight multiplies the result of a game, but not the result that was expected of it: with the weight 0.5, a win over an equal gives the winner
# nothing and costs the loser as much as with the weight 1; with 0.25, it costs the winner points as well. Where all comparisons have the weight 0.2,
# the ratings fall from a mean of 1000 to 512, and the system that wins 70% of its 600 games is the last of four, behind one that lost nine of ten.
# With the weight 1, the ratings are Elo's; win rates and Bradley-Terry scores do not change where all weights are the same.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-compile --no-deps evalica==0.4.2 numpy==2.4.6 pandas==3.1.1 scipy==1.17.1 python-dateutil==4.0.0 tzdata==2026.6
OPENBLAS_NUM_THREADS=1 "$folder/venv/bin/python" -W ignore - <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from evalica import Winner, average_win_rate, bradley_terry, elo

print(*(f"{name} {version(name)}" for name in ("evalica", "numpy")))


def rate(games, weights, k=4.0):
    """Elo's ratings: k times the weight times the result minus what was expected."""
    ratings = {}
    for (left, right, result), weight in zip(games, weights):
        a, b = ratings.setdefault(left, 1000.0), ratings.setdefault(right, 1000.0)
        step = k * weight * (result - 1 / (1 + 10 ** ((b - a) / 400)))
        ratings[left], ratings[right] = a + step, b - step
    return ratings


def run(games, weights, method=elo):
    winners = [Winner.X if result == 1 else Winner.Y for *_, result in games]
    return method([game[0] for game in games], [game[1] for game in games], winners, weights=weights).scores


ok = True
for weight in (2.0, 1.0, 0.5, 0.25, 0.0):
    found, right = run([("a", "b", 1)], [weight]), rate([("a", "b", 1)], [weight])
    print(f"a beats b with the weight {weight}: a {found['a'] - 1000:+.2f}, b {found['b'] - 1000:+.2f}; by the definition a {right['a'] - 1000:+.2f}, b {right['b'] - 1000:+.2f}")
    if weight == 1:
        ok &= abs(found["a"] - right["a"]) < 1e-6 and abs(found["b"] - right["b"]) < 1e-6
    elif (weight == 0.5 and abs(found["a"] - 1000) > 1e-6) or (weight < 0.5 and found["a"] > 999.5) or abs(found["b"] - 998) > 1e-6:
        sys.exit("evalica changed")
# a wins 70% of its games against b and d, and plays far more often than c, which loses nine of ten to b
rng = np.random.default_rng(0)
games = [("a", "b", int(rng.random() < 0.7)) for _ in range(300)] + [("a", "d", int(rng.random() < 0.7)) for _ in range(300)] + [("c", "b", 0)] * 9 + [("c", "b", 1)]
games = [games[i] for i in rng.permutation(len(games))]
weights = [0.2] * len(games)
found, right, full = run(games, weights), rate(games, weights), run(games, [1.0] * len(games))
strengths = run(games, weights, bradley_terry), run(games, [1.0] * len(games), bradley_terry)
rates = run(games, weights, average_win_rate), run(games, [1.0] * len(games), average_win_rate)
for name, ratings in (("weight 0.2", found), ("by the definition", right), ("weight 1", full)):
    print(f"{name}: {', '.join(f'{system} {ratings[system]:.0f}' for system in 'abcd')}; mean {np.mean([ratings[system] for system in 'abcd']):.0f}")
if not ok or full.idxmax() != "a" or max(right, key=right.get) != "a" or abs(np.mean(list(right.values())) - 1000) > 1e-6:
    sys.exit("not as expected")
if any(abs(a[system] - b[system]) > 0.01 * b[system] for a, b in (strengths, rates) for system in "abcd"):
    sys.exit("not as expected")
if found.mean() > 900 or found.idxmin() != "a":
    sys.exit("evalica changed")
PY
