// The code of docs/files.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>
#include <weft/weft.hpp>

using namespace weft;

namespace {

struct Net {
  nn::Linear<2, 3> encoder;
  nn::Linear<3, 1> head;
};

}  // namespace

TEST_CASE("files: single tensors") {
  // [write]
  const std::vector<f32> table{1, 2, 3, 4, 5, 6};
  const i64 version = 7;
  io::write_safetensors("tables.safetensors",
                        {{"codebook", DType::f32, {2, 3}, table.data()},  // name, dtype, shape, elements
                         {"version", DType::i64, {}, &version}},
                        {{"made by", "an example"}});
  // [/write]

  // [read]
  const io::Safetensors file("tables.safetensors");  // mapped: what is not asked for is not read
  for (const io::SafetensorsEntry& entry : file.entries())
    std::printf("%s: %s, %lld elements\n", entry.name.c_str(), entry.dtype.text().c_str(),
                static_cast<long long>(entry.size()));
  Tensor<f32, Shape<2, 3>> codebook(
      file.at("codebook").to_vector<f32>());  // an Error for another name or dtype
  i64 found = 0;
  if (const auto* entry = file.find("version"))  // nullptr where there is none
    if (entry->dtype == DType::i64 && entry->shape.empty()) entry->copy_to(&found);
  // [/read]
  CHECK(file.entries().size() == 2);
  CHECK(found == version);
  CHECK(codebook(1, 2) == 6);
  CHECK(*file.find_metadata("made by") == "an example");
  std::remove("tables.safetensors");
}

TEST_CASE("files: models of others") {
  const std::vector<f64> numbers(6, 0.5);
  io::write_safetensors("backbone.safetensors",
                        {{"module.backbone.weight", DType::f64, {3, 2}, numbers.data()},
                         {"module.backbone.bias", DType::f64, {3}, numbers.data()},
                         {"module.projector.weight", DType::f64, {6}, numbers.data()}});
  // [load]
  Model<Net> net;
  const LoadReport report =
      net.load("backbone.safetensors",
               {.cast = true,               // f64 here, f32 in the model
                .strip_prefix = "module.",  // of DistributedDataParallel
                .rename = {{"backbone", "encoder"}},
                .allow = missing | unexpected});  // the head is new, the projector is left out
  std::puts(report.text().c_str());
  // [/load]
  CHECK(net.get<"encoder.weight">()(2, 1) == 0.5f);
  CHECK(report.text() ==
        "missing head.weight f32 (1, 3), head.bias f32 (1); unexpected projector.weight f64 (6); cast "
        "encoder.weight "
        "from f64 to f32, encoder.bias from f64 to f32");
  std::remove("backbone.safetensors");
}
