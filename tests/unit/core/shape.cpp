#include "weft/core/shape.hpp"

#include <doctest/doctest.h>

#include <string>

using weft::Dims;
using weft::Shape;

namespace {

std::string text(const Dims& dims) { return weft::to_text(dims).c_str(); }

}  // namespace

TEST_CASE("shape: size is the product of the extents, and 1 for a scalar") {
  CHECK(Dims{}.size() == 1);
  CHECK(Dims{3, {4, 5, 6}}.size() == 120);
  CHECK(Dims{2, {4, 0}}.size() == 0);
  CHECK(Dims{4, {65536, 65536, 65536, 16}}.size() == weft::i64{1} << 52);
}

TEST_CASE("shape: equality sees the rank and the extents within it") {
  CHECK(Dims{2, {4, 8}} == Shape<4, 8>::value);
  CHECK(Dims{2, {4, 8}} != Dims{2, {8, 4}});
  CHECK(Dims{1, {4}} != Dims{2, {4, 1}});
  CHECK(Dims{1, {4, 99}} == Dims{1, {4, 0}});
}

// Cases and results from NumPy's manual, "Broadcasting", section "General broadcasting rules".
TEST_CASE("shape: broadcasting follows NumPy's published examples") {
  CHECK(weft::broadcast(Dims{3, {256, 256, 3}}, Dims{1, {3}}) == Dims{3, {256, 256, 3}});
  CHECK(weft::broadcast(Dims{4, {8, 1, 6, 1}}, Dims{3, {7, 1, 5}}) == Dims{4, {8, 7, 6, 5}});
  CHECK(weft::broadcast(Dims{2, {5, 4}}, Dims{1, {1}}) == Dims{2, {5, 4}});
  CHECK(weft::broadcast(Dims{2, {5, 4}}, Dims{1, {4}}) == Dims{2, {5, 4}});
  CHECK(weft::broadcast(Dims{3, {15, 3, 5}}, Dims{3, {15, 1, 5}}) == Dims{3, {15, 3, 5}});
  CHECK(weft::broadcast(Dims{3, {15, 3, 5}}, Dims{2, {3, 5}}) == Dims{3, {15, 3, 5}});
  CHECK(weft::broadcast(Dims{3, {15, 3, 5}}, Dims{2, {3, 1}}) == Dims{3, {15, 3, 5}});
  CHECK_FALSE(weft::broadcastable(Dims{1, {3}}, Dims{1, {4}}));
  CHECK_FALSE(weft::broadcastable(Dims{2, {2, 1}}, Dims{3, {8, 4, 3}}));
}

TEST_CASE("shape: broadcasting is symmetric, has the scalar as its unit, and keeps empty extents") {
  const Dims cases[] = {{0, {}},     {1, {1}},       {1, {3}},    {2, {3, 1}},
                        {2, {1, 3}}, {3, {2, 1, 3}}, {2, {0, 3}}, {1, {4}}};
  for (const Dims& a : cases) {
    CHECK(weft::broadcast(a, Dims{}) == a);
    for (const Dims& b : cases) {
      CHECK(weft::broadcast(a, b) == weft::broadcast(b, a));
      CHECK(weft::broadcast(a, b).valid() == weft::broadcastable(a, b));
    }
  }
  CHECK(weft::broadcast(Dims{2, {0, 3}}, Dims{1, {1}}) == Dims{2, {0, 3}});
  CHECK(weft::broadcast(Dims{1, {0}}, Dims{1, {1}}) == Dims{1, {0}});
  CHECK_FALSE(weft::broadcastable(Dims{1, {0}}, Dims{1, {3}}));
}

TEST_CASE("shape: negative axes count from the end") {
  CHECK(weft::normalize_axis(-1, 3) == 2);
  CHECK(weft::normalize_axis(-3, 3) == 0);
  CHECK(weft::normalize_axis(1, 3) == 1);
  CHECK(weft::axis_in_range(-3, 3));
  CHECK(weft::axis_in_range(2, 3));
  CHECK_FALSE(weft::axis_in_range(-4, 3));
  CHECK_FALSE(weft::axis_in_range(3, 3));
  CHECK_FALSE(weft::axis_in_range(0, 0));
  CHECK(Dims{3, {4, 5, 6}}[-1] == 6);
  CHECK(Dims{3, {4, 5, 6}}[0] == 4);
}

TEST_CASE("shape: row-major strides") {
  CHECK(weft::row_major_strides(Dims{3, {4, 5, 6}}) == Dims{3, {30, 6, 1}});
  CHECK(weft::row_major_strides(Dims{}) == Dims{});
}

TEST_CASE("shape: text is Python's tuple") {
  CHECK(text(Dims{}) == "()");
  CHECK(text(Dims{1, {3}}) == "(3,)");
  CHECK(text(Dims{2, {128, 64}}) == "(128, 64)");
  CHECK(text(Dims{2, {0, 9223372036854775807}}) == "(0, 9223372036854775807)");
  const weft::i64 least = -9223372036854775807 - 1;
  CHECK(text(Dims{8, {least, least, least, least, least, least, least, least}}).size() == 8 * 20 + 7 * 2 + 2);
}
