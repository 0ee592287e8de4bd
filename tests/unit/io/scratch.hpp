#pragma once
// A folder of a test's own, gone when the test ends.

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "support/repository.hpp"
#include "weft/core/error.hpp"

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "weft-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }
  // How many files and folders lie in it.
  int count() const {
    int n = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++n;
    return n;
  }

 private:
  std::filesystem::path path_;
};

// The id of the Error that `action` throws, or "no error".
template <class Action>
std::string error_id(Action action) {
  try {
    action();
  } catch (const weft::Error& error) {
    return error.id();
  }
  return "no error";
}

// What that Error says.
template <class Action>
std::string error_text(Action action) {
  try {
    action();
  } catch (const weft::Error& error) {
    return error.what();
  }
  return "no error";
}
