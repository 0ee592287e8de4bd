#include "weft/kernel_ir/reuse.hpp"

#include <doctest/doctest.h>

#include <vector>
#include <weft/weft.hpp>

#include "weft/kernel_ir/fuse.hpp"
#include "weft/kernel_ir/plan.hpp"
#include "weft/transforms/prune.hpp"

using namespace weft;
using ir::Op;

namespace {

// Whether the only node of this operation is in memory, of f's fused graph.
template <class F, class... I>
bool stores(Op op, F, I...) {
  const ir::Graph g = transforms::prune(exec::FunctionSource<F, I...>::graph());
  const kernel_ir::Fusion fusion = kernel_ir::fuse(g);
  int found = 0;
  bool stored = false;
  for (int i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].op == op) ++found, stored = fusion.stored[i] != 0;
  CHECK(found == 1);
  return stored;
}

}  // namespace

TEST_CASE("reuse: costly arithmetic that a much larger value reads is done once") {
  // sines of places, as of a rotary embedding
  const auto turned = [](auto x) { return x * sin(cast<f32>(arange<i32, 128>()) * 0.01f); };
  CHECK(stores(Op::sin, turned, in<f32, 8192, 128>));
  CHECK_FALSE(stores(Op::sin, turned, in<f32, 2, 128>));  // less than a launch is worth
  // a parameter's
  const auto scaled = [](auto x, auto s) { return x * sigmoid(s); };
  CHECK(stores(Op::sigmoid, scaled, in<f32, 8192, 128>, in<f32, 128>));
  CHECK_FALSE(stores(Op::sigmoid, scaled, in<f32, 2, 128>, in<f32, 128>));
  // and what another kernel has made
  const auto of_sum = [](auto x) {
    const auto gate = sigmoid(mean<0>(x));  // (256,)
    return std::tuple{x * unsqueeze<0>(gate), sum<>(gate)};
  };
  CHECK(stores(Op::sigmoid, of_sum, in<f32, 65536, 256>));
}

TEST_CASE("reuse: what is cheap, as large as its reader or one of a row is made where it is read") {
  CHECK_FALSE(stores(
      Op::le,
      [](auto x) {
        return where(unsqueeze<0>(arange<i32, 512>()) <= unsqueeze<1>(arange<i32, 512>()), x, 0.0f);
      },
      in<f32, 64, 512, 512>));
  CHECK_FALSE(stores(
      Op::random, [](auto x) { return dropout(x, 0.25f); }, in<f32, 4096, 1024>));
  CHECK_FALSE(stores(
      Op::sigmoid, [](auto x, auto row) { return x * sigmoid(row); }, in<f32, 8192, 1024>, in<f32, 8192, 1>));
}

TEST_CASE("reuse: what is stored does not depend on the pieces that clustering works in") {
  const auto f = [](auto x) { return rotary_embedding(x); };
  const ir::Graph g =
      transforms::prune(exec::FunctionSource<decltype(f), Input<f32, Shape<512, 64, 64>>>::graph());
  const int n = g.nodes.size();
  const auto stored_in_pieces_of = [&](int piece) {
    kernel_ir::Clustering clustering;
    while (clustering.next < n) kernel_ir::Fuser(g, clustering).run(piece);
    const List<u8>& stored = clustering.fusion.stored;
    return std::vector<u8>(stored.begin(), stored.end());
  };
  const std::vector<u8> whole = stored_in_pieces_of(n);
  int sines = 0;
  for (int i = 0; i < n; ++i) sines += g.nodes[i].op == Op::sin && whole[static_cast<std::size_t>(i)] != 0;
  CHECK(sines == 1);
  for (const int piece : {1, 2, 7}) CHECK(stored_in_pieces_of(piece) == whole);
}

TEST_CASE("reuse: a table that is stored changes no value") {
  const auto f = [](auto x) { return rotary_embedding(x); };
  auto large = compile(Cpu{}, f, in<f32, 512, 64, 64>);
  auto small = compile(Cpu{}, f, in<f32, 1, 64, 64>);
  CHECK(decltype(large)::launches() == 2);
  CHECK(decltype(small)::launches() == 1);
  std::vector<f32> x(512 * 64 * 64);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<f32>(i * 37 % 101) / 64 - 0.7f;
  const auto y = large(x);
  bool same = true;
  for (std::size_t n = 0; n < 512; n += 73) {
    const auto one = small(std::vector<f32>(x.begin() + static_cast<std::ptrdiff_t>(n * 4096),
                                            x.begin() + static_cast<std::ptrdiff_t>((n + 1) * 4096)));
    for (std::size_t i = 0; i < 4096; ++i) same = same && one.data()[i] == y.data()[n * 4096 + i];
  }
  CHECK(same);
}
