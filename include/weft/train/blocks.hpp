#pragma once
// The blocks of a model for activation checkpointing, told by the names of its state: "h.0.fc.weight" lies in
// block h.0, and in the block of a scope around it that the policy names. Of blocks in one another the
// outermost counts.

#include "weft/nn/state_table.hpp"
#include "weft/transforms/gather_parameters.hpp"

namespace WEFT_NAMESPACE::train {

// Whether a checkpoint policy names scopes that are blocks.
template <class Policy>
inline constexpr bool names_blocks = requires {
  Policy::names_block(std::string_view{});
};

// The name of the block around a piece of state, "h.0"; empty where it is in none, or in a Stack, whose
// blocks are a loop.
template <class Policy = void>
constexpr std::string_view block_of(const nn::Name& name) {
  const std::string_view text = name.view();
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') continue;
    if constexpr (names_blocks<Policy>)
      if (name.copies.rank == 0 && Policy::names_block(text.substr(0, i))) return text.substr(0, i);
    bool number = i > begin;
    for (std::size_t k = begin; k < i; ++k) number = number && text[k] >= '0' && text[k] <= '9';
    if (number) {
      const bool stacked = name.copies.rank > 0 && static_cast<std::size_t>(name.index_at[0]) == begin;
      return stacked ? std::string_view{} : text.substr(0, i);
    }
    begin = i + 1;
  }
  return {};
}

// The number of the block of each row of M's state table, -1: none. The rows of a block lie side by side.
template <class M, class Policy = void>
constexpr List<int> blocks_of_slots() {
  constexpr const auto& table = nn::state_table<M>;
  List<int> blocks;
  int count = 0;
  std::string_view last;
  for (int i = 0; i < table.size; ++i) {
    const std::string_view block = block_of<Policy>(table.row[i].name);
    if (!block.empty() && block != last) {
      last = block;
      ++count;
    }
    blocks.push(block.empty() ? -1 : count - 1);
  }
  return blocks;
}
// The trained parameters in the order of the arena, each with the number of what is gathered together where
// ranks share parameters out: its block, or elsewhere its module.
template <class M>
constexpr List<transforms::ArenaParameter> arena_units() {
  constexpr const auto& table = nn::state_table<M>;
  List<transforms::ArenaParameter> units;
  std::string_view last;
  int count = 0;
  for (int i = 0; i < table.size; ++i) {
    const nn::StateInfo& row = table.row[i];
    if (!row.trained) continue;
    std::string_view unit = block_of(row.name);
    if (unit.empty()) {
      const std::string_view name = row.name.view();
      const std::size_t dot = name.rfind('.');
      unit = name.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    if (count == 0 || unit != last) ++count;
    last = unit;
    units.push({row.offset / size_of(row.dtype), count - 1});
  }
  return units;
}
// Whether some blocks are written out, in an array or a Sequential, and whether some are in a Stack.
template <class M, class Policy = void>
inline constexpr bool has_written_blocks = [] {
  for (int i = 0; i < nn::state_table<M>.size; ++i)
    if (!block_of<Policy>(nn::state_table<M>.row[i].name).empty()) return true;
  return false;
}();
// Whether a policy names a scope, and none that a Stack lies in or that lies in a Stack.
template <class M, class Policy>
constexpr bool finds_scopes() {
  bool found = false;
  for (int i = 0; i < nn::state_table<M>.size; ++i) {
    const nn::Name& name = nn::state_table<M>.row[i].name;
    const std::string_view text = name.view();
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] != '.' || !Policy::names_block(text.substr(0, k))) continue;
      if (name.copies.rank > 0) return false;
      found = true;
    }
  }
  return found;
}
template <class M>
inline constexpr bool has_stacks = [] {
  for (int i = 0; i < nn::state_table<M>.size; ++i)
    if (nn::state_table<M>.row[i].name.copies.rank > 0) return true;
  return false;
}();

}  // namespace WEFT_NAMESPACE::train
