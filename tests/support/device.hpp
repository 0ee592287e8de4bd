#pragma once
// The device of tests that hold values: what an operation, a layer, a loss or an optimiser computes. It is
// the interpreter, which compiles no kernels; with the CMake option WEFT_TEST_KERNELS it is the host's
// kernels. A test of kernels themselves (bits, launches, bytes, threads) names Cpu.

#include "weft/exec/function.hpp"
#include "weft/interpreter.hpp"

namespace weft::testing {

#if defined(WEFT_TEST_KERNELS)
using TestDevice = Cpu;
inline TestDevice test_device() { return Cpu{1}; }
#else
using TestDevice = Interpreter;
inline TestDevice test_device() { return {}; }
#endif

}  // namespace weft::testing
