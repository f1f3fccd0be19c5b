"""How two runs differ, as a sentence with its numbers, computed from the traces alone.

Times have a ratio only if both runs ended on clocks of one kind. A time measured with probes on is
never quoted as speed: if there is a second run at level 0 (`quoted`), its time is used, else a
caution names the level. Modelled times of two algorithms have an error; within it
(`gpu.model.accuracy.CLOSE`) neither is called faster. Other devices or sources, and runs that were
stopped or not verified, follow as cautions.

    work    vertices processed (the paper's measure)
    busy    share of the device's workers that had work, mean over the run
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gpu.algorithms import find
from gpu.model.accuracy import CLOSE
from gpu.record.trace import NOT_RANKED, Probe, RunSettings
from gpu.study.compare import Side, obstacle
from gpu.words import NOT_KNOWN, brief_time, distance, in_sight, percent, ratio_words

CLEAR = 0.1  # times and works this far apart are worth a reason
MUCH_MORE = 2.0  # times as many edges in hand are a reason, where both were as busy
MOSTLY = 0.5  # a GPU that is less busy was mostly idle
NOT_CHECKED = "Distances not checked:"  # begins a caution
SAME = 0.01  # times and works this close are called the same


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


def names(a: Side, b: Side) -> tuple[str, str]:
    """Return what to call the runs: their algorithms or, if that is one, what differs too.

    A Δ that somebody set is named even where the algorithms differ: it is why times are what
    they are.
    """
    first, second = a.algorithm.title, b.algorithm.title
    if a.settings.algorithm != b.settings.algorithm:
        return name_of(a.settings), name_of(b.settings)
    for words in (_delta, _device, _parameters, _source):
        mine, other = words(a, b), words(b, a)
        if mine != other:
            return f"{first} ({mine})", f"{second} ({other})"
    return f"A ({first})", f"B ({second})"


def name_of(settings: RunSettings) -> str:
    """Return what to call a run: its algorithm, and what was set: "ADDS (Δ 64, as published)"."""
    row = find(settings.algorithm)
    by_hand = row.bucketed and settings.delta is not None
    words = [f"Δ {distance(settings.delta)}"] if settings.delta is not None and by_hand else []
    for knob in row.parameters if row.result == "row" else ():
        value = settings.parameters.get(knob.key, knob.default)
        held = by_hand and knob.key in row.still
        if value != knob.default and knob.concerns(settings.engine) and not held:
            title = f"{knob.title[:1].lower()}{knob.title[1:]}"
            words.append(title if value is True else f"{title} {_plain(value)}")
    return f"{row.title} ({', '.join(words)})" if words else row.title


def summarise(a: Side, b: Side, quoted: tuple[Side | None, Side | None] = (None, None)) -> Summary:
    """Return the comparison in words; `quoted`: reruns of A and B at probe level 0, if any."""
    problem = obstacle(a, b)
    if problem:
        return Summary(f"{problem}.", (), {"comparable": False, "reason": problem})
    times = _quoted_times(a, b, quoted)
    numbers = _numbers(a, b, times)
    called = names(a, b)
    words = [_time_and_work(a, b, called, times, numbers)]
    if not _is_contradicted(numbers):
        words += _busy_words(called, numbers)
    words += _why_it_pays(a, b, called, numbers)
    return Summary(" ".join(words), tuple(_cautions(a, b, called, times is not None)), numbers)


def _quoted_times(
    a: Side, b: Side, quoted: tuple[Side | None, Side | None]
) -> tuple[float, float] | None:
    """Return the times of reruns at level 0 where both have one; None for the runs' own."""
    if not any(_probed(side) for side in (a, b)):
        return None
    pairs = zip((a, b), quoted, strict=True)
    first, second = (again if _probed(side) else side for side, again in pairs)
    if first is None or second is None or not (first.finished and second.finished):
        return None
    return first.time_ns, second.time_ns


def _probed(side: Side) -> bool:
    return side.clock == "measured" and side.settings.probe > Probe.OFF


def _numbers(a: Side, b: Side, times: tuple[float, float] | None) -> dict[str, Any]:
    first, second = times or (a.time_ns, b.time_ns)
    ended = a.finished and b.finished
    like = a.clock == b.clock and not _not_ranked(a, b)
    ratio = second / first if ended and like and first > 0 else None
    modelled = a.clock == "modelled" and a.settings.algorithm != b.settings.algorithm
    return {
        "comparable": True,
        "a": _side_numbers(a, first),
        "b": _side_numbers(b, second),
        "b_time_over_a": ratio,
        "too_close": bool(ratio and modelled and max(ratio, 1 / ratio) < CLOSE),
        "b_work_over_a": b.processed / a.processed if ended and a.counted and b.counted else None,
        "times_at_probe_0": times is not None,
    }


def _not_ranked(a: Side, b: Side) -> str:
    """Return why the modelled times of two algorithms have no ratio, "" where they have one."""
    if a.settings.algorithm == b.settings.algorithm:
        return ""  # one algorithm's errors go one way
    reasons = (
        (side.environment or {}).get(NOT_RANKED) for side in (a, b) if side.clock == "modelled"
    )
    return str(next(filter(None, reasons), ""))


def _side_numbers(side: Side, time_ns: float) -> dict[str, Any]:
    settings = side.settings
    checked = side.verification
    reached = side.reached
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
        "relaxed_edges": _relaxed(side) if side.counted else None,
        "work_efficiency": reached / side.processed if reached and side.processed else None,
        "busy_share": side.busy_share,
        "verified": None if checked is None else checked.passed,
    }


def _relaxed(side: Side) -> int:
    return int(side.samples["relaxed_edges"][-1]) if len(side.samples) else 0


def _time_and_work(
    a: Side,
    b: Side,
    called: tuple[str, str],
    times: tuple[float, float] | None,
    numbers: dict[str, Any],
) -> str:
    pair = times or (a.time_ns, b.time_ns)
    if not (a.finished and b.finished):
        return _unfinished(a, b, called)
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    if ratio is None:
        each = " and ".join(
            f"{name} took {brief_time(time)} ({side.clock})"
            for name, time, side in zip(called, pair, (a, b), strict=True)
        )
        why = _not_ranked(a, b)
        if a.clock != b.clock:
            why = "times of unlike clocks have no ratio"
        reason = f": {why}" if why else ""
        return f"{each}{reason}; {called[0]} did {_work_words(a, b, 1 / work if work else None)}."
    if abs(ratio - 1) < SAME or ratio > 1:
        (faster, slower), (fast, slow) = (a, b), pair
        (name, other), work = called, 1 / work if work else None
    else:
        (faster, slower), (fast, slow) = (b, a), pair[::-1]
        name, other = called[::-1]
    machine = in_sight(a.settings.device) if _one_modelled_machine(a, b) else ""
    clock = f"{a.clock} {machine}".strip()
    against = f"({brief_time(fast, max(pair))} against {brief_time(slow, max(pair))}, {clock})"
    done = f"{against} with {_work_words(faster, slower, work)}."
    if abs(ratio - 1) < SAME:
        return f"{name} took as long as {other} {done}"
    if numbers["too_close"]:
        return f"As near as the model can tell, {name} took as long as {other} {done}"
    return f"{name} finished {ratio_words(slow / fast)} sooner {done}"


def _one_modelled_machine(a: Side, b: Side) -> bool:
    return a.clock == b.clock == "modelled" and a.settings.device == b.settings.device


def _work_words(one: Side, other: Side, ratio: float | None) -> str:
    """Return how the work of `one` compares; `ratio`: its work over that of `other`."""
    if not (one.counted or other.counted):
        return f"work {NOT_KNOWN}"
    counts = (f"{side.processed:,}" if side.counted else NOT_KNOWN for side in (one, other))
    against = f"({' against '.join(counts)} vertices processed)"
    if ratio is None:
        return f"work {NOT_KNOWN} {against}"
    if abs(ratio - 1) < SAME:
        return f"the same work {against}"
    return f"{ratio_words(ratio)} the work {against}"


def _unfinished(a: Side, b: Side, called: tuple[str, str]) -> str:
    said = []
    for side, name in zip((a, b), called, strict=True):
        state = {"running": "is still running", "stopped": "was stopped", "failed": "failed"}
        at = f"{brief_time(side.time_ns)} ({side.clock}), {side.processed:,} vertices processed"
        if side.finished:
            said.append(f"{name} took {at}")
        else:
            said.append(f"{name} {state.get(side.outcome, side.outcome)} at {at}")
    return f"{'; '.join(said)}."


def _is_contradicted(numbers: dict[str, Any]) -> bool:
    """Whether who was sooner, with more work, kept less of the GPU busy.

    What kept it ahead is not told by that: of supersteps whose frontier is wide a few are enough.
    """
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    shares = [numbers[side]["busy_share"] for side in ("a", "b")]
    if ratio is None or work is None or None in shares or ratio == 1 or numbers["too_close"]:
        return False
    quick, slow = shares if ratio > 1 else shares[::-1]
    return bool((ratio - 1) * (1 - work) > 0 and quick < slow)


def _busy_words(called: tuple[str, str], numbers: dict[str, Any]) -> list[str]:
    shares = (numbers["a"]["busy_share"], numbers["b"]["busy_share"])
    said = [
        f"{name} {{}}{percent(share)}"
        for name, share in zip(called, shares, strict=True)
        if share is not None
    ]
    if not said:
        return []
    said[0] = f"{said[0].format('kept ')} of the GPU busy"
    return [", ".join([said[0], *(words.format("") for words in said[1:])]) + "."]


def _why_it_pays(a: Side, b: Side, called: tuple[str, str], numbers: dict[str, Any]) -> list[str]:
    """Say why more work took less time, where it did and both runs were watched."""
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    if ratio is None or work is None or (ratio - 1) * (1 - work) <= 0:
        return []
    (quick, slow), (name, other) = ((a, b), called) if ratio > 1 else ((b, a), called[::-1])
    clear = abs(ratio - 1) >= CLEAR and abs(work - 1) >= CLEAR
    if not clear or quick.in_hand is None or slow.in_hand is None or quick.in_hand < slow.in_hand:
        return []
    shares = [numbers[side]["busy_share"] for side in ("a", "b")]
    as_busy = None not in shares and len({percent(share) for share in shares}) == 1
    if _is_contradicted(numbers) or (as_busy and quick.in_hand < MUCH_MORE * slow.in_hand):
        return []
    idle = None not in shares and max(shares) < MOSTLY
    why = "the GPU was mostly idle" if idle else "workers would have had too little to do"
    barriers = slow.supersteps
    waits = f", and it stopped at {barriers:,} barriers" if barriers is not None else ""
    return [
        f"The extra work cost no time, since {why}: {name} had {_rounded(quick.in_hand)} edges to "
        f"work on at once, {other} {_rounded(slow.in_hand)}{waits}."
    ]


def _rounded(number: float) -> str:
    """Return a count with three digits: 18,300."""
    return f"{float(f'{number:.3g}'):,.0f}"


def _cautions(a: Side, b: Side, called: tuple[str, str], at_level_0: bool) -> list[str]:
    said = []
    recorded = dict.fromkeys(side.recorded_on for side in (a, b) if side.recorded_on)
    said += [f"Recorded on an {device}, measured." for device in recorded]
    if at_level_0:
        said.append("Timed in a second run, without recording, which would slow it.")
    elif any(_probed(side) for side in (a, b)):
        levels = " and ".join(str(side.settings.probe) for side in (a, b))
        said.append(f"Measured with probes on (levels {levels}): not to be quoted as speed.")
    if a.settings.device != b.settings.device or a.settings.engine != b.settings.engine:
        said.append(f"Different devices: {_device(a, b)} and {_device(b, a)}.")
    if a.settings.source != b.settings.source:
        said.append(f"Different sources: {a.graph.source_id} and {b.graph.source_id}.")
    for side, name in zip((a, b), called, strict=True):
        if side.verification is not None and not side.verification.passed:
            said.append(f"The distances of {name} are wrong: {side.verification.detail}.")
    unproved = [
        n for s, n in zip((a, b), called, strict=True) if s.finished and s.verification is None
    ]
    if unproved:
        said.append(f"{NOT_CHECKED} {' and '.join(unproved)}.")
    return said


def _delta(side: Side, _other: Side) -> str:
    if not side.algorithm.bucketed:
        return ""
    return "automatic Δ" if side.settings.delta is None else f"Δ {distance(side.settings.delta)}"


def _device(side: Side, other: Side) -> str:
    if side.settings.device != other.settings.device:
        return side.settings.device
    return f"{side.settings.device}, {side.clock}"


def _parameters(side: Side, other: Side) -> str:
    mine, others = side.settings.parameters, other.settings.parameters
    differs = [key for key in mine if mine[key] != others.get(key)]
    titles = {knob.key: knob.title for knob in side.algorithm.parameters}
    return ", ".join(f"{titles.get(key, key)} {_plain(mine[key])}" for key in differs)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "automatic" if value is None else f"{value}"


def _source(side: Side, _other: Side) -> str:
    return f"from {side.graph.source_id}"


LONGEST_VERDICT = 100  # characters


def verdict(a: Side, b: Side, numbers: dict[str, Any]) -> str:
    """Return who was sooner and did more work, in one sentence of at most LONGEST_VERDICT.

    numbers : of the pair's Summary
    """
    if not numbers["comparable"]:
        return _cut(f"{numbers['reason']}.")
    called = names(a, b)
    ratio, work = numbers["b_time_over_a"], numbers["b_work_over_a"]
    if not (a.finished and b.finished):
        return _cut(_unfinished_briefly(a, b, called))
    if ratio is None:
        return _cut(f"The times of {called[0]} and {called[1]} cannot be compared.")
    if ratio < 1:
        called, ratio, work = called[::-1], 1 / ratio, 1 / work if work else None
    did = f"did {_much(1 / work)} work and " if work else ""
    if numbers["too_close"] or abs(ratio - 1) < SAME:
        return _cut(f"{called[0]} {did}took as long as {called[1]}.")
    return _cut(f"{called[0]} {did}finished {_sooner(ratio)}.", called)


def _unfinished_briefly(a: Side, b: Side, called: tuple[str, str]) -> str:
    states = {"running": "is running", "stopped": "was stopped", "failed": "failed"}
    said = [
        f"{name} {states.get(side.outcome, side.outcome)}"
        for side, name in zip((a, b), called, strict=True)
        if not side.finished
    ]
    return f"{', '.join(said)}."


def _much(ratio: float) -> str:
    if abs(ratio - 1) < SAME:
        return "the same"
    if ratio < 1:
        return f"{percent(ratio)} of the"
    return f"{ratio:.0f}x the" if ratio >= 3 else f"{ratio_words(ratio)} the"


def _sooner(ratio: float) -> str:
    return "in half the time" if 1.9 < ratio < 2.15 else f"{ratio_words(ratio)} sooner"


def _cut(words: str, called: tuple[str, str] = ("", "")) -> str:
    """Return a sentence that is short enough: without what was set in a name, or cut."""
    if len(words) > LONGEST_VERDICT:
        words = words.replace(called[0], called[0].partition(" (")[0]) if called[0] else words
    return words if len(words) <= LONGEST_VERDICT else f"{words[: LONGEST_VERDICT - 1]}…"
