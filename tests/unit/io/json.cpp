#include "weft/io/json.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using weft::io::append_json_string;
using weft::io::JsonReader;
using Kind = JsonReader::Kind;

// Reads a value of any kind, and what is in it; returns how many values that were.
static int read_all(JsonReader& json) {
  int values = 1;
  switch (json.kind()) {
    case Kind::object:
      json.object([&](const std::string&) { values += read_all(json); });
      break;
    case Kind::array:
      json.array([&] { values += read_all(json); });
      break;
    case Kind::string:
      json.string();
      break;
    case Kind::number:
      json.number();
      break;
    case Kind::boolean:
      json.boolean();
      break;
    case Kind::null:
      json.null();
      break;
  }
  return values;
}
static int read_document(std::string_view text) {
  JsonReader json(text);
  const int values = read_all(json);
  json.end();
  return values;
}
static std::string string_of(std::string_view text) { return JsonReader(text).string(); }

TEST_CASE("json: values of every kind, in the order of the file") {
  JsonReader json(" {\"a\": [1, -2.5e3, true, false, null], \"b\": {}, \"c\": \"x\"} \n");
  std::string keys;
  json.object([&](const std::string& key) {
    keys += key;
    if (key == "a") {
      int i = 0;
      json.array([&] {
        switch (i++) {
          case 0:
            CHECK(json.number() == "1");
            break;
          case 1:
            CHECK(json.offset() == 11);
            CHECK(json.number() == "-2.5e3");
            break;
          case 2:
            CHECK(json.boolean());
            break;
          case 3:
            CHECK_FALSE(json.boolean());
            break;
          default:
            json.null();
            break;
        }
      });
      CHECK(i == 5);
    } else if (key == "b") {
      json.object([](const std::string&) { FAIL("a member of an empty object"); });
    } else {
      CHECK(json.kind() == Kind::string);
      CHECK(json.string() == "x");
    }
  });
  json.end();
  CHECK(keys == "abc");
}

TEST_CASE("json: numbers come as they are written") {
  for (const char* text : {"0", "-0", "9223372036854775808", "1.50", "-1E+05", "1e999"})
    CHECK(JsonReader(text).number() == text);
}

TEST_CASE("json: escapes and UTF-8") {
  CHECK(string_of("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"") == "\"\\/\b\f\n\r\t");
  CHECK(string_of("\"\\u0041\\u00e9\\u20AC\\ud83e\\udDF5\"") == "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA7\xB5");
  CHECK(string_of("\"\xF0\x9F\xA7\xB5\"") == "\xF0\x9F\xA7\xB5");
  CHECK(string_of("\"\\u0000\"") == std::string(1, '\0'));
}

TEST_CASE("json: what RFC 8259 does not allow is refused with an offset") {
  for (const char* bad : {"",
                          " ",
                          "{",
                          "[",
                          "[1,]",
                          "{\"a\":1,}",
                          "{a:1}",
                          "{\"a\" 1}",
                          "01",
                          "-",
                          "1.",
                          ".5",
                          "1e",
                          "+1",
                          "nul",
                          "tru",
                          "NaN",
                          "\"",
                          "\"\\x\"",
                          "\"\\u12g4\"",
                          "\"\\ud800\"",
                          "\"\\ud800\\u0041\"",
                          "\"\\udc00\"",
                          "\"\n\"",
                          "\"\xFF\"",
                          "\"\xC0\x80\"",
                          "\"\xED\xA0\x80\"",
                          "\"\xF4\x90\x80\x80\"",
                          "\"\xE2\x82\"",
                          "1 2",
                          "[1 2]",
                          "{} x",
                          "'a'"}) {
    CAPTURE(bad);
    CHECK(error_id([&] { read_document(bad); }) == "json/syntax");
  }
  CHECK(error_text([] { read_document("[1, x]"); }) == "json/syntax: expected a JSON value at byte 4");
  CHECK(error_id([] { read_document(std::string_view("1\0", 2)); }) == "json/syntax");
}

TEST_CASE("json: depth is limited") {
  CHECK(error_id([] { read_document(std::string(1'000'000, '[')); }) == "json/depth");
  CHECK(read_document(std::string(64, '[') + std::string(64, ']')) == 64);
  CHECK(error_id([] { read_document(std::string(65, '[') + std::string(65, ']')); }) == "json/depth");
  // one beside the other is not one in the other
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],";
  CHECK(read_document(wide + "{}]") == 1002);
}

TEST_CASE("json: a value of another kind says where it is") {
  JsonReader json("{\"a\": \"x\"}");
  CHECK(error_text([&] { json.object([&](const std::string&) { json.array([] {}); }); }) ==
        "json/kind: the value at byte 6 is not an array");
  CHECK(error_id([] { JsonReader("tru").null(); }) == "json/kind");
  CHECK(error_id([] { JsonReader("tru").boolean(); }) == "json/syntax");
}

TEST_CASE("json: written strings read back") {
  std::string every;
  for (int c = 0; c < 128; ++c) every.push_back(static_cast<char>(c));
  every += "\xC3\xA9\xF0\x9F\xA7\xB5";
  std::string out;
  append_json_string(out, every);
  CHECK(string_of(out) == every);
  std::string short_forms;
  append_json_string(short_forms, "\"\\\b\f\n\r\t\x01/");
  CHECK(short_forms == "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\"");
  CHECK(error_id([&] { append_json_string(out, "\xFF"); }) == "json/utf8");
}
