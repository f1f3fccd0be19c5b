"""Workers and work lists at one event, painted: cells with flags, buckets with their items.

A cell per worker says its assignment flag: idle, or its bucket, how many items it was handed and
the vertex in its hands. Below, a row per bucket (pile, heap, list): its bounds, the manager's
pointers, and a chip per item with vertex and distance; dashed while its write is not complete,
tinted once handed to a worker ("▸ w0"), struck out once taken. What the event shown touches is
outlined.
"""

from __future__ import annotations

import numpy as np
from PyQt6.QtCore import QRectF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PyQt6.QtWidgets import QWidget

from gpu.algorithms import Algorithm
from gpu.record.events import MANAGER, EventKind
from gpu.replay.explain import place_words
from gpu.replay.state import Hand, Item, State
from gpu.words import distance
from viewer.common.glossary import explain
from viewer.common.theme import LIGHT, SPACING, Theme, mix
from viewer.features.microscope.model import COUNTERS, MicroscopeModel

MOST_CELLS = 48  # workers drawn; the rest is a number
MOST_CHIPS = 60  # items of a bucket drawn
CELL = 132.0  # pixels, the least width of a worker's cell
IN_BUCKET = frozenset(
    {
        EventKind.PUSH, EventKind.POP, EventKind.STALE, EventKind.CLIP, EventKind.RESERVE,
        EventKind.WRITTEN, EventKind.ASSIGN, EventKind.FINISH, EventKind.BLOCK_TAKEN,
        EventKind.BLOCK_FREED, EventKind.STAY, EventKind.LEAVE, EventKind.SKIP, EventKind.DEFER,
    }
)  # fmt: skip


def hand_sign(noun: str, number: int) -> str:
    """Return a worker or block in two signs, "w0": a bare 0 reads as a vertex or a distance."""
    return f"{noun[0]}{number}"


class Board(QWidget):
    """Paints a MicroscopeModel; see the module docstring."""

    lit = pyqtSignal(int, int)  # top and bottom of the bucket that the event shown touches

    def __init__(self, model: MicroscopeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lit_at: tuple[int, tuple[int, int] | None] = (-1, None)
        self._model, self._theme, self._workers = model, LIGHT, 0
        self.setMinimumSize(200, 200)
        self.setAccessibleName("Workers and buckets")
        self.setToolTip(explain("pointers"))
        model.moved.connect(self.update)
        model.replay_changed.connect(self._count_workers)
        self._count_workers()

    def apply_theme(self, theme: Theme) -> None:
        """Take the colours of a theme."""
        self._theme = theme
        self.update()

    def _count_workers(self) -> None:
        from gpu.devices import find_preset

        replay, record = self._model.replay, self._model.record
        self._workers = 0
        if replay is not None and record is not None:
            environment = record.trace.environment if record.trace is not None else {}
            started = record.settings.parameters.get("workers") or environment.get("workers") or 0
            if not started and replay.state.ring:
                started = find_preset(record.settings.device).workers
            self._workers = max(int(replay.events["worker"].max()) + 1, int(started))
        self.update()

    def paintEvent(self, a0: QPaintEvent | None) -> None:
        """Paint everything; ask for another height where it does not fit."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state, record = self._model.state, self._model.record
        if state is None or record is None:
            return
        pen = _Pen(painter, self._theme, self.width(), self._model)
        pen.workers(state, record.algorithm, self._workers)
        pen.lists(state, record.algorithm)
        painter.end()
        now = (self._model.position, pen.lit_at)
        if now != self._lit_at:
            self._lit_at = now
            if pen.lit_at is not None:
                self.lit.emit(*pen.lit_at)
        needed = int(pen.y + SPACING)
        if needed != self.minimumHeight():
            self._lit_at = (-1, None)  # said again once there is room to scroll to it
            self.setMinimumHeight(needed)


class _Pen:
    """Paints from top to bottom; `y` is how far it came."""

    def __init__(self, painter: QPainter, theme: Theme, width: int, model: MicroscopeModel) -> None:
        self.painter, self.theme, self.model = painter, theme, model
        self.left, self.right = float(SPACING), float(width - SPACING)
        self.metrics = QFontMetricsF(painter.font())
        self.line = self.metrics.height()
        self.y = 2.0
        self.noun = "worker"
        event = model.shown
        self.worker = int(event["worker"]) if event is not None else MANAGER
        self.bucket, self.vertex, self.places = None, -1, range(0)
        self.lit_at: tuple[int, int] | None = None
        if event is not None and model.kind in IN_BUCKET:
            self.bucket, first = int(event["b"]), int(event["a"])
            if model.kind in (EventKind.ASSIGN, EventKind.WRITTEN):
                count = int(event["c"]) if model.kind == EventKind.ASSIGN else 1
                self.places = range(first, first + count)
            elif model.kind not in COUNTERS:
                self.vertex = first

    def title(self, words: str, more: str = "") -> None:
        self.y += SPACING / 2
        box = QRectF(self.left, self.y, self.right - self.left, self.line)
        wide = self.text(box, words, self.theme.text, bold=True)
        self.text(box.adjusted(wide + 2 * SPACING, 0, 0, 0), more, self.theme.muted)
        self.y += self.line + SPACING / 2

    # --- workers

    def workers(self, state: State, row: Algorithm, count: int) -> None:
        busy = sum(not hand.idle for hand in state.workers.values())
        self.noun = "block" if row.result == "matrix" else "worker"
        self.title(f"{self.noun.capitalize()}s", f"{busy} of {count} busy")
        shown = list(range(count))
        if count > MOST_CELLS:
            busy_ones = [k for k, hand in sorted(state.workers.items()) if not hand.idle]
            rest = [k for k in shown if k not in set(busy_ones)]
            shown = sorted((busy_ones + rest)[:MOST_CELLS])
        gap = 6.0
        across = max(1, int((self.right - self.left + gap) // (CELL + gap)))
        width = (self.right - self.left + gap) / across - gap
        height = 2 * self.line + 8
        for place, number_ in enumerate(shown):
            x = self.left + (place % across) * (width + gap)
            y = self.y + (place // across) * (height + gap)
            self.cell(QRectF(x, y, width, height), number_, state, row)
        self.y += -(-len(shown) // across) * (height + gap)
        if count > len(shown):
            self.note(f"and {count - len(shown):,} more, idle")

    def cell(self, box: QRectF, worker: int, state: State, row: Algorithm) -> None:
        hand, theme = state.workers.get(worker, Hand()), self.theme
        acting = worker == self.worker
        fill = theme.base if hand.idle else mix(theme.base, theme.accent, 0.16)
        self.painter.setPen(
            QPen(QColor(theme.accent if acting else theme.border), 2.4 if acting else 1)
        )
        self.painter.setBrush(QColor(fill))
        self.painter.drawRoundedRect(box, 5, 5)
        inside = box.adjusted(7, 4, -7, -4)
        top = QRectF(inside.x(), inside.y(), inside.width(), self.line)
        below = top.translated(0, self.line)
        wide = self.text(top, hand_sign(self.noun, worker), theme.text, bold=True) + 6
        flag, doing = self.words(hand, row)
        ink = theme.muted if hand.idle else theme.text
        self.text(top.adjusted(wide, 0, 0, 0), flag, ink, right=True)
        self.text(below, doing, theme.text)

    def words(self, hand: Hand, row: Algorithm) -> tuple[str, str]:
        graph = self.model.replay.graph  # type: ignore[union-attr]
        if hand.idle:
            return "idle", f"{len(hand.collected)} set aside" if hand.collected else ""
        at = f"u={graph.id_of(hand.vertex)}" if hand.vertex >= 0 else "reads its piece"
        if hand.arc >= 0:
            at += f" → {graph.id_of(int(graph.indices[hand.arc]))}"
        if hand.source >= 0:
            rounds = f"round {max(0, self.rounds(hand) - 1)}"
            doing = f"{rounds} · {at}" if hand.vertex >= 0 else rounds
            return f"s={graph.id_of(hand.source)}", doing
        if hand.collected:
            names = [str(graph.id_of(vertex)) for vertex, _ in hand.collected]
            few = " ".join(names) if len(names) < 5 else f"{len(names)} items"
            at += f", aside: {few}"
        if hand.bucket < 0:
            return "busy", at
        return f"{place_words(row, hand.bucket)} × {hand.count}", at

    def rounds(self, hand: Hand) -> int:
        state = self.model.state
        return state.rounds.get(hand.source, 0) if state is not None else 0

    def text(
        self, box: QRectF, words: str, colour: str, right: bool = False, bold: bool = False
    ) -> float:
        """Write words as far as they fit; return how wide that is."""
        font = self.painter.font()
        font.setBold(bold)
        self.painter.setFont(font)
        metrics = QFontMetricsF(font)
        words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, box.width())
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        self.painter.setPen(QColor(colour))
        self.painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, words)
        font.setBold(False)
        self.painter.setFont(font)
        return metrics.horizontalAdvance(words)

    def note(self, words: str) -> None:
        box = QRectF(self.left, self.y, self.right - self.left, self.line)
        self.text(box, words, self.theme.muted)
        self.y += self.line + SPACING / 2

    # --- work lists

    def lists(self, state: State, row: Algorithm) -> None:
        if state.ring:
            first = f"head {state.head}, open {state.open_heads}, Δ {distance(state.delta)}"
            self.title("Buckets", first)
        elif row.result == "matrix":
            done = f"{state.sources_done} sources done, {state.running} at work"
            self.title("Sources", done)
        elif state.round >= 0:
            end = f", below {distance(state.threshold)}" if np.isfinite(state.threshold) else ""
            phase = ("", ", light edges", ", heavy edges")[state.phase + 1]
            self.title("Work lists", f"superstep {state.round}{end}{phase}")
        else:
            self.title("Work lists")
        for bucket in self.shown(state, row):
            self.bucket_row(state, row, bucket)

    def shown(self, state: State, row: Algorithm) -> list[int]:
        held = {bucket for bucket, items in state.buckets.items() if items}
        held |= {bucket for bucket, waits in state.deferred.items() if waits}
        if state.ring:
            held |= set(range(state.head, state.head + state.open_heads))
            held |= {b for b, p in state.pointers.items() if p.reserved != p.completed}
        elif row.result == "matrix":
            held |= {worker for worker, hand in state.workers.items() if hand.source >= 0}
        elif not row.bucketed:
            held.add(0)
        else:
            held |= {0, 1} if state.phase < 0 else {state.head}
        if self.bucket is not None:
            held.add(self.bucket)
        return sorted(held)

    def bucket_row(self, state: State, row: Algorithm, bucket: int) -> None:
        theme, top = self.theme, self.y
        lit = bucket == self.bucket
        label = self.label(state, row, bucket)
        label = label[0].upper() + label[1:]
        parts = self.said_of(state, bucket)
        self.y += 4
        head = QRectF(self.left + 8, self.y, self.right - self.left - 16, self.line)
        tag = self.tag(state, bucket)
        name = f"{label}{tag}"
        self.text(head, name, theme.text, bold=True)
        wide = self.metrics.horizontalAdvance(name) * 1.12 + 2 * SPACING
        words = " · ".join(parts)
        if wide + self.metrics.horizontalAdvance(words) > head.width():
            self.y += self.line
            head, wide = head.translated(0, self.line), 0.0
        self.text(head.adjusted(wide, 0, 0, 0), words, theme.muted)
        self.y += self.line + 4
        items = state.buckets.get(bucket, [])
        if label == "The heap":
            items = sorted(items, key=lambda item: item.dist)
        if items or row.result == "row":
            self.chips(state, items)
        self.y += 4
        colour = theme.accent if lit else theme.border
        self.painter.setPen(QPen(QColor(colour), 2.0 if lit else 1.0))
        self.painter.setBrush(Qt.BrushStyle.NoBrush)
        self.painter.drawRoundedRect(
            QRectF(self.left, top, self.right - self.left, self.y - top), 5, 5
        )
        if lit:
            self.lit_at = (int(top), int(self.y))
        self.y += 5

    def said_of(self, state: State, bucket: int) -> list[str]:
        """Return a bucket's bounds, pointers, blocks and what waits in it for heavy arcs."""
        parts, pointers = [], state.pointers.get(bucket)
        if state.ring or state.phase >= 0:
            low = state.base + (bucket - state.head) * state.delta
            high, items = low + state.delta, state.buckets.get(bucket, [])
            clipped = ", and clipped" if any(item.dist >= high for item in items) else ""
            parts.append(f"{distance(low)} to {distance(high)}{clipped}")
        if state.ring and pointers is not None:
            parts.append(
                f"read {pointers.read} · resv_ptr {pointers.reserved} · "
                f"WCC {pointers.written} · CWC {pointers.completed}"
            )
            if pointers.blocks:
                parts.append(f"memory block {', '.join(map(str, pointers.blocks))}")
        waits = state.deferred.get(bucket, [])
        if waits:
            graph = self.model.replay.graph  # type: ignore[union-attr]
            names = ", ".join(str(graph.id_of(vertex)) for vertex in waits[:MOST_CELLS])
            parts.append(f"heavy edges wait: {names}")
        return parts

    def label(self, state: State, row: Algorithm, bucket: int) -> str:
        hand = state.workers.get(bucket)
        if row.result == "row" or hand is None or hand.source < 0:
            return place_words(row, bucket)
        graph = self.model.replay.graph  # type: ignore[union-attr]
        reached = int(np.isfinite(state.rows[hand.source]).sum())
        source = f"block {bucket}: source {graph.id_of(hand.source)}"
        return f"{source}, round {max(0, self.rounds(hand) - 1)}, {reached} of {graph.n} reached"

    def tag(self, state: State, bucket: int) -> str:
        if not state.ring:
            return ""
        slot = f" (slot {bucket % state.ring})" if bucket >= state.ring else ""
        if bucket == state.head:
            return f"{slot}, head"
        return f"{slot}, open" if bucket < state.head + state.open_heads else slot

    def chips(self, state: State, items: list[Item]) -> None:
        x, height = self.left + 8, self.line + 6
        if not items:
            self.text(QRectF(x, self.y, 120, height), "empty", self.theme.muted)
            self.y += height
            return
        for item in items[:MOST_CHIPS]:
            words = self.chip_words(state, item)
            width = self.metrics.horizontalAdvance(words) + 16
            if x + width > self.right - 8 and x > self.left + 8:
                x, self.y = self.left + 8, self.y + height + 4
            self.chip(QRectF(x, self.y, width, height), words, item)
            x += width + 5
        self.y += height
        if len(items) > MOST_CHIPS:
            self.y += 3
            self.note(f"   and {len(items) - MOST_CHIPS:,} more")

    def chip_words(self, state: State, item: Item) -> str:
        graph = self.model.replay.graph  # type: ignore[union-attr]
        held = f" ▸ {hand_sign(self.noun, item.worker)}" if item.worker != MANAGER else ""
        return f"{graph.id_of(item.vertex)}: {distance(item.dist)}{held}"

    def chip(self, box: QRectF, words: str, item: Item) -> None:
        theme = self.theme
        lit = (item.vertex == self.vertex or item.place in self.places) and not item.taken
        ink = theme.data.event if lit else theme.border if item.taken else theme.muted
        pen = QPen(QColor(ink), 2.0 if lit else 1.2)
        if not item.written:
            pen.setStyle(Qt.PenStyle.DashLine)
        fill = theme.base
        if item.worker != MANAGER:
            fill = mix(theme.base, theme.accent, 0.08 if item.taken else 0.22)
        self.painter.setPen(pen)
        self.painter.setBrush(QColor(fill))
        self.painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        font = self.painter.font()
        font.setStrikeOut(item.taken)
        self.painter.setFont(font)
        self.painter.setPen(QColor(theme.muted if item.taken else theme.text))
        self.painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        font.setStrikeOut(False)
        self.painter.setFont(font)
