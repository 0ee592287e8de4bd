#pragma once
// Batches that ranks and a single process see alike, of images with labels.

#include <cmath>
#include <vector>

#include "weft/core/types.hpp"

namespace test_support {

struct LabelledBatch {
  std::vector<weft::f32> x;  // (batch, width)
  std::vector<weft::i32> y;  // (batch), in [0, classes)
};
// Batch number `call` of all.
inline LabelledBatch labelled_batch(weft::i64 call, weft::i64 batch, weft::i64 width, weft::i64 classes) {
  LabelledBatch b{std::vector<weft::f32>(static_cast<std::size_t>(batch * width)),
                  std::vector<weft::i32>(static_cast<std::size_t>(batch))};
  for (std::size_t i = 0; i < b.x.size(); ++i)
    b.x[i] = static_cast<weft::f32>(
        std::sin(0.37 * static_cast<weft::f64>(i) + 1.3 * static_cast<weft::f64>(call)));
  for (std::size_t i = 0; i < b.y.size(); ++i)
    b.y[i] = static_cast<weft::i32>((static_cast<weft::i64>(i) * 3 + call) % classes);
  return b;
}

}  // namespace test_support
