#pragma once
// The operations of a family on several dtypes, each dtype as one compiled program, beside what PyTorch gives
// (tests/parity/generate_dtypes.py, which holds the same operations in the same order).

#include "support/parity.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/slicing.hpp"

namespace dtype_test {

using namespace weft;
using namespace weft::testing;

// Operands as generate_dtypes.py describes them.
template <class X, class I, class J, class B>
struct Operands {
  X x, y, d, big;
  I i, p;
  J j;
  B b;

  constexpr auto m() const { return reshape<3, 3>(slice<0, 0, 9>(flatten(x))); }
  // Row K of m.
  template <i64 K>
  constexpr auto row() const {
    return select<0, K>(m());
  }
};

template <class T, class S>
Tensor<T, S> tensor(const std::vector<double>& values) {
  Tensor<T, S> t;
  using Exact = std::conditional_t<std::is_arithmetic_v<T>, T, float>;  // small floats are made from float
  for (i64 k = 0; k < S::size; ++k) t[k] = T(static_cast<Exact>(values[static_cast<std::size_t>(k)]));
  return t;
}

// The tolerances of torch.testing.assert_close.
template <class T>
constexpr double relative = std::is_same_v<T, double> ? 1e-7
                            : std::is_same_v<T, f16>  ? 1e-3
                            : std::is_same_v<T, bf16> ? 1.6e-2
                            : std::is_same_v<T, f32>  ? 1.3e-6
                                                      : 0;
template <class T>
constexpr double absolute = std::is_same_v<T, double> ? 1e-7
                            : is_float(dtype_of<T>)   ? 1e-5
                                                      : 0;

// f(operands) gives a tuple of results; captures nothing.
template <class T, class F>
void check_dtype(const std::string& family, F) {
  using S = Shape<2, 6>;
  const std::string group = "dtypes/" + family + "_" + name_of(dtype_of<T>);
  const ReferenceGroup reference = read_group(group);
  auto function = compile(
      test_device(),
      [](auto x, auto y, auto d, auto big, auto i, auto p, auto j, auto b) {
        return F{}(Operands<decltype(x), decltype(i), decltype(j), decltype(b)>{x, y, d, big, i, p, j, b});
      },
      in<T, 2, 6>, in<T, 2, 6>, in<T, 2, 6>, in<T, 2, 6>, in<i64, 2, 6>, in<i64, 2, 6>, in<i64, 6>,
      in<bool, 2, 6>);
  const i64 i[12] = {0, 2, 2, 5, 1, 0, 3, 3, 4, 0, 5, 1}, j[6] = {5, 0, 3, 1, 4, 2},
            p[12] = {5, 0, 3, 1, 4, 2, 0, 1, 2, 3, 4, 5};
  const bool b[12] = {true, false, true, false, true, false, false, true, false, true, true, true};
  REQUIRE(reference.inputs.size() == 4);
  const auto results =
      function(tensor<T, S>(reference.inputs[0].values), tensor<T, S>(reference.inputs[1].values),
               tensor<T, S>(reference.inputs[2].values), tensor<T, S>(reference.inputs[3].values), &i[0],
               &p[0], &j[0], &b[0]);
  constexpr std::size_t count = std::tuple_size_v<std::remove_cvref_t<decltype(results)>>;
  REQUIRE(reference.outputs.size() == count);
  [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto one = [&]<class V, class R>(const TensorView<V, R, Cpu>& got, const Reference& wanted) {
      compare(group, wanted, got, relative<V>, absolute<V>);
    };
    (one(std::get<K>(results), reference.outputs[K]), ...);
  }
  (std::make_index_sequence<count>{});
}

template <class... T, class F>
void check_dtypes(const std::string& family, F f) {
  (check_dtype<T>(family, f), ...);
}

}  // namespace dtype_test
