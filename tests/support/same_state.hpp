#pragma once
// Two models of different types with the same names: what one's file holds, bit for bit, in the other's.

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "weft/io/safetensors.hpp"

namespace test_support {

inline std::string scratch_file(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("weft_" + name + ".safetensors")).string();
}

// Gives `to` the values of `from`.
template <class A, class B>
void copy_state(const A& from, B& to) {
  const std::string path = scratch_file("copy_state");
  from.save(path);
  to.load(path);
  std::filesystem::remove(path);
}

// The names of tensors that differ, in a bit or at all.
inline std::string different_tensors(const std::string& a, const std::string& b) {
  const weft::io::Safetensors one(a), other(b);
  std::string names;
  if (one.entries().size() != other.entries().size()) names += "(other names) ";
  for (const auto& entry : one.entries()) {
    const auto* same = other.find(entry.name);
    if (same == nullptr || same->bytes != entry.bytes || same->shape != entry.shape ||
        (entry.bytes > 0 && std::memcmp(same->data, entry.data, entry.bytes) != 0))
      names += entry.name + " ";
  }
  return names;
}
template <class A, class B>
std::string different_state(const A& a, const B& b) {
  const std::string first = scratch_file("first_state"), second = scratch_file("second_state");
  a.save(first);
  b.save(second);
  const std::string names = different_tensors(first, second);
  std::filesystem::remove(first);
  std::filesystem::remove(second);
  return names;
}

}  // namespace test_support
