#pragma once
// Files of tensors as others write and read them: one sentence says what to write.

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/core/refused_option.hpp"
#include "weft/io/safetensors.hpp"

namespace WEFT_NAMESPACE::io {

WEFT_REFUSAL(
    TensorsAreListed,
    "a file of tensors is written from name, dtype, shape and elements of each: "
    "io::write_safetensors(path, {{\"x\", DType::f32, {2, 3}, x.data()}}), and read by io::Safetensors "
    "file(path); a model writes and reads itself, model.save(path), model.load(path)");
// Refused: {{"x", x}}, or x alone.
struct MeantTensor {
  struct Anything {
    template <class A>
    Anything(const A&) {}
  };
  Anything name, value;
};
template <class None = void>
void write_safetensors(const std::string&, std::initializer_list<MeantTensor>) {
  static_assert(sizeof(TensorsAreListed<sizeof(None*) == 0>) > 0);
}
template <class A, class... More>
requires(!std::is_convertible_v<const A&, const std::vector<SafetensorsTensor>&>) void write_safetensors(
    const std::string&, const A&, const More&...) {
  static_assert(sizeof(TensorsAreListed<sizeof(A) == 0, A, More...>) > 0);
}
WEFT_REFUSED_FUNCTION(save, TensorsAreListed)
WEFT_REFUSED_FUNCTION(save_file, TensorsAreListed)
WEFT_REFUSED_FUNCTION(save_safetensors, TensorsAreListed)
WEFT_REFUSED_FUNCTION(load, TensorsAreListed)
WEFT_REFUSED_FUNCTION(load_file, TensorsAreListed)
WEFT_REFUSED_FUNCTION(load_safetensors, TensorsAreListed)
WEFT_REFUSED_FUNCTION(read_safetensors, TensorsAreListed)

}  // namespace WEFT_NAMESPACE::io
