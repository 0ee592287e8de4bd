// Says what weft thinks of each file of a list; safetensors_hostile.py compares that with the official
// package.

#include <cstdio>

#include "support/hostile_list.hpp"
#include "weft/io/safetensors.hpp"

int main(int count, char** arguments) {
  if (count != 2) return std::fprintf(stderr, "usage: %s LIST\n", arguments[0]), 2;
  for (const hostile::Case& each : hostile::read(arguments[1])) {
    try {
      const weft::io::Safetensors file(each.bytes.data(), each.bytes.size());
      std::printf("accepts\n");
    } catch (const weft::Error& error) {
      std::string text = error.what();
      for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) > '~') c = '?';
      std::printf("refuses %s\n", text.c_str());
    }
  }
  return 0;
}
