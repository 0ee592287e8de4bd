#pragma once
// The tables of docs/differences.md, read: where weft's results differ from PyTorch's on purpose.
//
// | operation | of | dtypes | where | PyTorch | weft | why |
//
// Operations are rows of the sweep, `of` is value, first or second (derivatives), dtypes are names, `floats`
// or `all`. Where: comparisons of operands such as `x = 0` or `|y| < 1e-30`, joined by "and", or "anywhere".
// What PyTorch and weft give: NaN, infinite, finite, 0, -0, a number (not NaN), or anything else, which is
// not checked.

#include <map>
#include <string>
#include <vector>

#include "weft/core/dtype.hpp"

namespace weft::sweep {

class Differences {
 public:
  Differences();

  // Whether a row of the tables is about this, which is counted.
  bool cover(const std::string& key, DType t, char quantity, const std::map<std::string, double>& operands,
             double theirs, double ours);
  // "operation: where" of those rows about `key` that covered nothing.
  std::vector<std::string> unused(const std::string& key) const;
  // The operations of all rows.
  std::vector<std::string> keys() const;

 private:
  struct Row {
    std::map<std::string, int> covered;  // by operation
    std::vector<std::string> quantities, dtypes, where;
    std::string theirs, ours;
  };
  std::vector<Row> rows_;
};

}  // namespace weft::sweep
