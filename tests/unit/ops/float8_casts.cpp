// Casts to and from the 8-bit floats: every code, and numbers where rounding has to decide.

#include "unit/ops/float8.hpp"

using namespace float8_test;

namespace {

template <class T>
void check_casts() {
  constexpr i64 count = std::is_same_v<T, f8e4m3> ? 520 : 511;
  const ReferenceGroup group = read_group(std::string("float8/casts_") + name_of(dtype_of<T>));
  auto widen = compile(
      test_device(),
      [](auto codes, auto finite) {
        return std::tuple{cast<f64>(codes),  cast<f32>(codes),  cast<f16>(codes),
                          cast<bf16>(codes), cast<bool>(codes), cast<i32>(finite)};
      },
      in<T, 256>, in<T, 256>);
  auto narrow = compile(
      test_device(),
      [](auto x, auto x64, auto x16, auto xb, auto xi, auto other) {
        return std::tuple{cast<T>(x),
                          cast<T>(x64),
                          cast<T>(x16),
                          cast<T>(xb),
                          cast<T>(xi),
                          cast<T>(other),
                          cast<f32>(cast<T>(x)) * 2};
      },
      in<f32, count>, in<f64, count>, in<f16, count>, in<bf16, count>, in<i32, 9>, in<OtherFloat8<T>, 256>);

  Tensor<T, Shape<256>> codes, finite;
  Tensor<OtherFloat8<T>, Shape<256>> others;
  for (int k = 0; k < 256; ++k) {
    codes[k] = T::of_bits(static_cast<u8>(k));
    others[k] = OtherFloat8<T>::of_bits(static_cast<u8>(k));
    finite[k] = std::isfinite(float(codes[k])) ? codes[k] : T(0);
  }
  const auto [wide, single, short_, brain, truth, whole] = widen(codes, finite);
  const auto& wanted = group.outputs;
  const auto values_as = [&](const char* dtype) {
    Reference r = wanted[0];
    r.dtype = dtype;
    return r;
  };
  check_same(wide, values_as("f64"));
  check_same(single, values_as("f32"));
  check_same(short_, values_as("f16"));
  check_same(brain, values_as("bf16"));
  check_same(truth, wanted[1]);
  check_same(whole, wanted[2]);

  using S = Shape<count>;
  const auto& given = group.inputs;
  const auto [of_f32, of_f64, of_f16, of_bf16, of_i32, of_other, twice] = narrow(
      tensor<f32, S>(given[0].values), tensor<f64, S>(given[1].values), tensor<f16, S>(given[2].values),
      tensor<bf16, S>(given[3].values), tensor<i32, Shape<9>>(given[4].values), others);
  check_same(of_f32, wanted[3]);
  check_same(of_f64, wanted[4]);
  check_same(of_f16, wanted[5]);
  check_same(of_bf16, wanted[6]);
  check_same(of_i32, wanted[7]);
  check_same(of_other, wanted[8]);
  // a number that is rounded inside a kernel, never stored
  Reference doubled = wanted[3];
  doubled.dtype = "f32";
  for (double& v : doubled.values) v *= 2;
  check_same(twice, doubled);
}

}  // namespace

TEST_CASE("float8: casts to and from every kind of dtype round as PyTorch's") {
  check_casts<f8e4m3>();
  check_casts<f8e5m2>();
}
