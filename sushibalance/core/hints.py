"""What a compiler cannot find out by itself and runs faster for being told."""

import numba
import numpy as np
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

    def copy(target, source):
        """Copy a contiguous array into one of the same length that has no memory in common with it."""
        target[:] = source

else:

    @inlined
    def copy(target, source):
        """Copy a contiguous array into one of the same length that has no memory in common with it.

        A loop has to go word by word: for all the compiler knows, each word written is the next one read.
        """
        _copy(target, source)
