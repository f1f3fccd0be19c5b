"""Rows from the device to the caller's array while the next ones are computed.

Sources are cut into chunks. A chunk is computed into a slot of device memory, copied to pinned
staging memory in pieces, and from there by a few threads into the caller's array or memory map. All
three go on at once, and two chunks may be computed at once.

Samples are made here from counters in device memory, one slot a block, fetched every millisecond.
Stop and a delta held by hand go the other way. A stopped run leaves whole chunks.
"""

from __future__ import annotations

import queue
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from gpu.cuda import watchdog
from gpu.cuda.apsp_records import CONTROL, JOB, PROGRESS, Shape, job_records, plan_chunks
from gpu.cuda.device import Device
from gpu.cuda.launch import SPARE_BYTES, device_graph
from gpu.cuda.records import bits_of
from gpu.engine import EngineOutcome, Observer, RunBuffers
from gpu.errors import EngineError
from gpu.graph import CSRGraph
from gpu.record.trace import SAMPLE, Flag, Probe, Reason, RunSettings

POLL_S = 2e-4  # between two looks at Stop
PERIOD_NS = 1_000_000  # between two samples
PIECE_BYTES = 1 << 24  # copied at a time
STAGING = 8  # pieces in pinned memory
MOVERS = 10  # threads that copy out of staging


class Conveyor:
    """One run: chunks computed, copied, handed over."""

    def __init__(
        self,
        graph: CSRGraph,
        settings: RunSettings,
        buffers: RunBuffers,
        device: Device,
        shape: Shape,
        first: int,
        count: int,
    ) -> None:
        import cupy

        self._cupy, self._graph, self._device, self._shape = cupy, graph, device, shape
        self._first, self._count, self._buffers = first, count, buffers
        self._probe = settings.probe
        self._period_s = (settings.sample_period_ns or PERIOD_NS) / 1e9
        self._streams = [cupy.cuda.Stream(non_blocking=True) for _ in range(1 + shape.overlap)]
        self._copies = cupy.cuda.Stream(non_blocking=True)
        self._signals = cupy.cuda.Stream(non_blocking=True)
        levels = settings.probe >= Probe.VERTICES
        self.plan = plan_chunks(graph, count, shape, levels, self._free_bytes())
        self._allocate_device()
        self._allocate_pinned()
        self._fill_jobs()
        self._stopping = False
        self._failure: BaseException | None = None
        self._moved = threading.Event()
        self._sequence, self._last_t, self._held = 0, 0, False
        self._done = 0  # sources, when last looked at

    # ---- memory -----------------------------------------------------------------------

    def _free_bytes(self) -> int:
        cupy = self._cupy
        pool = int(cupy.get_default_memory_pool().free_bytes())
        return int(cupy.cuda.runtime.memGetInfo()[0]) + pool - SPARE_BYTES

    def _allocate_device(self) -> None:
        cupy, graph, shape = self._cupy, self._graph, self._shape
        entries, bits = self.plan.rows * graph.n, bits_of(graph.weights.dtype)
        self._rows = [cupy.empty(entries, bits) for _ in range(self.plan.slots)]
        self._taken = cupy.zeros(self.plan.chunks, np.uint32)
        self._control = cupy.zeros(CONTROL.itemsize, np.uint8)
        self._counters = cupy.zeros(2 * shape.blocks * PROGRESS.itemsize, np.uint8)
        self._bits = cupy.empty(max(2 * shape.blocks * shape.scratch, 1), np.uint32)
        self._tails = cupy.zeros(1, np.uint32)
        if shape.wants_tails and graph.m:
            tails = np.repeat(np.arange(graph.n, dtype=np.uint32), np.diff(graph.indptr))
            self._tails = cupy.asarray(tails)
        kept = self._count if self._probe >= Probe.VERTICES else 1
        self._begun, self._ended = (cupy.full(kept, -1, np.int64) for _ in range(2))
        self._rounds = cupy.zeros(kept, np.uint32)

    def _allocate_pinned(self) -> None:
        self._memory = self._cupy.cuda.alloc_pinned_memory(self._counters.nbytes)
        self._progress = np.frombuffer(self._memory, PROGRESS, 2 * self._shape.blocks)
        self._progress[:] = np.zeros(1, PROGRESS)
        self._fetched: Any = None  # the event after the last copy of the counters
        entries, kind = self._count * self._graph.n, self._buffers.dist.dtype
        self._piece = min(PIECE_BYTES // kind.itemsize, entries)
        pieces = min(STAGING, -(-entries // self._piece))
        self._staging = [
            self._cupy.cuda.alloc_pinned_memory(kind.itemsize * self._piece) for _ in range(pieces)
        ]
        self._staged = [np.frombuffer(memory, kind, self._piece) for memory in self._staging]

    def _fill_jobs(self) -> None:
        """Write one record a chunk and take them to the device."""
        uploaded = device_graph(self._graph, self._device)
        addresses = {
            "rows": uploaded.rows.data.ptr,
            "arcs": uploaded.arcs.data.ptr,
            "tails": self._tails.data.ptr,
            "bits": self._bits.data.ptr,
            "taken": self._taken.data.ptr,
            "control": self._control.data.ptr,
            "progress": self._counters.data.ptr,
            "begun": self._begun.data.ptr,
            "ended": self._ended.data.ptr,
            "rounds": self._rounds.data.ptr,
        }
        slots = [rows.data.ptr for rows in self._rows]
        jobs = job_records(self._graph, self._shape, self.plan, self._first, addresses, slots)
        raw = jobs.view(np.uint8).reshape(len(jobs), JOB.itemsize)
        self._jobs = self._cupy.asarray(raw)

    # ---- the run ----------------------------------------------------------------------

    def run(self, observer: Observer, delta: float) -> EngineOutcome:
        """Compute, copy and watch to the end or to Stop; raise what ended it early."""
        with watchdog.waiting_for_gpu() as self._hear:
            return self._run(observer, delta)

    def _run(self, observer: Observer, delta: float) -> EngineOutcome:
        self._delta = self._own_delta = delta
        self._cupy.cuda.get_current_stream().synchronize()  # the stream of signals waits for none
        self._set_delta(delta)
        limit = np.array([watchdog.LIMIT_S * 1e3]).astype(np.uint32)
        self._control[20:24].set(limit.view(np.uint8), stream=self._signals)
        self._signals.synchronize()
        ready: queue.SimpleQueue[tuple[int, Any] | None] = queue.SimpleQueue()
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for slot in range(self.plan.slots):
            self._free.put(slot)
        mover = threading.Thread(target=self._move, args=(ready,), daemon=True)
        mover.start()
        self._started = time.perf_counter()
        self._due = 0.0
        try:
            self._launch_all(observer, ready)
            ready.put(None)
            while not self._moved.is_set():
                self._serve(observer)
                self._moved.wait(POLL_S)
        except BaseException:
            self._end_kernels()
            raise
        finally:
            ready.put(None)
            mover.join()
        if self._failure is not None:
            self._end_kernels()
            raise self._failure
        return self._finish(observer)

    def _launch_all(self, observer: Observer, ready: queue.SimpleQueue[Any]) -> None:
        cupy, shape = self._cupy, self._shape
        self._begin_event = cupy.cuda.Event()
        self._last_events: list[Any] = []
        with self._streams[0] as stream:
            self._begin_event.record(stream)
            shape.begin((1,), (1,), (self._control,))
            begun = cupy.cuda.Event(disable_timing=True)
            begun.record(stream)
        self._streams[-1].wait_event(begun)
        for chunk in range(self.plan.chunks):
            while not self._has_slot():
                self._serve(observer)
                if self._stopping:
                    return
            self._serve(observer)
            if self._stopping:
                return
            done = cupy.cuda.Event()
            with self._streams[chunk % len(self._streams)] as stream:
                shape.kernel(
                    (shape.blocks,), (shape.threads,), (self._jobs[chunk],), shared_mem=shape.shared
                )
                done.record(stream)
            self._last_events = [*self._last_events[-1:], done]
            ready.put((chunk, done))

    def _has_slot(self) -> bool:
        """Wait a moment for the next slot; slots are freed in the order of their chunks."""
        try:
            self._free.get(timeout=POLL_S)
        except queue.Empty:
            return False
        return True

    def _serve(self, observer: Observer) -> None:
        """Listen to the observer, and give it a sample where one is due."""
        if self._failure is not None:
            self._ask_to_stop()
        if not self._stopping and observer.should_stop():
            self._ask_to_stop()
        by_hand = observer.delta_by_hand()
        if self._own_delta and (by_hand or self._own_delta) != self._delta:
            self._set_delta(by_hand or self._own_delta)
        self._held = by_hand is not None and self._own_delta > 0
        elapsed = time.perf_counter() - self._started
        if self._fetched is not None and self._fetched.done:
            self._fetched = None
            self._listen()
            if self._probe >= Probe.SAMPLES:
                observer.on_samples(self._sample(int(elapsed * 1e9), Flag(0)))
        if self._fetched is None and elapsed >= self._due:
            self._due = elapsed + self._period_s
            self._fetch()

    def _fetch(self) -> None:
        """Begin to copy the blocks' counters to the host."""
        cupy, size = self._cupy, self._counters.nbytes
        cupy.cuda.runtime.memcpyAsync(
            self._memory.ptr, self._counters.data.ptr, size, 2, self._signals.ptr
        )
        self._fetched = cupy.cuda.Event(disable_timing=True)
        self._fetched.record(self._signals)

    def _ask_to_stop(self) -> None:
        if not self._stopping:
            self._stopping = True
            self._control[16:20].set(np.ones(1, np.uint32).view(np.uint8), stream=self._signals)

    def _set_delta(self, delta: float) -> None:
        self._delta = delta
        self._control[8:16].set(np.array([delta]).view(np.uint8), stream=self._signals)

    def _listen(self) -> None:
        """Note a sign of life where a block has finished a source since the last one."""
        done = int(self._progress["done"].sum())
        if done != self._done:
            self._done = done
            self._hear()

    def _end_kernels(self) -> None:
        self._ask_to_stop()
        for stream in (*self._streams, self._copies):
            stream.synchronize()

    # ---- copying, on threads of its own -----------------------------------------------

    def _move(self, ready: queue.SimpleQueue[tuple[int, Any] | None]) -> None:
        try:
            self._cupy.cuda.Device(self._device.number).use()
            with ThreadPoolExecutor(MOVERS) as pool:
                landed: list[Future[None] | None] = [None] * len(self._staging)
                while (item := ready.get()) is not None:
                    chunk, done = item
                    done.synchronize()
                    if not self._stopping:
                        self._move_chunk(chunk, landed, pool)
                    self._free.put(chunk % self.plan.slots)
                for future in landed:
                    if future is not None:
                        future.result()
        except BaseException as error:
            self._failure = error
        finally:
            self._moved.set()

    def _move_chunk(
        self, chunk: int, landed: list[Future[None] | None], pool: ThreadPoolExecutor
    ) -> None:
        """Copy one chunk in pieces, each through the staging buffer that is free first."""
        n, source = self._graph.n, self._rows[chunk % self.plan.slots].data.ptr
        entries = self.plan.rows_of(chunk) * n
        target, size = chunk * self.plan.rows * n, self._buffers.dist.itemsize
        for number, begin in enumerate(range(0, entries, self._piece)):
            place, length = number % len(landed), min(self._piece, entries - begin)
            before = landed[place]
            if before is not None:
                before.result()
            self._cupy.cuda.runtime.memcpyAsync(
                self._staging[place].ptr, source + size * begin, size * length, 2, self._copies.ptr
            )
            arrived = self._cupy.cuda.Event(block=True, disable_timing=True)
            arrived.record(self._copies)
            landed[place] = pool.submit(self._land, arrived, place, target + begin, length)
        self._copies.synchronize()

    def _land(self, arrived: Any, place: int, first: int, length: int) -> None:
        arrived.synchronize()
        flat = self._buffers.dist.reshape(-1)
        np.copyto(flat[first : first + length], self._staged[place][:length])

    # ---- results ----------------------------------------------------------------------

    def _finish(self, observer: Observer) -> EngineOutcome:
        end_to_end_ms = (time.perf_counter() - self._started) * 1e3
        for stream in self._streams:
            stream.synchronize()
        self._fetch()
        self._signals.synchronize()
        if self._progress["timed_out"].any():
            raise EngineError(
                f"a source had not finished after {watchdog.LIMIT_S:g} s and the kernel ended "
                "itself; try another delta or the engine model"
            )
        cupy = self._cupy
        ended = [cupy.cuda.get_elapsed_time(self._begin_event, e) for e in self._last_events]
        kernel_ms = float(max(ended, default=0.0))
        self._copy_vertices()
        flag = Flag.STOPPED if self._stopping else Flag.FINISHED
        observer.on_samples(self._sample(max(int(kernel_ms * 1e6), self._last_t), flag))
        shape = self._shape
        facts = {
            **self._device.facts(),
            "kernel": shape.name,
            "kernel_ms": kernel_ms,
            "end_to_end_ms": end_to_end_ms,
            "workers": shape.blocks,
            "threads_per_worker": shape.threads,
            "shared_bytes_per_worker": shape.shared,
            "chunks": self.plan.chunks,
            "rows_per_chunk": self.plan.rows,
            "device_bytes": self.plan.device_bytes,
        }
        outcome = "stopped" if self._stopping else "finished"
        overflowed = bool(self._progress["overflowed"].any())
        return EngineOutcome("measured", outcome, facts, overflowed=overflowed)

    def _copy_vertices(self) -> None:
        vertices = self._buffers.vertices
        if vertices is None:
            return
        mine = slice(self._first, self._first + self._count)
        vertices.first_reached_ns[mine] = self._begun.get()
        vertices.last_improved_ns[mine] = self._ended.get()
        vertices.times_processed[mine] = self._rounds.get()

    def _sample(self, t_ns: int, flag: Flag) -> np.ndarray:
        """Return SAMPLE (1,): the sums of what the blocks have left."""
        self._last_t = max(t_ns, self._last_t)
        sums = {name: int(self._progress[name].sum()) for name in PROGRESS.names or ()}
        sample = np.zeros(1, SAMPLE)
        running = 0 if flag & Flag.FINISHED else sums["running"]
        per_round = running / max(sums["rounds"], 1)
        values = {
            "t_ns": self._last_t,
            "sequence": self._sequence,
            "bucket_switches": sums["switches"],
            "processed_vertices": sums["processed"],
            "relaxed_edges": sums["relaxed"],
            "improved": sums["improved"],
            "delta": self._delta,
            "assigned_edges": sums["relaxed"] * per_round,
            "assigned_vertices": min(int(sums["processed"] * per_round), 2**31 - 1),
            "busy_workers": running,
            "open_buckets": int(running > 0 and self._delta > 0),
            "flags": int(flag | (Flag.DELTA_BY_HAND if self._held else Flag(0))),
            "reason": int(Reason.BY_HAND if self._held else Reason.START),
        }
        for name, value in values.items():
            sample[name] = value
        waiting = max(self._count - running - sums["done"], 0)
        sample["occupancy"][0, :3] = waiting, running, sums["done"]
        self._sequence += 1
        return sample
