#include <doctest/doctest.h>

#include "weft/exec/function.hpp"
#include "weft/ops/loss/likelihood.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/nn/norm.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace weft;

TEST_CASE("rows: softmax, log_softmax and normalisations are one kernel each") {
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return softmax<-1>(x); }, in<f32, 64, 50>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x) { return log_softmax<-1>(x); }, in<f32, 64, 50>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto w, auto b) { return layer_norm(x, w, b); }, in<f32, 64, 50>, in<f32, 50>,
            in<f32, 50>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto w) { return rms_norm(x, w); }, in<f32, 64, 50>,
            in<f32, 50>))::launches() == 1);
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto w, auto b) { return gelu(layer_norm(x * 2 + 1, w, b)); },
            in<f32, 4, 8, 50>, in<f32, 50>, in<f32, 50>))::launches() == 1);
}
TEST_CASE("rows: cross entropy reads its logits in one kernel, in both directions") {
  // beside it, one counts the labels and one divides two numbers
  CHECK(decltype(compile(
            Cpu{}, [](auto x, auto y) { return cross_entropy(x, y); }, in<f32, 64, 50>,
            in<i32, 64>))::launches() == 3);
  CHECK(decltype(compile(
            Cpu{},
            [](auto x, auto y) { return value_and_grad([&](auto z) { return cross_entropy(z, y); })(x); },
            in<f32, 64, 50>, in<i32, 64>))::launches() == 3);
}
