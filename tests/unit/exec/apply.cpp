#include "weft/exec/apply.hpp"

#include <doctest/doctest.h>

#include "weft/nn/linear.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<6, 8> fc1{};
  nn::Linear<8, 3> fc2{};
};

}  // namespace

TEST_CASE("apply: starts what the predicate picks, and nothing else") {
  Model<Net> model(Cpu{}, 1), untouched(Cpu{}, 1);
  apply<nn::init::Constant<3>>(model,
                               [](std::string_view name, const Dims&) { return name == "fc1.weight"; });
  for (float v : model.get<"fc1.weight">()) CHECK(v == 3.0f);
  CHECK(model.get<"fc2.weight">().to_vector() == untouched.get<"fc2.weight">().to_vector());
  CHECK(model.get<"fc1.bias">().to_vector() == untouched.get<"fc1.bias">().to_vector());

  const auto matrices = [](std::string_view, const Dims& d) { return d.rank == 2; };
  apply<nn::init::Normal<>>(model, matrices, 5);
  apply<nn::init::Normal<>>(untouched, matrices, 5);
  CHECK(model.get<"fc1.weight">().to_vector() == untouched.get<"fc1.weight">().to_vector());
  apply<nn::init::Normal<>>(untouched, matrices, 6);
  CHECK(model.get<"fc1.weight">().to_vector() != untouched.get<"fc1.weight">().to_vector());
}
