#include "weft/io/json.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using weft::io::append_json_string;
using weft::io::Json;
using weft::io::parse_json;

TEST_CASE("json: values of every kind") {
  const Json root = parse_json(" {\"a\": [1, -2.5e3, true, false, null], \"b\": {}, \"c\": \"x\"} \n");
  REQUIRE(root.size() == 3);
  CHECK(root.key(1) == "b");
  const auto& a = root.at("a").as_array();
  REQUIRE(a.size() == 5);
  CHECK(a[0].as_i64() == 1);
  CHECK(a[1].as_f64() == -2500.0);
  CHECK(a[2].as_bool());
  CHECK_FALSE(a[3].as_bool());
  CHECK(a[4].is(Json::Kind::null));
  CHECK(root.find("d") == nullptr);
  CHECK(root.at("c").as_string() == "x");
  CHECK(a[1].offset() == 11);
}

TEST_CASE("json: 64-bit integers keep every digit") {
  CHECK(parse_json("9223372036854775807").as_i64() == INT64_MAX);
  CHECK(parse_json("-9223372036854775808").as_i64() == INT64_MIN);
  CHECK(error_id([] { parse_json("9223372036854775808").as_i64(); }) == "json/kind");
  CHECK(error_id([] { parse_json("1.0").as_i64(); }) == "json/kind");
  CHECK(error_id([] { parse_json("1e2").as_i64(); }) == "json/kind");
}

TEST_CASE("json: escapes and UTF-8") {
  CHECK(parse_json("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"").as_string() == "\"\\/\b\f\n\r\t");
  CHECK(parse_json("\"\\u0041\\u00e9\\u20AC\\ud83e\\udDF5\"").as_string() ==
        "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\xA7\xB5");
  CHECK(parse_json("\"\xF0\x9F\xA7\xB5\"").as_string() == "\xF0\x9F\xA7\xB5");
  CHECK(parse_json("\"\\u0000\"").as_string() == std::string(1, '\0'));
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
    CHECK(error_id([&] { parse_json(bad); }) == "json/syntax");
  }
  CHECK(error_text([] { parse_json("[1, x]"); }) == "json/syntax: expected a JSON value at byte 4");
  CHECK(error_id([] { parse_json(std::string_view("1\0", 2)); }) == "json/syntax");
}

TEST_CASE("json: depth is limited and duplicate members are refused") {
  CHECK(error_id([] { parse_json(std::string(1'000'000, '[')); }) == "json/depth");
  CHECK(error_id([] { parse_json(std::string(64, '[') + std::string(64, ']')); }) == "no error");
  CHECK(error_id([] { parse_json(std::string(66, '[') + std::string(66, ']')); }) == "json/depth");
  CHECK(error_id([] { parse_json("{\"a\":1,\"b\":2,\"a\":3}"); }) == "json/duplicate-key");
  CHECK(error_id([] { parse_json("{\"a\":1,\"\\u0061\":3}"); }) == "json/duplicate-key");
}

TEST_CASE("json: a value of another kind says where it is") {
  const Json root = parse_json("{\"a\": \"x\"}");
  CHECK(error_text([&] { root.at("a").as_array(); }) == "json/kind: the value at byte 6 is not an array");
  CHECK(error_id([&] { root.at("b"); }) == "json/missing-key");
  CHECK(error_id([&] { root.at("a").find("c"); }) == "json/kind");
}

TEST_CASE("json: written strings read back") {
  std::string every;
  for (int c = 0; c < 128; ++c) every.push_back(static_cast<char>(c));
  every += "\xC3\xA9\xF0\x9F\xA7\xB5";
  std::string out;
  append_json_string(out, every);
  CHECK(parse_json(out).as_string() == every);
  std::string short_forms;
  append_json_string(short_forms, "\"\\\b\f\n\r\t\x01/");
  CHECK(short_forms == "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\"");
  CHECK(error_id([&] { append_json_string(out, "\xFF"); }) == "json/utf8");
}
