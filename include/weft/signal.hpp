#pragma once
// Windows of signals, which weft.hpp leaves out: torch.signal.windows, torch.hann_window and its like.

#include "weft/ops/math/window.hpp"
