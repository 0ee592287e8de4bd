#include "weft/exec/load.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "../io/scratch.hpp"

using namespace weft;

namespace {

// A form of tensors in a row, each of `count` elements.
exec::StateForm form_of(const std::vector<std::pair<std::string, DType>>& rows, i64 count) {
  exec::StateForm form;
  for (const auto& [name, dtype] : rows) {
    form.rows.push_back({name, dtype, {count}, form.bytes});
    form.bytes += count * size_of(dtype);
  }
  return form;
}
// A file of tensors of one element each.
std::string scalars(const std::vector<std::string>& names) {
  static const f32 one = 1;
  std::vector<io::SafetensorsTensor> tensors;
  for (const std::string& name : names) tensors.push_back({name, DType::f32, {1}, &one});
  const ScratchFolder folder;
  io::write_safetensors(folder / "f", tensors);
  return io::read_file(folder / "f");
}
std::string said(const std::vector<std::string>& in_file, const std::vector<std::string>& in_model,
                 const LoadOptions& options = {}) {
  const std::string bytes = scalars(in_file);
  const io::Safetensors file(bytes.data(), bytes.size());
  std::vector<std::pair<std::string, DType>> rows;
  for (const std::string& name : in_model) rows.push_back({name, DType::f32});
  const exec::StateForm form = form_of(rows, 1);
  std::vector<std::byte> block(static_cast<std::size_t>(form.bytes));
  return error_text([&] { exec::read_state(file, "f", form, options, LoadMode::strict, block.data()); });
}

}  // namespace

TEST_CASE("load: floating-point dtypes become each other as in PyTorch, bit for bit") {
  const io::Safetensors file(repository_file("tests/parity/safetensors/casts.safetensors"));
  const std::pair<const char*, DType> kinds[] = {{"F64", DType::f64},        {"F32", DType::f32},
                                                 {"F16", DType::f16},        {"BF16", DType::bf16},
                                                 {"F8_E4M3", DType::f8e4m3}, {"F8_E5M2", DType::f8e5m2}};
  for (const auto& [from_name, from] : kinds)
    for (const auto& [to_name, to] : kinds) {
      if (from == to) continue;
      const std::string name = std::string("from.") + from_name, wanted = name + ".to." + to_name;
      CAPTURE(wanted);
      const i64 count = file.at(name).size();
      const exec::StateForm form = form_of({{"x", to}}, count);
      std::vector<std::byte> block(static_cast<std::size_t>(form.bytes));
      const LoadOptions options{.cast = true, .rename = {{name, "x"}}, .allow = unexpected};
      // "from.F32.to.F16" begins with "from.F32.", so it is renamed, too, to a name that nobody asks for
      exec::read_state(file, "f", form, options, LoadMode::strict, block.data());
      const io::SafetensorsEntry& entry = file.at(wanted);
      const std::size_t width = static_cast<std::size_t>(size_of(to));
      for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        CAPTURE(i);
        f64 got = 0, expected = 0;
        exec::cast_elements(to, reinterpret_cast<const u8*>(block.data()) + i * width, DType::f64,
                            reinterpret_cast<std::byte*>(&got), 1);
        exec::cast_elements(to, entry.data + i * width, DType::f64, reinterpret_cast<std::byte*>(&expected),
                            1);
        // the bits of a NaN are nobody's promise
        if (!(std::isnan(got) && std::isnan(expected)))
          REQUIRE(std::memcmp(block.data() + i * width, entry.data + i * width, width) == 0);
      }
    }
}

TEST_CASE("load: a lax load reads only what is asked for") {
  const ScratchFolder folder;
  const f32 x[2] = {1, 2};
  io::SafetensorsDType short_int, packed;
  REQUIRE(io::SafetensorsDType::find("I16", short_int));
  REQUIRE(io::SafetensorsDType::find("F6_E2M3", packed));
  io::write_safetensors(folder / "f",
                        {{"w", DType::f32, {2}, x}, {"i", short_int, {2}, x}, {"p", packed, {4}, x}});
  const io::Safetensors file(folder / "f");
  const exec::StateForm form = form_of({{"w", DType::f32}, {"p", DType::f32}}, 2);
  std::vector<std::byte> block(static_cast<std::size_t>(form.bytes));
  const LoadReport report = exec::read_state(file, "f", form, {.cast = true}, LoadMode::lax, block.data());
  CHECK(report.unexpected == std::vector<std::string>{"i"});
  CHECK(report.mismatched == std::vector<std::string>{"p"});
  CHECK(report.text() ==
        "unexpected i I16 (2); of another shape or dtype: p, in the file F6_E2M3 (4), in the model f32 (2)");
  CHECK(std::memcmp(block.data(), x, sizeof x) == 0);
}

TEST_CASE("load: long lists are cut, and say how many more there are") {
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("layer." + std::to_string(i));
  const std::string text = said({"other"}, names);
  CHECK(text ==
        "model/mismatch: 'f' does not fit the model: missing layer.0 f32 (1), layer.1 f32 (1), layer.2 f32 "
        "(1), "
        "layer.3 f32 (1), layer.4 f32 (1), layer.5 f32 (1), layer.6 f32 (1), layer.7 f32 (1) and 92 more; "
        "unexpected other f32 (1)");
}

TEST_CASE("load: prefixes are found, suggested, and taken off") {
  using Names = std::vector<std::string>;
  const Names model{"fc.weight", "fc.bias"};
  for (const std::string prefix : {"module.", "_orig_mod.", "module._orig_mod.", "a.b.c."}) {
    const Names file{prefix + "fc.weight", prefix + "fc.bias"};
    CAPTURE(prefix);
    CHECK(said(file, model)
              .ends_with("; names of the file begin with '" + prefix + "': load with {.strip_prefix = \"" +
                         prefix + "\"}"));
    CHECK(said(file, model, {.strip_prefix = prefix}) == "no error");
  }
  CHECK(said({"module._orig_mod.fc.weight"}, {"fc.weight"}, {.strip_prefix = "module."})
            .ends_with("load with {.strip_prefix = \"module._orig_mod.\"}"));
  // names without the prefix stay as they are
  CHECK(said({"module.fc.weight", "fc.bias"}, model, {.strip_prefix = "module."}) == "no error");
  CHECK(said({"x"}, model, {.strip_prefix = "module."}).find("no name of the file begins with 'module.'") !=
        std::string::npos);
  CHECK(said({"module.fc.weight", "other.fc.bias"}, model).find("strip_prefix") == std::string::npos);
}

TEST_CASE("load: names are renamed whole or up to a dot, by the first rule that fits") {
  CHECK(said({"a.w", "ab.w"}, {"b.w", "ab.w"}, {.rename = {{"a", "b"}}}) == "no error");
  CHECK(said({"a.w"}, {"c"}, {.rename = {{"a.w", "c"}, {"a", "b"}}}) == "no error");
  CHECK(said({"a.w", "b.w"}, {"b.w"}, {.rename = {{"a", "b"}}}) ==
        "model/mismatch: two tensors of the file, 'a.w' and 'b.w', would both be called 'b.w'");
  CHECK(said({"a"}, {"c"}, {.rename = {{"b", "c"}}}).find("the file has no 'b' to rename") !=
        std::string::npos);
}

TEST_CASE("load: tied names must agree, and one of them is enough") {
  exec::StateForm form = form_of({{"wte.weight", DType::f32}}, 1);
  form.aliases.push_back({"head.weight", 0});
  const f32 one = 1, two = 2;
  const auto load = [&](const std::vector<io::SafetensorsTensor>& tensors) {
    const ScratchFolder folder;
    io::write_safetensors(folder / "f", tensors);
    const io::Safetensors file(folder / "f");
    f32 value = 0;
    const std::string id = error_id([&] {
      exec::read_state(file, "f", form, {}, LoadMode::strict, reinterpret_cast<std::byte*>(&value));
    });
    return id == "no error" ? std::to_string(value) : id;
  };
  CHECK(load({{"wte.weight", DType::f32, {1}, &two}}) == std::to_string(two));
  CHECK(load({{"head.weight", DType::f32, {1}, &two}}) == std::to_string(two));
  CHECK(load({{"wte.weight", DType::f32, {1}, &two}, {"head.weight", DType::f32, {1}, &two}}) ==
        std::to_string(two));
  CHECK(load({{"wte.weight", DType::f32, {1}, &one}, {"head.weight", DType::f32, {1}, &two}}) ==
        "model/mismatch");
}
