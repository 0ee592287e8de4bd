#include "sweep/reference_data.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "support/repository.hpp"
#include "weft/core/error.hpp"

namespace weft::sweep {

namespace {

DType dtype_named(const std::string& name) {
  for (int t = 0; t < dtype_count; ++t)
    if (name == name_of(static_cast<DType>(t))) return static_cast<DType>(t);
  throw Error("sweep/data", "no such dtype: " + name);
}

// What `packed` of generate_sweep.py made smaller.
std::string unpacked(const std::string& from) {
  std::string out;
  for (std::size_t k = 0; k < from.size();) {
    const auto byte = [&](std::size_t at) {
      return static_cast<unsigned>(static_cast<unsigned char>(from.at(at)));
    };
    const std::size_t token = byte(k++);
    if (token < 128) {
      out.append(from, k, token + 1);
      k += token + 1;
    } else {
      const std::size_t back = byte(k) + 256 * byte(k + 1);
      k += 2;
      for (std::size_t n = 0; n < token - 124; ++n) out.push_back(out.at(out.size() - back));
    }
  }
  return out;
}

}  // namespace

Data read(const std::string& table) {
  const std::string path = "tests/parity/data/sweep_" + table + ".bin";
  std::ifstream packed(repository_file(path), std::ios::binary);
  if (!packed) throw Error("sweep/data", path + " is missing: python tests/parity/generate_sweep.py");
  Data data;
  std::string line;
  std::getline(packed, line);
  if (line != "weft sweep 2") throw Error("sweep/data", path + ": another format");
  std::istringstream file(unpacked({std::istreambuf_iterator<char>(packed), {}}));
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string kind, dtype, key;
    int count = 0;
    words >> kind >> dtype >> count;
    std::getline(words >> std::ws, key);
    std::vector<Reference>& list = (kind == "row" ? data.rows : data.operands)[key + " " + dtype];
    for (int k = 0; k < count; ++k) {
      std::getline(file, line);
      std::istringstream is(line);
      Reference r;
      int refuses = 0, others = 0;
      is >> kind >> r.name >> dtype >> r.dims.rank;
      for (int a = 0; a < r.dims.rank; ++a) is >> r.dims.extent[a];
      is >> refuses >> others;
      r.wanted = Typed(dtype_named(dtype), r.dims.size());
      const auto bytes = [&](char* p, i64 n) { file.read(p, static_cast<std::streamsize>(n)); };
      bytes(r.wanted.data(), r.wanted.size * size_of(r.wanted.dtype));
      if (refuses != 0) {
        r.refused.resize(static_cast<std::size_t>(r.wanted.size));
        bytes(r.refused.data(), r.wanted.size);
      }
      for (int n = 0; n < others; ++n) {
        u32 place = 0;
        bytes(reinterpret_cast<char*>(&place), 4);
        Typed one(r.wanted.dtype, 1);
        bytes(one.data(), size_of(one.dtype));
        r.others.emplace(place, one);
      }
      file.get();
      if (!file || kind != "is") throw Error("sweep/data", path + ": broken at " + key);
      list.push_back(std::move(r));
    }
  }
  return data;
}

}  // namespace weft::sweep

TEST_CASE("sweep: the data has operands and results of every dtype that a row takes") {
  using namespace weft;
  const sweep::Data data = sweep::read("pointwise");
  for (const DType t : {DType::f64, DType::f32, DType::bf16, DType::i64, DType::u8}) {
    const std::string dtype(name_of(t));
    INFO(dtype);
    REQUIRE(data.operands.count("binary " + dtype) == 1);
    REQUIRE(data.rows.count("sub " + dtype) == 1);
    const auto& operands = data.operands.at("binary " + dtype);
    REQUIRE(operands.size() == 2);
    for (const sweep::Reference& r : operands) {
      CHECK(r.wanted.dtype == t);
      CHECK(r.wanted.size == 256);
      CHECK(r.dims.size() == 256);
    }
    const auto& results = data.rows.at("sub " + dtype);
    CHECK(results.front().name == "v0");
    CHECK(results.front().wanted.dtype == t);
    CHECK(results.front().wanted.size == 256);
  }
  CHECK_THROWS_AS(sweep::read("nothing"), Error);
}
