// The model and the sampler of examples/gpt.cpp, small: read token by token through its cache it says what it
// says of whole texts, and tokens are drawn with the probabilities that they should have.

#include <doctest/doctest.h>

#include <map>

#include "../../examples/gpt.hpp"

using namespace weft;

namespace {

constexpr gpt::Sizes tiny{.vocabulary = 24, .context = 12, .width = 16, .heads = 2, .layers = 3};
using Tiny = gpt::Gpt<tiny>;

// Tokens in an order that repeats itself every seven places.
i32 token_at(i64 place) { return static_cast<i32>(place * place % 7 * 3 + 1); }

std::vector<i32> tokens_from(i64 place, i64 count) {
  std::vector<i32> tokens;
  for (i64 i = 0; i < count; ++i) tokens.push_back(token_at(place + i));
  return tokens;
}

// How often each token comes in many draws, as parts of them.
std::map<i32, double> drawn(const std::vector<f32>& logits, const gpt::Sampling& sampling) {
  constexpr int draws = 40000;
  std::mt19937_64 random(3);
  std::map<i32, double> parts;
  for (int i = 0; i < draws; ++i) parts[gpt::draw(logits, sampling, random)] += 1.0 / draws;
  return parts;
}

}  // namespace

TEST_CASE("gpt: read token by token a trained model gives the logits of whole texts") {
  auto trainer = make_trainer<Tiny>(
      Cpu{1}, [](const auto& m, auto text, auto next) { return cross_entropy(m(text), next); },
      in<i32, 4, 12>, in<i32, 4, 12>, optim::AdamW{.lr = 5e-3f}, seed{5});
  std::vector<i32> text, next;
  for (i64 row = 0; row < 4; ++row)
    for (i64 i = 0; i < 12; ++i) text.push_back(token_at(row + i)), next.push_back(token_at(row + i + 1));
  for (int i = 0; i < 250; ++i) trainer.step(text, next);
  CHECK(static_cast<f32>(trainer.step(text, next)) < 0.5f);  // of the frequencies alone it would be 1.35

  auto whole = compile(
      trainer.model(), [](const auto& m, auto x) { return m(x); }, in<i32, 1, 12>);
  // The logits behind each token of a text that is no longer than the context.
  const auto logits_of_whole = [&](std::vector<i32> given) {
    const std::size_t length = given.size();
    given.resize(12);
    const std::vector<f32> all = whole(given).to_vector();
    return std::vector<f32>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(24 * length));
  };
  const auto check_close = [](const std::vector<f32>& got, const f32* wanted) {
    REQUIRE(got.size() == 24);
    for (std::size_t i = 0; i < 24; ++i) CHECK(got[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
  };

  Model<gpt::Cache<tiny>> cache(Cpu{1});
  const auto reader = [&] {
    auto next_logits = compile(
        states(trainer.model(), cache),
        [](const auto& m, const auto& c, auto token, auto position) { return m(token, position, c); },
        in<i32>, in<i32>);
    using Next = decltype(next_logits);
    CHECK(next_logits.explain().find("copy") == std::string::npos);  // the cache is written where it lies
    return gpt::Reader<tiny, Next>(std::move(next_logits));
  };
  auto first = reader();
  const std::vector<f32> wanted = logits_of_whole(tokens_from(2, 12));
  for (i64 i = 0; i < 12; ++i) check_close(first.read(token_at(2 + i)), wanted.data() + 24 * i);
  // The context is full: its second half is read again with the token, as a text of its own.
  for (const i64 end : {15, 16, 17}) {
    const std::vector<f32> slid = logits_of_whole(tokens_from(9, end - 9));
    check_close(first.read(token_at(end - 1)), slid.data() + 24 * (end - 10));
  }
  // Another text over what the first one left in the cache.
  auto second = reader();
  const std::vector<f32> other = logits_of_whole(tokens_from(4, 3));
  for (i64 i = 0; i < 3; ++i) check_close(second.read(token_at(4 + i)), other.data() + 24 * i);
}

TEST_CASE("gpt: tokens are drawn with their probabilities") {
  // Probabilities 0.1, 0.4, 0.2, 0.3, of which every logit lies by the same number too high.
  std::vector<f32> logits;
  for (const double p : {0.1, 0.4, 0.2, 0.3}) logits.push_back(static_cast<f32>(std::log(p) + 50));
  const auto close = [](double value) { return doctest::Approx(value).epsilon(0.04); };
  auto parts = drawn(logits, {.temperature = 1});
  CHECK(parts[0] == close(0.1));
  CHECK(parts[1] == close(0.4));
  CHECK(parts[2] == close(0.2));
  CHECK(parts[3] == close(0.3));
  parts = drawn(logits, {.temperature = 0.5});  // squares of them
  CHECK(parts[0] == close(0.01 / 0.30));
  CHECK(parts[1] == close(0.16 / 0.30));
  parts = drawn(logits, {.temperature = 0});
  CHECK(parts.size() == 1);
  CHECK(parts.count(1) == 1);
  parts = drawn(logits, {.temperature = 1, .top_k = 2});
  CHECK(parts.size() == 2);
  CHECK(parts[1] == close(0.4 / 0.7));
  CHECK(parts[3] == close(0.3 / 0.7));
  parts = drawn(logits, {.temperature = 1, .top_p = 0.75});  // 0.4 + 0.3 is too little
  CHECK(parts.size() == 3);
  CHECK(parts[2] == close(0.2 / 0.9));
  CHECK(drawn(logits, {.temperature = 1, .top_p = 0}).size() == 1);
  CHECK(drawn(logits, {.temperature = 1, .top_k = 3, .top_p = 0.75}).size() == 2);  // of 0.9: 0.7 are 0.78
  CHECK(drawn(logits, {.temperature = 1, .top_k = 100}).size() == 4);
  std::mt19937_64 random(1);
  logits[2] = std::nanf("");
  CHECK_THROWS_AS(gpt::draw(logits, {}, random), Error);
}
