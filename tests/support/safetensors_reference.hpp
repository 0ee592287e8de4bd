#pragma once
// Values and gradients beside those of a file of tests/parity.

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "support/repository.hpp"
#include "weft/io/safetensors.hpp"

namespace weft::testing {

// Results of a function, one after another, beside "<name>.<key>" of a file that PyTorch wrote.
class SafetensorsReference {
 public:
  explicit SafetensorsReference(const std::string& path) : file_(repository_file(path)) {}

  template <class T>
  const T* values(const std::string& name) const {
    const io::SafetensorsEntry& entry = file_.at(name);
    REQUIRE(entry.dtype == dtype_of<T>);
    return reinterpret_cast<const T*>(entry.data);
  }
  const float* operator()(const std::string& name) const { return values<float>(name); }
  template <class Results>
  void check(const Results& results, const std::string& name, const std::vector<std::string>& keys) const {
    std::apply(
        [&](const auto&... r) {
          REQUIRE(sizeof...(r) == keys.size());
          int next = 0;
          (close(r, name + "." + keys[static_cast<std::size_t>(next++)]), ...);
        },
        results);
  }

 private:
  template <class View>
  void close(const View& got, const std::string& name) const {
    const float* wanted = (*this)(name);
    double scale = 1;
    for (i64 i = 0; i < got.size(); ++i) scale = std::fmax(scale, std::abs(wanted[i]));
    INFO(name);
    for (i64 i = 0; i < got.size(); ++i)
      if (!(std::abs(got[i] - wanted[i]) <= 1.3e-6 * scale + 1e-5 * std::abs(wanted[i])))
        FAIL_CHECK("element ", i, ": ", got[i], ", PyTorch says ", wanted[i]);
  }
  io::Safetensors file_;
};

}  // namespace weft::testing
