// Reads one safetensors file and writes its tensors to another; safetensors_files.py compares the two.

#include <cstdio>
#include <vector>

#include "weft/io/safetensors.hpp"

int main(int count, char** arguments) {
  if (count != 3) return std::fprintf(stderr, "usage: %s IN OUT\n", arguments[0]), 2;
  try {
    const weft::io::Safetensors file(arguments[1]);
    std::vector<weft::io::SafetensorsTensor> tensors;
    for (const auto& entry : file.entries())
      tensors.push_back({entry.name, entry.dtype, entry.shape, entry.data});
    weft::io::write_safetensors(arguments[2], tensors, file.metadata());
  } catch (const weft::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
  return 0;
}
