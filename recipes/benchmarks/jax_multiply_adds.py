"""Multiply-adds of JAX's programs."""

from __future__ import annotations

import math
from typing import Any


def jax_multiply_adds(program: Any, trips: int) -> int:
    """Multiply-adds of all matrix products and convolutions that a traced function computes.

    Args:
        program: The `jaxpr` of `jax.jit(function).trace(...)`.
        trips: Integer, the number of iterations of loops that end by a condition.

    Returns:
        The number of multiply-adds. The body of a loop counts once per iteration; of branches, the largest counts.
    """
    total = 0
    for equation in getattr(program, "jaxpr", program).eqns:
        kind, parameters = equation.primitive.name, equation.params
        if kind == "while":
            total += trips * jax_multiply_adds(parameters["body_jaxpr"], trips)
        elif kind == "scan":
            total += parameters["length"] * jax_multiply_adds(parameters["jaxpr"], trips)
        elif kind == "cond":
            total += max(jax_multiply_adds(branch, trips) for branch in parameters["branches"])
        elif kind == "dot_general":
            (contracted, _), _ = parameters["dimension_numbers"]
            shape = equation.invars[0].aval.shape
            total += math.prod(equation.outvars[0].aval.shape) * math.prod(shape[axis] for axis in contracted)
        elif kind == "conv_general_dilated":
            numbers = parameters["dimension_numbers"]
            kernel = equation.invars[1].aval.shape
            a_position = math.prod(kernel) // kernel[numbers.rhs_spec[0]]
            total += math.prod(equation.outvars[0].aval.shape) * a_position
        else:  # a function within the function
            inner = (parameters.get(name) for name in ("jaxpr", "call_jaxpr", "fun_jaxpr"))
            total += sum(jax_multiply_adds(one, trips) for one in inner if one is not None)
    return total
