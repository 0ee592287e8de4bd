#pragma once
// What a program calls the pieces of its state, in the sentences that speak of them.

#include <limits>
#include <string>

#include "weft/exec/trace.hpp"
#include "weft/ir/scopes.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE::exec {

// "fc1.weight", "h.*.fc1.weight" of all blocks of a Stack.
inline std::string all_copies_text(const nn::Name& name) {
  std::string text(name.view());
  for (int level = 0; level < name.copies.rank; ++level)
    text[static_cast<std::size_t>(name.index_at[level])] = '*';
  return text;
}
template <class M>
std::string state_name(M*, i64 offset) {
  constexpr const auto& table = nn::state_table<M>;
  for (int i = 0; i < table.size; ++i)
    if (offset >= table.row[i].offset && offset < table.row[i].offset + table.row[i].bytes())
      return all_copies_text(table.row[i].name);
  return "";
}
template <class... M>
std::string state_name(StatePack<M...>*, i64 offset) {
  std::string name;
  i64 begin = 0;
  ((name += state_name(static_cast<M*>(nullptr), offset - begin), begin += state_room), ...);
  return name;
}
// Of the piece of a source's model, or models, that holds a byte of their block; empty where there is none.
template <class Source>
std::string state_name(i64 offset) {
  if constexpr (requires { typename Source::model; })
    return state_name(static_cast<typename Source::model*>(nullptr), offset);
  else if constexpr (requires { typename Source::models; })
    return state_name(static_cast<typename Source::models*>(nullptr), offset);
  else
    return "";
}
// "head.weight (50257, 768) of f32, 147 MB; ...": the largest pieces of a model's state.
template <class M>
std::string largest_state() {
  constexpr const auto& table = nn::state_table<M>;
  std::string text;
  i64 below = std::numeric_limits<i64>::max();
  int row = -1;  // of equal ones the one behind it comes next
  for (int k = 0; k < 3 && k < table.size; ++k) {
    int next = -1;
    for (int i = 0; i < table.size; ++i) {
      const i64 bytes = table.row[i].bytes();
      const bool left = bytes < below || (bytes == below && i > row);
      if (left && (next < 0 || bytes > table.row[next].bytes())) next = i;
    }
    row = next, below = table.row[next].bytes();
    if (k > 0 && below < 1 << 20) break;
    const nn::StateInfo& largest = table.row[next];
    text.append(k > 0 ? "; " : "");
    text.append(sized_text(all_copies_text(largest.name), largest.all_dims(), largest.dtype, below));
  }
  return text;
}
// Of what a slot is, which may be a vector of many parameters.
inline std::string slot_name(const ir::Slot& slot, ir::StateName name_of) {
  if (slot.space != ir::Space::model) return "the optimiser's state";
  const std::string name = slot.segments < 0 ? name_of(slot.offset) : "";
  return name.empty() ? "the parameters" : name;
}

}  // namespace WEFT_NAMESPACE::exec
