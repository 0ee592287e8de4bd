#!/usr/bin/env python3
"""Tensors of weft read by NumPy, and by PyTorch where it is installed, and theirs by weft, through DLPack.

  python tests/interop/dlpack.py LIBRARY     of tests/interop/dlpack.cpp
"""
import ctypes
import gc
import sys

import numpy

try:
    import torch
except ImportError:
    torch = None

library = ctypes.CDLL(sys.argv[1])
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
unused, used = b"dltensor", b"used_dltensor"  # names that Python's protocol gives a capsule before and behind its use


class Given:
    """What Python's from_dlpack takes: a tensor that a function of the library has made."""

    def __init__(self, name):
        make = getattr(library, name)
        make.restype = ctypes.c_void_p
        self.pointer = make()

    def __dlpack__(self, stream=None, **_):
        return api.PyCapsule_New(self.pointer, unused, None)

    def __dlpack_device__(self):
        return (1, 0)


def taken(function, array, restype=ctypes.c_double):
    """Hands an array of Python's to the library, and with it what frees it."""
    capsule = array.__dlpack__()
    call = getattr(library, function)
    call.argtypes, call.restype = [ctypes.c_void_p], restype
    result = call(api.PyCapsule_GetPointer(capsule, unused))
    if result != -1:
        api.PyCapsule_SetName(capsule, used)
    return result


def check(holds, what):
    if not holds:
        sys.exit(f"dlpack: {what}")


x = numpy.from_dlpack(Given("give_f32"))
check(x.dtype == numpy.float32 and x.shape == (64, 3), "another dtype or shape in NumPy")
check((x.ravel() == numpy.arange(192)).all(), "other elements in NumPy")
kept = x[5:7]
del x
gc.collect()
check((kept == [[15, 16, 17], [18, 19, 20]]).all(), "memory that NumPy holds was freed")
y = numpy.from_dlpack(Given("give_i64"))
check(y.shape == (2, 1, 2) and y.ravel().tolist() == [1, -2, 3, 1 << 40], "other integers in NumPy")

own = numpy.arange(192, dtype=numpy.float32).reshape(64, 3)
before = sys.getrefcount(own)
check(taken("take_f32", own) == 191 * 192, "another sum of NumPy's elements")
check(taken("take_f32", own.T.copy()) == -1, "another shape was taken")
check(taken("take_f32", numpy.arange(384, dtype=numpy.float32).reshape(64, 6)[:, ::2]) == -1, "gaps were taken")
check(taken("take_f32", own.astype(numpy.float64)) == -1, "another dtype was taken")
taken("write_f32", own, None)
check(own[1, 2] == 9, "weft writes elsewhere than NumPy reads")
gc.collect()
check(sys.getrefcount(own) == before, "weft still holds NumPy's memory")

if torch is not None:
    t = torch.from_dlpack(Given("give_f32"))
    check(t.dtype == torch.float32 and torch.equal(t, torch.arange(192.0).reshape(64, 3)), "other elements in PyTorch")
    check(torch.from_dlpack(Given("give_bf16")).tolist() == [1.5, -2.0], "another bf16 in PyTorch")
    check(torch.from_dlpack(Given("give_bool")).tolist() == [True, False, True], "another bool in PyTorch")
    check(taken("take_f32", torch.arange(192.0).reshape(64, 3)) == 191 * 192, "another sum of PyTorch's elements")
print("dlpack: NumPy", numpy.__version__, "and PyTorch " + torch.__version__ if torch else "")
