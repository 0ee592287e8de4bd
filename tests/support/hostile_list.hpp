#pragma once
// The list of hostile safetensors files that tests/parity/safetensors_hostile.py writes.

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace hostile {

struct Case {
  std::string name, official, expected;
  std::vector<unsigned char> bytes;
};

// "7b22 00*20 7d": bytes in hexadecimal, some of them so many times.
inline std::vector<unsigned char> bytes_of(const std::string& text) {
  std::vector<unsigned char> bytes;
  if (text == "-") return bytes;
  for (std::size_t i = 0; i + 1 < text.size();) {
    if (text[i] == ' ') {
      ++i;
      continue;
    }
    const auto byte = static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16));
    i += 2;
    std::size_t times = 1;
    if (i < text.size() && text[i] == '*') {
      std::size_t used = 0;
      times = std::stoul(text.substr(i + 1, 12), &used);
      i += 1 + used;
    }
    bytes.insert(bytes.end(), times, byte);
  }
  return bytes;
}

inline std::vector<Case> read(const std::string& path) {
  std::vector<Case> cases;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> parts;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = line.find(" | ", at);
      parts.push_back(line.substr(at, end == std::string::npos ? end : end - at));
      if (end == std::string::npos) break;
      at = end + 3;
    }
    if (parts.size() == 4) cases.push_back({parts[0], parts[1], parts[2], bytes_of(parts[3])});
  }
  return cases;
}

}  // namespace hostile
