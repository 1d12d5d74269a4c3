"""Which kernels may be played by the interpreter: those whose Python gives the same bits."""

import math

# ruff: noqa: PLW0108 - the lambda is what is looked at
import numpy as np
import pytest

from zerokelvin.jit import kernel
from zerokelvin.jit.exact_python import is_exact
from zerokelvin.machine.lanes import borrow, fetch


@kernel
def outside(x):
    return x


@pytest.mark.parametrize(
    "function",
    [
        lambda x: math.exp(x) + math.log(x) + np.sqrt(x),
        lambda x: np.zeros(3) + np.floor(x),
        lambda x: [i * x for i in range(3)] if x is None else x,
    ],
)
def test_what_every_library_does_alike(function):
    nested = any(hasattr(value, "co_code") for value in function.__code__.co_consts)
    assert is_exact(function) is not nested


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.exp(x),
        lambda x: np.log(x),
        lambda x: np.dot(x, x),
        lambda x: x.sum(),
        lambda x: x @ x,
        lambda x: x**2,
        lambda x: np.linalg.norm(x),
        lambda x: outside(x),  # a kernel of somebody else: nothing is known of it
    ],
)
def test_what_each_library_does_in_its_own_way(function):
    assert not is_exact(function)


def test_a_marked_function_is_exact():
    assert is_exact(lambda x: borrow(x))
    assert not is_exact(lambda x: fetch(x, 0))


def test_a_kernel_is_as_exact_as_those_it_calls():
    from zerokelvin.learners.auto.mixing import _judge
    from zerokelvin.solve.engines.direct import cholesky

    if not hasattr(_judge, "py_func"):
        pytest.skip("nothing is compiled")
    assert is_exact(_judge.py_func)
    assert not is_exact(cholesky._partial_cholesky.py_func)
    callers = [one for one in vars(cholesky).values() if "_partial_cholesky" in names_in(one)]
    assert callers
    assert not any(is_exact(one.py_func) for one in callers)


def names_in(value):
    function = getattr(value, "py_func", None) if getattr(value, "is_lazy_kernel", False) else None
    return () if function is None else function.__code__.co_names
