#pragma once
// A batch that its loader has padded, and a program whose assigned buffers would count the padded rows.

#include <array>
#include <cstddef>
#include <string>

#include "weft/core/error.hpp"
#include "weft/exec/argument.hpp"

namespace WEFT_NAMESPACE::exec {

// Whether some batch of the loader's epoch, this one or another, has padded rows.
template <std::size_t N>
bool is_padded(const std::array<Given, N>& batch) {
  bool padded = false;
  for (const Given& given : batch) padded = padded || given.padded_somewhere || given.valid_rows >= 0;
  return padded;
}

// Whether of the inputs whose padded rows are as the batch has them (InputTable) the last one alone has
// labels, as a loader has it unless it is told otherwise.
template <class Inputs, std::size_t N>
bool last_open_has_labels(const std::array<Given, N>& batch) {
  bool as_assumed = true;
  for (std::size_t k = 0; k < N; ++k)
    if (Inputs::is_open(static_cast<int>(k)))
      as_assumed = as_assumed && batch[k].padded_labels == (static_cast<int>(k) == Inputs::last_open());
  return as_assumed;
}

// Throws `code` where padded rows of a batch of `Rows` would count in a buffer that `what` assigns; `remedy`:
// how there are none.
template <class Inputs, i64 Rows, std::size_t N>
void check_padding_in_buffers(const std::array<Given, N>& batch, const char* code, const char* what,
                              const char* remedy) {
  constexpr bool kept = Rows > 0 && Inputs::padding_counts_in_buffers(Rows);
  if constexpr (kept) {
    if (!is_padded(batch)) return;
    constexpr int last = Inputs::last_open();
    constexpr bool last_kept = last < 0 || Inputs::padding_counts_in_buffers(Rows, last);
    if (last_kept || !last_open_has_labels<Inputs>(batch))
      throw Error(code, std::string("the loader pads the last batch, and a buffer that ") + what +
                            " assigns would count the padded rows: " + remedy +
                            ", or assign a value that they are left out of, such as sum<0>(w * x) / "
                            "sum<>(w) of a field w of the dataset");
  }
}

}  // namespace WEFT_NAMESPACE::exec
