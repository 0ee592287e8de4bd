#include "weft/compiler/verify.hpp"

#include <doctest/doctest.h>

#include <string>

#include "weft/weft.hpp"

using namespace weft;
namespace c = weft::compiler;

namespace {

struct Net {
  nn::Linear<64, 32> fc1;
  nn::LayerNorm<32> norm;
  nn::Linear<32, 3> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(norm(fc1(x)))); }
};
constexpr auto loss = [](const auto& model, auto x, auto y) { return cross_entropy(model(x), y); };
using Step = train::StepSource<Net, decltype(loss), train::Options<optim::AdamW>, true,
                               Input<f32, Shape<16, 64>>, Input<i32, Shape<16>>>;

// What the verifier of Pass says once `plant` has changed what the pass left; "" where it says nothing.
template <class Pass, class Plant>
std::string fault_of(const Plant& plant) {
  std::string said = "the pass never ran";
  c::compile_graph(Step::graph(), [&](auto pass, const c::Module& left) {
    if constexpr (std::is_same_v<decltype(pass), Pass>) {
      c::Module m = left;
      plant(m);
      const ir::Fault fault = c::verify(pass, m);
      said = fault ? fault.what : "";
    }
  });
  return said;
}
int first(const kernel_ir::Fusion& f, kernel_ir::Materialization how) {
  for (int i = 0; i < f.materialization.size(); ++i)
    if (f.materialization[i] == how) return i;
  return -1;
}
// A kernel of fused nodes with a store.
kernel_ir::Kernel& storing(c::Module& m) {
  for (kernel_ir::Kernel& kernel : m.fusion.kernels)
    if (kernel.opaque < 0 && kernel.stores.size > 0 && kernel.body.size > 0) return kernel;
  FAIL("no kernel");
  return m.fusion.kernels[0];
}

}  // namespace

TEST_CASE("verify: nothing planted, nothing said") {
  const auto nothing = [](c::Module&) {};
  CHECK(fault_of<c::Prune>(nothing) == "");
  CHECK(fault_of<c::Cluster>(nothing) == "");
  CHECK(fault_of<c::Collect>(nothing) == "");
  CHECK(fault_of<c::PlanMemory>(nothing) == "");
  CHECK(fault_of<c::Lower>(nothing) == "");
  CHECK(fault_of<c::Link>(nothing) == "");
}

TEST_CASE("verify: clusters") {
  using kernel_ir::Materialization;
  CHECK(fault_of<c::Cluster>([](c::Module& m) { m.fusion.materialization.resize(3); }) ==
        "a fusion of another graph");
  CHECK(fault_of<c::Cluster>([](c::Module& m) {
          m.fusion.materialization[first(m.fusion, Materialization::fused)] = Materialization::deferred;
        }) == "it is deferred, and all kernels are formed");
  CHECK(fault_of<c::Cluster>([](c::Module& m) {
          m.fusion.kernel_of[first(m.fusion, Materialization::fused)] = -1;
        }) == "its materialization and its kernel do not go together");
  CHECK(fault_of<c::Cluster>([](c::Module& m) {
          m.fusion.kernel_of[first(m.fusion, Materialization::opaque)] = 1000;
        }) == "its materialization and its kernel do not go together");
  CHECK(fault_of<c::Cluster>([](c::Module& m) {
          const int v = first(m.fusion, Materialization::view);
          m.fusion.views[m.fusion.view_of[v]].root = v;
        }) == "a view of what comes later");
}

TEST_CASE("verify: what kernels read and store") {
  CHECK(fault_of<c::Collect>([](c::Module& m) { storing(m).stores.begin = 1 << 20; }) ==
        "a kernel's members lie outside the pool");
  CHECK(fault_of<c::Collect>([](c::Module& m) {
          kernel_ir::Kernel& kernel = storing(m);
          m.fusion.stored[m.fusion.pool[kernel.stores.begin]] = 0;
        }) == "a kernel stores it, and it is not in memory");
  CHECK(fault_of<c::Collect>([](c::Module& m) { storing(m).body.size = 0; }) ==
        "a kernel stores what it does not compute");
  CHECK(fault_of<c::Collect>([](c::Module& m) { storing(m).stores.size = 0; }) ==
        "it is read from memory, and no kernel stores it");
  CHECK(fault_of<c::Collect>([](c::Module& m) {
          const kernel_ir::Kernel& end = m.fusion.kernels[m.fusion.kernels.size() - 1];
          for (const kernel_ir::Kernel& kernel : m.fusion.kernels)
            if (kernel.loads.size > 0) {
              m.fusion.pool[kernel.loads.begin] = m.fusion.pool[end.stores.begin];
              break;
            }
        }) == "a kernel reads it before it is stored");
}

TEST_CASE("verify: places") {
  const auto stored = [](c::Module& m) -> u64& {
    kernel_ir::Kernel& kernel = storing(m);
    return m.plan.where[m.fusion.pool[kernel.stores.begin]];
  };
  CHECK(fault_of<c::PlanMemory>([&](c::Module& m) { stored(m) = kernel_ir::BufferAddress::none; }) ==
        "it is stored nowhere");
  CHECK(fault_of<c::PlanMemory>([&](c::Module& m) { stored(m) += 1; }) == "it is not aligned");
  CHECK(fault_of<c::PlanMemory>([&](c::Module& m) { m.plan.workspace_bytes = 0; }) ==
        "it lies outside its block");
  CHECK(fault_of<c::PlanMemory>([&](c::Module& m) {
          for (kernel_ir::Tiling& tiling : m.plan.tilings)
            if (tiling.rows > 1) tiling.chunks = 0;
        }) == "a kernel's chunks do not cover its rows");
}

TEST_CASE("verify: launches") {
  CHECK(fault_of<c::Lower>([](c::Module& m) { m.lowered.steps[0].kernel = 1000; }) ==
        "a launch and its kernel are of different kinds");
  CHECK(fault_of<c::Lower>([](c::Module& m) { m.lowered.steps[0].addresses.size = 1 << 20; }) ==
        "a launch's arguments lie outside the program");
  CHECK(fault_of<c::Lower>([](c::Module& m) { m.lowered.kernels[0].words.begin = -1; }) ==
        "a kernel's words lie outside the program");
  CHECK(fault_of<c::Lower>([](c::Module& m) {
          m.lowered.addresses[0] = kernel_ir::BufferAddress::make(ir::Space::workspace, i64{1} << 39);
        }) == "a launch's operand lies outside its block");
  CHECK(fault_of<c::Link>([](c::Module& m) { m.image.header.steps += 1; }) ==
        "the image's header is not that of its program");
}

TEST_CASE("verify: a value that reads no memory is made at any time, others before what depends on them") {
  const auto fault = [](bool generated) {
    ir::Builder b;
    const Dims d{2, {4, 4}};
    const ir::Value x{&b, b.leaf(ir::Op::input, DType::f32, d, 0)};
    b.graph.inputs.push(x.id);
    const ir::Value count{&b, b.leaf(ir::Op::iota, DType::f32, d, 0)};
    const ir::Value y = generated ? count : ir::unary(ir::Op::sqrt, x + count);
    const ir::Value ordered = ir::add_dependency(x * 2.0, y) + 1.0;
    ir::DotAxes axes;
    axes.contracted = 1;
    axes.contracted_a[0] = 1;
    b.graph.outputs.push(ordered.id);
    b.graph.outputs.push(ir::dot(ordered, y, axes, DType::f32).id);  // has y stored
    std::string said;
    c::compile_graph(b.graph, [&](auto pass, const c::Module& left) {
      if constexpr (std::is_same_v<decltype(pass), c::Collect>) {
        c::Module m = left;
        const ir::Fault before = c::verify(pass, m);
        CHECK(!before);
        const int k = m.fusion.kernel_of[ordered.id];
        m.fusion.kernel_of[y.id] = k;  // as if it were made where it is awaited
        const ir::Fault after = c::verify(pass, m);
        said = after ? after.what : "";
      }
    });
    return said;
  };
  CHECK(fault(true) == "");
  CHECK(fault(false) == "a kernel reads it before what it depends on is made");
}
