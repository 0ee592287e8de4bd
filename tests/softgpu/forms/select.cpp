// Moves, comparisons, selections and logic of predicates.
#include <string>

#include "softgpu/forms/rows.hpp"
#include "softgpu/kernel.hpp"

namespace softgpu {

namespace {

template <class T>
struct Select {
  static void execute(Warp& warp, const Op& op, u32 active) {
    const auto* a = row<const Lane<T>>(warp, op.s[0]);
    const auto* b = row<const Lane<T>>(warp, op.s[1]);
    auto* d = row<Lane<T>>(warp, op.d[0]);
    const Lane<T> chosen = predicate(warp, op.s[2]), taken = active;
#pragma GCC ivdep
    for (int i = 0; i < warp_size; ++i) {
      const Lane<T> bit = lane_bits<Lane<T>>.at[i];
      const Lane<T> result = (chosen & bit) != 0 ? a[i] : b[i];
      d[i] = (taken & bit) != 0 ? result : d[i];
    }
  }
};

template <class T>
void add_type(FormTable& t, const std::string& name, bool bits_only) {
  t.add("selp." + name,
        {&Select<T>::execute, Class::move, {width_of<T>}, {width_of<T>, width_of<T>, Width::predicate}});
  t.add("mov." + name, elementwise<T, T>(Class::move, [](T a) { return a; }));
  t.add("setp.eq." + name, comparison<T>([](T a, T b) { return a == b; }));
  // of floats: both are numbers, and differ
  t.add("setp.ne." + name, comparison<T>([](T a, T b) { return a < b || a > b; }));
  if (bits_only) return;
  t.add("setp.lt." + name, comparison<T>([](T a, T b) { return a < b; }));
  t.add("setp.le." + name, comparison<T>([](T a, T b) { return a <= b; }));
  t.add("setp.gt." + name, comparison<T>([](T a, T b) { return a > b; }));
  t.add("setp.ge." + name, comparison<T>([](T a, T b) { return a >= b; }));
  if constexpr (std::is_unsigned_v<T>) {
    t.add("setp.lo." + name, comparison<T>([](T a, T b) { return a < b; }));
    t.add("setp.ls." + name, comparison<T>([](T a, T b) { return a <= b; }));
    t.add("setp.hi." + name, comparison<T>([](T a, T b) { return a > b; }));
    t.add("setp.hs." + name, comparison<T>([](T a, T b) { return a >= b; }));
  }
  if constexpr (std::is_floating_point_v<T>) {
    t.add("setp.equ." + name, comparison<T>([](T a, T b) { return !(a < b || a > b); }));
    t.add("setp.neu." + name, comparison<T>([](T a, T b) { return !(a == b); }));
    t.add("setp.ltu." + name, comparison<T>([](T a, T b) { return !(a >= b); }));
    t.add("setp.leu." + name, comparison<T>([](T a, T b) { return !(a > b); }));
    t.add("setp.gtu." + name, comparison<T>([](T a, T b) { return !(a <= b); }));
    t.add("setp.geu." + name, comparison<T>([](T a, T b) { return !(a < b); }));
    t.add("setp.num." + name, comparison<T>([](T a, T b) { return a == a && b == b; }));
    t.add("setp.nan." + name, comparison<T>([](T a, T b) { return a != a || b != b; }));
  }
}

template <class F>
Form logic(F, int operands) {
  return {&PredicateLogic<F>::execute,
          Class::predicate,
          {Width::predicate},
          std::vector<Width>(static_cast<std::size_t>(operands), Width::predicate)};
}

// mov.b64 d, {lo, hi} and {lo, hi} = mov.b64: the operands were spread by the decoder.
void pack(Warp& warp, const Op& op, u32 active) {
  const auto* low = row<const u32>(warp, op.s[0]);
  const auto* high = row<const u32>(warp, op.s[1]);
  auto* d = row<u64>(warp, op.d[0]);
  for (int i = 0; i < warp_size; ++i)
    if ((active >> i & 1) != 0) d[i] = u64{high[i]} << 32 | low[i];
}
void unpack(Warp& warp, const Op& op, u32 active) {
  const auto* s = row<const u64>(warp, op.s[0]);
  for (int k = 0; k < 2; ++k) {
    if (op.d[k] == no_row) continue;
    auto* d = row<u32>(warp, op.d[k]);
    for (int i = 0; i < warp_size; ++i)
      if ((active >> i & 1) != 0) d[i] = static_cast<u32>(s[i] >> (32 * k));
  }
}
void pack_halves(Warp& warp, const Op& op, u32 active) {
  const auto* low = row<const u32>(warp, op.s[0]);
  const auto* high = row<const u32>(warp, op.s[1]);
  auto* d = row<u32>(warp, op.d[0]);
  for (int i = 0; i < warp_size; ++i)
    if ((active >> i & 1) != 0) d[i] = high[i] << 16 | (low[i] & 0xffff);
}
void unpack_halves(Warp& warp, const Op& op, u32 active) {
  const auto* s = row<const u32>(warp, op.s[0]);
  u32 from[warp_size];
  for (int i = 0; i < warp_size; ++i) from[i] = s[i];
  for (int k = 0; k < 2; ++k) {
    if (op.d[k] == no_row) continue;
    auto* d = row<u32>(warp, op.d[k]);
    for (int i = 0; i < warp_size; ++i)
      if ((active >> i & 1) != 0) d[i] = from[i] >> (16 * k) & 0xffff;
  }
}

}  // namespace

void add_select_forms(FormTable& t) {
  add_type<u16>(t, "b16", true);
  add_type<u32>(t, "b32", true);
  add_type<u64>(t, "b64", true);
  add_type<u16>(t, "u16", false);
  add_type<i16>(t, "s16", false);
  add_type<u32>(t, "u32", false);
  add_type<i32>(t, "s32", false);
  add_type<u64>(t, "u64", false);
  add_type<i64>(t, "s64", false);
  add_type<float>(t, "f32", false);
  add_type<double>(t, "f64", false);
  t.add("and.pred", logic([](u32 a, u32 b) { return a & b; }, 2));
  t.add("or.pred", logic([](u32 a, u32 b) { return a | b; }, 2));
  t.add("xor.pred", logic([](u32 a, u32 b) { return a ^ b; }, 2));
  t.add("not.pred", logic([](u32 a, u32) { return ~a; }, 1));
  t.add("mov.pred", logic([](u32 a, u32) { return a; }, 1));
  // names that the decoder makes
  t.add("pack.b64", {&pack, Class::move, {Width::wide}, {Width::narrow, Width::narrow}});
  t.add("unpack.b64", {&unpack, Class::move, {Width::narrow, Width::narrow}, {Width::wide}});
  t.add("pack.b32", {&pack_halves, Class::move, {Width::narrow}, {Width::narrow, Width::narrow}});
  t.add("unpack.b32", {&unpack_halves, Class::move, {Width::narrow, Width::narrow}, {Width::narrow}});
  // The spaces have windows in the generic addresses; see kernel.hpp.
  for (const char* same : {"cvta.global.u64", "cvta.to.global.u64", "cvta.const.u64", "cvta.to.const.u64",
                           "cvta.param.u64", "cvta.to.param.u64"})
    t.add(same, elementwise<u64, u64>(Class::move, [](u64 a) { return a; }));
  t.add("cvta.shared.u64", elementwise<u64, u64>(Class::move, [](u64 a) { return a | shared_window; }));
  t.add("cvta.local.u64", elementwise<u64, u64>(Class::move, [](u64 a) { return a | local_window; }));
  t.add("cvta.to.local.u64", elementwise<u64, u64>(Class::move, [](u64 a) { return a & ~local_window; }));
  t.add("cvta.to.shared.u64", elementwise<u64, u64>(Class::move, [](u64 a) { return a & ~shared_window; }));
}

}  // namespace softgpu
