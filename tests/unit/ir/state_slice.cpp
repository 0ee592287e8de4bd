// Parameters that are cast as one vector are found again by their bytes.
#include "weft/ir/state_slice.hpp"

#include <doctest/doctest.h>

#include "weft/ir/value.hpp"

using namespace weft;
using ir::Op;
using ir::Value;

TEST_CASE("state slice: the slice of a cast of state lies behind its slot's begin, in bytes") {
  ir::Builder b;
  const i64 flat[]{24}, part[]{2, 3};
  const Dims whole = ir::make_dims(1, flat), piece = ir::make_dims(2, part);
  b.graph.slots.push({ir::Space::model, DType::f32, b.shape(whole), -1, 0});
  b.graph.slots.push({ir::Space::model, DType::f64, b.shape(whole), -1, 256});
  for (const int slot : {0, 1}) {
    const DType t = slot == 0 ? DType::f32 : DType::f64;
    const Value state{&b, b.leaf(Op::state, t, whole, static_cast<u64>(slot))};
    for (const Value x :
         {state, ir::cast(state, DType::bf16), ir::cast(ir::cast(state, DType::bf16), DType::f32)}) {
      const ir::StateSlice found = ir::state_slice(b.graph, ir::flat_slice(x, 12, piece).id);
      CHECK(found.state == state.id);
      CHECK(found.offset == (slot == 0 ? 12 * 4 : 256 + 12 * 8));
    }
    CHECK(ir::state_slice(b.graph, state.id).state == -1);
    CHECK(ir::state_slice(b.graph, ir::flat_slice(-state, 12, piece).id).state == -1);
  }
}
