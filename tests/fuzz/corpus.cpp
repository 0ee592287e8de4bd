// The fuzz targets without a fuzzer: every file of tests/fuzz/corpus, and thousands of changes to these.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "fuzz/targets/checkpoint.hpp"
#include "fuzz/targets/csv.hpp"
#include "fuzz/targets/digits.hpp"
#include "fuzz/targets/json.hpp"
#include "fuzz/targets/load.hpp"
#include "fuzz/targets/safetensors.hpp"
#include "fuzz/targets/safetensors_index.hpp"
#include "support/repository.hpp"

namespace {

using Target = void (*)(const weft::u8*, std::size_t);

void replay(const std::string& name, Target target, int changes) {
  std::vector<std::string> corpus, names;
  for (const auto& entry : std::filesystem::directory_iterator(repository_file("tests/fuzz/corpus/" + name)))
    names.push_back(entry.path().string());
  std::sort(names.begin(), names.end());
  for (const std::string& file : names) corpus.push_back(weft::io::read_file(file));
  REQUIRE(corpus.size() >= 3);
  const auto run = [&](const std::string& bytes) {
    const std::vector<weft::u8> exact(bytes.begin(), bytes.end());
    target(exact.data(), exact.size());
  };
  for (const std::string& bytes : corpus) run(bytes);
  weft::u64 state = 88172645463325252u;  // xorshift64 (Marsaglia 2003)
  const auto random = [&](std::size_t bound) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::size_t>(state % bound);
  };
  for (int i = 0; i < changes; ++i) {
    std::string bytes = corpus[random(corpus.size())];
    for (std::size_t edits = 1 + random(4); edits > 0 && !bytes.empty(); --edits) {
      const std::size_t at = random(bytes.size());
      const std::string& other = corpus[random(corpus.size())];
      switch (random(5)) {
        case 0:
          bytes[at] = static_cast<char>(random(256));
          break;
        case 1:
          bytes[at] = "0123456789-+.eE\"{}[],:;\n"[random(24)];
          break;
        case 2:
          bytes.erase(at, 1 + random(9));
          break;
        case 3:
          if (!other.empty()) bytes.insert(at, other.substr(random(other.size()), random(40)));
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random(8)));
          break;
      }
    }
    run(bytes);
  }
}

}  // namespace

TEST_CASE("fuzz: json") { replay("json", fuzz::json, 20'000); }
TEST_CASE("fuzz: safetensors") { replay("safetensors", fuzz::safetensors, 20'000); }
TEST_CASE("fuzz: safetensors_index") { replay("safetensors_index", fuzz::safetensors_index, 5'000); }
TEST_CASE("fuzz: csv") { replay("csv", fuzz::csv, 20'000); }
TEST_CASE("fuzz: digits") { replay("digits", fuzz::digits, 5'000); }
TEST_CASE("fuzz: load") { replay("load", fuzz::load, 20'000); }
TEST_CASE("fuzz: checkpoint") { replay("checkpoint", fuzz::checkpoint, 5'000); }
