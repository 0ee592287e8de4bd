#include "sweep/differences.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "support/repository.hpp"
#include "sweep/sweep.hpp"
#include "weft/core/error.hpp"

namespace weft::sweep {

namespace {

std::string trimmed(std::string s) {
  while (!s.empty() && (s.back() == ' ' || s.back() == '`')) s.pop_back();
  std::size_t k = 0;
  while (k < s.size() && (s[k] == ' ' || s[k] == '`')) ++k;
  return s.substr(k);
}
std::vector<std::string> parts(const std::string& s, const std::string& by) {
  std::vector<std::string> r;
  for (std::size_t begin = 0; begin <= s.size();) {
    std::size_t end = s.find(by, begin);
    if (end == std::string::npos) end = s.size();
    r.push_back(trimmed(s.substr(begin, end - begin)));
    begin = end + by.size();
  }
  return r;
}

// An operand's letter, |letter|, or a number.
bool value_of(std::string word, const std::map<std::string, double>& operands, double& value) {
  const bool size = word.size() > 2 && word.front() == '|' && word.back() == '|';
  if (size) word = word.substr(1, word.size() - 2);
  const auto found = operands.find(word);
  if (found != operands.end()) {
    value = found->second;
  } else {
    char* end = nullptr;
    value = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != 0) return false;
  }
  if (size) value = std::fabs(value);
  return true;
}
bool holds(const std::string& condition, const std::map<std::string, double>& operands) {
  if (condition == "anywhere") return true;
  std::istringstream words(condition);
  std::string left, op, right;
  words >> left >> op >> right;
  double a = 0, b = 0;
  if (!value_of(left, operands, a)) return false;
  if (op == "is" && right == "whole") return a == std::trunc(a);
  if (!value_of(right, operands, b)) return false;
  if (op == "=") return a == b || (a != a && b != b);
  if (op == "<") return a < b;
  if (op == ">") return a > b;
  if (op == "<=") return a <= b;
  if (op == ">=") return a >= b;
  return false;
}
bool is_kind(const std::string& kind, double x, bool value) {
  if (kind == "NaN") return x != x;
  if (kind == "infinite") return std::isinf(x);
  if (kind == "finite") return std::isfinite(x);
  if (kind == "a number") return x == x;
  if (kind == "0") return x == 0 && !(value && std::signbit(x));
  if (kind == "-0") return x == 0 && std::signbit(x);
  return true;
}

}  // namespace

Differences::Differences() {
  std::ifstream file(repository_file("docs/differences.md"));
  if (!file) throw Error("sweep/differences", "docs/differences.md is missing");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::string text = line.substr(1);
    for (std::size_t at = 0; (at = text.find("\\|", at)) != std::string::npos;) text.replace(at, 2, "\x01");
    std::vector<std::string> cells = parts(text, "|");
    for (std::string& c : cells)
      for (char& one : c)
        if (one == '\x01') one = '|';
    if (cells.size() != 8) throw Error("sweep/differences", "a row has seven cells: " + line);
    Row row;
    for (const std::string& key : parts(cells[0], "`, `")) row.covered[key] = 0;
    row.quantities = parts(cells[1], ",");
    row.dtypes = parts(cells[2], ",");
    row.where = parts(cells[3], " and ");
    row.theirs = cells[4];
    row.ours = cells[5];
    rows_.push_back(row);
  }
}

bool Differences::cover(const std::string& key, DType t, char quantity,
                        const std::map<std::string, double>& operands, double theirs, double ours) {
  const std::string order = quantity == 'v' ? "value" : quantity == 'g' ? "first" : "second";
  for (Row& row : rows_) {
    const auto found = row.covered.find(key);
    if (found == row.covered.end()) continue;
    bool fits = false;
    for (const std::string& q : row.quantities) fits = fits || q == order;
    if (!fits) continue;
    fits = false;
    for (const std::string& d : row.dtypes)
      fits = fits || d == "all" || d == name_of(t) || (d == "floats" && is_float(t));
    for (const std::string& w : row.where) fits = fits && holds(w, operands);
    if (!fits || !is_kind(row.theirs, theirs, quantity == 'v') || !is_kind(row.ours, ours, quantity == 'v'))
      continue;
    ++found->second;
    return true;
  }
  return false;
}

std::vector<std::string> Differences::unused(const std::string& key) const {
  std::vector<std::string> r;
  for (const Row& row : rows_) {
    const auto found = row.covered.find(key);
    if (found == row.covered.end() || found->second > 0) continue;
    std::string where;
    for (const std::string& w : row.where) where += (where.empty() ? "" : " and ") + w;
    r.push_back(key + " (" + row.quantities[0] + "): " + where);
  }
  return r;
}

std::vector<std::string> Differences::keys() const {
  std::vector<std::string> r;
  for (const Row& row : rows_)
    for (const auto& one : row.covered) r.push_back(one.first);
  return r;
}

}  // namespace weft::sweep

TEST_CASE("sweep: the table of differences names rows of the sweep") {
  const weft::sweep::Differences differences;
  CHECK(!differences.keys().empty());
  for (const std::string& key : differences.keys()) {
    bool found = false;
    for (const auto& row : weft::sweep::rows()) found = found || key == row.key;
    INFO(key);
    CHECK(found);
  }
}
