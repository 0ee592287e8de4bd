#pragma once
// Layer 12: tensors, models, compiled functions.

#include "weft/exec/any_function.hpp"
#include "weft/exec/apply.hpp"
#include "weft/exec/compile_model.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/measure_roofline.hpp"
#include "weft/exec/model.hpp"
#include "weft/exec/options.hpp"
#include "weft/exec/print.hpp"
#include "weft/exec/states.hpp"
#include "weft/exec/summary.hpp"
#include "weft/exec/tensor.hpp"
