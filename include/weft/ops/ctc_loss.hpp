#pragma once
// Where programs include it from.

#include "weft/ops/loss/ctc.hpp"
