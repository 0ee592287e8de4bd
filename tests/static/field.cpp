// Reflection gives the same answers on every compiler; nothing here runs.
#include "weft/core/field.hpp"

#include <array>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using weft::field_count;
using weft::field_name;
using weft::field_type;

template <int In, int Out>
struct Linear {
  int weight = -1;
  int bias = -1;
};
struct Empty {};
struct Dropout {
  float p = 0.5f;
};
struct Block {
  Linear<4, 4> c_attn;
  Dropout drop{.p = 0.1f};
  Empty act;
};
struct Model {
  Linear<2, 3> wte;
  std::array<Block, 12> h;
  Linear<2, 3> ln_f;
};
struct One {
  std::array<Block, 2> h;
};
struct OneScalar {
  float x = 1;
};
struct Mixed {
  bool flag = true;
  const float* pointer = nullptr;
  enum class Kind { a, b } kind = Kind::a;
  std::array<float, 16> table{};
  std::array<std::array<Empty, 2>, 3> nested;
  const int fixed = 3;
  double _x9Y = 0;
};
struct Holding {
  std::string text;
  std::vector<int> list;
  int last = 0;
};
struct EmptyFirst {
  Empty a;
  Empty b;
  Empty c;
};
struct Converted {
  constexpr Converted() = default;
  constexpr Converted(float v) : value(v) {}
  float value = 0;
};
struct Options {
  Converted lr{0.5f};
  Converted decay;
  int steps = 0;
};
struct Explicit {
  explicit Explicit() = default;
};
struct HoldsExplicit {
  Explicit a = Explicit();
  int b = 0;
};
template <class T>
struct Generic {
  T first;
  struct Inner {
    T deep;
  } inner;
};

static_assert(field_count<Empty>() == 0);
static_assert(field_count<OneScalar>() == 1);
static_assert(field_count<One>() == 1);
static_assert(field_count<Block>() == 3);
static_assert(field_count<Model>() == 3);
static_assert(field_count<const Model>() == 3);
static_assert(field_count<Mixed>() == 7);
static_assert(field_count<Holding>() == 3);
static_assert(field_count<EmptyFirst>() == 3);
static_assert(field_count<Options>() == 3);
static_assert(field_count<HoldsExplicit>() == 2);
static_assert(field_count<Generic<float>>() == 2);

static_assert(field_name<OneScalar, 0>() == "x");
static_assert(field_name<One, 0>() == "h");
static_assert(field_name<Block, 0>() == "c_attn");
static_assert(field_name<Block, 1>() == "drop");
static_assert(field_name<Block, 2>() == "act");
static_assert(field_name<Model, 0>() == "wte");
static_assert(field_name<Model, 1>() == "h");
static_assert(field_name<const Model, 2>() == "ln_f");
static_assert(field_name<Mixed, 0>() == "flag");
static_assert(field_name<Mixed, 1>() == "pointer");
static_assert(field_name<Mixed, 2>() == "kind");
static_assert(field_name<Mixed, 3>() == "table");
static_assert(field_name<Mixed, 4>() == "nested");
static_assert(field_name<Mixed, 5>() == "fixed");
static_assert(field_name<Mixed, 6>() == "_x9Y");
static_assert(field_name<EmptyFirst, 0>() == "a" && field_name<EmptyFirst, 1>() == "b" &&
              field_name<EmptyFirst, 2>() == "c");
static_assert(field_name<Options, 1>() == "decay");
static_assert(field_name<Generic<Model>, 1>() == "inner");
static_assert(field_name<Generic<Model>::Inner, 0>() == "deep");

static_assert(std::is_same_v<field_type<Model, 1>, std::array<Block, 12>>);
static_assert(std::is_same_v<field_type<Mixed, 5>, const int>);
static_assert(std::is_same_v<field_type<const Block, 1>, Dropout>);

static_assert(weft::is_array_like<std::array<Block, 12>>);
static_assert(weft::is_array_like<const std::array<int, 0>>);
static_assert(!weft::is_array_like<Block>);
static_assert(!weft::is_array_like<int[3]>);

// A walk writes to a mutable object inside a constant expression, at any depth.
struct Numberer {
  int next = 0;
  template <class T>
  constexpr void walk(T& part) {
    if constexpr (std::is_same_v<T, int>) {
      part = next++;
    } else if constexpr (weft::is_array_like<T>) {
      for (auto& element : part) walk(element);
    } else if constexpr (std::is_class_v<T>) {
      weft::for_each_field(part, [this](auto, std::string_view, auto& member) { this->walk(member); });
    }
  }
};
constexpr Model numbered() {
  Model model{};
  Numberer{}.walk(model);
  return model;
}
static_assert(numbered().wte.weight == 0);
static_assert(numbered().h[0].c_attn.weight == 2);
static_assert(numbered().h[11].c_attn.bias == 2 + 2 * 11 + 1);
static_assert(numbered().ln_f.bias == 27);

constexpr std::size_t name_lengths() {
  Block block{};
  std::size_t sum = 0;
  weft::for_each_field(
      block, [&sum](auto index, std::string_view name, auto&) { sum += name.size() * (index + 1); });
  return sum;
}
static_assert(name_lengths() == 6 * 1 + 4 * 2 + 3 * 3);

struct Wide {
  int a00, a01, a02, a03, a04, a05, a06, a07, a08, a09, a10, a11, a12, a13, a14, a15;
  int b00, b01, b02, b03, b04, b05, b06, b07, b08, b09, b10, b11, b12, b13, b14, b15;
  int c00, c01, c02, c03, c04, c05, c06, c07, c08, c09, c10, c11, c12, c13, c14, c15;
  int d00, d01, d02, d03, d04, d05, d06, d07, d08, d09, d10, d11, d12, d13, d14, d15;
};
static_assert(field_count<Wide>() == 64);
static_assert(field_name<Wide, 0>() == "a00" && field_name<Wide, 63>() == "d15");

}  // namespace
