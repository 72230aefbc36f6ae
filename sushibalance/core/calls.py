"""How an engine calls the decision functions: by address, and with few words.

numba passes a function as three addresses, takes one of a tuple of them by a jump, and hands on each array as
seven words. That is a third of the time of a random decision. Here the functions are an array of addresses, and the
three arrays that a decision gets are two words each.
"""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.extending import intrinsic, lower_cast, models, register_model


class Vector(types.Array):
    """A contiguous array of one dimension that functions hand on as its length and its address."""

    def __init__(self, dtype):
        super().__init__(dtype, 1, "C", name=f"Vector({dtype})")

    def can_convert_from(self, typingctx, other):
        """Take any array of one dimension that is contiguous and has the same elements."""
        same = isinstance(other, types.Array) and (other.dtype, other.ndim, other.layout) == (self.dtype, 1, "C")
        return Conversion.safe if same else None


@register_model(Vector)
class VectorModel(models.ArrayModel):
    """Laid out like any array, except as an argument."""

    def get_argument_type(self):
        """Return the types of length and address."""
        return super().get_argument_type()[2], super().get_argument_type()[4]

    def as_argument(self, builder, value):
        """Return length and address."""
        return self.get(builder, value, "nitems"), self.get(builder, value, "data")

    def from_argument(self, builder, value):
        """Return the whole array; nobody owns its memory."""
        length, address = value
        owner, parent = (ir.Constant(self.get_model(place).get_value_type(), None) for place in (0, 1))
        size = ir.Constant(length.type, self._fe_type.dtype.bitwidth // 8)
        return super().from_argument(builder, (owner, parent, length, size, address, (length,), (size,)))


@lower_cast(types.Array, Vector)
def _as_vector(context, builder, array, vector, value):
    return value


def addresses(functions):
    """Return decision functions, made `ready`, as their addresses (``int64``); as they are when the jit is off."""
    if numba.config.DISABLE_JIT:
        return functions
    return np.array([_address(function) for function in functions])


def _address(function):
    # Kept with the function: each run asks again, and numba looks for it as long as the engine plays ten games.
    if not hasattr(function, "decision_address"):
        result = function.get_compile_result(function.decision_signature)
        function.decision_address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    return function.decision_address


def caller(signature):
    """Return ``decide(address, rules, table, own, seat, params, rng, choice)`` for decisions of a signature.

    What the decision raises goes on to the caller, as with any compiled function.
    """
    if numba.config.DISABLE_JIT:
        return lambda function, *arguments: function(*arguments)

    @intrinsic
    def decide(typingctx, address, rules, table, own, seat, params, rng, choice):
        def codegen(context, builder, given, values):
            calls = context.call_conv
            kind = calls.get_function_type(signature.return_type, signature.args)
            function = builder.inttoptr(values[0], kind.as_pointer())
            arguments = [
                context.cast(builder, value, *kinds)
                for value, *kinds in zip(values[1:], given.args[1:], signature.args, strict=True)
            ]
            status, _ = calls.call_function(builder, function, signature.return_type, signature.args, arguments)
            with cgutils.if_unlikely(builder, status.is_error):
                calls.return_status_propagate(builder, status)
            return context.get_dummy_value()

        return types.void(address, rules, table, own, seat, params, rng, choice), codegen

    return decide
