#pragma once
// The reader of the digits' file: what is taken has pixels in [0, 1] and labels below ten.

#include "fuzz/target.hpp"
#include "weft/data/digits.hpp"

namespace fuzz {

inline void digits(const weft::u8* data, std::size_t size) {
  const MemoryFile file(std::string(reinterpret_cast<const char*>(data), size));
  refuses(
      [&] {
        const auto digits = weft::data::load_digits(file.path(), {8, 8});
        for (const auto* part : {&digits.train, &digits.test}) {
          for (const weft::f32 pixel : part->column<0>().values)
            require(pixel >= 0 && pixel <= 1, "pixels lie in [0, 1]");
          for (const weft::i32 label : part->column<1>().values)
            require(label >= 0 && label < 10, "labels are digits");
        }
      },
      "digits/");
}

}  // namespace fuzz
