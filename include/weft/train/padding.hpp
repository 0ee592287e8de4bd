#pragma once
// Batches that a loader has padded, and a loss in which their padded rows would count.

#include <array>
#include <cstddef>

#include "weft/core/error.hpp"
#include "weft/exec/padding.hpp"

namespace WEFT_NAMESPACE::train {

// Throws "train/padding" where padded rows of a batch would count in the loss, or in a buffer.
template <class Inputs, i64 Rows, std::size_t N>
void check_padding(const std::array<exec::Given, N>& batch) {
  if (!exec::is_padded(batch)) return;
  constexpr bool is_nan = Rows > 0 && Inputs::padding_is_nan(Rows);
  if (is_nan)
    throw Error(
        "train/padding",
        "the loader pads the last batch, and in its padded rows, which are 0, this loss divides by "
        "zero, or takes log or the derivative of sqrt of it: the gradient would be no number, whatever "
        "leaves the rows out: use .last = data::drop, or add a little, (x - mean) / (stddev + 1e-5), "
        "log(x + 1e-8)");
  constexpr bool counts = Rows == 0 || Inputs::padding_counts(0, Rows);
  if constexpr (counts) {
    constexpr int last = Inputs::last_open();
    constexpr bool last_counts = Rows == 0 || last < 0 || Inputs::padding_counts(0, Rows, last);
    if (last_counts || !exec::last_open_has_labels<Inputs>(batch))
      throw Error("train/padding",
                  "the loader pads the last batch, and this loss would count the padded rows, as no label "
                  "leaves them out: use .last = data::drop, or multiply each row's loss by a weight that is "
                  "a field of the dataset (0 in padded rows) and divide by the sum of the weights");
  }
  exec::check_padding_in_buffers<Inputs, Rows>(batch, "train/padding", "the loss", "use .last = data::drop");
}

}  // namespace WEFT_NAMESPACE::train
