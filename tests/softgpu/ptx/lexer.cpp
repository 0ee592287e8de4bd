#include "softgpu/ptx/lexer.hpp"

#include <cctype>

namespace softgpu::ptx {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' || c == '.';
}

}  // namespace

std::vector<Token> cut(const std::string& source) {
  std::vector<Token> tokens;
  int line = 1;
  std::size_t at = 0;
  const std::size_t size = source.size();
  while (at < size) {
    const char c = source[at];
    if (c == '\n') {
      ++line;
      ++at;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at;
    } else if (source.compare(at, 2, "//") == 0) {
      while (at < size && source[at] != '\n') ++at;
    } else if (source.compare(at, 2, "/*") == 0) {
      const std::size_t end = source.find("*/", at + 2);
      for (; at < end && at < size; ++at) line += source[at] == '\n' ? 1 : 0;
      at += 2;
    } else if (c == '"') {
      const std::size_t end = source.find('"', at + 1);
      tokens.push_back({Token::Kind::text, source.substr(at + 1, end - at - 1), line});
      at = end == std::string::npos ? size : end + 1;
    } else if (is_word(c)) {
      std::size_t end = at;
      // "::" stands inside a word, as in ld.shared::cta
      while (end < size && (is_word(source[end]) || source.compare(end, 2, "::") == 0))
        end += source[end] == ':' ? 2 : 1;
      const bool number = std::isdigit(static_cast<unsigned char>(c)) != 0;
      tokens.push_back({number ? Token::Kind::number : Token::Kind::word, source.substr(at, end - at), line});
      at = end;
    } else {
      tokens.push_back({Token::Kind::mark, std::string(1, c), line});
      ++at;
    }
  }
  tokens.push_back({Token::Kind::end, "", line});
  return tokens;
}

}  // namespace softgpu::ptx
