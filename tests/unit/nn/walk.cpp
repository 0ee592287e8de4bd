#include "weft/nn/walk.hpp"

#include <doctest/doctest.h>

#include <array>

#include "weft/nn/batch_norm.hpp"
#include "weft/nn/stack.hpp"

using namespace weft;

TEST_CASE("walk: settings of a mode are reached inside arrays and containers") {
  struct Deep {
    std::array<nn::Sequential<nn::Dropout, nn::Frozen<nn::BatchNorm1d<2>>>, 3> h{};
  };
  Deep deep;
  int states = 0, modes = 0;
  auto f = [&](const nn::Unnamed&, auto&) { ++states; };
  auto g = [&](nn::Mode&) { ++modes; };
  nn::walk<nn::Unnamed>(deep, f, g);
  CHECK(states == 15);
  CHECK(modes == 6);
}

TEST_CASE("walk: the blocks of a Stack are visited once, under the name of the first") {
  struct Block {
    nn::Param<f32, Shape<2>> w{};
    nn::Stack<nn::Param<f32, Shape<3>>, 12> inner{};
  };
  struct Deep {
    nn::Stack<Block, 3> h{};
    nn::Param<f32, Shape<1>> last{};
  };
  Deep deep;
  int visited = 0;
  auto f = [&](const nn::Name& name, auto&) {
    ++visited;
    if (visited == 1) CHECK(name.of_copy(2).view() == "h.2.w");
    if (visited == 2) {
      CHECK(name.view() == "h.0.inner.0");
      CHECK(name.copies == Shape<3, 12>::value);
      CHECK(name.of_copy(35).view() == "h.2.inner.11");
      for (i64 k = 0; k < 36; ++k) CHECK(name.copy_of(name.of_copy(k).view()) == k);
      for (const char* no :
           {"h.3.inner.0", "h.0.inner.12", "h.0.inner.", "h.00.inner.0", "h.0.inner.0.w", "h"})
        CHECK(name.copy_of(no) == -1);
    }
    if (visited == 3) CHECK(name.copies == Dims{});
  };
  auto g = [](nn::Mode&) {};
  nn::walk<nn::Name>(deep, f, g);
  CHECK(visited == 3);
}
