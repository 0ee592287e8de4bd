#include "weft/targets/workspace.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/exec/function.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops.hpp"

using namespace weft;

namespace {

template <class F>
std::string said_by(const F& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("workspace: the caller's, or memory of its own") {
  alignas(256) std::byte lent[512];
  CHECK(exec::host_workspace(lent, 512).data() == lent);
  CHECK(exec::host_workspace(nullptr, i64{80} << 20).size() == std::size_t{80} << 20);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("workspace: what there is no memory for is told with its largest values, and what takes less") {
  if (available_host_memory() < 0) return;
  constexpr i64 n = i64{1} << 19;
  const std::string said = said_by([] {
    auto f = compile(
        Cpu{}, [](auto x, auto y) { return sum<>(relu(matmul(x, y))); }, in<f32, n, 2>, in<f32, 2, n>);
  });
  CHECK(said.starts_with("cpu/out-of-memory: "));
  CHECK_MESSAGE(has(said, "; the largest are "), said);
  CHECK_MESSAGE(has(said, "(524288, 524288) of f32, 1048576 MB"), said);
  CHECK(has(said, "checkpoint::blocks"));
}
TEST_CASE("workspace: of what a loop gives, the operation of its body is told") {
  if (available_host_memory() < 0) return;
  constexpr i64 n = i64{1} << 29;
  const std::string said = said_by([] {
    auto f = compile(
        Cpu{},
        [](auto x, auto h) {
          const auto step = [](auto before, auto row) {
            const auto after = exp(before + row);
            return std::pair{after, after};
          };
          const auto [last, all] = loop(step, h, x);
          return sum<>(cumsum<0>(all)) + sum<>(last);
        },
        in<f32, 1024, 1>, in<f32, n>);
  });
  CHECK_MESSAGE(has(said, "the largest are exp (1025, 536870912) of f32"), said);
}
TEST_CASE("workspace: so is a model's state, with its largest parameters") {
  if (available_host_memory() < 0) return;
  struct Net {
    nn::Linear<64, 32> small{};
    nn::Linear<i64{1} << 19, i64{1} << 19> large{};
  };
  const std::string said = said_by([] { Model<Net> model; });
  CHECK(said.starts_with("cpu/out-of-memory: "));
  CHECK_MESSAGE(has(said,
                    "the largest are large.weight (524288, 524288) of f32, 1048576 MB; large.bias (524288,) "
                    "of f32, 2 MB; layers of bf16"),
                said);
}
#endif
