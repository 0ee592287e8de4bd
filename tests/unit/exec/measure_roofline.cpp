#include "weft/exec/measure_roofline.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace weft;

TEST_CASE("measure_roofline: rates of this machine, in bytes and FLOPs a second") {
  const Roofline found = exec::measure_roofline<(1 << 20), 128>(Cpu{1});
  CHECK(found.bytes_per_second > 1e6);
  CHECK(found.bytes_per_second < 1e14);
  CHECK(found.flops_per_second > 1e6);
  CHECK(found.flops_per_second < 1e14);
  // what it is made of: the bytes and FLOPs that explain() counts
  auto pass = compile(Cpu{1}, exec::MeasuredPass{}, in<f32, 1 << 20>);
  CHECK(decltype(pass)::explain().find("1 launch, 8.39 MB moved") == 0);
  auto product = compile(Cpu{1}, exec::MeasuredProduct{}, in<f32, 128, 128>, in<f32, 128, 128>);
  CHECK(decltype(product)::explain().find(", 4.19 MFLOP,") != std::string::npos);
}

TEST_CASE(
    "measure: the seconds of a call, on zeros or on what is given, which changes what is assigned alone") {
  auto f = compile(
      Cpu{1}, [](auto x) { return exp(x) * 2.0f; }, in<f32, 4096>);
  std::vector<f32> x(4096, 1.0f);
  const auto held = f(x);
  CHECK(f.measure() > 0);
  CHECK(f.measure(x) > 0);
  CHECK(held[0] == doctest::Approx(2 * 2.7182818f));
}
