#pragma once
// Files of tensors as others write and read them: one sentence says what to write.

#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/core/diagnose.hpp"
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
#define WEFT_MEANT(name)                                                    \
  template <class Path, class... A>                                         \
  auto name(const Path&, const A&...) {                                     \
    static_assert(sizeof(TensorsAreListed<(sizeof...(A) > 99), A...>) > 0); \
    return AfterRefusal{};                                                  \
  }
WEFT_MEANT(save)
WEFT_MEANT(save_file)
WEFT_MEANT(save_safetensors)
WEFT_MEANT(load)
WEFT_MEANT(load_file)
WEFT_MEANT(load_safetensors)
WEFT_MEANT(read_safetensors)
#undef WEFT_MEANT

}  // namespace WEFT_NAMESPACE::io
