#pragma once

#include "weft/core/dtype.hpp"

namespace weft::testing {

// What random graphs (random_graph.hpp) hold.
struct RandomGraphOptions {
  int steps = 16;
  i64 size = 300;             // elements of a value, about
  bool state = false;         // slots that are read and assigned
  int products = 1;           // of 22 steps, how many are matrix products
  bool convolutions = false;  // every fourth step
  bool many_axes = false;     // products over more axes than a kernel walks
  int loops = 0;              // every fourth step; nested so deep
  bool blocks = false;        // every third step: dynamic slices, and states that are updated by them
};

}  // namespace weft::testing
