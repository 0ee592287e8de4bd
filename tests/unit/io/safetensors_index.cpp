#include "weft/io/safetensors_index.hpp"

#include <doctest/doctest.h>

#include "scratch.hpp"

using namespace weft;
using io::open_safetensors;

namespace {

const std::string sharded = repository_file("tests/parity/safetensors/sharded");

void write_text(const std::string& path, const std::string& text) {
  io::AtomicFile file(path);
  file.write(text);
  file.commit();
}
// Two tensors in two files, one of them in two parts, and their index.
struct Example {
  std::vector<f32> bias{1, 2, 3}, weight{10, 11, 12, 13, 14, 15, 16, 17};
  io::SafetensorsIndex index{
      {{"weft.calls", "4"}},
      {{"bias", "a.safetensors"}, {"weight@0", "a.safetensors"}, {"weight@6", "b.safetensors"}},
      {{"weight", {}, {2, 4}}},
      44};
  void write(const std::string& folder) const {
    write_first(folder);
    io::write_safetensors(folder + "/b.safetensors", {{"weight@6", DType::f32, {2}, &weight[6]}},
                          {{"weft.calls", "4"}});
    io::write_safetensors_index(folder + "/run.index.json", index);
  }
  void write_first(const std::string& folder) const {
    io::write_safetensors(
        folder + "/a.safetensors",
        {{"bias", DType::f32, {3}, bias.data()}, {"weight@0", DType::f32, {6}, weight.data()}},
        {{"weft.calls", "4"}});
  }
};
// What an example says of itself that was changed.
template <class Change>
std::string refusal(const Change& change) {
  const ScratchFolder folder;
  Example example;
  change(example, folder.path());
  return error_text([&] { open_safetensors(folder / "run.index.json"); });
}
std::string refusal_of_text(const std::string& text) {
  return refusal([&](Example& e, const std::string& folder) {
    e.write(folder);
    write_text(folder + "/run.index.json", text);
  });
}
bool says(const std::string& text, std::string_view words) {
  return text.starts_with("safetensors/bad-index: ") && text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("safetensors_index: reads what huggingface_hub has written in several files") {
  const io::Safetensors file = open_safetensors(sharded + "/model.safetensors.index.json");
  REQUIRE(file.entries().size() == 5);
  const auto weight = file.at("fc1.weight").to_vector<f32>();
  CHECK(file.at("fc1.weight").shape == std::vector<i64>{16, 8});
  for (std::size_t i = 0; i < weight.size(); ++i) CHECK(weight[i] == static_cast<f32>(i) / 8 - 3);
  CHECK(file.at("fc2.bias").to_vector<f32>() == std::vector<f32>{-3, -2.875f, -2.75f});
  CHECK(file.at("steps").to_vector<i64>() == std::vector<i64>{7});
  CHECK(file.find("fc3.bias") == nullptr);
  CHECK(file.find_metadata("total_size") == nullptr);  // no text
  CHECK(error_id([&] { file.at("fc3.bias"); }) == "safetensors/missing");
  // a path without the ending is one file
  CHECK(open_safetensors(sharded + "/model-00001-of-00002.safetensors").entries().size() == 2);
}

TEST_CASE("safetensors_index: parts of a tensor are read as the whole") {
  const ScratchFolder folder;
  const Example example;
  example.write(folder.path());
  const io::Safetensors file = open_safetensors(folder / "run.index.json");
  REQUIRE(file.entries().size() == 2);
  CHECK(file.at("weight").to_vector<f32>() == example.weight);
  CHECK(file.at("weight").shape == std::vector<i64>{2, 4});
  CHECK(file.at("bias").to_vector<f32>() == example.bias);
  CHECK(*file.find_metadata("weft.calls") == "4");
  // the file may be moved, and its entries with it
  io::Safetensors there = open_safetensors(folder / "run.index.json");
  const io::Safetensors moved(std::move(there));
  CHECK(moved.at("weight").to_vector<f32>() == example.weight);
  const io::SafetensorsEntry kept = open_safetensors(folder / "run.index.json").at("weight");
  CHECK(kept.to_vector<f32>() == example.weight);

  const io::SafetensorsIndex read = io::read_safetensors_index(folder / "run.index.json");
  CHECK(read.metadata == example.index.metadata);
  REQUIRE(read.places.size() == 3);
  CHECK(read.places[2].name == "weight@6");
  CHECK(read.places[2].file == "b.safetensors");
  REQUIRE(read.wholes.size() == 1);
  CHECK(read.wholes[0].shape == std::vector<i64>{2, 4});
}

TEST_CASE("safetensors_index: what is no index, or not that of its files, is refused") {
  CHECK(refusal([](Example& e, const std::string& f) { e.write(f); }) == "no error");
  CHECK(says(refusal_of_text("[1, 2]"), "this is no index"));
  CHECK(says(refusal_of_text("{\"weight_map\": {\"a\": 3}}"), "this is no index"));
  CHECK(says(refusal_of_text("{\"metadata\": {}}"), "no weight_map"));
  CHECK(says(refusal_of_text("{\"weight_map\": {\"a\": \"../a.safetensors\"}}"), "no file beside the index"));
  CHECK(says(refusal_of_text("{\"weight_map\": {\"a\": \"\"}}"), "no file beside the index"));
  CHECK(says(refusal_of_text("{\"weight_map\": {\"c\": \"a.safetensors\"}}"), "has no 'c'"));
  CHECK(says(refusal_of_text("{\"weight_map\": {}, \"parts\": {\"w\": [-2]}}"), "no shape"));
  CHECK(says(refusal_of_text("{\"weight_map\": {}, \"parts\": {\"w\": [2]}}"), "are in no file"));
  CHECK(refusal_of_text("{\"weight_map\": {\"a\": \"c.safetensors\"}}").starts_with("file/open"));
  // members that others may write are left out
  CHECK(
      refusal_of_text("{\"x\": [{\"y\": null}, true, 1.5], \"weight_map\": {\"bias\": \"a.safetensors\"}}") ==
      "no error");

  const auto with_second = [](std::vector<i64> shape, const std::string& name, const std::string& calls) {
    return [=](Example& e, const std::string& folder) {
      e.index.places[2].name = name;
      e.write(folder);
      const std::vector<f32> values(8);
      io::write_safetensors(folder + "/b.safetensors", {{name, DType::f32, shape, values.data()}},
                            {{"weft.calls", calls}});
    };
  };
  CHECK(refusal(with_second({2}, "weight@6", "4")) == "no error");
  CHECK(says(refusal(with_second({2}, "weight@6", "5")), "of another save"));
  CHECK(says(refusal(with_second({2}, "weight@5", "4")), "leave a gap or overlap"));
  CHECK(says(refusal(with_second({2}, "weight@7", "4")), "leave a gap or overlap"));
  CHECK(says(refusal(with_second({1}, "weight@6", "4")), "leave a gap or overlap"));
  CHECK(says(refusal(with_second({3}, "weight@6", "4")), "leave a gap or overlap"));
  CHECK(says(refusal(with_second({2}, "weight@x", "4")), "leave a gap or overlap"));
  CHECK(refusal([](Example& e, const std::string& f) {
          e.index.places[2].name = "bias";
          e.index.wholes[0].shape = {6};
          e.write(f);
          io::write_safetensors(f + "/b.safetensors", {{"bias", DType::f32, {3}, e.bias.data()}});
        }).starts_with("safetensors/duplicate-name"));
  CHECK(says(refusal([](Example& e, const std::string& f) {
               e.index.wholes[0].shape = {i64{1} << 40, i64{1} << 40};
               e.write(f);
             }),
             "make no tensor"));
}
