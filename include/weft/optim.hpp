#pragma once
// Layer 7: optimisers and schedules.

#include "weft/optim/adadelta.hpp"
#include "weft/optim/adagrad.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/adamax.hpp"
#include "weft/optim/average.hpp"
#include "weft/optim/groups.hpp"
#include "weft/optim/lion.hpp"
#include "weft/optim/maximize.hpp"
#include "weft/optim/muon.hpp"
#include "weft/optim/nadam.hpp"
#include "weft/optim/plateau.hpp"
#include "weft/optim/radam.hpp"
#include "weft/optim/rmsprop.hpp"
#include "weft/optim/schedule.hpp"
#include "weft/optim/sgd.hpp"
