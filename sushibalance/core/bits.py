"""Bit counting in one machine instruction; plain Python when the jit is off."""

import numba
from numba import types
from numba.extending import intrinsic


@intrinsic
def _popcount(typingctx, mask):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


@intrinsic
def _lowest(typingctx, mask):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), codegen


if numba.config.DISABLE_JIT:

    def popcount(mask):
        """Return the number of set bits of an int64 >= 0."""
        return int(mask).bit_count()

    def lowest(mask):
        """Return the index of the lowest set bit of an int64 > 0."""
        return (int(mask) & -int(mask)).bit_length() - 1

else:
    from sushibalance.core.jit import lean

    @lean
    def popcount(mask):
        """Return the number of set bits of an int64 >= 0."""
        return _popcount(mask)

    @lean
    def lowest(mask):
        """Return the index of the lowest set bit of an int64 > 0."""
        return _lowest(mask)
