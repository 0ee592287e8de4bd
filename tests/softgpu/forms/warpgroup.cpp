// Products of a warpgroup, wgmma: four warps multiply a (64, 16) by b (16, n), of which each has 16 rows.
// What is read of shared memory is read as the product begins, and looked at again when the warp waits for
// it: whoever writes there in between is found.
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "softgpu/block.hpp"
#include "softgpu/float_formats.hpp"
#include "softgpu/forms/table.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

constexpr std::size_t lanes = warp_size, rows = 16, depth = 16, most_columns = 256;

// A matrix in shared memory as a descriptor names it: rows of 32, 64 or 128 bytes in groups of eight, chunks
// of 16 bytes swizzled by bits of their address.
struct Described {
  u64 start, leading, stride;  // bytes
  u32 row_bytes;

  static Described decode(u64 bits, Warp& warp, const Op& op) {
    const auto field = [&](int at) { return (bits >> at & 0x3fff) << 4; };
    constexpr u32 row_bytes[4]{0, 128, 64, 32};
    const u32 bytes = row_bytes[bits >> 62];
    if (bytes == 0 || (bits >> 49 & 7) != 0)
      fail_access("matrix descriptor", warp, op, 0,
                  "a layout without swizzling or with an offset of its base is not supported here", 700);
    return {field(0), field(16), field(32), bytes};
  }
  u64 swizzled(u64 at) const {
    const u64 mask = row_bytes / 16 - 1;
    return at ^ (at >> 7 & mask) << 4;
  }
  // Chunk `k` of 8 columns of row r, where rows lie along the depth.
  u64 along_depth(std::size_t r, std::size_t k) const {
    return swizzled(start + r / 8 * stride + r % 8 * row_bytes + k * 16);
  }
  // The chunk of 8 columns from n on at depth k, where rows lie across it.
  u64 across(std::size_t k, std::size_t n) const {
    const std::size_t panel = row_bytes / 2;
    return swizzled(start + n / panel * leading + k / 8 * stride + k % 8 * row_bytes + n % panel * 2);
  }
};

struct Bf16 {
  static float value(u16 bits) { return from_bf16(bits); }
};
struct F16 {
  static float value(u16 bits) { return from_f16(bits); }
};

void read_chunk(Warp& warp, const Op& op, u64 at, u16 (&to)[8]) {
  std::memcpy(to, warp.block().shared->begin_product_read(warp, op, at), 16);
}

// op.many: accumulators, then four registers of A or a descriptor, that of B, and whether sums are added to;
// op.count: columns / 8; op.bytes: bits 0 and 1 say that A and B lie across the depth.
template <class T, bool RegistersOfA>
void multiply(Warp& warp, const Op& op, u32 active) {
  if (active != full_mask) {
    report("absent lanes", place(warp, op),
           "a product of a warpgroup is run by lanes " + hex(active) + ", " +
               where(warp, op, std::countr_zero(active)));
    return;
  }
  const std::size_t columns = std::size_t{op.count} * 8, sums = columns / 2;
  const Row* const operands = op.many.data() + sums;
  static thread_local double a[rows][depth], b[depth][most_columns];
  u16 chunk[8];
  if constexpr (RegistersOfA) {
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        for (std::size_t i = 0; i < 2; ++i)
          a[lane / 4 + 8 * (r % 2)][(lane % 4 + 4 * (r / 2)) * 2 + i] = static_cast<double>(
              T::value(static_cast<u16>(row<const u32>(warp, operands[r])[lane] >> (16 * i))));
  } else {
    const Described at = Described::decode(row<const u64>(warp, operands[0])[0], warp, op);
    const std::size_t first = static_cast<std::size_t>(warp.index()) % 4 * rows;
    for (std::size_t m = 0; m < rows; ++m)
      for (std::size_t k = 0; k < depth; k += 8) {
        read_chunk(warp, op, at.along_depth(first + m, k / 8), chunk);
        for (std::size_t i = 0; i < 8; ++i) a[m][k + i] = static_cast<double>(T::value(chunk[i]));
      }
  }
  const Row* const behind = operands + (RegistersOfA ? 4 : 1);
  const Described at = Described::decode(row<const u64>(warp, behind[0])[0], warp, op);
  if ((op.bytes & 2) != 0) {
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t n = 0; n < columns; n += 8) {
        read_chunk(warp, op, at.across(k, n), chunk);
        for (std::size_t i = 0; i < 8; ++i) b[k][n + i] = static_cast<double>(T::value(chunk[i]));
      }
  } else {
    for (std::size_t n = 0; n < columns; ++n)
      for (std::size_t k = 0; k < depth; k += 8) {
        read_chunk(warp, op, at.along_depth(n, k / 8), chunk);
        for (std::size_t i = 0; i < 8; ++i) b[k + i][n] = static_cast<double>(T::value(chunk[i]));
      }
  }
  const bool adds = predicate(warp, behind[1]) != 0;
  for (std::size_t i = 0; i < sums; ++i) {
    auto* const d = row<float>(warp, op.many[i]);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t m = lane / 4 + 8 * (i / 2 % 2), n = i / 4 * 8 + lane % 4 * 2 + i % 2;
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k) sum += a[m][k] * b[k][n];
      if (adds) sum += static_cast<double>(d[lane]);
      const auto result = static_cast<float>(sum);
      d[lane] = result == result ? result : std::bit_cast<float>(0x7fffffffu);
    }
  }
}

void commit(Warp& warp, const Op&, u32) { warp.end_group_of_products(); }
void wait(Warp& warp, const Op& op, u32) { warp.wait_for_products(row<const u32>(warp, op.s[0])[0]); }
void show(Warp& warp, const Op&, u32 active) {
  for (int lane = 0; lane < warp_size; ++lane)
    if ((active >> lane & 1) != 0) warp.block().shared->show(warp, lane);
}
void nothing(Warp&, const Op&, u32) {}

template <class T>
void add_products(FormTable& t, const std::string& type) {
  for (int columns = 8; columns <= static_cast<int>(most_columns); columns += 8) {
    const std::string opcode =
        "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + "k16.f32." + type + "." + type;
    Form form{&multiply<T, true>, Class::tensor, {}, {}, Control::collective};
    form.aligned = true;
    form.columns = columns;
    t.add(opcode, form);
    form.execute = &multiply<T, false>;
    t.add(opcode + ".descriptors", form);  // as the decoder calls it
  }
}

}  // namespace

void add_warpgroup_forms(FormTable& t) {
  add_products<Bf16>(t, "bf16");
  add_products<F16>(t, "f16");
  Form form{&nothing, Class::control, {}, {}, Control::collective};
  form.aligned = true;
  t.add("wgmma.fence.sync.aligned", form);
  form.execute = &commit;
  t.add("wgmma.commit_group.sync.aligned", form);
  form.execute = &wait;
  form.operands = {Width::narrow};
  t.add("wgmma.wait_group.sync.aligned", form);
  t.add({"fence.proxy.async", "fence.proxy.async.shared::cta"}, {&show, Class::control, {}, {}});
}

}  // namespace softgpu
