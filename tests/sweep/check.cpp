#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>

#include "sweep/differences.hpp"
#include "sweep/evaluate.hpp"
#include "sweep/reference_data.hpp"
#include "sweep/sweep.hpp"
#include "weft/core/error.hpp"
#include "weft/transforms/differentiate.hpp"

namespace weft::sweep {

std::vector<Row>& rows() {
  static std::vector<Row> all;
  return all;
}

namespace {

// Those of generate_sweep.py.
Typed weights(DType t, i64 size, bool elementwise, int number, bool first) {
  constexpr double pattern[]{1, -0.5, 2, 0.75, -1.5, 0.25, 1.25};
  Typed r(t, size);
  for (i64 k = 0; k < size; ++k)
    r.set_number(
        k, elementwise ? first ? 1 : std::ldexp(1.0, -number) : pattern[(k + (first ? 0 : 3) + number) % 7]);
  return r;
}

// A row in one dtype: its graph, what to evaluate, and the names of that.
struct Program {
  ir::Builder b;
  std::vector<Typed> inputs;
  std::vector<int> wanted;
  std::vector<std::string> names;
};

void differentiate(Program& p, const Row& row, const std::vector<int>& ys, const std::vector<int>& xs,
                   bool first, std::vector<int>& gradients) {
  List<int> y, seed, wrt;
  for (int k = 0; k < static_cast<int>(ys.size()); ++k) {
    const ir::Value v{&p.b, ys[static_cast<std::size_t>(k)]};
    if (!is_float(v.dtype())) continue;
    p.inputs.push_back(weights(v.dtype(), v.dims().size(), row.elementwise, k, first));
    y.push(v.id);
    seed.push(p.b.leaf(ir::Op::input, v.dtype(), v.dims(), p.inputs.size() - 1));
  }
  for (const int x : xs) wrt.push(x);
  const List<ir::Value> found = transforms::differentiate(p.b, y, seed, wrt);
  for (int k = 0; k < wrt.size(); ++k) {
    const ir::Value x{&p.b, wrt[k]};
    gradients.push_back(found[k] ? found[k].id : ir::constant_like(x, 0).id);
    p.wanted.push_back(gradients.back());
    p.names.push_back((first ? "g" : "h") + std::to_string(k));
  }
}

// (A builder stays where it is made.)
void trace(Program& p, const Row& row, DType t, const std::vector<Reference>& operands) {
  std::vector<int> xs, ys, gradients, second;
  row.trace[static_cast<int>(t)](p.b, xs, ys);
  if (xs.size() != operands.size()) throw Error("sweep/operands", "another number of operands");
  for (std::size_t k = 0; k < xs.size(); ++k) {
    const ir::Value x{&p.b, xs[k]};
    if (!(x.dims() == operands[k].dims) || x.dtype() != operands[k].wanted.dtype)
      throw Error("sweep/operands",
                  "operand " + operands[k].name + " has another shape or dtype in the data");
    p.inputs.push_back(operands[k].wanted);
  }
  for (std::size_t k = 0; k < ys.size(); ++k) {
    p.wanted.push_back(ys[k]);
    p.names.push_back("v" + std::to_string(k));
  }
  if (!is_float(t) || is_float8(t)) return;
  std::vector<int> leaves;
  for (const int x : xs)
    if (is_float(p.b.graph.nodes[x].dtype)) leaves.push_back(x);
  differentiate(p, row, ys, leaves, true, gradients);
  differentiate(p, row, gradients, leaves, false, second);
}

// Errors allowed. Relative ones are those of docs/design.md; a derivative is the work of several roundings,
// and where what it is made of cancels, of roundings of numbers around 1. A value has no absolute error, but
// one that is a sum.
struct Tolerance {
  double relative, absolute;
};
Tolerance tolerance(DType t, char quantity) {
  const int order = quantity == 'v' ? 0 : quantity == 'g' ? 1 : 2;
  constexpr double f64[]{0, 2e-15, 3e-14}, f32[]{0, 5e-7, 2e-6}, f16[]{0, 1e-3, 4e-3}, bf16[]{0, 8e-3, 3e-2};
  constexpr double more[]{1, 4, 16};
  switch (t) {
    case DType::f64:
      return {1e-7, f64[order]};
    case DType::f32:
      return {1.3e-6 * (order == 2 ? 8 : 1), f32[order]};
    case DType::f16:
      return {1e-3 * more[order], f16[order]};
    case DType::bf16:
      return {1.6e-2 * (order + 1), bf16[order]};
    case DType::f8e4m3:
      return {0.0625, 0};
    default:
      return {0.125, 0};
  }
}
struct Ends {
  double least, greatest;
};
Ends ends(DType t) {
  switch (t) {
    case DType::f64:
      return {std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()};
    case DType::f32:
      return {std::ldexp(1.0, -149), static_cast<double>(std::numeric_limits<float>::max())};
    case DType::f16:
      return {std::ldexp(1.0, -24), 65504};
    case DType::bf16:
      return {std::ldexp(1.0, -133), 3.3895313892515355e38};
    case DType::f8e4m3:
      return {std::ldexp(1.0, -9), 448};
    default:
      return {std::ldexp(1.0, -16), 57344};
  }
}

bool agree(const Typed& a, i64 i, const Typed& b, i64 k, char quantity, bool elementwise) {
  const DType t = b.dtype;
  if (!is_float(t)) return a.integer(i) == b.integer(k);
  const double x = a.number(i), y = b.number(k);
  if (x != x || y != y) return x != x && y != y;
  if (x == y)
    return quantity != 'v' || !elementwise || x != 0 || is_float8(t) || std::signbit(x) == std::signbit(y);
  const Ends e = ends(t);
  auto [rel, absolute] = tolerance(t, quantity);
  // sums: those of small floats are computed in f32 and rounded once
  if (!elementwise && quantity == 'v')
    absolute = t == DType::f64 ? 1e-14 : t == DType::f32 ? 2e-6 : is_float8(t) ? 0 : 1e-7;
  if (!elementwise && quantity == 'g' && t == DType::f32) rel *= 2;
  if (std::isinf(x) || std::isinf(y)) {
    const double finite = std::isinf(x) ? y : x, infinite = std::isinf(x) ? x : y;
    return std::signbit(finite) == std::signbit(infinite) && std::fabs(finite) >= e.greatest * (1 - rel);
  }
  return std::fabs(x - y) <= rel * std::fabs(y) + absolute + 4 * e.least;
}

// Whether a result is as near to what is wanted as PyTorch's own.
bool as_near(const Typed& a, i64 i, const Typed& wanted, i64 k, const Typed& other) {
  if (!is_float(wanted.dtype)) return false;
  const double error = std::fabs(a.number(i) - wanted.number(k));
  return std::isfinite(error) && error <= 2 * std::fabs(other.number(0) - wanted.number(k));
}

std::string text(const Typed& x, i64 k) {
  if (!is_float(x.dtype)) return std::to_string(x.integer(k));
  char r[40];
  std::snprintf(r, sizeof r, x.dtype == DType::f64 ? "%.17g" : "%.9g", x.number(k));
  return r;
}

}  // namespace

void check_rows(const char* file) {
  std::string table = file;
  table = table.substr(table.find_last_of('/') + 1);
  table = table.substr(0, table.rfind("_table"));
  const Data data = read(table);
  Differences differences;
  const char* const only = std::getenv("WEFT_SWEEP_ONLY");
  int compared = 0;
  for (const Row& row : rows()) {
    if (std::string(row.file) != file || (only != nullptr && std::string(row.key) != only)) continue;
    for (int t = 0; t < dtype_count; ++t) {
      if (row.trace[t] == nullptr) continue;
      const auto dtype = static_cast<DType>(t);
      const std::string name = std::string(row.key) + " " + name_of(dtype);
      INFO(name);
      const auto found = data.rows.find(name);
      const auto operands = data.operands.find(std::string(row.operands) + " " + name_of(dtype));
      if (found == data.rows.end() || operands == data.operands.end()) {
        FAIL_CHECK("not in the data: python tests/parity/generate_sweep.py ", table);
        continue;
      }
      std::string fault;
      Program p;
      std::vector<Typed> scalars, lanes;
      try {
        trace(p, row, dtype, operands->second);
        scalars = evaluate(p.b.graph, p.inputs, p.wanted, Path::scalars, fault);
        lanes = evaluate(p.b.graph, p.inputs, p.wanted, Path::lanes, fault);
      } catch (const Error& e) {
        FAIL_CHECK(e.what());
        continue;
      }
      if (!fault.empty()) FAIL_CHECK(fault);
      for (const Reference& r : found->second) {
        std::size_t at = 0;
        while (at < p.names.size() && p.names[at] != r.name) ++at;
        if (at == p.names.size()) {
          FAIL_CHECK("weft has no result ", r.name);
          continue;
        }
        const Typed &got = lanes[at], &other = scalars[at];
        const Dims dims = p.b.graph.dims(p.wanted[at]);
        if (got.dtype != r.wanted.dtype || !(dims == r.dims)) {
          FAIL_CHECK(r.name, ": another shape or dtype: ", std::string(name_of(got.dtype)), " beside ",
                     std::string(name_of(r.wanted.dtype)));
          continue;
        }
        int wrong = 0;
        for (i64 k = 0; k < got.size; ++k) {
          if (got.bits(k) != other.bits(k) && ++wrong <= 4)
            FAIL_CHECK(r.name, "[", k, "]: lanes give ", text(got, k), ", scalars ", text(other, k));
          if (!r.refused.empty() && r.refused[static_cast<std::size_t>(k)] != 0) continue;
          ++compared;
          bool good = agree(got, k, r.wanted, k, r.name[0], row.elementwise);
          std::string wanted = text(r.wanted, k);
          for (auto [one, end] = r.others.equal_range(k); one != end; ++one) {
            good = good || agree(got, k, one->second, 0, r.name[0], row.elementwise) ||
                   as_near(got, k, r.wanted, k, one->second);
            wanted += " or " + text(one->second, 0);
          }
          if (good) continue;
          std::map<std::string, double> at_place;
          for (const Reference& x : operands->second)
            if (row.elementwise) at_place[x.name] = x.wanted.number(k);
          if (!operands->second.empty() && operands->second[0].dims.rank > 0)
            at_place["line"] = static_cast<double>(k * operands->second[0].dims.extent[0] / got.size);
          good = differences.cover(row.key, dtype, r.name[0], at_place, r.wanted.number(k), got.number(k));
          for (auto [one, end] = r.others.equal_range(k); one != end && !good; ++one)
            good =
                differences.cover(row.key, dtype, r.name[0], at_place, one->second.number(0), got.number(k));
          if (good) continue;
          std::string from =
              row.elementwise || operands->second.empty() || operands->second[0].dims.rank == 0
                  ? ""
                  : "line " + std::to_string(k * operands->second[0].dims.extent[0] / got.size);
          for (const Reference& x : operands->second)
            if (row.elementwise) from += (from.empty() ? "" : ", ") + x.name + " = " + text(x.wanted, k);
          if (++wrong > 6) continue;
          FAIL_CHECK(r.name, "[", k, "] ", from, ": ", text(got, k), ", PyTorch says ", wanted);
        }
        if (wrong > 6) FAIL_CHECK(r.name, ": ", wrong, " in all");
      }
    }
    for (const std::string& row_of_page : differences.unused(row.key))
      FAIL_CHECK("docs/differences.md: nothing differs any more: ", row_of_page);
  }
  CHECK(compared > 0);
}

}  // namespace weft::sweep

TEST_CASE("sweep: no row is entered twice") {
  std::map<std::string, int> seen;
  for (const auto& row : weft::sweep::rows()) {
    INFO(row.key);
    CHECK(++seen[row.key] == 1);
  }
}
