#pragma once
// Loading a model's state by options, which the second byte chooses: an Error leaves the block as it was.

#include "fuzz/target.hpp"
#include "weft/exec/load.hpp"

namespace fuzz {

inline void load(const weft::u8* data, std::size_t size) {
  using namespace weft;
  if (size < 1) return;
  exec::StateForm form;
  form.rows = {{"a.w", DType::f32, {2, 2}, 0}, {"a.b", DType::f16, {2}, 16}, {"n", DType::i64, {}, 24}};
  form.aliases = {{"tied", 0}};
  form.bytes = 32;
  const unsigned choice = data[0];
  LoadOptions options;
  options.cast = (choice & 1) != 0;
  if ((choice & 2) != 0) options.strip_prefix = "module.";
  if ((choice & 4) != 0) options.rename = {{"x", "a"}, {"y.w", "tied"}};
  options.allow = static_cast<Allow>(choice >> 3 & 3);
  const LoadMode mode = (choice & 32) != 0 ? LoadMode::lax : LoadMode::strict;
  const std::string bytes = safetensors_bytes(data + 1, size - 1);
  const std::vector<char> exact(bytes.begin(), bytes.end());
  const std::vector<std::byte> before(32, std::byte{7});
  std::vector<std::byte> block = before;
  const bool refused = refuses(
      [&] {
        const io::Safetensors file(exact.data(), exact.size());
        refuses(
            [&] {
              const LoadReport report = exec::read_state(file, "f", form, options, mode, block.data());
              require(!report.text().empty(), "a report says something");
              if (mode == LoadMode::strict) require(report.mismatched.empty(), "what differs is refused");
            },
            "model/mismatch");
      },
      "safetensors/");
  if (refused) require(block == before, "an Error changes nothing");
}

}  // namespace fuzz
