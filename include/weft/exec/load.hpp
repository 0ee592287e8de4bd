#pragma once
// From a file's tensors to a block of state. Law: everything is looked at before anything is written, and
// only what is asked for is read; what does not fit is named with both sides.

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/diagnose.hpp"
#include "weft/core/shape.hpp"
#include "weft/io/order.hpp"
#include "weft/io/safetensors_index.hpp"
#include "weft/nn/state_table.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(PathIsGiven,
             "a file has a path: model.save(\"net.safetensors\"), trainer.save(\"run.safetensors\"), "
             "trainer.save_in_background(\"run.safetensors\"), model.load(\"net.safetensors\")");

// What a load of a model may leave undone.
enum class Allow : u8 { nothing = 0, missing = 1, unexpected = 2 };
constexpr Allow operator|(Allow a, Allow b) {
  return static_cast<Allow>(static_cast<int>(a) | static_cast<int>(b));
}
constexpr bool operator&(Allow a, Allow b) { return (static_cast<int>(a) & static_cast<int>(b)) != 0; }
inline constexpr Allow missing = Allow::missing;        // names that the file lacks keep their values
inline constexpr Allow unexpected = Allow::unexpected;  // names that the model lacks are left out

WEFT_REFUSAL(AllowedIsNamed,
             "what a load may leave undone is missing, unexpected or both, and no text: write {.allow = "
             "missing | unexpected}");
// An Allow; text is refused.
struct AllowOption {
  constexpr AllowOption(Allow given = Allow::nothing) : value(given) {}
  template <class A>
  requires(std::is_array_v<A> || std::is_arithmetic_v<A> ||
           std::is_same_v<A, const char*>) constexpr AllowOption(const A&) {
    static_assert(sizeof(AllowedIsNamed<sizeof(A) == 0, A>) > 0);
  }
  constexpr operator Allow() const { return value; }
  Allow value;  // what may be left undone
};

WEFT_REFUSAL(RenamesArePairs,
             "a rename is a pair of names, and there may be several: write .rename = {{\"encoder\", "
             "\"body\"}, {\"fc\", \"head\"}}");

// Pairs of names, from and to. (A vector alone would take two words for the ends of a range.)
struct Renames : std::vector<std::pair<std::string, std::string>> {
  using Base = std::vector<std::pair<std::string, std::string>>;
  Renames() = default;
  Renames(Base pairs) : Base(std::move(pairs)) {}
  Renames(std::initializer_list<Base::value_type> pairs) : Base(pairs) {}
  template <class... Word>
  requires(std::is_convertible_v<const Word&, std::string>&&...) Renames(const Word&...) {
    static_assert(sizeof(RenamesArePairs<(sizeof...(Word) > 1024), Word...>) > 0);
  }
};

struct LoadOptions {
  bool cast = false;  // floating-point tensors of another dtype are converted, as PyTorch's copy_ does
  std::string strip_prefix{};  // taken off the names of the file that begin with it, before anything else
  // {from, to}: a name of the file that is `from`, or begins with it and a dot, has `to` in its place. The
  // first that fits counts.
  Renames rename{};
  AllowOption allow = Allow::nothing;  // names that may be missing in the file, or unexpected in it
};

// Strict: everything must fit. Lax: what fits is taken, whatever the rest is.
enum class LoadMode { strict, lax };

// What a load found. Names are the model's; those of `unexpected` the file's, as options have changed them.
struct LoadReport {
  std::vector<std::string> missing;     // in the model, not in the file
  std::vector<std::string> unexpected;  // in the file, not in the model
  // in both, of another shape or dtype, or tied names with different values
  std::vector<std::string> mismatched;
  std::vector<std::string> cast;  // taken, of another dtype in the file
  std::string words;              // the same for people, with shapes and dtypes

  // Whether nothing is missing, unexpected or mismatched.
  bool complete() const { return missing.empty() && unexpected.empty() && mismatched.empty(); }
  // All of it for people.
  std::string text() const { return words.empty() ? "complete" : words; }
};

namespace exec {

inline std::vector<i64> extents(const Dims& d) { return std::vector<i64>(d.extent, d.extent + d.rank); }

// What a block of state holds under which names, and further names of the same values.
struct StateForm {
  struct Row {
    std::string name;
    DType dtype{};
    std::vector<i64> shape;
    i64 offset = 0;                                  // bytes
    int part_axis = -1, parts = 1, part_blocks = 1;  // of a part of something larger, as nn::StateInfo has it

    i64 bytes() const {
      i64 n = size_of(dtype);
      for (const i64 extent : shape) n *= extent;
      return n;
    }
  };
  struct Alias {
    std::string name;
    std::size_t row = 0;
  };
  std::vector<Row> rows;
  std::vector<Alias> aliases;
  i64 bytes = 0;
};

template <class M>
StateForm state_form() {
  constexpr const auto& table = nn::state_table<M>;
  constexpr const auto& ties = nn::alias_table<M>;
  StateForm form;
  std::vector<std::vector<std::size_t>> place(static_cast<std::size_t>(table.size));  // of each row's copies
  nn::each_copy(table, [&](int i, i64 copy) {
    const nn::StateInfo& row = table.row[i];
    auto& places = place[static_cast<std::size_t>(i)];
    places.resize(static_cast<std::size_t>(row.copies()));
    places[static_cast<std::size_t>(copy)] = form.rows.size();
    form.rows.push_back({std::string(row.name.of_copy(copy).view()), row.dtype, extents(row.dims),
                         row.offset + copy * row.copy_bytes(), row.part_axis, row.parts, row.part_blocks});
  });
  nn::each_copy(ties, [&](int a, i64 copy) {
    const nn::StatePlace of = nn::place_of<M>(ties.row[a], copy);
    form.aliases.push_back({std::string(ties.row[a].name.of_copy(copy).view()),
                            place[static_cast<std::size_t>(of.row)][static_cast<std::size_t>(of.copy)]});
  });
  form.bytes = table.bytes;
  return form;
}

// The tensors of a file that holds such a block.
inline std::vector<io::SafetensorsTensor> state_tensors(const StateForm& form, const std::byte* block) {
  std::vector<io::SafetensorsTensor> tensors;
  for (const StateForm::Row& row : form.rows)
    tensors.push_back({row.name, row.dtype, row.shape, block + row.offset});
  for (const StateForm::Alias& alias : form.aliases) {
    const StateForm::Row& row = form.rows[alias.row];
    tensors.push_back({alias.name, row.dtype, row.shape, block + row.offset});
  }
  return tensors;
}

// "f32 (3, 4)"
inline std::string tensor_text(const std::string& dtype, const std::vector<i64>& shape) {
  std::string text = dtype + " (";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + ")";
}

// Elements of one floating-point dtype from those of another, neither of which need be aligned. Between the
// narrow ones they pass through f32, as PyTorch's do.
inline void cast_elements(DType from, const u8* in, DType to, std::byte* out, i64 count) {
  f64 values[256];
  const auto each = [](DType dtype, auto f) {
    switch (dtype) {
      case DType::f64:
        return f(f64{});
      case DType::f32:
        return f(f32{});
      case DType::f16:
        return f(weft::f16{});
      case DType::bf16:
        return f(weft::bf16{});
      case DType::f8e4m3:
        return f(weft::f8e4m3{});
      default:
        return f(weft::f8e5m2{});
    }
  };
  while (count > 0) {
    const i64 some = count < 256 ? count : 256;
    each(from, [&]<class T>(T element) {
      for (i64 i = 0; i < some; ++i, in += sizeof(T)) {
        std::memcpy(&element, in, sizeof(T));
        values[i] = static_cast<f64>(element);
      }
    });
    each(to, [&]<class T>(T element) {
      for (i64 i = 0; i < some; ++i, out += sizeof(T)) {
        if constexpr (std::is_same_v<T, f64>)
          element = values[i];
        else
          element = T(static_cast<f32>(values[i]));
        std::memcpy(out, &element, sizeof(T));
      }
    });
    count -= some;
  }
}

// Where each row of a form comes from, and what a load of it amounts to.
class LoadPlan {
 public:
  // `owner`: what messages call the form's own.
  LoadPlan(const io::Safetensors& file, const StateForm& form, const LoadOptions& options,
           const char* owner = "model")
      : file_(file), form_(form), owner_(owner), from_(form.rows.size(), nullptr) {
    name_entries(options);
    const auto& entries = file.entries();
    std::vector<u8> used(entries.size(), 0);
    std::vector<std::vector<std::size_t>> aliases(form.rows.size());
    for (std::size_t a = 0; a < form.aliases.size(); ++a) aliases[form.aliases[a].row].push_back(a);
    for (std::size_t i = 0; i < form.rows.size(); ++i) {
      const io::SafetensorsEntry* entry = nullptr;
      bool agrees = true;
      const auto join = [&](const std::string& name) {
        const std::size_t e = find(name);
        if (e == entries.size()) return;
        used[e] = 1;
        const io::SafetensorsEntry& other = entries[e];
        if (entry == nullptr) entry = &other;
        agrees = agrees && entry->dtype == other.dtype && entry->shape == other.shape &&
                 (entry->bytes == 0 || std::memcmp(entry->data, other.data, entry->bytes) == 0);
      };
      join(form.rows[i].name);
      for (const std::size_t a : aliases[i]) join(form.aliases[a].name);
      judge(form.rows[i], entry, agrees, options.cast, i);
    }
    for (std::size_t e = 0; e < entries.size(); ++e)
      if (used[e] == 0) {
        report.unexpected.push_back(names_[e]);
        add(unexpected_, names_[e] + " " + tensor_text(entries[e].dtype.text(), entries[e].shape));
      }
    describe(options);
  }

  // Writes what fits.
  void apply(std::byte* block) const {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (from_[i] == nullptr || from_[i]->bytes == 0) continue;
      const StateForm::Row& row = form_.rows[i];
      if (from_[i]->dtype == row.dtype)
        std::memcpy(block + row.offset, from_[i]->data, from_[i]->bytes);
      else
        cast_elements(from_[i]->dtype.dtype(), from_[i]->data, row.dtype, block + row.offset,
                      from_[i]->size());
    }
  }

  LoadReport report;

 private:
  // Names with what is to be said of them, as many as a message bears.
  struct Listed {
    std::string text;
    std::size_t count = 0;
  };
  static void add(Listed& list, const std::string& item) {
    constexpr std::size_t shown = 8;
    if (list.count < shown) list.text += (list.count > 0 ? ", " : "") + item.substr(0, 300);
    ++list.count;
  }
  void close(const char* what, Listed& list) {
    constexpr std::size_t shown = 8;
    if (list.count == 0) return;
    if (list.count > shown) list.text += " and " + std::to_string(list.count - shown) + " more";
    report.words += (report.words.empty() ? "" : "; ") + std::string(what) + " " + list.text;
  }

  void name_entries(const LoadOptions& options) {
    renamed_.assign(options.rename.size(), 0);
    for (const io::SafetensorsEntry& entry : file_.entries()) {
      std::string name = entry.name;
      if (!options.strip_prefix.empty() && name.starts_with(options.strip_prefix)) {
        name.erase(0, options.strip_prefix.size());
        stripped_ = true;
      }
      for (std::size_t r = 0; r < options.rename.size(); ++r) {
        const auto& [from, to] = options.rename[r];
        if (name != from && !name.starts_with(from + ".")) continue;
        name.replace(0, from.size(), to);
        renamed_[r] = 1;
        break;
      }
      names_.push_back(std::move(name));
    }
    by_name_ = io::order_by(names_.size(), [&](u32 a, u32 b) { return names_[a] < names_[b]; });
    for (std::size_t i = 1; i < by_name_.size(); ++i)
      if (names_[by_name_[i]] == names_[by_name_[i - 1]])
        throw Error("model/mismatch", "two tensors of the file, '" + file_.entries()[by_name_[i - 1]].name +
                                          "' and '" + file_.entries()[by_name_[i]].name +
                                          "', would both be called '" + names_[by_name_[i]] + "'");
  }
  // The entry of this name, or how many there are.
  std::size_t find(const std::string& name) const {
    std::size_t low = 0, high = by_name_.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (names_[by_name_[middle]] < name)
        low = middle + 1;
      else
        high = middle;
    }
    return low < by_name_.size() && names_[by_name_[low]] == name ? by_name_[low] : names_.size();
  }

  void judge(const StateForm::Row& row, const io::SafetensorsEntry* entry, bool agrees, bool cast,
             std::size_t i) {
    const auto own = [&] { return tensor_text(name_of(row.dtype), row.shape); };
    if (entry == nullptr) {
      report.missing.push_back(row.name);
      add(missing_, row.name + " " + own());
      return;
    }
    const bool floats = entry->dtype.has_dtype() && is_float(entry->dtype.dtype()) && is_float(row.dtype);
    const bool same = entry->dtype == row.dtype, shaped = entry->shape == row.shape;
    if (agrees && shaped && (same || (floats && cast))) {
      from_[i] = entry;
      if (same) return;
      report.cast.push_back(row.name);
      add(cast_, row.name + " from " + entry->dtype.text() + " to " + name_of(row.dtype));
      return;
    }
    report.mismatched.push_back(row.name);
    only_dtypes_ = only_dtypes_ && agrees && shaped && floats;
    if (!agrees)
      add(mismatched_, row.name + ", whose tied names have different values");
    else
      add(mismatched_, row.name + ", in the file " + tensor_text(entry->dtype.text(), entry->shape) +
                           ", in the " + owner_ + " " + own());
  }

  void describe(const LoadOptions& options) {
    close("missing", missing_);
    close("unexpected", unexpected_);
    close("of another shape or dtype:", mismatched_);
    close("cast", cast_);
    if (report.complete()) return;
    const auto advise = [&](const std::string& words) { report.words += "; " + words; };
    if (!options.strip_prefix.empty() && !stripped_)
      advise("no name of the file begins with '" + options.strip_prefix + "'");
    for (std::size_t r = 0; r < renamed_.size(); ++r)
      if (renamed_[r] == 0) advise("the file has no '" + options.rename[r].first + "' to rename");
    if (const std::string prefix = common_prefix(); !prefix.empty())
      advise("names of the file begin with '" + prefix + "': load with {.strip_prefix = \"" +
             options.strip_prefix + prefix + "\"}");
    if (!report.mismatched.empty() && only_dtypes_) advise("{.cast = true} converts floating-point dtypes");
  }
  // What stands before every missing name in the file.
  std::string common_prefix() const {
    if (report.missing.empty()) return {};
    const std::string& first = report.missing[0];
    for (const std::string& name : report.unexpected) {
      if (name.size() <= first.size() || !name.ends_with("." + first)) continue;
      const std::string prefix = name.substr(0, name.size() - first.size());
      bool all = true;
      for (const std::string& other : report.missing) all = all && find(prefix + other) < names_.size();
      if (all) return prefix;
    }
    return {};
  }

  const io::Safetensors& file_;
  const StateForm& form_;
  const char* owner_;
  std::vector<const io::SafetensorsEntry*> from_;  // row by row; null: the row keeps its value
  std::vector<std::string> names_;                 // entry by entry, as options have changed them
  std::vector<u32> by_name_;
  std::vector<u8> renamed_;  // rule by rule, whether it fitted a name
  bool stripped_ = false, only_dtypes_ = true;
  Listed missing_, unexpected_, mismatched_, cast_;
};

// Reads a block of state from a file: what fits, or, strictly, everything that the options do not excuse;
// otherwise nothing is written.
inline LoadReport read_state(const io::Safetensors& file, const std::string& path, const StateForm& form,
                             const LoadOptions& options, LoadMode mode, std::byte* block) {
  LoadPlan plan(file, form, options);
  const LoadReport& found = plan.report;
  const bool refused = (!found.missing.empty() && !(options.allow & Allow::missing)) ||
                       (!found.unexpected.empty() && !(options.allow & Allow::unexpected)) ||
                       !found.mismatched.empty();
  if (refused && mode == LoadMode::strict) {
    bool of_trainer = false;
    for (const auto& entry : file.metadata()) of_trainer = of_trainer || entry.first == "weft.checkpoint";
    throw Error("model/mismatch",
                "'" + path + "' does not fit the model: " + found.text() +
                    (of_trainer ? "; it is a trainer's checkpoint: trainer.load(path) reads it, and "
                                  "{.allow = unexpected} what the model has of it"
                                : ""));
  }
  plan.apply(block);
  return std::move(plan.report);
}

}  // namespace exec
}  // namespace WEFT_NAMESPACE
