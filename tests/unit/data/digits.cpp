#include "weft/data/digits.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "../io/scratch.hpp"
#include "weft/io/file.hpp"

using namespace weft;

static const std::string path = repository_file("examples/data/digits.bin");

TEST_CASE("digits: all of them, split by index") {
  const auto digits = data::load_digits(path);
  CHECK(digits.test.size() == 360);
  CHECK(digits.train.size() == 1437);
  // scikit-learn: load_digits().images[0] and [1], row by row, out of 16; their targets are 0 and 1.
  const f32 zero[16] = {0, 0, 5, 13, 9, 1, 0, 0, 0, 0, 13, 15, 10, 15, 5, 0};
  const f32 one[16] = {0, 0, 0, 12, 13, 5, 0, 0, 0, 0, 0, 11, 16, 9, 0, 0};
  const auto [image0, label0] = digits.test[0];
  const auto [image1, label1] = digits.train[0];
  CHECK(image0.shape() == std::vector<i64>{64});
  for (i64 p = 0; p < 16; ++p) {
    CHECK(image0[p] == zero[p] / 16);
    CHECK(image1[p] == one[p] / 16);
  }
  CHECK(label0[0] == 0);
  CHECK(label1[0] == 1);
  // scikit-learn: numpy.bincount(load_digits().target), and images.sum().
  const std::vector<i32> expected = {178, 182, 177, 183, 181, 182, 181, 179, 174, 180};
  std::vector<i32> found(10);
  f64 ink = 0;
  for (const auto* part : {&digits.train, &digits.test}) {
    for (const i32 label : part->column<1>().values) ++found[static_cast<std::size_t>(label)];
    for (const f32 pixel : part->column<0>().values) ink += pixel * 16.0;
  }
  CHECK(found == expected);
  CHECK(ink == 561718.0);
}

TEST_CASE("digits: images in another shape") {
  CHECK(std::get<0>(data::load_digits(path, {1, 8, 8}).train[5]).shape() == std::vector<i64>{1, 8, 8});
  for (const std::vector<i64>& bad : {std::vector<i64>{}, {63}, {8, 8, 2}, {-8, -8}, {0}, {65536, 65536}})
    CHECK(error_id([&] { data::load_digits(path, bad); }) == "digits/shape");
}

TEST_CASE("digits: another file or a damaged one is refused") {
  const ScratchFolder folder;
  const std::string good = io::read_file(path), copy = folder / "d";
  const auto id = [&](const std::string& bytes) {
    io::write_file(copy, bytes);
    return error_id([&] { data::load_digits(copy); });
  };
  CHECK(id(good) == "no error");
  CHECK(id("") == "digits/format");
  CHECK(id(good.substr(0, 20)) == "digits/format");
  CHECK(id(good.substr(0, good.size() - 1)) == "digits/format");
  CHECK(id(good + "x") == "digits/format");
  CHECK(id("x" + good.substr(1)) == "digits/format");
  for (const std::size_t at : {std::size_t{8}, std::size_t{12}, std::size_t{16}, std::size_t{20},
                               std::size_t{24}, good.size() - 1}) {
    std::string bad = good;
    bad[at] = '\x63';
    CHECK(id(bad) == "digits/format");
  }
  CHECK(error_id([&] { data::load_digits(folder / "none"); }) == "file/open");
}
