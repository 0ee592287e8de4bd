#pragma once
// The 1,797 handwritten digits that come with weft (examples/data/README.md has their source and the file's
// format). Law: every sample is in exactly one of the two parts, test holding the indices divisible by five.

#include <string>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/data/dataset.hpp"
#include "weft/io/open_file.hpp"

namespace WEFT_NAMESPACE::data {

struct Digits {
  Arrays<f32, i32> train;  // (image in [0, 1], label 0...9)
  Arrays<f32, i32> test;   // held out
};

// Reads examples/data/digits.bin. `image_shape` is the shape of one image of 64 pixels, {64}, {8, 8} or
// {1, 8, 8}. Throws the file's errors, "digits/format" for another or damaged file, and "digits/shape".
inline Digits load_digits(const std::string& path, const std::vector<i64>& image_shape = {64}) {
  constexpr std::size_t magic = 8, header = magic + 4 * sizeof(u32);
  i64 pixels = 1;
  for (const i64 extent : image_shape) {
    if (extent < 1 || extent > 64) throw Error("digits/shape", "an image's extent must lie in 1...64");
    pixels = pixels * extent > 64 ? 65 : pixels * extent;
  }
  if (pixels != 64) throw Error("digits/shape", "an image has 64 pixels, and its shape must too");

  const io::MappedFile file(path);
  const auto refuse = [&](const std::string& why) { throw Error("digits/format", "'" + path + "' " + why); };
  if (file.size() < header || !file.text().starts_with("WEFTDGT1"))
    refuse("is not a digits file (it does not begin with WEFTDGT1)");
  const auto word = [&](std::size_t i) {
    const u8* at = file.data() + magic + 4 * i;
    return static_cast<u32>(at[0]) | static_cast<u32>(at[1]) << 8 | static_cast<u32>(at[2]) << 16 |
           static_cast<u32>(at[3]) << 24;
  };
  const u32 count = word(0);
  if (word(1) != 8 || word(2) != 8) refuse("does not hold 8x8 images");
  if (word(3) != 10) refuse("does not hold ten classes");
  if (file.size() != header + std::size_t{count} * 65)
    refuse("holds " + std::to_string(file.size()) + " bytes where " + std::to_string(count) +
           " digits need " + std::to_string(header + std::size_t{count} * 65));

  Column<f32> images[2] = {{{}, image_shape}, {{}, image_shape}};
  Column<i32> labels[2];
  const std::size_t held = (std::size_t{count} + 4) / 5;
  for (std::size_t part = 0; part < 2; ++part) {
    const std::size_t rows = part == 1 ? held : count - held;
    images[part].values.reserve(rows * 64);
    labels[part].values.reserve(rows);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t part = i % 5 == 0 ? 1 : 0;
    const u8* image = file.data() + header + i * 64;
    const u8 label = file.data()[header + std::size_t{count} * 64 + i];
    if (label > 9) refuse("has label " + std::to_string(label) + " at index " + std::to_string(i));
    for (std::size_t p = 0; p < 64; ++p) {
      if (image[p] > 16) refuse("has a pixel above 16 at index " + std::to_string(i));
      images[part].values.push_back(static_cast<f32>(image[p]) / 16.0f);
    }
    labels[part].values.push_back(label);
  }
  return {Arrays<f32, i32>(std::move(images[0]), std::move(labels[0])),
          Arrays<f32, i32>(std::move(images[1]), std::move(labels[1]))};
}

}  // namespace WEFT_NAMESPACE::data
