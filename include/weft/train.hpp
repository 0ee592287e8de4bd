#pragma once
// Layer 14: training.

#include "weft/train/any_trainer.hpp"
#include "weft/train/curve.hpp"
#include "weft/train/evaluate.hpp"
#include "weft/train/make_trainer.hpp"
#include "weft/train/meter.hpp"
#include "weft/train/options.hpp"
#include "weft/train/progress.hpp"
