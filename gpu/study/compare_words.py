"""How two runs differ, as a sentence with its numbers, computed from the traces alone.

Times have a ratio only if both runs ended on clocks of one kind. A time measured with probes on is
never quoted as speed: a second run at level 0 (`quoted`) gives the time, else a caution names the
level. Modelled times of two algorithms within the model's error (`CLOSE`) have no order.

    work    vertices processed (the paper's measure)
    busy    share of the device's workers that had work, mean over the run
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpu.algorithms import find
from gpu.model.accuracy import CLOSE
from gpu.record import disorder
from gpu.record.trace import NOT_RANKED, Probe, RunSettings
from gpu.study.compare import Side, obstacle
from gpu.words import NOT_KNOWN, brief_time, distance, in_sight, percent, ratio_words, short

CLEAR = 0.1  # times and works this far apart are worth a reason
MUCH_MORE = 2.0  # times as many edges in hand are a reason, where both were as busy
MOSTLY = 0.5  # a GPU that is less busy was mostly idle
NOT_CHECKED = "Distances not checked:"  # begins a caution
SAME = 0.05  # times and works this close are about the same: their ratio would read 1.0x
LONGEST_VERDICT = 100  # characters
EXACT = (" (exact)", " (exact: what is taken at once counts as in order)")  # work done twice
STATES = {"running": "is still running", "stopped": "was stopped", "failed": "failed"}

Sides = tuple[Side, Side]
Names = tuple[str, str]


@dataclass(frozen=True)
class Summary:
    """What is said of two runs.

    words : one or two sentences; cautions : what must be known to read them, each a sentence
    numbers : the figures in the words and more, JSON-ready, None where unknown
    """

    words: str
    cautions: tuple[str, ...]
    numbers: dict[str, Any]

    @property
    def whole(self) -> str:
        """Everything in one line."""
        return " ".join((self.words, *self.cautions))


def names(a: Side, b: Side) -> Names:
    """Return what to call the runs: algorithm and settings or, if those are one, what differs."""
    first, second = (name_of(side.settings, side.steered) for side in (a, b))
    if first != second:
        return first, second
    sources = f"from {a.graph.source_id}", f"from {b.graph.source_id}"
    for mine, other in (_devices(a, b), sources):
        if mine != other:
            return f"{first} ({mine})", f"{first} ({other})"
    return f"A ({first})", f"B ({first})"


def _devices(a: Side, b: Side) -> Names:
    """Return the devices of two runs; of one device the clocks too."""
    pair = a.settings.device, b.settings.device
    return pair if pair[0] != pair[1] else (f"{pair[0]}, {a.clock}", f"{pair[1]}, {b.clock}")


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "automatic" if value is None else f"{value}"


def name_of(settings: RunSettings, steered: bool = False) -> str:
    """Return what to call a run: its algorithm, and what was set: "ADDS (Δ 64, as published)"."""
    row = find(settings.algorithm)
    title = f"{row.title}, policy {settings.policy.name}" if settings.policy else row.title
    words, still = [], set[str]()
    if steered:
        words = ["Δ by hand"]
    elif row.bucketed and settings.delta is not None:
        words, still = [f"Δ {distance(settings.delta)}"], set(row.still)
    for knob in row.parameters if row.result == "row" else ():
        value = settings.parameters.get(knob.key, knob.default)
        if value != knob.default and knob.concerns(settings.engine) and knob.key not in still:
            name = f"{knob.title[:1].lower()}{knob.title[1:]}"
            words.append(name if value is True else f"{name} {_plain(value)}")
    return f"{title} ({', '.join(words)})" if words else title


def summarise(a: Side, b: Side, quoted: tuple[Side | None, Side | None] = (None, None)) -> Summary:
    """Return the comparison in words; `quoted`: reruns of A and B at probe level 0, if any."""
    problem = obstacle(a, b)
    if problem:
        return Summary(f"{problem}.", (), {"comparable": False, "reason": problem})
    quoted_times = _quoted_times((a, b), quoted)
    times = quoted_times or (a.time_ns, b.time_ns)
    called, numbers = names(a, b), _numbers(a, b, times)
    numbers["times_at_probe_0"] = quoted_times is not None
    words = [_time_and_work((a, b), called, times, numbers), *_reasons((a, b), called, numbers)]
    words += _order((a, b), called, numbers)
    if _reach_nothing(a, b):
        words = [verdict(a, b, numbers)]
    cautions = tuple(_cautions((a, b), called, quoted_times is not None))
    return Summary(" ".join(words), cautions, numbers)


def _quoted_times(
    sides: Sides, quoted: tuple[Side | None, Side | None]
) -> tuple[float, float] | None:
    """Return the times of reruns at level 0 where both have one; None for the runs' own."""
    first, second = (
        again if _probed(side) else side for side, again in zip(sides, quoted, strict=True)
    )
    if first is None or second is None or not (first.finished and second.finished):
        return None
    return (first.time_ns, second.time_ns) if any(map(_probed, sides)) else None


def _probed(side: Side) -> bool:
    return side.clock == "measured" and side.settings.probe > Probe.OFF


def _numbers(a: Side, b: Side, times: tuple[float, float]) -> dict[str, Any]:
    ended, one_algorithm = a.finished and b.finished, a.settings.algorithm == b.settings.algorithm
    like = a.clock == b.clock and not _not_ranked(a, b)
    ratio = times[1] / times[0] if ended and like and times[0] > 0 else None
    modelled = a.clock == "modelled" and not one_algorithm
    return {
        "comparable": True,
        "a": _side_numbers(a, times[0]),
        "b": _side_numbers(b, times[1]),
        "b_time_over_a": ratio,
        "too_close": bool(ratio and modelled and max(ratio, 1 / ratio) < CLOSE),
        "b_work_over_a": b.processed / a.processed if ended and a.counted and b.counted else None,
    }


def _not_ranked(a: Side, b: Side) -> str:
    """Return why the modelled times of two algorithms have no ratio, "" where they have one."""
    if a.settings.algorithm == b.settings.algorithm:
        return ""  # one algorithm's errors go one way
    modelled = [side.environment or {} for side in (a, b) if side.clock == "modelled"]
    return next((str(facts[NOT_RANKED]) for facts in modelled if facts.get(NOT_RANKED)), "")


def _side_numbers(side: Side, time_ns: float) -> dict[str, Any]:
    settings, checked, reached = side.settings, side.verification, side.reached
    relaxed = int(side.samples["relaxed_edges"][-1]) if len(side.samples) else 0
    return {
        "algorithm": settings.algorithm,
        "engine": settings.engine,
        "device": settings.device,
        "clock": side.clock,
        "probe": settings.probe,
        "outcome": side.outcome,
        "delta": settings.delta,
        "time_ns": time_ns,
        "processed_vertices": side.processed if side.counted else None,
        "relaxed_edges": relaxed if side.counted else None,
        "work_efficiency": reached / side.processed if reached and side.processed else None,
        "busy_share": side.busy_share,
        "distance_error": disorder.distance_error(side),
        "verified": None if checked is None else checked.passed,
    }


def _time_and_work(
    sides: Sides, called: Names, times: tuple[float, float], numbers: dict[str, Any]
) -> str:
    a, b = sides
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    each = [
        f"{name} {STATES.get(side.outcome, 'took')} {'' if side.finished else 'at '}"
        f"{brief_time(time)} ({side.clock})"
        for name, time, side in zip(called, times, sides, strict=True)
    ]
    if not (a.finished and b.finished):
        counts = (f"{side.processed:,} vertices processed" for side in sides)
        return f"{'; '.join(f'{one}, {n}' for one, n in zip(each, counts, strict=True))}."
    if ratio is None:
        unlike = a.clock != b.clock
        why = "times of unlike clocks have no ratio" if unlike else _not_ranked(a, b)
        did = f"{called[0]} did {_work_words(a, b, 1 / work if work else None)}."
        return f"{' and '.join(each)}{f': {why}' if why else ''}; {did}"
    turn = -1 if ratio <= 1 - SAME else 1
    (one, other), (name, slower), (fast, slow) = sides[::turn], called[::turn], times[::turn]
    work = work**-turn if work else None
    machine = ""
    if a.clock == b.clock == "modelled" and a.settings.device == b.settings.device:
        machine = f" {in_sight(a.settings.device)}"
    pair = " against ".join(brief_time(time, max(times)) for time in (fast, slow))
    done = f"({pair}, {a.clock}{machine}) with {_work_words(one, other, work)}."
    near = "As near as the model can tell, " if numbers["too_close"] else ""
    if near or abs(ratio - 1) < SAME:
        return f"{near}{name} took about as long as {slower} {done}"
    return f"{name} finished {ratio_words(slow / fast)} sooner {done}"


def _work_words(one: Side, other: Side, ratio: float | None) -> str:
    """Return how the work of `one` compares; `ratio`: its work over that of `other`."""
    if not (one.counted or other.counted):
        return f"work {NOT_KNOWN}"
    counts = (f"{side.processed:,}" if side.counted else NOT_KNOWN for side in (one, other))
    against = f"({' against '.join(counts)} vertices processed)"
    if ratio is None:
        return f"work {NOT_KNOWN} {against}"
    return f"{_share_words(ratio)} work {against}"


def _share_words(ratio: float) -> str:
    if abs(ratio - 1) < SAME:
        return "the same" if ratio == 1 else "about the same"
    return f"{ratio_words(ratio)} the"


def _reasons(sides: Sides, called: Names, numbers: dict[str, Any]) -> list[str]:
    """Say how busy the runs were, and why more work took less time, if it did.

    Nothing is said where the sooner run did more work and was less busy: that is no explanation.
    """
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    shares = [side.busy_share for side in sides]
    busy_shares = [(n, percent(s)) for n, s in zip(called, shares, strict=True) if s is not None]
    paid = bool(ratio and work and (ratio - 1) * (1 - work) > 0)
    turn = 1 if ratio is None or ratio > 1 else -1
    (quick, slow), (name, other) = sides[::turn], called[::turn]
    both = len(busy_shares) == len(sides)
    quick_busy, slow_busy = quick.busy_share or 0.0, slow.busy_share or 0.0
    if paid and both and not numbers["too_close"] and quick_busy < slow_busy:
        return []
    busy = [
        f"{name} {'' if place else 'kept '}{share}"
        for place, (name, share) in enumerate(busy_shares)
    ]
    said = [f"{', '.join([f'{busy[0]} of the GPU busy', *busy[1:]])}."] if busy else []
    clear = paid and abs(ratio - 1) >= CLEAR and abs(work - 1) >= CLEAR
    if not clear or quick.in_hand is None or slow.in_hand is None or quick.in_hand < slow.in_hand:
        return said
    as_busy = both and busy_shares[0][1] == busy_shares[1][1]
    if as_busy and quick.in_hand < MUCH_MORE * slow.in_hand:
        return said
    idle = both and max(quick_busy, slow_busy) < MOSTLY
    why = "the GPU was mostly idle" if idle else "workers otherwise had too little to do"
    barriers = slow.supersteps
    waits = f" and waited at {barriers:,} barriers" if barriers is not None else ""
    return [
        *said,
        f"{name} was faster in spite of its extra work, since {why}: {name} "
        f"had {_rounded(quick.in_hand)} edges to work on at once, {other} had "
        f"{_rounded(slow.in_hand)}{waits}.",
    ]


def _order(sides: Sides, called: Names, numbers: dict[str, Any]) -> list[str]:
    """Say how far each run was from Dijkstra's order, where both were measured."""
    errors = [numbers[side]["distance_error"] for side in "ab"]
    if None in errors:
        return []
    said = []
    for side, name, error in zip(sides, called, errors, strict=True):
        exact = EXACT[not error and side.processed != side.reached]
        said.append(f"{name} {short(error)}{'' if side.errors is None else exact}")
    return [f"Disorder, how much too long a used distance was on average: {', '.join(said)}."]


def _rounded(number: float) -> str:
    """Return a count with three digits: 18,300."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _cautions(sides: Sides, called: Names, at_level_0: bool) -> list[str]:
    a, b = sides
    recorded = dict.fromkeys(side.recorded_on for side in sides if side.recorded_on)
    said = [f"Recorded on an {device}, measured." for device in recorded]
    if at_level_0:
        said.append("Timed in a second run, without recording, which would slow it.")
    elif any(map(_probed, sides)):
        levels = " and ".join(str(side.settings.probe) for side in sides)
        said.append(f"Measured while recording (probe levels {levels}): do not quote as speed.")
    if a.settings.device != b.settings.device or a.settings.engine != b.settings.engine:
        said.append(f"Different devices: {' and '.join(_devices(a, b))}.")
    if a.settings.source != b.settings.source:
        said.append(f"Different sources: {a.graph.source_id} and {b.graph.source_id}.")
    unproved = []
    for side, name in zip(sides, called, strict=True):
        if side.verification is None:
            unproved += [name] if side.finished else []
        elif not side.verification.passed:
            said.append(f"The distances of {name} are wrong: {side.verification.detail}.")
    return [*said, *([f"{NOT_CHECKED} {' and '.join(unproved)}."] if unproved else [])]


def verdict(a: Side, b: Side, numbers: dict[str, Any]) -> str:
    """Return which run was sooner and which did more work, a sentence of at most LONGEST_VERDICT.

    numbers : the numbers of the pair's Summary
    """
    if not numbers["comparable"]:
        words = f"{numbers['reason']}."
    elif a.finished and b.finished and a.settings.source != b.settings.source:
        words = f"A starts from {a.graph.source_id}, B from {b.graph.source_id}: run A again."
    elif _reach_nothing(a, b):
        words = f"{a.graph.source_id} reaches no other vertex: choose another source."
    else:
        words = _verdict(a, b, names(a, b), numbers)
        if len(words) > LONGEST_VERDICT:
            words = _verdict(a, b, (a.algorithm.title, b.algorithm.title), numbers)
    return words if len(words) <= LONGEST_VERDICT else f"{words[: LONGEST_VERDICT - 1]}…"


def _reach_nothing(a: Side, b: Side) -> bool:
    return a.finished and b.finished and a.reached == b.reached == 1 < a.graph.n


def _verdict(a: Side, b: Side, called: Names, numbers: dict[str, Any]) -> str:
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    if not (a.finished and b.finished):
        pairs = [(n, side.outcome) for n, side in zip(called, (a, b), strict=True)]
        return f"{', '.join(f'{n} {STATES[how]}' for n, how in pairs if how in STATES)}."
    first = ratio is None or ratio >= 1
    name, other = called if first else called[::-1]
    more = (1 / work if first else work) if work else None
    share = f"{more:.0f}x the" if more and more >= 3 else _share_words(more or 1.0)
    if ratio is None:
        unlike = a.clock != b.clock
        why = (
            "one time is measured, one modelled" if unlike else "the model cannot rank their times"
        )
        did = f"{name} did {share} work {'as' if share.endswith('same') else 'of'} {other}"
        return f"{did}; {why}." if more else f"{why[:1].upper()}{why[1:]}."
    did = f"did {share} work and " if more else ""
    if numbers["too_close"] or abs(ratio - 1) < SAME:
        return f"{name} {did}took about as long as {other}."
    times = max(ratio, 1 / ratio)
    sooner = "in half the time" if 1.9 < times < 2.15 else f"{ratio_words(times)} sooner"
    return f"{name} {did}finished {sooner}."
