#pragma once
// Checkpoints of trainers: safetensors files with the model under its own names, the optimiser's state, and,
// in the metadata, what made them. Law: a file either continues the run that saved it, is refused with both
// sides named, or, of another precision, is taken with a note; every number of it is checked before anything
// changes, so that an Error leaves everything as it was.

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/config.hpp"
#include "weft/core/refused_option.hpp"
#include "weft/exec/load.hpp"
#include "weft/train/checkpoint_report.hpp"
#include "weft/train/loss_scale.hpp"
#include "weft/train/optimizer_layout.hpp"
#include "weft/train/saving.hpp"

namespace WEFT_NAMESPACE::train {

// Counted up when a newer weft writes what an older one would misread.
inline constexpr i64 checkpoint_format = 2;
// No count of a file is above it: sums and products of a few of them stay far from the end of 64 bits.
inline constexpr i64 largest_count = i64{1} << 53;

// What a trainer's checkpoints hold and what makes them.
struct CheckpointForm {
  // The state of one tensor of precision::f8, in bytes of the block.
  struct Scale {
    i64 scale = 0, history = 0;
    i64 steps = 0;
  };
  std::string optimizer;  // "ema(AdamW)"
  std::string precision;  // "f16"
  i64 accumulate = 1;
  std::string groups;         // of each trained parameter the number of its group
  std::string matrices;       // of each 1 where it is updated as a matrix, else 0; empty where none ever is
  bool scaled = false;        // whether there is a loss scale in use
  std::vector<Scale> scales;  // of precision::f8
  exec::StateForm state;      // the model's block, then the optimiser's
  i64 model_bytes = 0;
  i64 updates = 0, scale = 0, good = 0;  // where these lie in the block
};

// What a trainer counts.
struct CheckpointCounts {
  u64 seed = 0;
  i64 calls = 0, applied = 0;
  bool positioned = false;  // whether a loader stands somewhere
  i64 epoch = 0, batch = 0;
  std::optional<u64> loader_seed;
};

inline void add_row(exec::StateForm& form, const std::string& name, DType dtype, const Dims& dims, i64 offset,
                    const nn::StateInfo& cut = {}) {
  form.rows.push_back({name, dtype, exec::extents(dims), offset, cut.part_axis, cut.parts, cut.part_blocks});
}

// What makes the checkpoints of model M with options O, the model's rows, and room behind them for the
// optimiser's, whose counts lie at its beginning.
template <class M, class O>
CheckpointForm make_checkpoint_form(i64 optimizer_bytes) {
  using Optimizer = typename O::Optimizer;
  constexpr const auto& table = nn::state_table<M>;
  constexpr const OptimizerLayout& layout = optimizer_layout<M, O>;
  CheckpointForm form;
  form.optimizer = optim::optimizer_name<typename Optimizer::base>();
  form.precision = precision::is_f8<typename O::Precision> ? "f8"
                   : O::Precision::rule.tf32               ? "tf32"
                                                           : name_of(O::Precision::rule.compute);
  form.scaled = O::Precision::scaled;
  nn::each_copy(table, [&](int i, i64 copy) {
    if (!table.row[i].trained) return;
    const int group = group_of<Optimizer>(table.row[i], copy);
    form.groups += (form.groups.empty() ? "" : " ") + std::to_string(group);
    if constexpr (requires { Optimizer::by_matrix(0); })
      form.matrices += Optimizer::by_matrix(group) ? '1' : '0';
  });
  form.state = exec::state_form<M>();
  form.model_bytes = form.state.bytes;
  form.state.bytes += optimizer_bytes;
  form.updates = form.model_bytes + layout.updates;
  form.scale = form.model_bytes + layout.scale;
  form.good = form.model_bytes + layout.good;
  add_row(form.state, "weft.updates", DType::i32, Dims{}, form.updates);
  add_row(form.state, "weft.scale", DType::f32, Dims{}, form.scale);
  add_row(form.state, "weft.good", DType::i32, Dims{}, form.good);
  return form;
}

// The form of a Trainer: behind the model lies the optimiser's block.
template <class M, class O>
CheckpointForm checkpoint_form() {
  constexpr const auto& table = nn::state_table<M>;
  constexpr const OptimizerLayout& layout = optimizer_layout<M, O>;
  constexpr int accumulated = 9;  // in the place of a moment's number
  CheckpointForm form = make_checkpoint_form<M, O>(layout.bytes);
  form.accumulate = O::Accumulation::count;
  nn::each_copy(table, [&](int i, i64 copy) {
    const nn::StateInfo& row = table.row[i];
    if (!row.trained) return;
    const std::string name(row.name.of_copy(copy).view());
    const auto add = [&](int m, const Dims& dims, i64 offset) {
      add_row(form.state, "optimizer." + std::to_string(m) + "." + name, row.dtype, dims,
              form.model_bytes + offset + copy * dims.size() * size_of(row.dtype), row);
    };
    for (int m = 0; m < O::Optimizer::base::moments; ++m)
      add(m, moment_dims<O>(m, row), moment_offset<M, O>(layout.moment[m], m, i));
    if (O::Accumulation::count > 1) add(accumulated, row.dims, layout.accumulated + row.offset);
  });
  return form;
}

template <class T>
T get_number(const std::byte* block, i64 at) {
  T value{};
  std::memcpy(&value, block + at, sizeof value);
  return value;
}
template <class T>
void put_number(std::byte* block, i64 at, T value) {
  std::memcpy(block + at, &value, sizeof value);
}

// What the header of a checkpoint says of what made it.
inline io::Safetensors::Metadata checkpoint_metadata(const CheckpointForm& form,
                                                     const CheckpointCounts& counts) {
  io::Safetensors::Metadata metadata{
      {"weft.checkpoint", std::to_string(checkpoint_format)},
      {"weft.version", std::to_string(WEFT_VERSION_MAJOR) + "." + std::to_string(WEFT_VERSION_MINOR) + "." +
                           std::to_string(WEFT_VERSION_PATCH)},
      {"weft.optimizer", form.optimizer},
      {"weft.precision", form.precision},
      {"weft.accumulate", std::to_string(form.accumulate)},
      {"weft.groups", form.groups},
      {"weft.matrices", form.matrices},
      {"weft.seed", std::to_string(counts.seed)},
      {"weft.calls", std::to_string(counts.calls)},
      {"weft.applied", std::to_string(counts.applied)}};
  if (counts.positioned) {
    metadata.push_back({"weft.epoch", std::to_string(counts.epoch)});
    metadata.push_back({"weft.batch", std::to_string(counts.batch)});
    if (counts.loader_seed) metadata.push_back({"weft.loader_seed", std::to_string(*counts.loader_seed)});
  }
  return metadata;
}

// A checkpoint while it is read: everything that can be wrong is an Error of its constructor.
class CheckpointReader {
 public:
  // Throws "train/no-checkpoint" (a file without what a checkpoint has, or with numbers that cannot be),
  // "train/newer-checkpoint" or "train/mismatch". `others`: the names of tensors that the caller reads
  // itself.
  CheckpointReader(const io::Safetensors& file, const std::string& path, const CheckpointForm& form,
                   const std::vector<std::string>& others = {})
      : file_(file), path_(path), form_(form), block_(static_cast<std::size_t>(form.state.bytes)) {
    check_maker();
    read_counts();
    exec::LoadPlan plan(file, form.state, {}, "trainer");
    const LoadReport& found = plan.report;
    bool surplus = false;
    for (const std::string& name : found.unexpected) {
      bool known = other_precision() && is_f8_name(name);
      for (const std::string& other : others) known = known || name == other;
      surplus = surplus || !known;
    }
    bool lacks = false, lacks_scales = false;
    for (const std::string& name : found.missing) {
      if (name.starts_with("f8.gathered.")) continue;  // a file of before these were kept
      lacks_scales = true;
      lacks = lacks || !(other_precision() && is_f8_name(name));
    }
    if (surplus || lacks || !found.mismatched.empty())
      throw Error("train/mismatch", "'" + path + "' does not fit the trainer: " + found.text());
    plan.apply(block_.data());
    check_scale();
    check_f8_scales(lacks_scales);
  }

  const CheckpointCounts& counts() const { return counts_; }
  // The block, as the form has it.
  const std::vector<std::byte>& block() const { return block_; }
  std::vector<std::byte>& block() { return block_; }
  const CheckpointReport& report() const { return report_; }
  // Of a trainer that a loader's position is asked of.
  const CheckpointCounts& position() const {
    if (!counts_.positioned) damaged("it holds no position of a loader");
    return counts_;
  }
  // A whole number of the metadata; throws where it is missing, malformed or above `most`.
  i64 number(const char* key, i64 least, i64 most) const {
    const i64 value = parsed<i64>(key, "whole number");
    if (value < least || value > most)
      damaged(std::string(key) + " is " + std::to_string(value) + ", which lies outside " +
              std::to_string(least) + " to " + std::to_string(most));
    return value;
  }
  [[noreturn]] void damaged(const std::string& what) const {
    throw Error("train/no-checkpoint", "'" + path_ + "' is no checkpoint of a trainer: " + what);
  }

 private:
  // Of a text that may be anything, what a message can bear.
  static std::string shown(const std::string& text) {
    return text.size() > 60 ? text.substr(0, 60) + "..." : text;
  }
  const std::string& at(const char* key) const {
    if (const std::string* text = file_.find_metadata(key)) return *text;
    damaged(std::string("it lacks ") + key);
  }
  // An entry of the metadata that is a number, and nothing else.
  template <class T>
  T parsed(const char* key, const char* kind) const {
    const std::string& text = at(key);
    T value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || std::to_string(value) != text)
      damaged(std::string(key) + " is '" + shown(text) + "', which is no " + kind);
    return value;
  }
  // Such as 0.1.0.
  static bool is_version(const std::string& text) {
    int parts = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool digit = text[i] >= '0' && text[i] <= '9', between = i > 0 && text[i - 1] != '.';
      if (!digit && !(text[i] == '.' && between)) return false;
      parts += text[i] == '.' ? 1 : 0;
    }
    return parts == 3 && text.back() != '.';
  }
  bool other_precision() const {
    const std::string* precision = file_.find_metadata("weft.precision");
    return precision != nullptr && *precision != form_.precision;
  }
  static bool is_f8_name(const std::string& name) { return name.starts_with("f8."); }
  // Both sides of one of the things that make a checkpoint.
  void require_same(const char* key, const char* what, const std::string& own) const {
    const std::string& other = at(key);
    if (other != own)
      throw Error("train/mismatch", "'" + path_ + "' was saved with " + what + " " + shown(other) +
                                        ", and this trainer has " + what + " " + own);
  }

  void check_maker() {
    const std::string* format = file_.find_metadata("weft.checkpoint");
    if (format == nullptr) damaged("it lacks weft.checkpoint; model().load(path) reads a model");
    format_ = number("weft.checkpoint", 1, largest_count);
    if (format_ > checkpoint_format) {
      const std::string* version = file_.find_metadata("weft.version");
      throw Error("train/newer-checkpoint",
                  "'" + path_ + "' is a checkpoint of format " + *format + ", written by weft " +
                      (version ? shown(*version) : "of another version") + "; this one reads up to " +
                      std::to_string(checkpoint_format));
    }
    if (format_ < 2) return;
    if (!is_version(at("weft.version")))
      damaged("weft.version is '" + shown(at("weft.version")) + "', which is no version");
    require_same("weft.optimizer", "the optimiser", form_.optimizer);
    number("weft.accumulate", 1, largest_count);
    require_same("weft.accumulate", "accumulate", std::to_string(form_.accumulate));
    if (const std::string& matrices = at("weft.matrices"); matrices != form_.matrices)
      throw Error("train/mismatch", "'" + path_ + "' was saved with other parameters updated as matrices (" +
                                        shown(matrices) +
                                        ", one digit for each parameter) than this trainer has (" +
                                        shown(form_.matrices) + ")");
    if (at("weft.groups") != form_.groups)
      report_.notes.push_back("the parameter groups are not those of the checkpoint");
    if (at("weft.precision") != form_.precision)
      report_.notes.push_back("the checkpoint is of precision " + shown(at("weft.precision")) +
                              ", this trainer of " + form_.precision);
  }

  void read_counts() {
    counts_.seed = parsed<u64>("weft.seed", "number of 64 bits");
    counts_.calls = number("weft.calls", 0, largest_count);
    counts_.applied = number("weft.applied", 0, INT32_MAX);
    const i64 whole = counts_.calls / form_.accumulate;
    if (counts_.applied > whole || (format_ < 2 && counts_.applied != whole))
      damaged(std::to_string(counts_.applied) + " updates cannot come of " + std::to_string(counts_.calls) +
              " calls at " + std::to_string(form_.accumulate) + " each");
    const bool epoch = file_.find_metadata("weft.epoch"), batch = file_.find_metadata("weft.batch");
    counts_.positioned = epoch || batch;
    if (!counts_.positioned) return;
    counts_.epoch = number("weft.epoch", 0, largest_count);
    counts_.batch = number("weft.batch", 0, largest_count);
    if (file_.find_metadata("weft.loader_seed"))
      counts_.loader_seed = parsed<u64>("weft.loader_seed", "number of 64 bits");
  }

  // The device's counts, and what another precision makes of them.
  void check_scale() {
    std::byte* const block = block_.data();
    const i32 updates = get_number<i32>(block, form_.updates), good = get_number<i32>(block, form_.good);
    const f32 scale = get_number<f32>(block, form_.scale);
    if (updates < 0 || updates > counts_.applied)
      damaged("weft.updates is " + std::to_string(updates) + ", and " + std::to_string(counts_.applied) +
              " were tried");
    if (good < 0 || good >= LossScale::patience)
      damaged("weft.good is " + std::to_string(good) + ", which lies outside 0 to " +
              std::to_string(LossScale::patience - 1));
    if (!std::isfinite(scale) || scale <= 0)
      damaged("the loss scale is " + std::to_string(scale) + ", and must be positive and finite");
    const f32 bounded = std::fmin(std::fmax(scale, LossScale::least), LossScale::most);
    if (other_precision()) {
      put_number(block, form_.scale, LossScale::first);
      put_number(block, form_.good, i32{0});
      if (form_.scaled) report_.notes.push_back("the loss scale starts anew");
    } else if (form_.scaled && bounded != scale) {
      put_number(block, form_.scale, bounded);
      report_.notes.push_back("the loss scale is brought within its bounds");
    }
    // Without a loss scale there is one count of updates, which skipped ones are not of.
    if (!form_.scaled && updates != counts_.applied) {
      report_.notes.push_back("the updates that were skipped are no longer counted");
      counts_.applied = updates;
    }
  }

  // `missing`: the file is of another precision, and has none.
  void check_f8_scales(bool missing) {
    std::byte* const block = block_.data();
    for (const CheckpointForm::Scale& s : form_.scales) {
      if (missing) put_number(block, s.scale, 1.0f);
      const f32 scale = get_number<f32>(block, s.scale);
      if (!std::isfinite(scale) || scale <= 0)
        damaged("a scale of f8 is " + std::to_string(scale) + ", and must be positive and finite");
      for (i64 k = 0; k < s.steps; ++k) {
        const f32 magnitude = get_number<f32>(block, s.history + 4 * k);
        if (!std::isfinite(magnitude) || magnitude < 0)
          damaged("a magnitude of f8 is " + std::to_string(magnitude) + ", and must be finite and 0 or more");
      }
    }
    if (missing) report_.notes.push_back("the scales of f8 start anew");
  }

  const io::Safetensors& file_;
  const std::string& path_;
  const CheckpointForm& form_;
  i64 format_ = 1;
  CheckpointCounts counts_;
  CheckpointReport report_;
  std::vector<std::byte> block_;
};

WEFT_REFUSAL(
    CheckpointTakesLoader,
    "a checkpoint is saved and loaded whole, with a loader's position if one is given: trainer.save(path), "
    "trainer.load(path, loader); trainer.model().load(path, LoadMode::lax) takes what fits of a model");
WEFT_REFUSAL(PathIsFirst, "save: the path comes first: write trainer.save(path, loader)");

// The saving and loading of a trainer, its base. Self has save_job(path, counts), which adds its own counts
// and copies what is to be written, and load_checkpoint(path, seek), which calls seek(checkpoint) when
// nothing else can refuse any more.
template <class Self>
class Checkpointed {
 public:
  // Model, moments, applied updates, loss scale, steps, seed: everything that the next step depends on, and
  // what made it. Of a path that ends with ".index.json" an index, and beside it a file of each rank.
  void save(const std::string& path) const { run(self().save_job(path, {})); }
  // The same with a loader's position, and the seed of its orders.
  template <class Loader>
  requires requires(const Loader& l) { l.position().epoch; }
  void save(const std::string& path, const Loader& loader) const {
    run(self().save_job(path, counts_of(loader)));
  }
  // The same from a copy in host memory, in a thread of its own: training may go on at once.
  Saving save_in_background(const std::string& path) const { return Saving(self().save_job(path, {})); }
  template <class Loader>
  requires requires(const Loader& l) { l.position().epoch; }
  Saving save_in_background(const std::string& path, const Loader& loader) const {
    return Saving(self().save_job(path, counts_of(loader)));
  }
  // Refusals.
#define WEFT_MEMBER(name, result, ...)                                 \
  template <class None = Self>                                         \
  result name() __VA_ARGS__ {                                          \
    static_assert(sizeof(PathIsGiven<sizeof(None) == 0, None>) > 0);   \
    return result();                                                   \
  }                                                                    \
  template <class Number>                                              \
  requires is_no_name<Number> result name(Number)                      \
  __VA_ARGS__ {                                                        \
    static_assert(sizeof(PathIsGiven<sizeof(Number) == 0, Self>) > 0); \
    return result();                                                   \
  }
  WEFT_MEMBER(save, void, const)
  WEFT_MEMBER(save_in_background, AfterRefusal, const)
  WEFT_MEMBER(load, CheckpointReport)
#undef WEFT_MEMBER
  template <class Loader>
  requires requires(const Loader& l) { l.position().epoch; }
  void save(const Loader&, const std::string&) const {
    static_assert(sizeof(PathIsFirst<sizeof(Loader) == 0, Loader>) > 0);
  }
  template <class A>
  requires(!requires(const A& l) { l.position().epoch; }) void save(const std::string&, const A&) const {
    static_assert(sizeof(CheckpointTakesLoader<sizeof(A) == 0, spelled::save, A>) > 0);
  }
  template <class A>
  requires(!requires(const A& l) { l.position().epoch; }) CheckpointReport
      load(const std::string&, const A&) {
    static_assert(sizeof(CheckpointTakesLoader<sizeof(A) == 0, spelled::load, A>) > 0);
    return {};
  }
  template <class Options = LoadOptions>
  requires std::is_same_v<Options, LoadOptions> CheckpointReport load(const std::string&, const Options&) {
    static_assert(sizeof(CheckpointTakesLoader<sizeof(Options) == 0, spelled::load, Options>) > 0);
    return {};
  }
  // Continues exactly where save() was; of another precision with a note. Throws "train/mismatch" for what
  // another optimiser, wrapper, accumulation or model saved, "train/newer-checkpoint" or
  // "train/no-checkpoint"; then nothing has changed.
  CheckpointReport load(const std::string& path) {
    return static_cast<Self&>(*this).load_checkpoint(path, [](const CheckpointReader&) {});
  }
  template <class Loader>
  requires requires(const Loader& l) { l.position().epoch; }
  CheckpointReport load(const std::string& path, Loader& loader) {
    return static_cast<Self&>(*this).load_checkpoint(path, [&](const CheckpointReader& checkpoint) {
      const CheckpointCounts& saved = checkpoint.position();
      auto at = loader.position();
      at.epoch = saved.epoch, at.batch = saved.batch;
      // Either refuses what does not fit the loader, and then changes nothing.
      if constexpr (requires { loader.seek(at, u64{}); }) {
        if (saved.loader_seed) return loader.seek(at, *saved.loader_seed);
      }
      loader.seek(at);
    });
  }

 private:
  static void run(const Shared<SaveJob>& job) {
    job->write();
    job->finish();
  }
  template <class Loader>
  static CheckpointCounts counts_of(const Loader& loader) {
    const auto at = loader.position();
    CheckpointCounts counts;
    counts.positioned = true, counts.epoch = at.epoch, counts.batch = at.batch;
    if constexpr (requires { loader.seed(); }) counts.loader_seed = loader.seed();
    return counts;
  }
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace WEFT_NAMESPACE::train
