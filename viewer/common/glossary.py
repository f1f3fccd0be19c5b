"""The words of the program, each explained once: in the glossary and where the word stands.

A panel's legend, a label or a manual page names a term by its key; `explain` returns its sentences.
A term is added here and nowhere else: a test finds words that legends explain and this table lacks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

PAPER = "Wang, Fussell, Lin, PPoPP 2021"
OURS = "SSSP Scope"


@dataclass(frozen=True)
class Term:
    """One word.

    words : as it is written; meaning : one to three sentences
    also : other forms of it that are painted somewhere
    seen : keys of the panels that show it; source : who says so
    """

    key: str
    words: str
    meaning: str
    seen: tuple[str, ...] = ()
    source: str = OURS
    also: tuple[str, ...] = ()


TERMS: tuple[Term, ...] = (
    Term(
        "vertex",
        "vertex",
        "A point of the graph: a crossing, a page, a cell. Distances are found for vertices.",
        ("graph",),
        also=("vertices",),
    ),
    Term(
        "arc",
        "edge, arc",
        "A way from one vertex to another with its weight. A road that goes both ways is two "
        "arcs; numbers of edges count arcs.",
        ("graph",),
    ),
    Term(
        "weight",
        "weight",
        "What an arc costs: a length, a travel time. Never negative.",
        ("graph",),
    ),
    Term("source", "source", "The vertex to start from. Its distance is 0.", ("graph", "run")),
    Term(
        "distance",
        "distance",
        "The least sum of weights on a way from the source to a vertex, in weight units.",
        ("graph", "matrix"),
    ),
    Term(
        "tentative",
        "tentative",
        "A distance that was found but may still improve: the best offer so far.",
        ("graph", "matrix"),
    ),
    Term(
        "settled",
        "settled",
        "A vertex whose distance improves no more in this run. Known for certain at the end only.",
        ("graph", "work"),
    ),
    Term(
        "unreached",
        "unreached",
        "No way to this vertex was found by this moment, or there is none. On the map it is grey.",
        ("graph",),
    ),
    Term(
        "bucket",
        "bucket",
        "Vertices that wait, with distances in one interval that is Δ wide. Buckets are taken in "
        "order, nearest first; within one, in any order.",
        ("buckets", "graph", "microscope"),
        f"Meyer, Sanders 2003; {PAPER}, section 5",
    ),
    Term(
        "delta",
        "Δ",
        "How wide a bucket is, in weight units. Small: nearly the order of Dijkstra, little at "
        "once. Large: much at once, some of it again.",
        ("delta", "sweep", "run", "why"),
        f"Meyer, Sanders 2003; {PAPER}, section 5.5",
    ),
    Term(
        "head",
        "head bucket",
        "The bucket with the least distances that holds work: the one to be emptied next.",
        ("buckets", "microscope"),
        f"{PAPER}, section 5",
        ("head",),
    ),
    Term(
        "tail",
        "tail",
        "The last bucket of the ring. What lies beyond it waits here too, since there is nowhere "
        "else: then it is clipped.",
        ("buckets",),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "clipped",
        "clipped",
        "Put into the tail though its distance lies beyond it. Order is lost there; a wider Δ "
        "brings it back.",
        ("buckets", "sweep"),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "open",
        "open bucket",
        "A bucket that workers take from now: the head and up to three after it. The controller "
        "opens more when workers starve.",
        ("buckets", "run"),
        f"{PAPER}, section 5.5",
        ("open",),
    ),
    Term(
        "ring",
        "ring",
        "Up to 32 buckets in a circle: when the head is empty the next one becomes the head, and "
        "its place becomes the tail.",
        ("buckets", "microscope"),
        f"{PAPER}, section 5",
    ),
    Term(
        "switch",
        "bucket switch",
        "The moment at which the head bucket is empty and the next one becomes the head.",
        ("timeline", "buckets"),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "near",
        "near pile",
        "Of Near-Far: vertices under the threshold, all of them the work of the next superstep.",
        ("buckets",),
        "Davidson et al. 2014",
    ),
    Term(
        "far",
        "far pile",
        "Of Near-Far: vertices over the threshold. They wait until near is empty; then the "
        "threshold rises by Δ and the pile is split again.",
        ("buckets",),
        "Davidson et al. 2014",
    ),
    Term(
        "superstep",
        "superstep",
        "A pass over all that is ready, in parallel. It ends at a barrier, and what it found is "
        "work for the next one.",
        ("timeline", "parallelism"),
        "Davidson et al. 2014",
    ),
    Term(
        "barrier",
        "barrier",
        "A point that all threads must reach before any goes on. Who is done early waits.",
        ("parallelism", "timeline"),
        f"{PAPER}, section 4",
    ),
    Term(
        "item",
        "item",
        "A vertex in a bucket with the distance that it was put there for. Dashed: reserved, not "
        "written yet; tinted, with ▸ w0: in the hands of worker 0; struck out: taken.",
        ("microscope",),
        f"{PAPER}, section 5",
    ),
    Term(
        "pointers",
        "read, resv, WCC, CWC",
        "Of a bucket in ADDS: places handed out; places reserved for writers; places written; "
        "items finished. The head may move on when CWC has reached resv.",
        ("microscope", "code"),
        f"{PAPER}, section 5",
        ("resv", "WCC", "CWC"),
    ),
    Term(
        "round",
        "round",
        "Of all pairs: one pass of a block over the vertices of its source that have improved.",
        ("microscope",),
    ),
    Term(
        "manager",
        "manager",
        "Of ADDS: the one block that reads the buckets, hands out work, moves the head and steers "
        "Δ.",
        ("microscope", "code"),
        f"{PAPER}, section 5",
    ),
    Term(
        "worker",
        "worker",
        "A block of threads that takes a piece of a bucket, relaxes its edges and writes what "
        "improved into buckets.",
        ("microscope", "parallelism", "run"),
        f"{PAPER}, section 5",
        ("idle", "busy"),
    ),
    Term(
        "busy_share",
        "GPU busy",
        "How many of a GPU's workers had work, as a mean over the run: 100 % where all of them had "
        "some all the time. A worker that waits at a barrier, or for a piece, has none.",
        ("compare", "parallelism"),
        also=("of the GPU busy", "kept busy"),
    ),
    Term(
        "in_hand",
        "edges in hand",
        "Edges that workers could relax at one moment, as a mean over the run: what parallelism "
        "there was. A GPU needs tens of thousands to be full.",
        ("compare", "parallelism"),
    ),
    Term(
        "assigned",
        "work assigned",
        "Edges that workers have in hand at this moment: vertices handed out times the mean "
        "degree. The paper's measure of parallelism for an algorithm without barriers.",
        ("parallelism", "timeline"),
        f"{PAPER}, figures 11 to 15",
    ),
    Term(
        "available",
        "work available",
        "The same for an algorithm with barriers: edges that are ready at the start of a "
        "superstep.",
        ("parallelism", "timeline"),
        f"{PAPER}, footnote 1",
    ),
    Term(
        "band",
        "band",
        "As much work as keeps this GPU just fully used; the controller steers into it. Below it "
        "workers starve, above it order is given away for nothing.",
        ("parallelism",),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "starved",
        "starving",
        "Workers have too little to do: work lies below the band or, where an algorithm has none, "
        "below a small share of the run's own peak.",
        ("timeline", "parallelism"),
        f"{PAPER}, section 5.5; the shares are ours",
    ),
    Term(
        "peak",
        "peak",
        "The moment with the most work at once.",
        ("timeline", "parallelism"),
    ),
    Term(
        "controller",
        "controller",
        "Of ADDS: it watches how busy the workers are, and opens buckets and doubles or halves Δ "
        "so that work stays in the band.",
        ("delta", "why", "sweep"),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "raised",
        "Δ raised",
        "Buckets became wider, mostly because workers starved: more work at once, less order.",
        ("delta", "timeline", "why"),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "lowered",
        "Δ lowered",
        "Buckets became narrower, because there was more work than workers: more order, less work "
        "done again.",
        ("delta", "timeline", "why"),
        f"{PAPER}, section 5.5",
    ),
    Term(
        "by_hand",
        "Δ by hand",
        "A person took over and chose Δ, until the algorithm is let drive again.",
        ("delta", "timeline", "why"),
    ),
    Term(
        "processed",
        "processed",
        "A vertex was taken out of a bucket and its edges were relaxed. Once for each vertex is "
        "ideal.",
        ("work", "graph", "sweep"),
        f"{PAPER}, section 6",
    ),
    Term(
        "relaxed",
        "relaxed",
        "An edge was looked at, whether the way over it is shorter than what its end has.",
        ("work", "microscope"),
    ),
    Term(
        "improved",
        "improved",
        "A relaxed edge lowered the distance of its end, which waits in a bucket from then on.",
        ("work", "microscope"),
    ),
    Term(
        "wasted",
        "wasted work",
        "Vertices processed again because a shorter way was found later. It is the price of "
        "taking much at once; it may be worth paying.",
        ("work", "graph", "sweep"),
        f"{PAPER}, section 6",
    ),
    Term(
        "efficiency",
        "work efficiency",
        "Vertices settled over vertices processed: 1 where each was processed once, as Dijkstra "
        "does.",
        ("work", "runs"),
        f"{PAPER}, section 6",
    ),
    Term(
        "stale",
        "stale item",
        "A vertex in a bucket that has improved since it was put there; its better self waits "
        "elsewhere, so this one may be dropped.",
        ("run", "microscope"),
    ),
    Term(
        "modelled",
        "modelled",
        "Time of a modelled GPU: the same decisions, and times from a cost model that was fitted "
        "to our kernels on an H100. Such an axis is hatched.",
        ("timeline", "run"),
    ),
    Term(
        "measured",
        "measured",
        "Time that a clock measured: on a GPU or processor here, or where the run was recorded.",
        ("timeline", "run"),
    ),
    Term(
        "sample",
        "sample",
        "The state of the scheduler at one moment: Δ, buckets, work. Curves are made of samples.",
        ("timeline", "run"),
    ),
    Term(
        "event",
        "event",
        "One thing that one worker or the manager did: a push, a pop, a relaxation. Recorded for "
        "small graphs, for the microscope.",
        ("microscope", "code"),
    ),
    Term(
        "alignment",
        "align by",
        "How two runs share one cursor: at the same time, at the same share settled, or at the "
        "same bucket.",
        ("compare",),
    ),
    Term(
        "interval",
        "measured interval",
        "What lies between marks 1 and 2 on the axis of time, or between one mark and the cursor: "
        "time, work, and means over it. Marks stand at samples.",
        ("timeline", "work", "parallelism"),
    ),
    Term(
        "area",
        "area between the curves",
        "Of two runs: how far apart their work at once was, summed over the measured time. Under "
        "curves of work per second, areas are the work itself.",
        ("parallelism",),
    ),
    Term(
        "note",
        "note",
        "A line of yours at a moment of a run (a flag on the timeline) or at a vertex (a label on "
        "the map). It is saved with the run.",
        ("timeline", "graph", "notes"),
    ),
    Term(
        "block",
        "block of sources",
        "Of all pairs: sources that are worked on together, each with a row of the matrix.",
        ("matrix",),
        also=("block",),
    ),
    Term(
        "certificate",
        "certificate",
        "A proof that needs no second algorithm: no arc lowers any distance, and each reached "
        "vertex has an arc that gives it its own. Beside it all is compared with Dijkstra's.",
        ("run",),
        also=("certified",),
    ),
    Term(
        "classroom_gpu",
        "Classroom GPU",
        "A modelled machine of 4 workers with 8 lanes each, a thousand times slower than a real "
        "one, so that a small graph fills it and one can watch. Compare its times with its own.",
        ("microscope",),
    ),
    Term(
        "pool_block",
        "pool block",
        "Memory that a bucket's items are written into. A bucket takes a block of the pool when it "
        "needs room, and gives it back when all in it was read.",
        ("microscope",),
        f"{PAPER}, section 5.3",
        ("pool",),
    ),
)
BY_KEY = {term.key: term for term in TERMS}


def mentioned(text: str) -> tuple[str, ...]:
    """Return the keys of the terms that a text names, in its order, each once."""
    found = {key: match.start() for key, form in _FORMS if (match := form.search(text))}
    return tuple(sorted(found, key=found.__getitem__))


def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return how each term is found in a text: as a word, in singular or plural."""
    made = []
    for term in TERMS:
        forms = (*(word.strip() for word in term.words.split(",")), *term.also)
        wanted = "|".join(re.escape(form) for form in sorted(set(forms), key=len, reverse=True))
        made.append((term.key, re.compile(rf"(?<![\w-])(?:{wanted})(?:s|es)?(?![\w-])", re.I)))
    return tuple(made)


_FORMS = _forms()


def explain(*keys: str) -> str:
    """Return "Word: what it means" of terms, a paragraph each; KeyError where one is unknown."""
    return "\n\n".join(f"{capital(BY_KEY[key].words)}: {BY_KEY[key].meaning}" for key in keys)


def capital(words: str) -> str:
    """Return words with a capital first."""
    return words[:1].upper() + words[1:]
