"""Adaptive on the device: plans of the forms that may fit, and the choice among them.

Where scouts all over the graph have agreed, a run is the form's own. Else a scout
(`kernels/scout.cuh`) looks from the source, the host waits for its word and launches the form's
kernel; what a form needs is allocated before, as for any run, for each of those that may fit.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np

from gpu.algorithms.adaptive import Choice, Scouted, choose, choose_at_once, facts_of, forms
from gpu.cuda import launch
from gpu.cuda.device import Device
from gpu.cuda.launch import CudaRun, Plan, go
from gpu.engine import EngineOutcome, Observer, RunBuffers, in_form
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings

TUNED = None  # it has no tuning of its own: each form has
WIDE = 2  # what `scouted` says of a scout that stopped early


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run the form that fits on the GPU, which arbitrates by itself: `seed` changes nothing."""
    return run_tuned(graph, settings, buffers, observer, TUNED)[0]


def run_tuned(
    graph: CSRGraph,
    settings: RunSettings,
    buffers: RunBuffers,
    observer: Observer,
    tuning: None = None,
) -> tuple[EngineOutcome, CudaRun]:
    """Run with the forms' own tuning; the run comes along, for its state."""
    return go(graph, settings, buffers, observer, make_plans, tuning)


def make_plans(
    graph: CSRGraph, settings: RunSettings, device: Device, tuning: None
) -> Plan | launch.Scouted:
    """Make the plan of the form that fits, or of every form that may."""
    known = choose_at_once(graph, settings.source)
    if known is not None:
        return told(make_plan(graph, settings, device, known), known)
    facts = facts_of(graph)
    plans = {each.form: make_plan(graph, settings, device, each) for each in forms(facts)}

    def chosen(seen: np.void) -> Plan:
        choice = choose(facts, as_scouted(seen))
        return told(plans[choice.form], choice)

    return launch.Scouted(list(plans.values()), chosen)


def make_plan(graph: CSRGraph, settings: RunSettings, device: Device, choice: Choice) -> Plan:
    """Make the plan of one form, with that form's tuning."""
    module = import_module(f"gpu.cuda.{choice.form}")
    maker = getattr(module, "KERNEL", module)
    given = in_form(settings, choice.form, choice.delta)
    plan: Plan = maker.make_plan(graph, given, device, module.TUNED)
    return plan


def told(plan: Plan, choice: Choice) -> Plan:
    """Return the plan, with what the trace is told of the choice."""
    plan.told = {"form": choice.form, "form_why": choice.why}
    return plan


def as_scouted(control: np.void) -> Scouted:
    """Return what a scout has written into HOST_CONTROL."""
    levels = tuple(control["levels"].tolist()[: control["level_count"]])
    return Scouted(levels, int(control["level_arcs"]), bool(control["scouted"] == WIDE))
