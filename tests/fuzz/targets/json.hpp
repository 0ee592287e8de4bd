#pragma once
// The JSON reader: whatever the text, it is read or refused, and strings survive being written again.

#include "fuzz/target.hpp"
#include "weft/io/json.hpp"

namespace fuzz {

inline void read_value(weft::io::JsonReader& json) {
  using Kind = weft::io::JsonReader::Kind;
  const std::size_t at = json.offset();
  switch (json.kind()) {
    case Kind::object:
      return json.object([&](const std::string&) { read_value(json); });
    case Kind::array:
      return json.array([&] { read_value(json); });
    case Kind::string: {
      const std::string text = json.string();
      std::string written;
      weft::io::append_json_string(written, text);
      require(weft::io::JsonReader(written).string() == text, "a string that is written is read back");
      break;
    }
    case Kind::number:
      require(!json.number().empty(), "a number has digits");
      break;
    case Kind::boolean:
      json.boolean();
      break;
    case Kind::null:
      json.null();
      break;
  }
  require(json.offset() > at, "a value takes at least a byte");
}

inline void json(const weft::u8* data, std::size_t size) {
  const std::vector<char> exact(data, data + size);  // so that a sanitizer sees a read past the end
  refuses(
      [&] {
        weft::io::JsonReader json({exact.data(), exact.size()});
        read_value(json);
        json.end();
      },
      "json/");
}

}  // namespace fuzz
