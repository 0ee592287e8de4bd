#include "weft/io/safetensors.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "scratch.hpp"

using namespace weft;
using io::Safetensors;
using io::write_safetensors;

// A file made of a header and so many bytes of data.
static std::string file_of(const std::string& header, std::size_t data) {
  const u64 length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(data, '\1');
}
static std::string read_id(const std::string& bytes) {
  return error_id([&] { Safetensors(bytes.data(), bytes.size()); });
}
// One tensor's description.
static std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                          const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":[" + shape + "],\"data_offsets\":[" +
         offsets + "]}";
}
static std::string id_of(const std::string& header, std::size_t data) {
  return read_id(file_of(header, data));
}

static const std::string committed = repository_file("tests/parity/safetensors/all_dtypes.safetensors");

TEST_CASE("safetensors: a file by Python's package") {
  const Safetensors file(committed);
  CHECK(file.entries().size() == 15);
  CHECK(file.metadata() ==
        Safetensors::Metadata{{"format", "pt"}, {"note", "a \"quote\", a tab\t and ünïcode 🧵"}});

  const auto bits = [&]<class T>(const char* name, DType dtype, T(&expected)[6]) {
    CAPTURE(name);
    const auto& entry = file.at(name);
    CHECK(entry.dtype == dtype);
    CHECK(entry.shape == std::vector<i64>{2, 3});
    REQUIRE(entry.bytes == 6 * sizeof(T));
    CHECK(std::memcmp(entry.data, expected, entry.bytes) == 0);
  };
  // Bit patterns of 0, 1, -2, 1.5, 100, 0.25 by the formats' definitions.
  f64 f64s[6] = {0, 1, -2, 1.5, 100, 0.25};
  f32 f32s[6] = {0, 1, -2, 1.5f, 100, 0.25f};
  u16 f16s[6] = {0x0000, 0x3C00, 0xC000, 0x3E00, 0x5640, 0x3400};
  u16 bf16s[6] = {0x0000, 0x3F80, 0xC000, 0x3FC0, 0x42C8, 0x3E80};
  u8 e4m3s[6] = {0x00, 0x38, 0xC0, 0x3C, 0x6C, 0x28};  // 100 rounds to 96
  u8 e5m2s[6] = {0x00, 0x3C, 0xC0, 0x3E, 0x56, 0x34};  // 100 rounds to 96
  i64 i64s[6] = {0, 1, -2, 1, 100, 0};
  i32 i32s[6] = {0, 1, -2, 1, 100, 0};
  i8 i8s[6] = {0, 1, -2, 1, 100, 0};
  u8 u8s[6] = {0, 1, 2, 3, 100, 1};
  u32 u32s[6] = {0, 1, 2, 3, 100, 1};
  u8 bools[6] = {0, 1, 1, 1, 1, 1};
  bits("t.F64", DType::f64, f64s);
  bits("t.F32", DType::f32, f32s);
  bits("t.F16", DType::f16, f16s);
  bits("t.BF16", DType::bf16, bf16s);
  bits("t.F8_E4M3", DType::f8e4m3, e4m3s);
  bits("t.F8_E5M2", DType::f8e5m2, e5m2s);
  bits("t.I64", DType::i64, i64s);
  bits("t.I32", DType::i32, i32s);
  bits("t.I8", DType::i8, i8s);
  bits("t.U8", DType::u8, u8s);
  bits("t.U32", DType::u32, u32s);
  bits("t.BOOL", DType::boolean, bools);

  CHECK(file.at("scalar").shape.empty());
  f32 scalar = 0;
  file.at("scalar").copy_to(&scalar);
  CHECK(scalar == 2.5f);
  CHECK(file.at("empty").shape == std::vector<i64>{3, 0});
  CHECK(file.at("empty").size() == 0);
  i64 seven = 0;
  file.at("näme \"quoted\" \\ \n\x01").copy_to(&seven);
  CHECK(seven == 7);
  CHECK(file.find("none") == nullptr);
  CHECK(*file.find_metadata("format") == "pt");
  CHECK(file.find_metadata("none") == nullptr);
  CHECK(error_id([&] { file.at("none"); }) == "safetensors/missing");
  CHECK(error_id([&] { file.at("scalar").copy_to(&seven); }) == "safetensors/dtype");
}

TEST_CASE("safetensors: writing gives the bytes of Python's package, in any order") {
  const ScratchFolder folder;
  const Safetensors file(committed);
  std::vector<io::SafetensorsTensor> tensors;
  for (const auto& entry : file.entries())
    tensors.push_back({entry.name, entry.dtype, entry.shape, entry.data});
  std::reverse(tensors.begin(), tensors.end());
  Safetensors::Metadata metadata = file.metadata();
  std::reverse(metadata.begin(), metadata.end());
  write_safetensors(folder / "w", tensors, metadata);
  CHECK(io::read_file(folder / "w") == io::read_file(committed));
}

TEST_CASE("safetensors: a copy of an entry keeps the file mapped") {
  const ScratchFolder folder;
  const std::vector<f32> values{1, 2, 3};
  write_safetensors(folder / "x", {{"x", dtype_of<f32>, {3}, values.data()}});
  const io::SafetensorsEntry entry = Safetensors(folder / "x").at("x"),
                             found = Safetensors(folder / "x")["x"];
  const std::vector<io::SafetensorsEntry> all = Safetensors(folder / "x").entries();
  CHECK(entry.to_vector<f32>() == values);
  CHECK(found.to_vector<f32>() == values);
  CHECK(all[0].to_vector<f32>() == values);
}

TEST_CASE("safetensors: data without alignment") {
  const Safetensors file(repository_file("tests/parity/safetensors/unaligned.safetensors"));
  CHECK(reinterpret_cast<std::uintptr_t>(file.at("w").data) % 2 == 1);
  f32 values[3];
  file.at("w").copy_to(values);
  CHECK(values[0] == 1.0f);
  CHECK(values[1] == -2.0f);
  CHECK(values[2] == 3.5f);
}

TEST_CASE("safetensors: no tensors at all, and bools other than 0 and 1") {
  const ScratchFolder folder;
  write_safetensors(folder / "e", {});
  CHECK(Safetensors(folder / "e").entries().empty());
  const std::string bytes = file_of("{" + tensor("b", "BOOL", "2", "0,2") + "}", 1) + std::string(1, '\0');
  bool values[2] = {false, true};
  const Safetensors file(bytes.data(), bytes.size());
  file.at("b").copy_to(values);
  CHECK(values[0]);
  CHECK_FALSE(values[1]);
  CHECK(file.at("b").to_vector<bool>() == std::vector<bool>{true, false});
}

TEST_CASE("safetensors: hostile files") {
  const std::string good =
      "{" + tensor("a", "F32", "2,3", "0,24") + "," + tensor("b", "U8", "4", "24,28") + "}";
  CHECK(id_of(good, 28) == "no error");

  CHECK(read_id("") == "safetensors/truncated");
  CHECK(read_id("1234567") == "safetensors/truncated");
  CHECK(id_of(good, 27) == "safetensors/truncated");
  CHECK(id_of(good, 3) == "safetensors/truncated");
  CHECK(read_id(std::string(8, '\xFF')) == "safetensors/header-too-large");
  CHECK(read_id(std::string("\x01\xE1\xF5\x05\0\0\0\0{}", 10)) ==
        "safetensors/header-too-large");  // 100,000,001
  CHECK(read_id(std::string("\x03\0\0\0\0\0\0\0{}", 10)) == "safetensors/header-beyond-file");
  CHECK(id_of("{", 0) == "safetensors/bad-json");
  CHECK(id_of("{} x", 0) == "safetensors/bad-json");
  CHECK(id_of("{\"\xFF\":1}", 0) == "safetensors/bad-json");
  CHECK(id_of("{\"a\":" + std::string(100'000, '[') + "}", 0) == "safetensors/bad-header");
  CHECK(id_of("", 0) == "safetensors/bad-header");
  CHECK(id_of("[]", 0) == "safetensors/bad-header");
  CHECK(id_of(" {}", 0) == "safetensors/bad-header");
  CHECK(id_of("{\"a\":1}", 0) == "safetensors/bad-header");
  CHECK(id_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0) == "safetensors/bad-header");
  CHECK(id_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"x\":1}}", 4) ==
        "safetensors/bad-header");
  CHECK(id_of("{" + tensor("a", "F32", "1", "0") + "}", 4) == "safetensors/bad-header");
  CHECK(id_of("{\"__metadata__\":[]}", 0) == "safetensors/bad-header");
  CHECK(id_of("{\"__metadata__\":{\"a\":1}}", 0) == "safetensors/bad-header");
  CHECK(id_of("{" + tensor("a", "U8", "1", "0,1") + "," + tensor("a", "U8", "1", "1,2") + "}", 2) ==
        "safetensors/duplicate-name");
  CHECK(id_of("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"dtype\":\"F32\"}}", 4) ==
        "safetensors/bad-header");
  CHECK(id_of("{\"__metadata__\":{\"k\":\"1\",\"\\u006b\":\"2\"}}", 0) == "safetensors/duplicate-name");
  CHECK(id_of("{\"__metadata__\":{},\"__metadata__\":{}}", 0) == "safetensors/duplicate-name");
  std::string ones = "1";
  for (int i = 1; i < 64; ++i) ones += ",1";
  CHECK(id_of("{" + tensor("a", "U8", ones, "0,1") + "}", 1) == "no error");
  CHECK(id_of("{" + tensor("a", "U8", ones + ",1", "0,1") + "}", 1) == "safetensors/bad-header");
  CHECK(id_of("{" + tensor("a", "F31", "1", "0,4") + "}", 4) == "safetensors/unknown-dtype");
  CHECK(id_of("{" + tensor("a", "f32", "1", "0,4") + "}", 4) == "safetensors/unknown-dtype");
  for (const char* shape : {"-1", "1.0", "1e0", "9223372036854775808", "\"1\"", "null", "true"})
    CHECK(id_of("{" + tensor("a", "F32", shape, "0,4") + "}", 4) == "safetensors/bad-number");
  CHECK(id_of("{" + tensor("a", "F32", "1", "-4,0") + "}", 4) == "safetensors/bad-number");
  CHECK(id_of("{" + tensor("a", "F32", "1", "0.0,4") + "}", 4) == "safetensors/bad-number");
  CHECK(id_of("{" + tensor("a", "F32", "1", "4,0") + "}", 4) == "safetensors/reversed-range");
  CHECK(id_of("{" + tensor("a", "F32", "1", "0,8") + "}", 8) == "safetensors/size-mismatch");
  CHECK(id_of("{" + tensor("a", "F32", "", "0,8") + "}", 8) == "safetensors/size-mismatch");
  CHECK(id_of("{" + tensor("a", "F32", "0", "0,4") + "}", 4) == "safetensors/size-mismatch");
  // 2^32 * 2^32 elements wrap around to 0; 2^61 of 8 bytes wrap too.
  CHECK(id_of("{" + tensor("a", "U8", "4294967296,4294967296", "0,0") + "}", 0) == "safetensors/overflow");
  CHECK(id_of("{" + tensor("a", "F64", "2305843009213693952", "0,0") + "}", 0) == "safetensors/overflow");
  CHECK(id_of("{" + tensor("a", "U8", "4", "0,4") + "," + tensor("b", "U8", "4", "3,7") + "}", 7) ==
        "safetensors/overlap");
  CHECK(id_of("{" + tensor("a", "U8", "4", "0,4") + "," + tensor("b", "U8", "4", "0,4") + "}", 4) ==
        "safetensors/overlap");
  CHECK(id_of("{" + tensor("a", "U8", "4", "1,5") + "}", 5) == "safetensors/hole");
  CHECK(id_of("{" + tensor("a", "U8", "4", "0,4") + "," + tensor("b", "U8", "4", "5,9") + "}", 9) ==
        "safetensors/hole");
  CHECK(id_of("{" + tensor("a", "U8", "4", "0,4") + "}", 5) == "safetensors/hole");
  CHECK(id_of("{" + tensor("a", "U8", "4", "100,104") + "}", 4) == "safetensors/out-of-range");
  CHECK(id_of("{" + tensor("a", "U8", "4", "9223372036854775803,9223372036854775807") + "}", 4) ==
        "safetensors/out-of-range");
  CHECK(error_id([] { Safetensors("/no/such/file"); }) == "file/open");
}

TEST_CASE("safetensors: every dtype of the format is read, those that weft lacks as bytes") {
  const ScratchFolder folder;
  // dtype, bits of an element: the table of the format's reference reader
  const std::pair<const char*, int> rows[] = {
      {"BOOL", 8},        {"F4", 4},          {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
      {"F8_E5M2", 8},     {"F8_E4M3", 8},     {"F8_E8M0", 8}, {"I16", 16},    {"U16", 16}, {"F16", 16},
      {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"BF16", 16},   {"I32", 32},    {"U32", 32}, {"F32", 32},
      {"C64", 64},        {"F64", 64},        {"I64", 64},    {"U64", 64}};
  for (const auto& [name, bits] : rows) {
    CAPTURE(name);
    // eight elements are as many bytes as one has bits
    const std::string bytes = file_of("{" + tensor("a", name, "2,4", "0," + std::to_string(bits)) + "}",
                                      static_cast<std::size_t>(bits));
    const Safetensors file(bytes.data(), bytes.size());
    CHECK(file.at("a").dtype.name() == name);
    CHECK(file.at("a").size() == 8);
    CHECK(file.at("a").bytes == static_cast<u64>(bits));
    write_safetensors(folder / "a", {{"a", file.at("a").dtype, file.at("a").shape, file.at("a").data}});
    const Safetensors copy(folder / "a");
    CHECK(copy.at("a").dtype == file.at("a").dtype);
    CHECK(std::memcmp(copy.at("a").data, file.at("a").data, copy.at("a").bytes) == 0);
  }
  // what does not fill whole bytes
  CHECK(id_of("{" + tensor("a", "F4", "3", "0,2") + "}", 2) == "safetensors/size-mismatch");
  CHECK(id_of("{" + tensor("a", "F6_E2M3", "2", "0,1") + "}", 1) == "safetensors/size-mismatch");
  const std::string bytes = file_of("{" + tensor("a", "I16", "1", "0,2") + "}", 2);
  const Safetensors file(bytes.data(), bytes.size());
  CHECK_FALSE(file.at("a").dtype.has_dtype());
  CHECK(error_text([&] { file.at("a").to_vector<i8>(); }) == "safetensors/dtype: tensor 'a' is I16, not i8");
  CHECK(error_id([&] { file.at("a").dtype.dtype(); }) == "safetensors/dtype");
}

TEST_CASE("safetensors: files of other formats are named, with the line that converts them") {
  const ScratchFolder folder;
  const auto said = [&](const char* name, const std::string& bytes) {
    io::write_file(folder / name, bytes);
    return error_text([&] { Safetensors(folder / name); });
  };
  using namespace std::string_literals;
  // The local header of a zip archive's first file.
  const auto zip = [](const std::string& first) {
    std::string bytes = "PK\x03\x04"s + std::string(26, '\0') + first + std::string(40, 'x');
    bytes[6] = '\x08', bytes[7] = '\x08', bytes[26] = static_cast<char>(first.size());
    return bytes;
  };
  const std::string pt = said("net.pt", zip("net/data.pkl"));
  CHECK(pt.starts_with("safetensors/other-format: '" + (folder / "net.pt") +
                       "': this is no safetensors file: it is a file of torch.save (.pt, .pth); save it as "
                       "safetensors, in Python: import torch, safetensors.torch; "
                       "safetensors.torch.save_file(torch.load('" +
                       (folder / "net.pt") + "', weights_only=True), '" + (folder / "net.safetensors") +
                       "')"));
  CHECK(said("a.npz", zip("fc.weight.npy")).find("dict(numpy.load('") != std::string::npos);
  CHECK(said("a.zip", zip("picture.png")).find("it is a zip archive") != std::string::npos);
  CHECK(said("old.pth", "\x80\x02\x8A\x0A\x6C\xFC\x9C\x46\xF9\x20\x6A\xA8\x50\x19.\x80\x02"s)
            .find("before PyTorch 1.6") != std::string::npos);
  CHECK(said("a.pkl", "\x80\x04\x95\0\0\0\0\0\0\0"s).find("a Python pickle") != std::string::npos);
  CHECK(said("a.gguf", "GGUF\x03\0\0\0"s + std::string(16, '\0')).find("gguf.GGUFReader") !=
        std::string::npos);
  CHECK(said("a.npy", "\x93NUMPY\x01\0v\0{'descr'"s).find("numpy.load('") != std::string::npos);
  CHECK(said("a.h5", "\x89HDF\r\n\x1a\n\0\0\0"s).find("h5py.File('") != std::string::npos);
  CHECK(said("lfs", "version https://git-lfs.github.com/spec/v1\n").find("git lfs pull") !=
        std::string::npos);
  CHECK(said("i.json", "{\n  \"metadata\": {}}").find("a name that ends in .index.json") !=
        std::string::npos);
  // A quote in the name would end the string of the line of Python.
  CHECK(said("it's.npy", "\x93NUMPY\x01\0"s).find("numpy.load('FILE')") != std::string::npos);
  // What only begins alike is a safetensors file still: its header is as long as "PK\3\4" reads as a number.
  std::string good = "{}" + std::string(0x04034b50 - 2, ' ');
  good.insert(0, "PK\x03\x04\0\0\0\0"s);
  CHECK(read_id(good) == "no error");
}

TEST_CASE("safetensors: large headers (what they cost: tests/fault/memory.cpp)") {
  // Refused at the first value that cannot be, a list of millions of numbers in the place of a shape
  // included.
  const std::string zeros = [] {
    std::string text = "0";
    while (text.size() < 9'000'000) text += ",0";
    return text;
  }();
  CHECK(id_of("{\"a\":[" + zeros + "]}", 0) == "safetensors/bad-header");
  CHECK(id_of("{" + tensor("a", "U8", zeros, "0,0") + "}", 0) == "safetensors/bad-header");
  // Half a million tensors without elements.
  std::string many = "{";
  for (int i = 0; i < 500'000; ++i) many += tensor(std::to_string(i), "U8", "0", "0,0") + ",";
  many.back() = '}';
  const std::string bytes = file_of(many, 0);
  const Safetensors file(bytes.data(), bytes.size());
  CHECK(file.entries().size() == 500'000);
  CHECK(file.at("499999").size() == 0);
  std::string keys = "{\"__metadata__\":{";
  for (int i = 0; i <= 1'000'000; ++i) keys += "\"" + std::to_string(i) + "\":\"\",";
  keys.back() = '}';
  CHECK(id_of(keys + "}", 0) == "safetensors/header-too-large");
}

TEST_CASE("safetensors: what cannot be written leaves the old file") {
  const ScratchFolder folder;
  const std::string path = folder / "w";
  io::write_file(path, "old");
  const f32 x[2] = {1, 2};
  const auto id = [&](std::vector<io::SafetensorsTensor> tensors) {
    return error_id([&] { write_safetensors(path, std::move(tensors)); });
  };
  CHECK(id({{"a", DType::f32, {2}, x}, {"a", DType::f32, {1}, x}}) == "safetensors/duplicate-name");
  CHECK(id({{"__metadata__", DType::f32, {2}, x}}) == "safetensors/bad-name");
  CHECK(id({{"a", DType::f32, {-1}, x}}) == "safetensors/bad-number");
  CHECK(id({{"a", DType::f32, {i64{1} << 40, i64{1} << 40}, x}}) == "safetensors/overflow");
  CHECK(id({{"\xFF", DType::f32, {1}, x}}) == "json/utf8");
  CHECK(error_id([&] {
          write_safetensors(path, {}, {{"k", "1"}, {"j", "2"}, {"k", "3"}});
        }) == "safetensors/duplicate-name");
  CHECK(io::read_file(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("safetensors: thousands of damaged files give an Error or a valid read") {
  const std::string original = io::read_file(committed);
  u64 state = 88172645463325252u;  // xorshift64 (Marsaglia 2003)
  const auto random = [&](std::size_t bound) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return static_cast<std::size_t>(state % bound);
  };
  const std::string_view alphabet = "0123456789[]{}:,\"\\eE.-";
  int errors = 0, reads = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::string bytes = original;
    for (std::size_t edit = 1 + random(3); edit > 0 && !bytes.empty(); --edit) {
      const std::size_t at = random(bytes.size());
      switch (random(6)) {
        case 0:
          bytes[at] = static_cast<char>(random(256));
          break;
        case 1:
          bytes[at] = alphabet[random(alphabet.size())];
          break;
        case 2:
          bytes.erase(at, random(9));
          break;
        case 3: {
          const std::size_t from = random(bytes.size()), length = random(40);
          bytes.insert(at, bytes.substr(from, length));
          break;
        }
        case 4:
          bytes.resize(at);
          break;
        default:
          bytes[random(bytes.size() < 16 ? bytes.size() : 16)] = static_cast<char>(random(256));
          break;
      }
    }
    // An exact heap copy, so that a sanitizer sees any read past the end.
    const std::vector<char> exact(bytes.begin(), bytes.end());
    try {
      const Safetensors file(exact.data(), exact.size());
      ++reads;
      u64 total = 0;
      for (const auto& entry : file.entries()) {
        u64 elements = 1;
        for (const i64 extent : entry.shape) elements *= static_cast<u64>(extent);
        REQUIRE(entry.bytes == elements * static_cast<u64>(entry.dtype.bits()) / 8);
        REQUIRE(entry.data >= reinterpret_cast<const u8*>(exact.data()));
        REQUIRE(entry.data + entry.bytes <= reinterpret_cast<const u8*>(exact.data()) + exact.size());
        total += entry.bytes;
      }
      REQUIRE(total <= exact.size());
    } catch (const Error& error) {
      REQUIRE(error.id().starts_with("safetensors/"));
      ++errors;
    }
  }
  CHECK(errors > 1000);
  CHECK(reads > 100);
}
