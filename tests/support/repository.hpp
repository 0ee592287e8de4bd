#pragma once
// Paths of files that the repository holds. CTest names the repository's folder in the environment, not in a
// macro, so that an object compiled in one clone serves another; without CTest, run from the repository's
// root.

#include <cstdlib>
#include <string>

inline std::string repository_file(const std::string& path) {
  const char* const root = std::getenv("WEFT_SOURCE_DIR");
  return std::string(root != nullptr ? root : ".") + "/" + path;
}
