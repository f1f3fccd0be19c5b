"""GraphML and GML by compiled loops and by their plain readers: one graph, one fault."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from test_formats_fuzz import KINDS
from test_formats_tables import by_loops, told

from gpu.formats import elements, gml, load_graph, markup, tables
from gpu.parsing import reading

DRAWS = 700
IDS = ["0", "1", "2", "3", "n1", "n2", "a b", "7", "007", "-0", "-4", "ä", "x" * 20]
WEIGHTS = ["1", "2.5", "3", "1e2", "9007199254740993"]
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    '<key id="w" for="edge" attr.name="weight" attr.type="double"/>\n'
    '<key id="c" for="edge" attr.name="cost" attr.type="double">%s</key>'
    '<key id="l" for="node" attr.name="label"/><key id="x" for="node" attr.name="x"/>'
    '<key id="y" for="node" attr.name="y"/>'
)


def graphml(chance: random.Random) -> str:
    """Return GraphML as programs write it, by chance with labels, places, defaults."""
    ids = chance.sample(IDS[:4] if chance.random() < 0.5 else IDS, 4)
    weighted, placed = chance.choice([0, 0.9, 1]), chance.random() < 0.5
    default = chance.choice(["", "", "<default>4</default>", "<default>x</default>"])
    text = HEAD % default + f'<graph edgedefault="{chance.choice(["directed", "undirected"])}">\n'
    for k, name in enumerate(ids):
        inner = f'<data key="x">{k}</data>\n<data key="y">-{k}.5</data>' if placed else ""
        inner += f'<data key="l">{name}</data>' if chance.random() < 0.3 else ""
        text += f'<node id="{name}">{inner}</node>\n' if inner else f"<node id='{name}' />\n"
    for k in range(chance.randrange(1, 20)):
        ends = f'source="{chance.choice(ids)}" target="{chance.choice(ids)}"'
        key = chance.choice("wwwwc") if weighted < 1 else "w"
        data = f'\n  <data key="{key}"> {chance.choice(WEIGHTS)}</data>\n'
        named = f' id="e{k}"' if chance.random() < 0.5 else ""
        inner = data if chance.random() < weighted else ""
        text += f"<edge{named} {ends}>{inner}</edge>\n" if inner else f"<edge {ends}/>\n"
    return text + "</graph></graphml>\n"


def gml_text(chance: random.Random) -> str:
    """Return GML as programs write it."""
    ids = chance.sample(IDS[:4] if chance.random() < 0.5 else ["1", "5", "9", "70"], 4)
    key, placed = chance.choice(["weight", "value", "label"]), chance.random() < 0.5
    text = chance.choice(["", 'Creator "x [y]"\n']) + f"graph [\n directed {chance.randrange(2)}\n"
    for k, name in enumerate(ids):
        inner = f' graphics [ x {k} y {k}.5 w 3 fill "#ff" ]' if placed else ""
        inner += f' label "{chance.choice(IDS)} ]"' if chance.random() < 0.5 else ""
        text += f"  node [\n    id {name}{inner}\n  ]\n"
    for _ in range(chance.randrange(1, 20)):
        inner = f"{key} {chance.choice(WEIGHTS)}" if chance.random() < 0.95 else ""
        text += f"  edge [ source {chance.choice(ids)}\n target {chance.choice(ids)} {inner} ]\n"
    return text + "]\n"


@pytest.mark.parametrize("suffix", ["graphml", "gml"])
def test_loops_read_what_the_plain_readers_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    chance, found = random.Random(8), list[object]()

    def watched(*given: object) -> object:
        found.append(elements.read_elements(*given))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(elements, "PAUSE_BYTES", 200)
    path, taken = tmp_path / f"g.{suffix}", 0
    for draw in range(DRAWS):
        text = (graphml if suffix == "graphml" else gml_text)(chance).encode()
        if draw % 2:
            content = bytearray(text)
            for _ in range(chance.randint(1, 3)):
                chance.choice(KINDS)(content, chance.randrange(len(content) + 1), chance)
            text = bytes(content)
        path.write_bytes(text)
        options = {"weights": ("file", "absolute", "unit")[draw % 3]}
        if draw % 5 == 0:
            options["weight_name"] = chance.choice(["weight", "cost", "value"])
        outcomes = []
        for compiled in (False, True):
            by_loops(monkeypatch, compiled)
            for reader in (markup, gml):
                monkeypatch.setattr(reader, "runs_compiled", lambda _size, flag=compiled: flag)
                monkeypatch.setattr(reader, "read_elements", watched)
            outcomes.append(told(path, **options))
        assert outcomes[0] == outcomes[1], text
        taken += any(graph is not None for graph in found)
        found.clear()
    assert taken > DRAWS / 4


MANY = 30_000
COSTLY = {
    "g.graphml": "<graphml><graph>"
    + "".join(f'<node id="{k}"/>' for k in range(MANY))
    + '<edge source="0" target="1"/></graph></graphml>',
    "g.gml": "graph ["
    + "".join(f"node [id {k}]" for k in range(MANY))
    + "edge [source 0 target 1 ]]",
    "g.csv": "".join(f"a{k},b\n" for k in range(MANY)),
    "q.csv": "".join(f'"{k % 7}","8"\n' for k in range(MANY)),
}


@pytest.mark.parametrize("name", COSTLY)
def test_what_loops_need_is_said_before_it_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The largest need that is asked for covers what is taken, the text and the graph included."""
    path = tmp_path / name
    path.write_text(COSTLY[name])
    by_loops(monkeypatch, True)
    for reader in (markup, gml):
        monkeypatch.setattr(reader, "runs_compiled", lambda _size: True)
    monkeypatch.setattr(tables, "SHARE_BYTES", 100_000)
    monkeypatch.setattr(reading, "FREE_BYTES", path.stat().st_size)
    monkeypatch.setattr(reading, "DISK_FACTOR", 1)
    said: list[str] = []
    load_graph(path, progress=lambda _share, words: said.append(words))
    needs = [float(words.split()[3]) for words in said if words.startswith("taking up to")]
    units = [words.split()[4] for words in said if words.startswith("taking up to")]
    scale = {"kB": 1e3, "MB": 1e6}
    tracemalloc.start()
    try:
        load_graph(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    told_bytes = sum(need * scale[unit] for need, unit in zip(needs, units, strict=True))
    assert peak <= told_bytes + path.stat().st_size + 3_000_000  # blocks of a thread: 0.5 MB each
