"""What a compiler cannot find out by itself and runs faster for being told."""

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from sushibalance.core.jit import inlined


@inlined
def natural(number):
    """Return a whole number of 0 to 2**32 - 1 as an index that is plainly not negative.

    numba lets a negative index count from the end, and looks for one wherever it could come.
    """
    return np.int64(np.uint32(number))


@inlined
def at_least(number, least):
    """Return whether ``number >= least``, of whole numbers that are not negative.

    Compared without a sign, the result lies in the carry, and a sum of such results takes one instruction each.
    """
    return np.uint64(number) >= np.uint64(least)


@intrinsic
def _copy(typingctx, target, source):
    def codegen(context, builder, signature, args):
        to, by = (
            context.make_array(kind)(context, builder, arg) for kind, arg in zip(signature.args, args, strict=True)
        )
        cgutils.raw_memcpy(builder, to.data, by.data, by.nitems, by.itemsize)
        return context.get_dummy_value()

    return types.void(target, source), codegen


if numba.config.DISABLE_JIT:

    def unlikely(condition):
        """Return ``condition``, of which it is known that it hardly ever holds."""
        return condition

    def copy(target, source):
        """Copy a contiguous array into one of the same length that has no memory in common with it."""
        target[:] = source

else:

    @intrinsic
    def unlikely(typingctx, condition):
        """Return ``condition``, of which it is known that it hardly ever holds.

        What is done then gets out of the way of the rest, and takes no registers from it.
        """

        def codegen(context, builder, signature, args):
            bit = ir.IntType(1)
            expect = builder.module.declare_intrinsic("llvm.expect", [bit], ir.FunctionType(bit, [bit, bit]))
            return builder.call(expect, [args[0], bit(0)])

        return types.boolean(types.boolean), codegen

    @inlined
    def copy(target, source):
        """Copy a contiguous array into one of the same length that has no memory in common with it.

        A loop has to go word by word: for all the compiler knows, each word written is the next one read.
        """
        _copy(target, source)
