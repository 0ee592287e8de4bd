#include "weft/nn/tied.hpp"

#include "../io/scratch.hpp"
#include "reference.hpp"
#include "weft/nn/embedding.hpp"
#include "weft/nn/linear.hpp"

using namespace nn_test;

namespace {

struct Head {
  nn::Tied<"wte.weight"> weight{};
};
struct Language {
  nn::Embedding<6, 4> wte{};
  Head lm_head{};
  constexpr auto operator()(auto tokens) const { return linear(wte(tokens), wte.weight); }
};
struct Assistant {
  Language language{};
};
struct Untied {
  nn::Embedding<6, 4> wte{};
  nn::Linear<4, 6, false> lm_head{};
};

}  // namespace

TEST_CASE("tied: the name adds no state and refers to the parameter, in nested models too") {
  static_assert(nn::parameter_count<Language>() == 24);
  const auto& aliases = nn::alias_table<Assistant>;
  REQUIRE(aliases.size == 1);
  CHECK(aliases.row[0].name.view() == "language.lm_head.weight");
  const nn::StatePlace place = nn::find_state<Assistant>("language.lm_head.weight");
  REQUIRE(place.row >= 0);
  CHECK(nn::state_table<Assistant>.row[place.row].name.view() == "language.wte.weight");
  Model<Language> model;
  CHECK(model.get<"lm_head.weight">().data() == model.get<"wte.weight">().data());
}

TEST_CASE("tied: files have both names, and either is enough to read one") {
  const ScratchFolder folder;
  const std::string path = folder / "model.safetensors";
  Model<Language, TestDevice> model(test_device(), 4);
  model.save(path);
  Model<Untied, TestDevice> apart(test_device(), 5);
  apart.load(path);
  CHECK(apart.get<"lm_head.weight">().to_vector() == model.get<"wte.weight">().to_vector());
  Model<Language, TestDevice> again(test_device(), 6);
  again.load(path);
  CHECK(again.get<"wte.weight">().to_vector() == model.get<"wte.weight">().to_vector());

  for (const char* only : {"wte.weight", "lm_head.weight"}) {
    io::write_safetensors(
        path,
        {{only, DType::f32, {6, 4}, reinterpret_cast<const std::byte*>(model.get<"wte.weight">().data())}});
    again.initialize(9);
    CHECK(again.load(path).complete());
    CHECK(again.get<"wte.weight">().to_vector() == model.get<"wte.weight">().to_vector());
  }
  // names that are tied here and differ in the file
  apart.initialize(8);
  apart.save(path);
  again.initialize(9);
  const auto before = again.get<"wte.weight">().to_vector();
  CHECK_THROWS_AS(again.load(path), Error);
  CHECK(again.get<"wte.weight">().to_vector() == before);
}
