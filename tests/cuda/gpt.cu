// The model of examples/gpt.cpp, small, on a GPU: trained there, and read token by token through a cache that
// a Stack of blocks updates in place.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../../examples/gpt.hpp"

using namespace weft;

namespace {

constexpr gpt::Sizes tiny{.vocabulary = 24, .context = 12, .width = 16, .heads = 2, .layers = 3};
using Tiny = gpt::Gpt<tiny>;
using TinyCache = gpt::Cache<tiny>;  // nvcc 13 does not compile a class-type constant inside a function

i32 token_at(int place) { return place * place % 7 * 3 + 1; }

}  // namespace

TEST_CASE("gpt: a GPU reads token by token what it reads of whole texts") {
  auto trainer = make_trainer<Tiny>(
      Cuda{0}, [](const auto& m, auto text, auto next) { return cross_entropy(m(text), next); },
      in<i32, 4, 12>, in<i32, 4, 12>, optim::AdamW{.lr = 1e-2f}, seed{5});
  std::vector<i32> text, next;
  for (int row = 0; row < 4; ++row)
    for (int i = 0; i < 12; ++i) text.push_back(token_at(row + i)), next.push_back(token_at(row + i + 1));
  for (int i = 0; i < 150; ++i) trainer.step(text, next);
  CHECK(static_cast<f32>(trainer.step(text, next)) < 0.7f);  // of the frequencies alone it would be 1.35

  auto whole = compile(
      trainer.model(), [](const auto& m, auto x) { return m(x); }, in<i32, 4, 12>);
  const std::vector<f32> wanted = whole(text).to_vector();  // (4, 12, 24)
  Model<TinyCache, Cuda> cache(Cuda{0});
  auto read = compile(
      states(trainer.model(), cache),
      [](const auto& m, const auto& c, auto token, auto position) { return m(token, position, c); }, in<i32>,
      in<i32>);
  for (std::size_t row : {0, 3})
    for (std::size_t i = 0; i < 12; ++i) {
      const std::vector<f32> got = read(text[12 * row + i], static_cast<i32>(i)).to_vector();
      for (std::size_t k = 0; k < 24; ++k)
        CHECK(got[k] == doctest::Approx(wanted[288 * row + 24 * i + k]).epsilon(1e-4));
    }
}
