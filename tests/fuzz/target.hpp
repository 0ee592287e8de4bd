#pragma once
// What a fuzz target is: a function of bytes from outside that returns, whatever the bytes, or ends the
// process. tests/fuzz/targets/NAME.hpp holds fuzz::NAME(data, size); libFuzzer drives it (./weft fuzz NAME),
// and tests/fuzz/corpus.cpp replays tests/fuzz/corpus/NAME, and changes to it, in every run of the suite.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace fuzz {

// A law that no input may break.
inline void require(bool holds, const char* law) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: broken: %s\n", law);
  std::abort();
}

// Whether an action ends with an Error, whose id begins so.
template <class Action>
bool refuses(Action action, std::string_view area) {
  try {
    action();
  } catch (const weft::Error& error) {
    require(error.id().starts_with(area), error.what());
    require(std::strlen(error.what()) < 20'000, "a message is no longer than a page");
    return true;
  }
  return false;
}

// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& bytes) : file_(::memfd_create("fuzz", 0)) {
    require(file_ >= 0, "memfd_create");
    require(::write(file_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write");
    path_ = "/proc/self/fd/" + std::to_string(file_);
  }
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }
  const std::string& path() const { return path_; }

 private:
  int file_;
  std::string path_;
};

// A safetensors file from what a fuzzer finds easily: after an odd first byte the bytes as they are; after an
// even one a header up to the first zero, whose length is put before it, and data.
inline std::string safetensors_bytes(const weft::u8* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size == 0 || data[0] % 2 == 1) return text.substr(size == 0 ? 0 : 1);
  const std::size_t zero = text.find('\0', 1);
  const std::string header = text.substr(1, zero == std::string::npos ? zero : zero - 1);
  const weft::u64 length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header +
         (zero == std::string::npos ? "" : text.substr(zero + 1));
}

}  // namespace fuzz
