"""Adaptive on the modelled GPU: the scouts' choice, and the run of the form that it names.

Where a scout goes from the source, the kernel's works beside what a run begins with anyway, and
what it does is thrown away: the model looks at the same hops and charges nothing for it.
"""

from __future__ import annotations

from dataclasses import replace

from gpu.algorithms import find
from gpu.algorithms.adaptive import choice_of
from gpu.engine import EngineOutcome, Observer, RunBuffers, in_form
from gpu.graph import CSRGraph
from gpu.record.trace import RunSettings


def run(
    graph: CSRGraph, settings: RunSettings, buffers: RunBuffers, observer: Observer
) -> EngineOutcome:
    """Run the form that fits on a modelled device; what `seed` varies is that form's."""
    choice = choice_of(graph, settings.source)
    engine = find(choice.form).engine("model")
    given = in_form(settings, choice.form, choice.delta)
    outcome: EngineOutcome = engine(graph, given, buffers, observer)
    told = {"form": choice.form, "form_why": choice.why}
    return replace(outcome, environment=outcome.environment | told)
