#pragma once
// What tests/parity/generate_sweep.py wrote: the values of operands and of PyTorch's results.

#include <map>
#include <string>
#include <vector>

#include "sweep/evaluate.hpp"

namespace weft::sweep {

// A tensor of the data: what is wanted, which places PyTorch refuses, what it gives in the dtype itself.
struct Reference {
  std::string name;
  Dims dims;
  Typed wanted;
  std::vector<char> refused;
  std::multimap<i64, Typed> others;
};
struct Data {
  std::map<std::string, std::vector<Reference>> operands, rows;  // by name and dtype
};

// Of tests/parity/data/sweep_<table>.bin.
Data read(const std::string& table);

}  // namespace weft::sweep
