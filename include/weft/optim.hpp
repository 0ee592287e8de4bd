#pragma once
// Layer 7: optimisers and schedules.

#include "weft/optim/adam.hpp"
#include "weft/optim/groups.hpp"
#include "weft/optim/plateau.hpp"
#include "weft/optim/schedule.hpp"
#include "weft/optim/sgd.hpp"
