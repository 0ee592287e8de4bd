#include "weft/compiler/lowered.hpp"

#include <doctest/doctest.h>

using namespace weft;
using compiler::Lowered;
using compiler::StepKind;

namespace {

List<u64> words(std::initializer_list<u64> values) {
  List<u64> list;
  for (const u64 v : values) list.push(v);
  return list;
}

}  // namespace

TEST_CASE("lowered: kernels of equal words and kind are one, others are not") {
  Lowered l;
  const int first = l.kernel(StepKind::fused, words({1, 2, 3}));
  CHECK(l.kernel(StepKind::fused, words({1, 2, 3})) == first);
  CHECK(l.kernel(StepKind::dot, words({1, 2, 3})) != first);
  CHECK(l.kernel(StepKind::fused, words({1, 2})) != first);
  CHECK(l.kernel(StepKind::fused, words({1, 2, 4})) != first);
  CHECK(l.kernel(StepKind::fused, List<u64>()) != first);
  CHECK(l.kernels.size() == 5);
  CHECK(l.words.size() == 3 + 3 + 2 + 3);
}

TEST_CASE(
    "lowered: a part behind another keeps its arguments, shares its kernels and counts its bindings on") {
  using kernel_ir::BufferAddress;
  const auto part = [](u64 code, u64 number) {
    Lowered l;
    l.bindings.push(
        {BufferAddress::none, BufferAddress::make(ir::Space::bound, 8, 0), BufferAddress::none, 4});
    l.step(StepKind::repeat, l.kernel(StepKind::repeat, List<u64>()), List<u64>(), words({5, 1, 0, 1}));
    l.step(
        StepKind::fused, l.kernel(StepKind::fused, words({code})),
        words({BufferAddress::make(ir::Space::bound, 0, 0), BufferAddress::make(ir::Space::workspace, 256)}),
        words({number}));
    return l;
  };
  Lowered all;
  all.append(part(7, 100));
  all.append(part(7, 200));
  all.append(part(9, 300));
  CHECK(all.kernels.size() == 3);  // repeat, 7 and 9
  REQUIRE(all.steps.size() == 6);
  CHECK(all.steps[1].kernel == all.steps[3].kernel);
  CHECK(all.steps[1].kernel != all.steps[5].kernel);
  for (int k = 0; k < 3; ++k) {
    const compiler::Step &loop = all.steps[2 * k], &step = all.steps[2 * k + 1];
    CHECK(all.repeat_call(loop).first_binding == k);
    CHECK(all.repeat_call(loop).inside == 1);
    CHECK(all.numbers[step.numbers.begin] == static_cast<u64>(100 * (k + 1)));
    CHECK(BufferAddress::index(all.addresses[step.addresses.begin]) == k);
    CHECK(BufferAddress::offset(all.addresses[step.addresses.begin + 1]) == 256);
    CHECK(BufferAddress::index(all.bindings[k].base) == k);
    CHECK(BufferAddress::offset(all.bindings[k].base) == 8);
    CHECK(all.bindings[k].first == BufferAddress::none);
  }
}
