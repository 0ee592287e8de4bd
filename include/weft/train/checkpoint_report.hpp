#pragma once
// What loading a checkpoint did beside continuing where it was saved.

#include <string>
#include <vector>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE {

struct CheckpointReport {
  std::vector<std::string> notes;  // sentences; none where the same trainer continues

  std::string text() const {
    std::string s;
    for (const std::string& note : notes) s += (s.empty() ? "" : "; ") + note;
    return s.empty() ? "continues" : s;
  }
};

}  // namespace WEFT_NAMESPACE
