#include "weft/exec/print.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "support/repository.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr f32 none = std::numeric_limits<f32>::quiet_NaN(), most = std::numeric_limits<f32>::infinity();

const std::map<std::string, std::string>& printed() {
  static const auto all = [] {
    std::map<std::string, std::string> texts;
    std::ifstream file(repository_file("tests/parity/data/print.txt"));
    std::string line, name;
    while (std::getline(file, line)) {
      if (line.starts_with("== "))
        name = line.substr(3);
      else
        texts[name] += (texts[name].empty() ? "" : "\n") + line;
    }
    return texts;
  }();
  return all;
}

template <class T, i64... D>
void compare(const std::string& name, const std::vector<T>& values) {
  INFO(name);
  REQUIRE(printed().contains(name));
  CHECK(exec::TensorText<T>(values, Shape<D...>::value, nullptr).text() == printed().at(name));
}
template <class T>
std::vector<T> ascending(int n, f64 scale = 1) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<T>(static_cast<f64>(i) * scale);
  return v;
}

}  // namespace

TEST_CASE("print: as PyTorch prints") {
  compare<f32, 2, 3>("fractions", {1, 2, 3, 4, 5, 6.5f});
  compare<f32, 3>("whole", {1, 2, -3});
  compare<f32, 2>("negative_zero", {-0.0f, 0.0f});
  compare<i32, 2, 2>("i32", {1, -200, 3, 4});
  compare<u8, 2>("u8", {0, 255});
  compare<f64, 2, 2, 2>("spread", {1e-5, 2, 3, 4, 5, 6, 7, 8});
  compare<f32, 2>("large", {1, 123456789.0f});
  compare<f32, 4>("odd", {1.5f, none, most, -most});
  compare<f32, 2>("odd_alone", {none, most});
  compare<f32, 4>("odd_whole", {1, none, -most, 0});
  compare<f32, 2, 3>("zeros", std::vector<f32>(6));
  compare<f32>("scalar", {3.5f});
  compare<i64>("scalar_i64", {7});
  compare<f32, 0, 3>("empty", {});
  compare<f32, 0>("empty_line", {});
  compare<i64, 30>("lines", ascending<i64>(30));
  compare<f32, 2, 30>("wide", ascending<f32>(60, 0.125));
  compare<f32, 2000>("long", ascending<f32>(2000));
  compare<f32, 40, 50>("matrix", ascending<f32>(2000));
  compare<f32, 8, 5, 30>("deep", ascending<f32>(1200));
  compare<f16, 2, 2>("half", {f16(0.1f), f16(2.0f), f16(3.0f), f16(4.0f)});
  compare<bf16, 3>("bf16", {bf16(0.1f), bf16(2.0f), bf16(1024.0f)});
  compare<f32, 2, 2, 2, 3>("four", ascending<f32>(24));
  compare<f32, 10, 100>("edge", ascending<f32>(1000));
  compare<bool, 2, 2>("bool", {true, false, false, false});
}

TEST_CASE("print: tensors, views and results, to any stream") {
  const Tensor<f32, Shape<2>> t{1, 2};
  auto f = compile(
      Cpu{}, [](auto x) { return x + 0.5f; }, in<f32, 2>);
  std::ostringstream out;
  out << t << " " << f(t) << " " << t.view();
  CHECK(out.str() == "tensor([1., 2.]) tensor([1.5000, 2.5000]) tensor([1., 2.])");
  CHECK(to_text(t) == "tensor([1., 2.])");

  auto two = compile(
      Cpu{}, [](auto x) { return std::tuple(x * 2, sum<>(x)); }, in<f32, 2>);
  std::ostringstream results;
  results << two(t);
  CHECK(results.str() == "(tensor([2., 4.]),\n tensor(3.))");
}
