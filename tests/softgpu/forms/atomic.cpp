// Atomic operations. Lanes of a warp do them one after another; a warp is not interrupted between.
#include <cstring>
#include <string>

#include "softgpu/forms/access.hpp"
#include "softgpu/forms/rows.hpp"

namespace softgpu {

namespace {

enum class Where : u8 { global, shared, generic };

template <Where W>
std::byte* place_of(Warp& warp, const Op& op, int lane, u32 bytes) {
  if constexpr (W == Where::shared) {
    const u32 base = op.s[0] == no_row ? 0 : row<const u32>(warp, op.s[0])[lane];
    return warp.block().shared->atomic(warp, op, lane, base + static_cast<u32>(op.offset), bytes);
  } else {
    const u64 address = row<const u64>(warp, op.s[0])[lane] + static_cast<u64>(op.offset);
    if (W == Where::generic && (address & u64{0xff} << 56) == shared_window)
      return warp.block().shared->atomic(warp, op, lane, address & ~shared_window, bytes);
    return atomic_global(warp, op, lane, address, bytes);
  }
}

template <class T, class F, Where W>
struct Atomic {
  static void execute(Warp& warp, const Op& op, u32 active) {
    for (int lane = 0; lane < warp_size; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      std::byte* const at = place_of<W>(warp, op, lane, sizeof(T));
      T old;
      std::memcpy(&old, at, sizeof old);
      const auto operand = [&](int k) {
        return op.s[k] == no_row ? T{} : value_of<T>(row<const Lane<T>>(warp, op.s[k])[lane]);
      };
      const T now = F{}(old, operand(1), operand(2));
      std::memcpy(at, &now, sizeof now);
      if (op.d[0] != no_row) row<Lane<T>>(warp, op.d[0])[lane] = lane_of<T>(old);
    }
  }
};

template <class T, Where W, class F>
void add_space(FormTable& t, const std::string& end, F, int operands, const std::string& space) {
  Form form{&Atomic<T, F, W>::execute,
            Class::atomic,
            {width_of<T>},
            {W == Where::shared ? Width::narrow : Width::wide}};
  for (int k = 0; k < operands; ++k) form.operands.push_back(width_of<T>);
  for (const char* order : {"", "relaxed.gpu.", "acq_rel.gpu.", "acquire.gpu.", "release.gpu.",
                            "relaxed.sys.", "relaxed.cta.", "acq_rel.cta."}) {
    t.add("atom." + (order + space) + end, form);
    Form reduction = form;
    reduction.results.clear();
    t.add("red." + (order + space) + end, reduction);
  }
}
template <class T, class F>
void add(FormTable& t, const std::string& end, F f, int operands = 1) {
  add_space<T, Where::global>(t, end, f, operands, "global.");
  add_space<T, Where::shared>(t, end, f, operands, "shared.");
  add_space<T, Where::generic>(t, end, f, operands, "");
}

template <class T>
void add_arithmetic(FormTable& t, const std::string& type) {
  add<T>(t, "add." + type, [](T old, T x, T) { return static_cast<T>(old + x); });
  if constexpr (std::is_integral_v<T>) {
    add<T>(t, "min." + type, [](T old, T x, T) { return x < old ? x : old; });
    add<T>(t, "max." + type, [](T old, T x, T) { return old < x ? x : old; });
  }
}

template <class T>
void add_bits(FormTable& t, const std::string& type) {
  add<T>(t, "and." + type, [](T old, T x, T) { return static_cast<T>(old & x); });
  add<T>(t, "or." + type, [](T old, T x, T) { return static_cast<T>(old | x); });
  add<T>(t, "xor." + type, [](T old, T x, T) { return static_cast<T>(old ^ x); });
  add<T>(t, "exch." + type, [](T, T x, T) { return x; });
  add<T>(
      t, "cas." + type, [](T old, T compare, T x) { return old == compare ? x : old; }, 2);
}

}  // namespace

void add_atomic_forms(FormTable& t) {
  add_arithmetic<u32>(t, "u32");
  add_arithmetic<u32>(t, "s32");
  add_arithmetic<u64>(t, "u64");
  add_arithmetic<float>(t, "f32");
  add_arithmetic<double>(t, "f64");
  add<i32>(t, "min.s32", [](i32 old, i32 x, i32) { return x < old ? x : old; });
  add<i32>(t, "max.s32", [](i32 old, i32 x, i32) { return old < x ? x : old; });
  add<i64>(t, "min.s64", [](i64 old, i64 x, i64) { return x < old ? x : old; });
  add<i64>(t, "max.s64", [](i64 old, i64 x, i64) { return old < x ? x : old; });
  add_bits<u32>(t, "b32");
  add_bits<u64>(t, "b64");
}

}  // namespace softgpu
