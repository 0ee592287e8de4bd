// expect: evaluate: the function gives floating-point numbers that are means over the rows of the batch
// -100 expect: evaluate: it takes one in<...> a field of a sample, the batch as the first axis of each
#include "weft/nn/linear.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/train/evaluate.hpp"
using namespace weft;

struct Net {
  nn::Linear<3, 4> fc{};
};

int main() {
  Model<Net> model;
  const data::Arrays<f32> points({std::vector<f32>(6), {3}});
#ifdef WEFT_FIXED
  evaluate(
      model, [](const auto& m, auto x) { return mean<1>(m.fc(x)); }, points, in<f32, 2, 3>);
#else
  evaluate(
      model, [](const auto& m, auto x) { return m.fc(x); }, points, in<f32, 2, 3>);
  evaluate(
      model, [](const auto& m, auto x, auto) { return mean<>(m.fc(x)); }, points, in<f32, 2, 3>, in<i32, 3>);
#endif
}
