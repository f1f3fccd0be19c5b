"""One small lesson, whole, in pieces that a test can break."""

from pathlib import Path

TEXT = "# T\n\n## one\nFirst.\n\n## two\nTook {a.time_ms} ms, {a.processed / b.processed|x}.\n"
HEAD = '[lesson]\nformat = 1\ntitle = "T"\nidea = "I"\nminutes = 5\nfigure = "figure 1"\n'
ONE = '[[step]]\nkey = "one"\ntitle = "One"\ngraph = "sample:figure_1"\n'
RUNS = """
[[step.run]]
name = "a"
algorithm = "bellman_ford"
device = "Classroom GPU"
probe = 3
[[step.run]]
name = "b"
algorithm = "dijkstra"
device = "Classroom GPU"
probe = 3
[[step.sweep]]
name = "s"
algorithm = "adds"
device = "Classroom GPU"
values = [1, 4, 20]
"""
ASKED = """
[step.question]
kind = "number"
ask = "How many?"
answer = "a.processed"
low = 0
high = 10
right = "Yes, {a.processed}."
wrong = "No, {a.processed}."
"""
TWO = '\n[[step]]\nkey = "two"\n'
WHOLE = HEAD + ONE + RUNS + ASKED + TWO


def write(folder: Path, toml: str = WHOLE, text: str = TEXT) -> Path:
    (folder / "mine.md").write_text(text, encoding="utf-8")
    path = folder / "mine.toml"
    path.write_text(toml, encoding="utf-8")
    return path
