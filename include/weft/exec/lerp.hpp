#pragma once
// One model's parameters moved towards another's, as of a target network or a mean teacher: a compiled
// program over both blocks, with the weight as a number of its run.

#include "weft/exec/instance.hpp"
#include "weft/exec/trace.hpp"
#include "weft/targets/state_blocks.hpp"

namespace WEFT_NAMESPACE::exec {

// Of an M and, behind it, another.
template <class M>
struct LerpSource {
  using models = StatePack<M, M>;
  static constexpr int weight = random_words;  // the scalar
  static constexpr ir::Graph graph() {
    constexpr const auto& table = nn::state_table<M>;
    ir::Builder b;
    b.graph.scalar_count = random_words + 1;
    bind_model<M>(b, true, 0);
    bind_model<M>(b, true, 1);
    const ir::Value w{&b, b.leaf(ir::Op::scalar, DType::f32, Dims{}, static_cast<u64>(weight))};
    for (int i = 0; i < table.size; ++i) {
      const nn::StateInfo& row = table.row[i];
      const ir::Value from = ir::read_slot(b, i), to = ir::read_slot(b, table.size + i);
      const DType wide = row.dtype == DType::f64 ? DType::f64 : DType::f32;
      ir::Value v = to;
      if (row.trained) {
        const ir::Value p = ir::cast(from, wide), q = ir::cast(to, wide);
        const ir::Value by = ir::broadcast(ir::cast(w, wide), p.dims());
        // near p from p, near q from q, as torch.lerp: a weight of 1 gives q
        const ir::Value near = ir::binary(ir::Op::lt, ir::unary(ir::Op::abs, by), ir::constant_like(by, 0.5));
        v = ir::cast(ir::select(near, p + by * (q - p), q - (q - p) * (1.0 - by)), row.dtype);
      }
      b.graph.assigns.push({i, v.id});
    }
    return static_cast<ir::Graph&&>(b.graph);
  }
};

template <class M, class Device>
void run_lerp(const Device& device, std::byte* to, const std::byte* from, f32 weight) {
  using Source = LerpSource<M>;
  constexpr i64 bytes = nn::state_table<M>.bytes;
  const StateBlock blocks[2]{{to, bytes}, {const_cast<std::byte*>(from), bytes}};  // which is read alone
  typename ProgramOf<Device, code_of<Device, Source>>::type program(SilentDevice<Device>::of(device),
                                                                    {.model = {blocks, 2}});
  program.set_scalar(Source::weight, weight);
  program.run();
  program.wait();
}

}  // namespace WEFT_NAMESPACE::exec
