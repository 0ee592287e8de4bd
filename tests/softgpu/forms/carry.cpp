// Sums, differences and products of several words, which hand on a carry: it is a predicate of its own,
// "%carry", that no program can name.

#include "softgpu/forms/rows.hpp"

namespace softgpu {

namespace {

// d = f(s0, s1, ..., carry), and whether that did not fit: a sum's carry or a difference's borrow. f computes
// in twice the bits. `In`, `Out`: whether the instruction reads the carry and writes it.
template <class F, class T, int count, bool In, bool Out>
struct Carrying {
  static void execute(Warp& warp, const Op& op, u32 active) {
    using Wide = std::conditional_t<sizeof(T) == 4, u64, unsigned __int128>;
    auto* const d = row<T>(warp, op.d[0]);
    u32 carries = 0;
    for (int i = 0; i < warp_size; ++i) {
      if ((active >> i & 1) == 0) continue;
      Wide s[3]{};
      for (int k = 0; k < count; ++k) s[k] = row<const T>(warp, op.s[k])[i];
      const Wide carry = In ? predicate(warp, op.s[count]) >> i & 1 : 0;
      const Wide result = F{}(s[0], s[1], s[2], carry);
      d[i] = static_cast<T>(result);
      if (static_cast<Wide>(d[i]) != result) carries |= u32{1} << i;
    }
    if constexpr (Out) {
      u32& p = predicate(warp, op.d[1]);
      p = (p & ~active) | carries;
    }
  }
};

template <class T, int count, class F>
void add(FormTable& t, const std::string& name, const std::string& continued, const std::string& part,
         std::initializer_list<const char*> types, F) {
  constexpr Width width = width_of<T>;
  std::vector<Width> operands(count, width), with(operands);
  with.push_back(Width::predicate);
  const auto form = [&](Execute execute, bool out, const std::vector<Width>& in) {
    return Form{execute, Class::integer, out ? std::vector{width, Width::predicate} : std::vector{width}, in};
  };
  for (const char* type : types) {
    t.add(name + part + ".cc." + type, form(&Carrying<F, T, count, false, true>::execute, true, operands));
    t.add(continued + part + ".cc." + type, form(&Carrying<F, T, count, true, true>::execute, true, with));
    t.add(continued + part + "." + type, form(&Carrying<F, T, count, true, false>::execute, false, with));
  }
}

template <class T>
void add_type(FormTable& t, std::initializer_list<const char*> types,
              std::initializer_list<const char*> unsigned_types) {
  add<T, 2>(t, "add", "addc", "", types, [](auto a, auto b, auto, auto carry) { return a + b + carry; });
  add<T, 2>(t, "sub", "subc", "", types, [](auto a, auto b, auto, auto carry) { return a - b - carry; });
  add<T, 3>(t, "mad", "madc", ".lo", types,
            [](auto a, auto b, auto c, auto carry) { return static_cast<T>(a * b) + c + carry; });
  add<T, 3>(t, "mad", "madc", ".hi", unsigned_types,
            [](auto a, auto b, auto c, auto carry) { return (a * b >> 8 * sizeof(T)) + c + carry; });
}

}  // namespace

void add_carry_forms(FormTable& t) {
  add_type<u32>(t, {"u32", "s32"}, {"u32"});
  add_type<u64>(t, {"u64", "s64"}, {"u64"});
}

}  // namespace softgpu
