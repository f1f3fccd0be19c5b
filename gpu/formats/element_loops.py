"""Compiled loops over the nodes and edges of GraphML and GML, as programs write them.

    <node id="n1"><data key="x">1</data></node>    node [ id 1 label "n1" graphics [ x 1 y 2 ] ]
    <edge source="n1" target="n2"/>                edge [ source 1 target 2 value 2.5 ]

They go on as long as nodes and edges follow each other, flat as these are, and stop at the
first byte that is anything else: an entity, a comment, an element within an element. What
stops them inside a node or an edge is odd, and the whole file is left to the plain readers.

This module imports Numba (about a second): import it only to read a large file.
"""

# ruff: noqa: SIM110, PLR0911, PLR0912 - compiled loops: one long function is one kernel

from __future__ import annotations

import numpy as np

from gpu.compiled import compiled_lean
from gpu.parsing.interning import BLOCK, NAME_BYTES, SEED, has_room, hash_of, look_up, pack

SPACE, TAB, NEWLINE, RETURN = 32, 9, 10, 13
QUOTE, APOSTROPHE, AMPERSAND, SLASH, LESS, EQUAL, GREATER = 34, 39, 38, 47, 60, 61, 62
OPEN, CLOSE, HASH, MINUS, ZERO, NINE, UNDERSCORE = 91, 93, 35, 45, 48, 57, 95
ASCII = 127
ONE, TWO = np.uint64(1), np.uint64(2)
NODE, END = range(2)  # kinds of name: of a vertex, of an end of an edge

# rows of `cells`, int64 (2 * CELLS, 2), of an element and of one inside: where each begins and
# ends, 0 and 0 where it is not
ID, TAIL, HEAD, WEIGHT, X, Y, KEY, DIRECTED, CELLS = range(9)
# fields of `found`, int64: names met, bytes of weights and of places written, edges, those
# without a weight, those that say "true" and "false", nodes, those with a place, whether
# it is odd, whether something else was met
NAMES, WEIGHED, PLACED, EDGES, WITHOUT, TRUE, FALSE = range(7)
NODES, PLACES, ODD, STOPPED, FOUND = range(7, 12)


def _word(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


XML_WORDS = tuple(_word(text) for text in ("id", "source", "target", "key", "directed"))
NODE_WORD, EDGE_WORD, DATA_WORD = _word("node"), _word("edge"), _word("data")
ID_WORD, SOURCE_WORD, TARGET_WORD, KEY_WORD, DIRECTED_WORD = XML_WORDS
TRUE_WORD, FALSE_WORD = _word("true"), _word("false")
GRAPHICS_WORD, X_WORD, Y_WORD = _word("graphics"), _word("x"), _word("y")


@compiled_lean
def _is(text, begin, end, word):  # type: ignore[no-untyped-def]
    """Return whether text[begin:end] is a word."""
    if end - begin != np.uint64(len(word)):
        return False
    for k in range(len(word)):
        if text[begin + np.uint64(k)] != word[k]:
            return False
    return True


@compiled_lean
def _begins(text, at, stop, word):  # type: ignore[no-untyped-def]
    return at + np.uint64(len(word)) <= stop and _is(text, at, at + np.uint64(len(word)), word)


@compiled_lean
def _after_blanks(text, at, stop):  # type: ignore[no-untyped-def]
    while at < stop and (
        text[at] == SPACE or text[at] == NEWLINE or text[at] == TAB or text[at] == RETURN
    ):
        at += ONE
    return at


@compiled_lean
def _after_name(text, at, stop):  # type: ignore[no-untyped-def]
    """Return the end of the letters, digits and underscores at `at`."""
    while at < stop:
        letter = text[at] | 32
        if not (97 <= letter <= 122 or ZERO <= text[at] <= NINE or text[at] == UNDERSCORE):
            break
        at += ONE
    return at


@compiled_lean
def _known(text, begin, end, known, bounds):  # type: ignore[no-untyped-def]
    """Return which word known[bounds[k]:bounds[k + 1]] is text[begin:end], -1 for none."""
    for k in range(len(bounds) - 1):
        if np.uint64(bounds[k + 1] - bounds[k]) == end - begin:
            same, at = True, begin
            for place in range(bounds[k], bounds[k + 1]):
                same = same and text[at] == known[place]
                at += ONE
            if same:
                return np.int64(k)
    return np.int64(-1)


@compiled_lean
def _set(cells, field, begin, end):  # type: ignore[no-untyped-def]
    """Keep where a value stands; return whether it is the first one and not empty."""
    first = cells[field, 1] == 0 and end > begin
    cells[field, 0], cells[field, 1] = begin, end
    return first


@compiled_lean
def _xml_tag(text, at, stop, cells):  # type: ignore[no-untyped-def]
    """Take the attributes of a tag from behind its name; return (its end, whether it closes, good).

    Only those that XML_WORDS names are taken, once each.
    """
    while at < stop:
        begin = at
        at = _after_blanks(text, at, stop)
        if at + ONE < stop and text[at] == SLASH and text[at + ONE] == GREATER:
            return at + TWO, True, True
        if at < stop and text[at] == GREATER:
            return at + ONE, False, True
        end = _after_name(text, at, stop)
        good = at > begin and end + TWO < stop and text[end] == EQUAL
        if not good:
            break
        field = np.int64(-1)
        if _is(text, at, end, ID_WORD):
            field = np.int64(ID)
        elif _is(text, at, end, SOURCE_WORD):
            field = np.int64(TAIL)
        elif _is(text, at, end, TARGET_WORD):
            field = np.int64(HEAD)
        elif _is(text, at, end, KEY_WORD):
            field = np.int64(KEY)
        elif _is(text, at, end, DIRECTED_WORD):
            field = np.int64(DIRECTED)
        mark = text[end + ONE]
        at = end + TWO
        begin = at
        good = field >= 0 and mark in (QUOTE, APOSTROPHE)
        while good and at < stop and text[at] != mark:
            good = text[at] >= SPACE and text[at] != LESS and text[at] != AMPERSAND
            at += ONE
        if not good or at >= stop or not _set(cells, field, begin, at):
            break
        at += ONE
    return at, False, False


@compiled_lean
def graphml_element(text, at, stop, keys, bounds, roles, seen, cells):  # type: ignore[no-untyped-def]
    """Take one <node> or <edge> at `at`; return (its end, 0 node, 1 edge, -1 something else, good).

    Reads   keys, bounds: the ids of the declared attributes; roles int64 (4,): of WEIGHT, X, Y
    Writes  cells; seen int64 (keys + 1,): in what order edges had attributes; the last counts
    """
    kind = np.int64(-1)
    if _begins(text, at + ONE, stop, NODE_WORD):
        kind = np.int64(0)
    elif _begins(text, at + ONE, stop, EDGE_WORD):
        kind = np.int64(1)
    if text[at] != LESS or kind < 0:
        return at, np.int64(-1), True
    name = np.uint64(5)
    at, closed, good = _xml_tag(text, at + name, stop, cells)
    if cells[KEY, 1] or (kind == 0 and (cells[TAIL, 1] or cells[HEAD, 1] or cells[DIRECTED, 1])):
        return at, kind, False
    while good and not closed:
        at = _after_blanks(text, at, stop)
        if at + TWO >= stop or text[at] != LESS:
            return at, kind, False
        if text[at + ONE] == SLASH:
            word = _begins(text, at + TWO, stop, EDGE_WORD if kind else NODE_WORD)
            at += np.uint64(6)
            return at + ONE, kind, word and at < stop and text[at] == GREATER
        if not _begins(text, at + ONE, stop, DATA_WORD):
            return at, kind, False
        inner = cells[CELLS:]
        inner[:] = 0
        at, empty, good = _xml_tag(text, at + name, stop, inner)
        others = inner[ID, 1] + inner[TAIL, 1] + inner[HEAD, 1] + inner[DIRECTED, 1]
        if not good or others > 0 or inner[KEY, 1] == 0:
            return at, kind, False
        key = _known(text, np.uint64(inner[KEY, 0]), np.uint64(inner[KEY, 1]), keys, bounds)
        if key < 0:
            return at, kind, False
        if empty:
            continue
        at = begin = _after_blanks(text, at, stop)
        end = at
        while at < stop and text[at] != LESS:
            if text[at] in (AMPERSAND, GREATER):
                return at, kind, False
            if text[at] > SPACE:
                end = at + ONE
            elif text[at] < SPACE and text[at] not in (NEWLINE, TAB, RETURN):
                return at, kind, False
            at += ONE
        good = (
            at + TWO < stop and text[at + ONE] == SLASH and _begins(text, at + TWO, stop, DATA_WORD)
        )
        at += np.uint64(6)
        good = good and at < stop and text[at] == GREATER
        at += ONE
        if end > begin:
            if kind == 1 and seen[key] == 0:
                seen[len(seen) - 1] += 1
                seen[key] = seen[len(seen) - 1]
            if kind == 1 and key == roles[0]:
                good = good and _set(cells, WEIGHT, begin, end)
            elif kind == 0 and key == roles[1]:
                good = good and _set(cells, X, begin, end)
            elif kind == 0 and key == roles[2]:
                good = good and _set(cells, Y, begin, end)
    return at, kind, good


@compiled_lean
def _gml_pair(text, at, stop):  # type: ignore[no-untyped-def]
    """Return (key's begin and end, value's begin and end, behind, kind) of a pair at `at`.

    kind : 0 a word, 1 in quotes, 2 an open bracket, -1 no pair
    """
    end = _after_name(text, at, stop)
    begin = _after_blanks(text, end, stop)
    odd = at >= stop or end in (at, begin) or begin >= stop
    if odd or ZERO <= text[at] <= NINE:
        return at, end, begin, begin, begin, np.int64(-1)
    if text[begin] == OPEN:
        return at, end, begin, begin, begin + ONE, np.int64(2)
    if text[begin] == QUOTE:
        close = begin + ONE
        while close < stop and text[close] != QUOTE:
            close += ONE
        behind = close + ONE
        if behind >= stop or not (text[behind] <= SPACE or text[behind] == CLOSE):
            return at, end, begin, begin, begin, np.int64(-1)
        return at, end, begin + ONE, close, behind, np.int64(1)
    close = begin
    while close < stop and text[close] > SPACE and text[close] != CLOSE:
        if text[close] in (OPEN, QUOTE, HASH) or text[close] > ASCII:
            return at, end, begin, begin, begin, np.int64(-1)
        close += ONE
    return at, end, begin, close, close, np.int64(0 if close > begin else -1)


@compiled_lean
def _gml_name(text, begin, end):  # type: ignore[no-untyped-def]
    """Return whether an id is one as it stands: no entity, no number in an odd spelling."""
    for at in range(begin, end):
        if text[at] == AMPERSAND or text[at] < SPACE:
            return False
    first = begin + ONE if begin < end and text[begin] == MINUS else begin
    return not (
        first + ONE < end and text[first] == ZERO and ZERO <= text[first + ONE] <= NINE
    ) and not (first > begin and first < end and text[first] == ZERO)


@compiled_lean
def gml_element(text, at, stop, keys, bounds, roles, seen, cells):  # type: ignore[no-untyped-def]
    """Do what `graphml_element` does, of `node [ ... ]` or `edge [ ... ]`.

    keys : what edges may have, up to roles[3], and behind it what nodes must not
    """
    kind = np.int64(-1)
    if _begins(text, at, stop, NODE_WORD):
        kind = np.int64(0)
    elif _begins(text, at, stop, EDGE_WORD):
        kind = np.int64(1)
    if kind < 0:
        return at, kind, True
    at = _after_blanks(text, at + np.uint64(4), stop)
    if at >= stop or text[at] != OPEN:
        return at, kind, False
    at, inner, graphics = at + ONE, False, False
    while True:
        at = _after_blanks(text, at, stop)
        if at < stop and text[at] == CLOSE:
            at += ONE
            if not inner:
                return at, kind, True
            inner = False
            continue
        key, end, begin, close, at, form = _gml_pair(text, at, stop)
        if form < 0 or (form == 2 and inner):
            return at, kind, False
        good = True
        if inner:
            if graphics and kind == 0 and _is(text, key, end, X_WORD):
                good = form == 0 and _set(cells, X, begin, close)
            elif graphics and kind == 0 and _is(text, key, end, Y_WORD):
                good = form == 0 and _set(cells, Y, begin, close)
        elif form == 2:
            inner, graphics = True, _is(text, key, end, GRAPHICS_WORD)
            good = not graphics or _set(cells, KEY, key, end)
        if not inner:
            name = np.int64(-1)
            if kind == 0 and _is(text, key, end, ID_WORD):
                name = np.int64(ID)
            elif kind == 1 and _is(text, key, end, SOURCE_WORD):
                name = np.int64(TAIL)
            elif kind == 1 and _is(text, key, end, TARGET_WORD):
                name = np.int64(HEAD)
            if name >= 0:
                good = _gml_name(text, begin, close) and _set(cells, name, begin, close)
        if not good:
            return at, kind, False
        if (not inner and name < 0) or form == 2:
            known = _known(text, key, end, keys, bounds)
            if kind == 0 and known >= roles[3]:
                return at, kind, False
            if kind == 1 and (known < 0 or known >= roles[3]):
                return at, kind, False
            if kind == 1 and seen[known] == 0:
                seen[len(seen) - 1] += 1
                seen[known] = seen[len(seen) - 1]
            if (
                kind == 1
                and known == roles[0]
                and (form != 0 or not _set(cells, WEIGHT, begin, close))
            ):
                return at, kind, False


@compiled_lean
def _copied(text, begin, end, out, filled):  # type: ignore[no-untyped-def]
    """Copy text[begin:end]; return where it ends in `out`, -1 if there is a blank in it."""
    good = True
    for at in range(np.uint64(begin), np.uint64(end)):
        good = good and text[at] > SPACE
        out[filled] = text[at]
        filled += 1
    return filled if good else np.int64(-1)


@compiled_lean
def _take_edge(text, cells, default, weights, found):  # type: ignore[no-untyped-def]
    """Count an edge and copy its weight, or the default; return whether that is one word."""
    found[EDGES] += 1
    if cells[WEIGHT, 1] > 0:
        filled = _copied(text, cells[WEIGHT, 0], cells[WEIGHT, 1], weights, found[WEIGHED])
    else:
        found[WITHOUT] += 1
        filled = _copied(default, 0, len(default), weights, found[WEIGHED])
    begin, end = np.uint64(cells[DIRECTED, 0]), np.uint64(cells[DIRECTED, 1])
    found[TRUE] += _is(text, begin, end, TRUE_WORD)
    found[FALSE] += _is(text, begin, end, FALSE_WORD)
    if filled < 0:
        return False
    weights[filled] = NEWLINE
    found[WEIGHED] = filled + 1
    return True


@compiled_lean
def _take_node(text, cells, places, found):  # type: ignore[no-untyped-def]
    """Count a node and copy its place, if it has one; return whether that is two words."""
    found[NODES] += 1
    if cells[X, 1] <= 0 or cells[Y, 1] <= 0:
        return True
    filled = _copied(text, cells[X, 0], cells[X, 1], places, found[PLACED])
    if filled < 0:
        return False
    places[filled] = SPACE
    filled = _copied(text, cells[Y, 0], cells[Y, 1], places, filled + 1)
    if filled < 0:
        return False
    places[filled] = NEWLINE
    found[PLACED] = filled + 1
    found[PLACES] += 1
    return True


@compiled_lean
def scan_elements(  # type: ignore[no-untyped-def]
    text, start, pause, stop, gml, keys, bounds, roles, default, table, words, state, block,
    cells, seen, numbers, kinds, weights, places, found,
):  # fmt: skip
    """Read nodes and edges from `start` on, none that begins behind `pause`.

    Reads    gml: whether it is that; default uint8: the weight of an edge without one; the rest
             as in the element's loop
    Scratch  block, as in `scan_names`; cells int64 (2 * CELLS, 2)
    Writes   numbers int32, kinds uint8: of each id and end met, in order; weights and places
             uint8: lines of text; found int64[FOUND], which goes on where it was left
    Returns  where it stopped: at `pause`, for want of room, or at something else
    """
    at, pause, stop = np.uint64(start), np.uint64(pause), np.uint64(stop)
    records, begins, hashes = block
    going = True
    while going and at < pause and found[ODD] == 0 and has_room(table, words, state, BLOCK):
        count, packed, first = np.int64(0), np.uint64(0), found[NAMES]
        while at < pause and count + 2 <= len(begins):
            at = _after_blanks(text, at, stop)
            if at >= stop:
                break
            cells[:] = 0
            if gml:
                at, kind, good = gml_element(text, at, stop, keys, bounds, roles, seen, cells)
            else:
                at, kind, good = graphml_element(text, at, stop, keys, bounds, roles, seen, cells)
            if kind < 0:
                going = False
                break
            for field in range(TAIL if kind else ID, (HEAD if kind else ID) + 1):
                begin, end = np.uint64(cells[field, 0]), np.uint64(cells[field, 1])
                good = good and end > begin and end - begin <= NAME_BYTES
                if good:
                    last = pack(text, begin, end, False, records, packed)
                    begins[count], hashes[count] = (
                        packed,
                        hash_of(records, packed, last, state[SEED]),
                    )
                    kinds[first + count] = END if kind else NODE
                    packed = last
                    count += 1
            if kind == 1:
                good = _take_edge(text, cells, default, weights, found) and good
            else:
                good = _take_node(text, cells, places, found) and good
            if not good:
                found[ODD] = 1
                going = False
                break
        found[NAMES] += count
        if not look_up(
            records, begins, hashes, count, table, words, state, numbers[first : first + count]
        ):
            found[ODD] = 1
    if not going and found[ODD] == 0:
        found[STOPPED] = 1
    return np.int64(at)
