#pragma once
// Two models of different types with the same names: what one's file holds, bit for bit, in the other's.

#include <cstring>
#include <string>

#include "unit/io/scratch.hpp"
#include "weft/io/safetensors.hpp"

namespace test_support {

// Gives `to` the values of `from`.
template <class A, class B>
void copy_state(const A& from, B& to) {
  const ScratchFolder folder;
  from.save(folder / "state");
  to.load(folder / "state");
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
  const ScratchFolder folder;
  a.save(folder / "first");
  b.save(folder / "second");
  return different_tensors(folder / "first", folder / "second");
}

}  // namespace test_support
