#pragma once
// The device Interpreter, which programs are debugged on (docs/interpreter.md). Beside weft/weft.hpp.

#include "weft/exec/interpreter/print.hpp"
#include "weft/exec/interpreter/program.hpp"
#include "weft/exec/interpreter/tensor.hpp"
