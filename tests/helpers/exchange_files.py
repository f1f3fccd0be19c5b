"""The tiny graphs of `test_formats` as other programs write them: one text a format.

DIRECTED holds ARCS of `test_formats`, TRIANGLE its EDGES, both without parallel arcs lost.
"""

ARCS = [(0, 1, 3), (0, 2, 1), (0, 2, 5), (1, 1, 2), (2, 3, 0), (3, 0, 7)]
EDGES = [(0, 1, 3), (0, 2, 1), (1, 2, 4)]
GRAPHML_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    '<key id="w" for="edge" attr.name="weight" attr.type="double"/>\n'
    '<key id="x" for="node" attr.name="x" attr.type="double"/>\n'
    '<key id="y" for="node" attr.name="y" attr.type="double"/>\n'
)
GEXF_HEAD = (
    '<?xml version="1.0"?><!-- c -->\n<gexf xmlns="http://www.gexf.net/1.2draft" '
    'xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">\n'
)


def graphml(arcs: list, n: int, directed: bool) -> str:
    nodes = "".join(
        f'<node id="{v}"><data key="x">{v}</data><data key="y">{-v}.5</data></node>\n'
        for v in range(n)
    )
    edges = "".join(
        f'<edge source="{u}" target="{v}"><data key="w">{w}</data></edge>\n' for u, v, w in arcs
    )
    kind = "directed" if directed else "undirected"
    return f'{GRAPHML_HEAD}<graph edgedefault="{kind}">\n{nodes}{edges}</graph></graphml>\n'


def gexf(arcs: list, n: int, directed: bool) -> str:
    nodes = "".join(
        f'<node id="{v}" label="v"><viz:position x="{v}" y="{-v}.5" z="0"/></node>\n'
        for v in range(n)
    )
    edges = "".join(f'<edge source="{u}" target="{v}" weight="{w}.0"/>\n' for u, v, w in arcs)
    kind = "directed" if directed else "undirected"
    return (
        f'{GEXF_HEAD}<graph defaultedgetype="{kind}"><nodes>\n{nodes}</nodes>\n'
        f"<edges>{edges}</edges></graph></gexf>\n"
    )


def gml(arcs: list, n: int, directed: bool) -> str:
    nodes = "".join(
        f'  node [ id {v} label "é{v}" graphics [ x {v} y {v}.5 ] ]\n' for v in range(n)
    )
    edges = "".join(f"  edge [ source {u} target {v} value {w} ]\n" for u, v, w in arcs)
    return f'Creator "x y"\ngraph\n[\n  directed {int(directed)}\n{nodes}{edges}]\n'


def pajek(arcs: list, n: int, section: str) -> str:
    nodes = "".join(f'{v + 1} "v {v}" {v} {v}.5 ellipse\n' for v in range(n))
    rows = "".join(f"{u + 1} {v + 1} {w}\n" for u, v, w in arcs)
    return f"*Network x\n% c\n*Vertices {n}\r\n{nodes}{section}\n{rows}"


DIRECTED: dict[str, str] = {
    "graphml": graphml(ARCS, 4, True),
    "gexf": gexf(ARCS, 4, True),
    "gml": gml(ARCS, 4, True),
    "pajek": pajek(ARCS, 4, "*Arcs"),
    "edge_list": "Id,Source,Target,Label,Weight\n"
    + "".join(f'{k},{u},{v},"a, b",{w}\n' for k, (u, v, w) in enumerate(ARCS)),
}
TRIANGLE: dict[str, str] = {
    "graphml": graphml(EDGES, 3, False),
    "gexf": gexf(EDGES, 3, False),
    "gml": gml(EDGES, 3, False),
    "pajek": pajek(EDGES, 3, "*Edges :1 'x'"),
    "pajek mixed": pajek(EDGES[:2], 3, "*Edges") + "*Arcs\n2 3 4\n3 2 4\n",
    "pajek matrix": "# c\n*Vertices 3\n*Matrix\n0 3 1\n3 0 4.0\n1 4 0\n",
    "edge_list": "Weight;Target;Source;Type\n"
    + "".join(f"{w};{v};{u};Undirected\n" for u, v, w in EDGES),
}
