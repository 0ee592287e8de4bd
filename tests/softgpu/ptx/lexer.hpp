#pragma once
// PTX cut into words, numbers and punctuation, each with its line.

#include <string>
#include <vector>

namespace softgpu::ptx {

struct Token {
  enum class Kind { word, number, text, mark, end };
  Kind kind = Kind::end;
  std::string text;
  int line = 0;
  bool is(const char* what) const { return text == what && kind != Kind::text; }
};

std::vector<Token> cut(const std::string& source);

}  // namespace softgpu::ptx
