#include "weft/exec/options.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "../io/scratch.hpp"
#include "weft/exec/model.hpp"
#include "weft/ir/print.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/dropout.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/random/random.hpp"
#include "weft/optim/sgd.hpp"

using namespace weft;

namespace {

struct Net {
  nn::Linear<3, 4> fc{};
  nn::BatchNorm1d<4> norm{};
  nn::Dropout drop{.p = 0.5f};
  constexpr auto operator()(auto x) const { return drop(norm(fc(x))); }
};
constexpr auto forward = [](const auto& m, auto x) { return m(x); };
constexpr auto product = [](auto a, auto b) { return matmul(a, b); };
using A = Input<f32, Shape<4, 3>>;
using B = Input<f32, Shape<3, 5>>;
const std::vector<float> x{1, 2, 3, -1, 0, 2, 4, 4, 1, 0, 1, 0};
const std::vector<float> y{0.1f, 1.7f, -2.3f, 0.9f, 3, 1, 2, -1, 0.3f, 0.7f, 5, -0.2f, 0.01f, 1, 1};

template <class... O>
ir::Graph graph_of() {
  return exec::SourceFor<void, decltype(product), exec::CompileOptions<O...>, A, B>::type::graph();
}
int count(const ir::Graph& g, ir::Op op, u64 imm = 0) {
  int n = 0;
  for (const ir::Node& node : g.nodes) n += node.op == op && node.imm == imm ? 1 : 0;
  return n;
}
struct Free {
  void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{256}); }
};
std::unique_ptr<std::byte[], Free> memory_of(i64 bytes) {
  return std::unique_ptr<std::byte[], Free>(
      static_cast<std::byte*>(::operator new (static_cast<std::size_t>(bytes), std::align_val_t{256})));
}

}  // namespace

TEST_CASE("compile: mode::train draws dropout and updates the running statistics, mode::eval does neither") {
  Model<Net> model(Cpu{1}, 3), twin(Cpu{1}, 3);
  auto plain = compile(model, forward, in<f32, 4, 3>);
  auto eval = compile(model, forward, in<f32, 4, 3>, mode::eval);
  CHECK(plain(x).to_vector() == eval(x).to_vector());
  CHECK(get<"norm.num_batches_tracked">(model).to_vector()[0] == 0);
  auto train = compile(twin, forward, in<f32, 4, 3>, mode::train);
  const auto first = train(x).to_vector(), second = train(x).to_vector();
  CHECK(first != second);
  CHECK(get<"norm.num_batches_tracked">(twin).to_vector()[0] == 2);
  CHECK(get<"norm.running_mean">(twin).to_vector() != get<"norm.running_mean">(model).to_vector());
}

TEST_CASE("compile: seed{} begins the random numbers, wherever it stands among the options") {
  Model<Net> model(Cpu{1}, 3);
  auto a = compile(model, forward, in<f32, 4, 3>, seed{5}, mode::train);
  auto b = compile(model, forward, in<f32, 4, 3>, mode::train, seed{5});
  auto c = compile(model, forward, in<f32, 4, 3>, mode::train);
  const auto first = a(x).to_vector();
  CHECK(first == b(x).to_vector());
  CHECK(first != c(x).to_vector());
  c.set_seed(5);
  CHECK(first == c(x).to_vector());
}

TEST_CASE("compile: a precision lowers the products, and its result is still what the function returns") {
  CHECK(count(graph_of<precision::BF16>(), ir::Op::cast) == 2);
  CHECK(count(graph_of<>(), ir::Op::cast) == 0);
  auto f32s = compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>);
  auto bf16s = compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>, precision::bf16);
  const auto exact = f32s(x, y).to_vector(), rounded = bf16s(x, y).to_vector();
  bool differs = false;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    // each factor rounds by at most 2^-9, the result keeps the f32 sums; the products' magnitudes sum to less
    // than 50
    CHECK(rounded[i] == doctest::Approx(exact[i]).epsilon(0.004).scale(50));
    differs = differs || rounded[i] != exact[i];
  }
  CHECK(differs);
}

TEST_CASE(
    "compile: precision::tf32 marks the products of f32 and changes no other node and no bit on the host") {
  const ir::Graph g = graph_of<precision::TF32>();
  CHECK(count(g, ir::Op::dot, ir::dot_tf32) == 1);
  CHECK(count(g, ir::Op::dot) == 0);
  CHECK(g.nodes.size() == graph_of<>().nodes.size());
  CHECK(!ir::verify(g, ir::Stage::traced));
  CHECK(ir::print(g).find("tf32") != std::string::npos);
  auto plain = compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>);
  auto tf32s = compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>, precision::tf32);
  CHECK(plain(x, y).to_vector() == tf32s(x, y).to_vector());
  CHECK(tf32s.explain().find("by tf32") != std::string::npos);
  CHECK(plain.explain().find("tf32") == std::string::npos);
  auto conv = compile(
      Cpu{1}, [](auto x_, auto w) { return conv2d(x_, w); }, in<f32, 1, 3, 6, 6>, in<f32, 8, 3, 3, 3>,
      precision::tf32);
  CHECK(conv.explain().find("f32 to f32 by tf32") != std::string::npos);
}

TEST_CASE("compile: a function works in the memory lent to it") {
  auto own = compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>);
  constexpr i64 bytes = decltype(own)::memory_bytes();
  static_assert(bytes >= decltype(own)::workspace_bytes());
  const auto memory = memory_of(bytes);
  auto lent = compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>, lend{.workspace = memory.get()});
  const auto result = lent(x, y);
  const auto* at = reinterpret_cast<const std::byte*>(result.data());
  CHECK(at >= memory.get());
  CHECK(at < memory.get() + bytes);
  CHECK(result.to_vector() == own(x, y).to_vector());
  CHECK(error_id([&] {
          compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>, lend{.workspace = memory.get() + 8});
        }) == "cpu/misaligned");
  CHECK(error_id([&] {
          compile(Cpu{1}, product, in<f32, 4, 3>, in<f32, 3, 5>, lend{.optimizer = memory.get()});
        }) == "exec/lent");
}

TEST_CASE("compile<M>: a function with a model of its own, which starts as Model's does and can move") {
  Model<Net> model(Cpu{1}, 7);
  const std::vector<float> expected = compile(model, forward, in<f32, 4, 3>)(x).to_vector();
  auto f = compile<Net>(Cpu{1}, forward, in<f32, 4, 3>, seed{7});
  auto moved = std::move(f);
  CHECK(moved(x).to_vector() == expected);
  CHECK(get<"fc.weight">(moved.model()).to_vector() == get<"fc.weight">(model).to_vector());
  const ScratchFolder folder;
  Model<Net>(Cpu{1}, 8).save(folder / "other.safetensors");
  moved.model().load(folder / "other.safetensors");
  CHECK(moved(x).to_vector() != expected);
}
