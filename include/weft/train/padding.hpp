#pragma once
// Batches that a loader has padded, and a loss in which their padded rows would count.

#include <array>
#include <cstddef>

#include "weft/core/error.hpp"
#include "weft/exec/argument.hpp"

namespace WEFT_NAMESPACE::train {

// Whether of the inputs whose padded rows are as the batch has them (exec::InputTable) the last one alone has
// labels, as a loader has it unless it is told otherwise.
template <class Inputs, std::size_t N>
bool last_open_has_labels(const std::array<exec::Given, N>& batch) {
  bool as_assumed = true;
  for (std::size_t k = 0; k < N; ++k)
    if (Inputs::is_open(static_cast<int>(k)))
      as_assumed = as_assumed && batch[k].padded_labels == (static_cast<int>(k) == Inputs::last_open());
  return as_assumed;
}

// Throws "train/padding" where padded rows of a batch would count in the loss, or in a buffer.
template <class Inputs, i64 Rows, std::size_t N>
void check_padding(const std::array<exec::Given, N>& batch) {
  bool padded = false;
  for (const exec::Given& given : batch) padded = padded || given.padded_somewhere || given.valid_rows >= 0;
  if (!padded) return;
  constexpr bool is_nan = Rows > 0 && Inputs::padding_is_nan(Rows);
  if (is_nan)
    throw Error("train/padding",
                "the loader pads the last batch, and in its padded rows, which are 0, this loss divides by "
                "zero: the gradient would be no number, whatever leaves the rows out: use .last = "
                "data::drop, or divide by what is not 0, (x - mean) / (stddev + 1e-5)");
  constexpr bool counts = Rows == 0 || Inputs::padding_counts(0, Rows);
  if constexpr (counts) {
    constexpr int last = Inputs::last_open();
    constexpr bool last_counts = Rows == 0 || last < 0 || Inputs::padding_counts(0, Rows, last);
    if (last_counts || !last_open_has_labels<Inputs>(batch))
      throw Error("train/padding",
                  "the loader pads the last batch, and this loss would count the padded rows, as no label "
                  "leaves them out: use .last = data::drop, or multiply each row's loss by a weight that is "
                  "a field of the dataset (0 in padded rows) and divide by the sum of the weights");
  }
  constexpr bool kept = Rows > 0 && Inputs::padding_counts_in_buffers(Rows);
  if constexpr (kept) {
    constexpr int last = Inputs::last_open();
    constexpr bool last_kept = last < 0 || Inputs::padding_counts_in_buffers(Rows, last);
    if (last_kept || !last_open_has_labels<Inputs>(batch))
      throw Error("train/padding",
                  "the loader pads the last batch, and a buffer that the loss assigns would count the padded "
                  "rows: use .last = data::drop, or assign a value that they are left out of, such as "
                  "sum<0>(w * x) / sum<>(w) of a field w of the dataset");
  }
}

}  // namespace WEFT_NAMESPACE::train
