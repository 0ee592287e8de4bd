#pragma once
// What the arguments of a call hold, looked at before a program reads them. Law: a place outside its axis or
// a label outside its classes, in memory that the host may read, is an Error that says which; padded rows
// hold labels that do not count, and 0 where they are no labels.

#include <string>
#include <vector>

#include "weft/core/dtype.hpp"
#include "weft/exec/argument.hpp"
#include "weft/transforms/padding.hpp"

namespace WEFT_NAMESPACE::exec {

struct InputInfo {
  DType dtype{};
  Dims dims;
  transforms::InputUse use;
  i64 rows() const { return dims.rank > 0 ? dims.extent[0] : 1; }
};

// Of a program with inputs I...; Traced::graph() is its graph, as it is traced or pruned.
template <class Traced, class... I>
struct InputTable {
  static constexpr int count = sizeof...(I);
  struct Table {
    InputInfo row[count > 0 ? count : 1]{};
  };
  static constexpr Table make() {
    Table t{{{dtype_of<typename I::dtype>, I::shape::value, {}}...}};
    if constexpr ((is_integer(dtype_of<typename I::dtype>) || ... || false)) {
      transforms::InputUse uses[count > 0 ? count : 1]{};
      transforms::find_input_uses(Traced::graph(), uses);
      for (int k = 0; k < count; ++k) t.row[k].use = uses[k];
    }
    return t;
  }
  static constexpr Table table = make();
  // Of these the padded rows are as the batch has them: 0, or padded_label in what its loader takes for
  // labels, by default in the last one.
  static constexpr bool is_open(int k) {
    return transforms::padding_is_open(table.row[k].dtype, table.row[k].use);
  }
  static constexpr int last_open() {
    int k = count - 1;
    while (k >= 0 && !is_open(k)) --k;
    return k;
  }
  // Whether some value of padded rows is no number.
  static constexpr bool padding_is_nan(i64 rows) {
    return transforms::padding_is_nan(Traced::graph(), rows, uses().of);
  }
  // Whether padded rows count in result `which`, whichever open input has labels or where `label` has them.
  static constexpr bool padding_counts(int which, i64 rows, int label = transforms::any_input) {
    const ir::Graph g = Traced::graph();
    return transforms::padding_counts(g, g.outputs[which], rows, uses().of, label);
  }
  // The same of the buffers that are assigned.
  static constexpr bool padding_counts_in_buffers(i64 rows, int label = transforms::any_input) {
    return transforms::padding_counts_in_buffers(Traced::graph(), rows, uses().of, label);
  }

 private:
  struct Uses {
    transforms::InputUse of[count > 0 ? count : 1]{};
  };
  static constexpr Uses uses() {
    Uses u;
    for (int k = 0; k < count; ++k) u.of[k] = table.row[k].use;
    return u;
  }
};

// The extent of the first axis that all inputs have; 0: they have none in common.
template <class... I>
constexpr i64 common_rows() {
  i64 rows = -1;
  const auto meet = [&](const Dims& d) {
    const i64 first = d.rank > 0 ? d.extent[0] : 0;
    rows = rows < 0 || rows == first ? first : 0;
  };
  (meet(I::shape::value), ...);
  return rows < 0 ? 0 : rows;
}

[[noreturn]] inline void throw_outside(const InputInfo& input, int number, i64 element, i64 value,
                                       bool label) {
  std::string text = "input " + std::to_string(number) + ": element " + std::to_string(element) + " is " +
                     std::to_string(value);
  if (label) {
    text += "; a label of " + std::to_string(input.use.classes) + " classes is one of 0 ... " +
            std::to_string(input.use.classes - 1);
    if (!input.use.negatives && (input.use.ignored < 0 || input.use.ignored >= input.use.classes))
      text += ", or " + std::to_string(input.use.ignored) + ", which is ignored";
  } else {
    text += "; it is looked up among " + std::to_string(input.use.most + 1) + ": " +
            std::to_string(input.use.least) + " ... " + std::to_string(input.use.most);
  }
  throw Error(label ? "call/label" : "call/index", text);
}

template <class T>
void check_values(const InputInfo& input, int number, const T* values, i64 count) {
  const transforms::InputUse& use = input.use;
  const auto outside = [](T x, i64 least, i64 most) {
    return static_cast<i64>(x) < least || static_cast<i64>(x) > most;
  };
  const auto wrong_label = [&](T x) {
    return outside(x, use.negatives ? INT64_MIN : 0, use.classes - 1) && static_cast<i64>(x) != use.ignored;
  };
  bool wrong = false;
  if (use.is_index)
    for (i64 i = 0; i < count; ++i) wrong |= outside(values[i], use.least, use.most);
  if (use.is_label && use.classes > 0)
    for (i64 i = 0; i < count; ++i) wrong |= wrong_label(values[i]);
  if (!wrong) [[likely]]
    return;
  for (i64 i = 0; i < count; ++i) {
    if (use.is_index && outside(values[i], use.least, use.most))
      throw_outside(input, number, i, static_cast<i64>(values[i]), false);
    if (use.is_label && use.classes > 0 && wrong_label(values[i]))
      throw_outside(input, number, i, static_cast<i64>(values[i]), true);
  }
}

// Calls f with a null pointer to the type of an integer dtype's elements.
template <class F>
void with_integer(DType dtype, const F& f) {
  switch (dtype) {
    case DType::i64:
      return f(static_cast<const i64*>(nullptr));
    case DType::i32:
      return f(static_cast<const i32*>(nullptr));
    case DType::i8:
      return f(static_cast<const i8*>(nullptr));
    case DType::u8:
      return f(static_cast<const u8*>(nullptr));
    default:
      return;
  }
}

// What a program reads for an argument: its own memory, or a copy in `copy` whose padded rows are as they
// should be.
template <class Info>  // InputInfo; a template costs only the programs that have inputs
const void* checked_input(const Info& input, int number, const Given& given, std::vector<std::byte>& copy) {
  const bool padded = given.valid_rows >= 0 && given.valid_rows < input.rows();
  if (!given.on_host || (!padded && !input.use.is_index && !input.use.is_label)) return given.data;
  const i64 size = input.dims.size(), row = size / input.rows();
  const i64 valid = padded ? given.valid_rows * row : size;
  with_integer(input.dtype, [&]<class T>(const T*) {
    check_values(input, number, static_cast<const T*>(given.data), valid);
  });
  if (!padded || !transforms::padding_is_set(input.dtype, input.use)) return given.data;
  const auto unit = static_cast<std::size_t>(size_of(input.dtype));
  const auto* from = static_cast<const std::byte*>(given.data);
  copy.assign(from, from + static_cast<std::size_t>(size) * unit);
  const i64 filler = transforms::holds_padded_labels(input.use) ? transforms::padded_label : 0;
  if (filler != 0 && input.dtype == DType::u8)
    throw Error("call/label",
                "input " + std::to_string(number) +
                    ": padded rows have the label -100, and a label of u8 cannot be that: take i32 or "
                    "i64, or leave the last batch out, .last = data::drop");
  with_integer(input.dtype, [&]<class T>(const T*) {
    T* const at = reinterpret_cast<T*>(copy.data());
    for (i64 i = valid; i < size; ++i) at[i] = static_cast<T>(filler);
  });
  return copy.data();
}

}  // namespace WEFT_NAMESPACE::exec
