#include "weft/exec/dlpack.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "support/error_of.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/math/pointwise.hpp"

using namespace weft;
using dlpack::ManagedTensor;
using dlpack::ManagedTensorVersioned;

namespace {

struct Net {
  nn::Linear<64, 64> fc{};
  constexpr auto operator()(auto x) const { return fc(x); }
};

int deleted = 0;

// A structure as another library would make it.
struct Foreign {
  std::vector<f32> values = std::vector<f32>(64 * 65);
  i64 shape[2] = {64, 65}, strides[2] = {65, 1};
  ManagedTensor managed;
  Foreign() {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<f32>(i);
    managed.dl_tensor = {values.data(), {dlpack::cpu, 0}, 2, {2, 32, 1}, shape, strides, 0};
    managed.deleter = [](ManagedTensor*) { ++deleted; };
  }
};
template <class T = f32, class S = Shape<64, 65>>
std::string refusal(Foreign& foreign) {
  const int before = deleted;
  std::string text = "none";
  try {
    from_dlpack<T, S>(&foreign.managed);
  } catch (const Error& e) {
    CHECK(e.id() == "dlpack/mismatch");
    text = e.what();
    CHECK(deleted == before);  // still the caller's
  }
  return text;
}
using weft::testing::has;
using weft::testing::said;

}  // namespace

TEST_CASE("dlpack: a tensor is handed over without a copy and lives as long as it is held") {
  std::optional<Tensor<f32, Shape<64, 3>>> x;
  x.emplace();
  (*x)(2, 1) = 7;
  ManagedTensor* const p = to_dlpack(*x);
  CHECK(p->dl_tensor.data == x->data());
  CHECK(p->dl_tensor.ndim == 2);
  CHECK(p->dl_tensor.shape[0] == 64);
  CHECK(p->dl_tensor.shape[1] == 3);
  CHECK(p->dl_tensor.strides[0] == 3);
  CHECK(p->dl_tensor.strides[1] == 1);
  CHECK(p->dl_tensor.device.type == dlpack::cpu);
  CHECK(p->dl_tensor.dtype == dlpack::DataType{2, 32, 1});
  x.reset();
  CHECK(static_cast<f32*>(p->dl_tensor.data)[2 * 3 + 1] == 7);
  {  // back again, and a further view of it
    const auto view = from_dlpack<f32, Shape<64, 3>>(p);
    auto other = view;
    CHECK(other(2, 1) == 7);
    auto f = compile(
        Cpu{1}, [](auto a) { return a * 2; }, in<f32, 64, 3>);
    CHECK(f(view)(2, 1) == 14);
  }
  ManagedTensor* const scalar = to_dlpack(Tensor<f64, Shape<>>({2.5}));
  CHECK(scalar->dl_tensor.ndim == 0);
  CHECK(*static_cast<f64*>(scalar->dl_tensor.data) == 2.5);
  scalar->deleter(scalar);
}

TEST_CASE("dlpack: parameters are shared, and a result that would move is copied") {
  Model<Net> net;
  ManagedTensor* const weight = to_dlpack(net.get<"fc.weight">());
  static_cast<f32*>(weight->dl_tensor.data)[0] = 3;
  CHECK(net.get<"fc.weight">()(0, 0) == 3);
  weight->deleter(weight);

  auto f = compile(
      Cpu{1}, [](auto a) { return a + 1; }, in<f32, 64>);
  ManagedTensor* const first = to_dlpack(f(std::vector<f32>(64, 1)));
  f(std::vector<f32>(64, 5));
  CHECK(static_cast<f32*>(first->dl_tensor.data)[63] == 2);
  first->deleter(first);
}

TEST_CASE("dlpack: what is const is read only, and says so") {
  const Tensor<i64, Shape<2>> x{1, 2};
  auto* const p = to_dlpack<ManagedTensorVersioned>(x);
  CHECK(p->flags == dlpack::read_only);
  CHECK(p->version.major == 1);
  CHECK(p->dl_tensor.dtype == dlpack::DataType{0, 64, 1});
  CHECK(has(said([&] { from_dlpack<i64, Shape<2>>(p); }), "read only"));
  CHECK(from_dlpack<const i64, Shape<2>>(p)[1] == 2);  // takes it, and deletes it
  auto* const later = to_dlpack<ManagedTensorVersioned>(Tensor<bool, Shape<1>>({true}));
  CHECK(later->flags == 0);
  CHECK(later->dl_tensor.dtype == dlpack::DataType{6, 8, 1});
  later->version.major = 2;
  CHECK(has(said([&] { from_dlpack<bool, Shape<1>>(later); }), "version 2"));
  later->deleter(later);
}

TEST_CASE("dlpack: elements of another library are seen where they lie, and given back once") {
  Foreign foreign;
  deleted = 0;
  {
    const auto view = from_dlpack<f32, Shape<64, 65>>(&foreign.managed);
    CHECK(view.data() == foreign.values.data());
    const auto copy = view;
    CHECK(copy(63, 64) == 64 * 65 - 1);
    CHECK(deleted == 0);
  }
  CHECK(deleted == 1);
  foreign.managed.dl_tensor.strides = nullptr;
  foreign.managed.dl_tensor.byte_offset = 65 * 4;
  foreign.shape[0] = 63;
  CHECK(from_dlpack<f32, Shape<63, 65>>(&foreign.managed)(0, 0) == 65);
  foreign.managed.deleter = nullptr;  // nobody to tell
  CHECK(from_dlpack<f32, Shape<63, 65>>(&foreign.managed)(1, 0) == 130);
}

TEST_CASE("dlpack: another dtype, shape, layout or device is refused, and stays the caller's") {
  Foreign f;
  CHECK(has(refusal<f64>(f), "code 2 and 32 bits, and f64 has code 2 and 64 bits"));
  CHECK(has(refusal<i32>(f), "i32 has code 0"));
  CHECK(has(refusal<f32, Shape<65, 64>>(f), "its shape is (64, 65), and that asked for is (65, 64)"));
  CHECK(has(refusal<f32, Shape<64>>(f), "(64,)"));
  f.managed.dl_tensor.dtype.lanes = 4;
  CHECK(has(refusal(f), "128 bits"));
  f.managed.dl_tensor.dtype.lanes = 1;
  f.strides[0] = 66;
  CHECK(has(refusal(f), "not row-major"));
  f.strides[0] = 65;
  f.managed.dl_tensor.byte_offset = 2;
  CHECK(has(refusal(f), "not aligned"));
  f.managed.dl_tensor.byte_offset = 0;
  f.managed.dl_tensor.device.type = dlpack::cuda;
  CHECK(has(refusal(f), "device type 2"));
  f.managed.dl_tensor.device.type = dlpack::cuda_host;  // which the host reads, too
  CHECK(refusal(f) == "none");
  f.managed.dl_tensor.data = nullptr;
  CHECK(has(refusal(f), "no elements"));
  CHECK(said([&] { from_dlpack<f32, Shape<1>>(static_cast<ManagedTensor*>(nullptr)); }).find("null") !=
        std::string::npos);
}
