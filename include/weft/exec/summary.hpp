#pragma once
// A model as a table: every parameter and buffer under its dotted name, with shape, dtype and count, and
// totals.

#include <string>
#include <vector>

#include "weft/exec/explain.hpp"
#include "weft/nn/state_table.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

// 1234567 as "1,234,567".
inline std::string grouped(i64 number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > (number < 0 ? 4u : 3u); text.insert(at, ",")) at -= 3;
  return text;
}

struct SummaryRow {
  std::string name, shape, dtype, count;
};

// Lines of at most 79 columns; a name that is too long for its column has a line of its own.
inline std::string table_text(const std::vector<SummaryRow>& rows) {
  std::size_t name = 0, shape = 0, count = 0;
  for (const SummaryRow& r : rows) {
    name = r.name.size() > name ? r.name.size() : name;
    shape = r.shape.size() > shape ? r.shape.size() : shape;
    count = r.count.size() > count ? r.count.size() : count;
  }
  const std::size_t dtype = 7, rest = 2 + shape + 2 + dtype + 2 + count;
  if (name + rest > 79) name = rest < 63 ? 79 - rest : 16;
  std::string out;
  for (const SummaryRow& r : rows) {
    out += r.name;
    if (r.name.size() > name) out += "\n" + std::string(name, ' ');
    if (r.name.size() < name) out += std::string(name - r.name.size(), ' ');
    out += "  " + r.shape + std::string(shape - r.shape.size(), ' ') + "  " + r.dtype +
           std::string(dtype - r.dtype.size(), ' ') + "  " + std::string(count - r.count.size(), ' ') +
           r.count + "\n";
  }
  return out;
}

// "a step: 17 launches, 851 kB moved, 5.81 MFLOP", and the memory behind it; Header is the compiler's
// ImageHeader.
template <class Header>
std::string step_summary(const Header& plan, i64 state_bytes, i64 workspace_bytes) {
  using explain_detail::compact;
  return "a step: " + std::to_string(plan.launches) + " launches, " +
         compact(static_cast<double>(plan.bytes), "B") + " moved, " +
         compact(static_cast<double>(plan.flops), "FLOP") + "\nmemory: state " + grouped(state_bytes) +
         " bytes, workspace " + grouped(workspace_bytes) + " bytes\n";
}

}  // namespace exec

// The table of model type M.
template <class M>
std::string summary() {
  constexpr const auto& table = nn::state_table<M>;
  std::vector<exec::SummaryRow> rows{{"name", "shape", "dtype", "elements"}};
  i64 trained = 0, kept = 0;
  nn::each_copy(table, [&](int i, i64 copy) {
    const nn::StateInfo& s = table.row[i];
    (s.trained ? trained : kept) += s.dims.size();
    rows.push_back({std::string(s.name.of_copy(copy).view()) + (s.trained ? "" : " (buffer)"),
                    to_text(s.dims).c_str(), name_of(s.dtype), exec::grouped(s.dims.size())});
  });
  nn::each_copy(nn::alias_table<M>, [&](int i, i64 copy) {
    const nn::Alias& alias = nn::alias_table<M>.row[i];
    const nn::StatePlace of = nn::place_of<M>(alias, copy);
    rows.push_back({std::string(alias.name.of_copy(copy).view()),
                    "is " + std::string(table.row[of.row].name.of_copy(of.copy).view()), "", ""});
  });
  std::string out = exec::table_text(rows);
  out += exec::grouped(trained) + " trained parameters";
  if (kept > 0) out += ", " + exec::grouped(kept) + " elements of buffers";
  return out + "; " + exec::grouped(table.bytes) + " bytes\n";
}

}  // namespace WEFT_NAMESPACE
