// The operations of the sweep's tables as compiled programs of a GPU, beside the graph's own evaluation on
// the host: values on the same operands, in f32, or in i64 where a row takes no floats. A program has a share
// of the rows, every WEFT_SHARES-th from WEFT_SHARE on.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sweep/evaluate.hpp"
#include "sweep/reference_data.hpp"
#include "sweep/sweep.hpp"
#include "weft/nn/bilinear.hpp"
#include "weft/ops/loss/ctc.hpp"
#include "weft/ops/loss/margin.hpp"
#include "weft/ops/nn/fractional_pool.hpp"
#include "weft/signal.hpp"
#include "weft/special.hpp"
#include "weft/weft.hpp"

namespace weft::sweep {

namespace {

// A row that runs on a GPU, and its trace for the host.
struct DeviceRow {
  const char* key;
  const char* operands;
  const char* file;
  DType dtype;
  Trace trace;
  std::vector<Typed> (*run)(const std::vector<Reference>& operands);
};
std::vector<DeviceRow>& device_rows() {
  static std::vector<DeviceRow> all;
  return all;
}

template <class R>
void add_values(const R& r, std::vector<Typed>& values) {
  if constexpr (requires { r.to_vector(); }) {
    using E = typename R::dtype;
    const auto v = r.to_vector();
    Typed t(dtype_of<E>, static_cast<i64>(v.size()));
    for (std::size_t k = 0; k < v.size(); ++k) {
      const E x = v[k];
      std::memcpy(t.data() + k * sizeof(E), &x, sizeof(E));
    }
    values.push_back(t);
  } else {
    std::apply([&](const auto&... one) { (add_values(one, values), ...); }, r);
  }
}

template <class F, class T, class... S>
std::vector<Typed> run(const std::vector<Reference>& operands) {
  auto f = compile(
      Cuda{}, [](const auto&... x) { return F{}(Dtype<T>{}, x...); },
      Input<typename S::dtype, typename S::shape>{}...);
  std::vector<Typed> values;
  [&]<std::size_t... k>(std::index_sequence<k...>) {
    add_values(
        f(Tensor<typename S::dtype, typename S::shape>(std::vector<typename S::dtype>(
            reinterpret_cast<const typename S::dtype*>(operands[k].wanted.data()),
            reinterpret_cast<const typename S::dtype*>(operands[k].wanted.data()) + S::shape::size))...),
        values);
  }
  (std::index_sequence_for<S...>{});
  return values;
}

// f32 where a row takes it, else its widest integers.
template <u32 dtypes>
using dtype_tried = std::conditional_t<(dtypes >> static_cast<int>(DType::f32) & 1u) != 0, f32, i64>;

template <int number, u32 dtypes, class Set, class F>
int enter(const char* key, const char* operands, const char* file, F) {
  if constexpr (number % WEFT_SHARES == WEFT_SHARE) {
    using T = dtype_tried<dtypes>;
    [&]<class... S>(std::tuple<S...>*) {
      device_rows().push_back({key, operands, file, dtype_of<T>, trace<F, T, S...>, run<F, T, S...>});
    }(static_cast<typename Set::template of<T>*>(nullptr));
  }
  return number;
}

// What a GPU's own functions and its order of sums may change.
bool agree(const Typed& a, const Typed& b, i64 k, double largest) {
  if (!is_float(a.dtype)) return a.integer(k) == b.integer(k);
  const double x = a.number(k), y = b.number(k);
  if (x != x || y != y) return x != x && y != y;
  if (x == y) return true;
  return std::fabs(x - y) <= 4e-6 * std::max(std::fabs(y), std::min(largest, 1.0));
}

}  // namespace

void check_rows(const char* file) {
  std::string table = file;
  table = table.substr(table.find_last_of('/') + 1);
  table = table.substr(0, table.rfind("_table"));
  const Data data = read(table);
  for (const DeviceRow& row : device_rows()) {
    if (std::string(row.file) != file) continue;
    const std::string name = std::string(row.key) + " " + name_of(row.dtype);
    INFO(name);
    const auto operands = data.operands.find(std::string(row.operands) + " " + name_of(row.dtype));
    if (operands == data.operands.end()) {
      FAIL_CHECK("no operands");
      continue;
    }
    ir::Builder b;
    std::vector<int> xs, ys;
    row.trace(b, xs, ys);
    std::vector<Typed> inputs;
    for (const Reference& r : operands->second) inputs.push_back(r.wanted);
    std::string fault;
    const std::vector<Typed> host = evaluate(b.graph, inputs, ys, Path::scalars, fault);
    CHECK(fault.empty());
    const std::vector<Typed> gpu = row.run(operands->second);
    REQUIRE(host.size() == gpu.size());
    for (std::size_t r = 0; r < host.size(); ++r) {
      REQUIRE(host[r].size == gpu[r].size);
      double largest = 0;
      for (i64 k = 0; k < host[r].size; ++k)
        if (is_float(host[r].dtype) && std::isfinite(host[r].number(k)))
          largest = std::max(largest, std::fabs(host[r].number(k)));
      int wrong = 0;
      for (i64 k = 0; k < host[r].size; ++k)
        if (!agree(gpu[r], host[r], k, largest) && ++wrong <= 4)
          FAIL_CHECK("result ", r, "[", k, "]: ", gpu[r].number(k), ", the host has ", host[r].number(k));
    }
  }
}

}  // namespace weft::sweep

#undef ROW
#define ROW(key, family, set, torch, ...)                                                                 \
  static const int SWEEP_JOIN(entered_, __LINE__) =                                                       \
      ::weft::sweep::enter<__COUNTER__, ::weft::sweep::dtypes_of(#family), ::weft::sweep::operands::set>( \
          key, #set, __FILE__,                                                                            \
          []<class T>(::weft::sweep::Dtype<T> SWEEP_OPERANDS_##set) { return __VA_ARGS__; })

// Each in a namespace of its own, as rows are named by their lines.
namespace composite_table {
#include "sweep/composite_table.cpp"
}
namespace empty_table {
#include "sweep/empty_table.cpp"
}
namespace losses_table {
#include "sweep/losses_table.cpp"
}
namespace moved_table {
#include "sweep/moved_table.cpp"
}
namespace pointwise_table {
#include "sweep/pointwise_table.cpp"
}
namespace products_table {
#include "sweep/products_table.cpp"
}
namespace rows_table {
#include "sweep/rows_table.cpp"
}
namespace special_table {
#include "sweep/special_table.cpp"
}
