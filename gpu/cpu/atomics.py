"""What threads of compiled code need and Numba does not offer: atomics, a clock, a pause.

Each is an LLVM instruction on an element of a one-dimensional array. Distances are compared as the
bits of an integer of their size: those of non-negative floats sort as the numbers do, so one atomic
minimum serves both kinds. The clock is Python's own (`time.perf_counter_ns`), called through its C
function, whose address `gpu.cpu.host` finds.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from numba import extending
from numba.core import cgutils, types
from numba.np import arrayobj

from gpu.compiled import compiled_inline
from gpu.cpu.host import RETURNS

intrinsic: Any = extending.intrinsic  # its type would hide what is called as what
I8, I32, I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)
MACHINE = platform.machine().lower()


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.args[0]
    array = arrayobj.make_array(kind)(context, builder, args[0])
    return cgutils.get_item_pointer(
        context, builder, kind, array, [args[1]], wraparound=False, boundscheck=False
    )


def _exchange(operation: str, order: str) -> Any:
    def make(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            at = _pointer(context, builder, signature, args)
            return builder.atomic_rmw(operation, at, args[2], order)

        return array.dtype(array, types.intp, array.dtype), generate

    return make


@intrinsic
def atomic_add(typing_context, array, index, value):  # type: ignore[no-untyped-def]
    """Add to an element; return what it held before."""
    return _exchange("add", "acq_rel")(typing_context, array, index, value)


@intrinsic
def atomic_min(typing_context, array, index, value):  # type: ignore[no-untyped-def]
    """Lower an element to `value` if it is above; return what it held before."""
    return _exchange("min", "monotonic")(typing_context, array, index, value)


@intrinsic
def swap(typing_context, array, index, known, value):  # type: ignore[no-untyped-def]
    """Set an element that is still `known` to `value`; whether it was."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _pointer(context, builder, signature, args)
        return builder.extract_value(
            builder.cmpxchg(at, args[2], args[3], "acq_rel", "monotonic"), 1
        )

    return types.boolean(array, types.intp, array.dtype, array.dtype), generate


@intrinsic
def load(typing_context, array, index):  # type: ignore[no-untyped-def]
    """Read an element that other threads write; what they wrote before it is seen after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _pointer(context, builder, signature, args)
        size = signature.return_type.bitwidth // 8
        return builder.load_atomic(at, "acquire", size, typ=ir.IntType(8 * size))

    return array.dtype(array, types.intp), generate


@intrinsic
def store(typing_context, array, index, value):  # type: ignore[no-untyped-def]
    """Write an element that other threads read; everything written before is seen with it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = _pointer(context, builder, signature, args)
        builder.store_atomic(args[2], at, "release", signature.args[2].bitwidth // 8)
        return context.get_dummy_value()

    return types.void(array, types.intp, array.dtype), generate


@intrinsic
def fetch(typing_context, array, index):  # type: ignore[no-untyped-def]
    """Ask for an element's cache line, which will be read soon."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = builder.bitcast(_pointer(context, builder, signature, args), I8.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [at.type, I32, I32, I32])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [at.type], kind)
        builder.call(prefetch, [at, I32(0), I32(3), I32(1)])  # into all levels, data
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@intrinsic
def pause(typing_context):  # type: ignore[no-untyped-def]
    """Tell the core that this thread waits for another."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if MACHINE in {"x86_64", "amd64"}:
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(builder.module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
        elif MACHINE in {"aarch64", "arm64"}:
            kind = ir.FunctionType(ir.VoidType(), [I32])
            hint = builder.module.declare_intrinsic("llvm.aarch64.hint", (), kind)
            builder.call(hint, [I32(1)])  # yield
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def as_bits(typing_context, value):  # type: ignore[no-untyped-def]
    """Return a distance as the integer of its size that sorts like it."""
    number = types.int32 if value.bitwidth == 32 else types.int64
    plain = I32 if value.bitwidth == 32 else I64

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], plain) if isinstance(value, types.Float) else args[0]

    return number(value), generate


@intrinsic
def key_of(typing_context, dist, vertex):  # type: ignore[no-untyped-def]
    """Return the int64 by which a heap orders a vertex: bits, the number below them if it fits."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        wide = dist.bitwidth == 64
        bits = args[0]
        if isinstance(dist, types.Float):
            bits = builder.bitcast(bits, I64 if wide else I32)
        if wide:
            return bits
        return builder.or_(builder.shl(builder.zext(bits, I64), ir.Constant(I64, 32)), args[1])

    return types.int64(dist, types.int64), generate


@compiled_inline
def read_clock(address, kind):  # type: ignore[no-untyped-def]
    """Return what the clock at an address says, ns."""
    if kind == RETURNS:
        return call(address)
    return _call_clock_into(address)


@intrinsic
def call(typing_context, address):  # type: ignore[no-untyped-def]
    """Call `int64 function(void)` at an address: a clock, or what lets another thread run."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.FunctionType(I64, []).as_pointer()
        return builder.call(builder.inttoptr(args[0], function), [])

    return types.int64(types.int64), generate


@intrinsic
def _call_clock_into(typing_context, address):  # type: ignore[no-untyped-def]
    """Call `int clock(int64 *)` at an address; return what it wrote."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        function = ir.FunctionType(I32, [I64.as_pointer()]).as_pointer()
        place = cgutils.alloca_once(builder, I64)
        builder.call(builder.inttoptr(args[0], function), [place])
        return builder.load(place, typ=I64)

    return types.int64(types.int64), generate
