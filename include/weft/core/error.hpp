#pragma once
// The one exception weft throws. An error has a stable id ("safetensors/truncated") that programs may test,
// and one sentence for people.

#include <exception>
#include <string>
#include <utility>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE {

class Error : public std::exception {
 public:
  Error(std::string id, std::string message)
      : id_(std::move(id)), message_(id_ + ": " + std::move(message)) {}
  // The id and the sentence.
  const char* what() const noexcept override { return message_.c_str(); }
  // A stable name for the kind of error, "area/kind".
  const std::string& id() const noexcept { return id_; }

 private:
  std::string id_;
  std::string message_;
};

}  // namespace WEFT_NAMESPACE
