#pragma once
// Files that are written while training goes on. Law: what is written is a copy, made when the save was
// called; a file, or an index and the files that it names, is there whole or as it was before.

#include <pthread.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/shared.hpp"
#include "weft/io/safetensors_index.hpp"

namespace WEFT_NAMESPACE {
namespace train {

// The folder of a path, with a slash at its end; empty: the working one.
inline std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
// The index that a save left there; empty where there is none, or another's.
inline io::SafetensorsIndex old_index(const std::string& path) {
  try {
    io::SafetensorsIndex index = io::read_safetensors_index(path);
    for (const auto& [key, value] : index.metadata)
      if (key == "weft.checkpoint") return index;
  } catch (const Error&) {
  }
  return {};
}

// What one rank writes of a save, with the memory that it points to.
struct Snapshot {
  std::string path;                            // empty: this rank writes nothing
  io::Safetensors::Metadata metadata;          // of the file
  std::vector<io::SafetensorsTensor> tensors;  // of the file
  std::vector<std::byte> memory;               // their elements

  void write() const {
    if (!path.empty()) io::write_safetensors(path, tensors, metadata);
  }
};

// A save from its copy on: write() in any thread, then finish().
class SaveJob : public Counted {
 public:
  // Calls f, which makes the copy. What it throws is thrown by finish(), where the other ranks learn of it.
  template <class F>
  void prepare(const F& f) noexcept {
    try {
      f();
    } catch (...) {
      error = std::current_exception();
      own = {};
    }
  }
  void write() noexcept {
    if (!error) prepare([&] { own.write(); });
    own = {};
    __atomic_store_n(&written_, true, __ATOMIC_RELEASE);
  }
  // Throws what prepare() or write() has met. A call of all ranks, which puts an index in its place.
  virtual void finish() = 0;
  // Whether no other rank takes part.
  virtual bool is_alone() const = 0;
  bool is_written() const { return __atomic_load_n(&written_, __ATOMIC_ACQUIRE); }

  Snapshot own;                // of this rank
  std::string index_path;      // empty: one file
  io::SafetensorsIndex index;  // of rank 0
  std::exception_ptr error;    // what prepare() or write() has met

 private:
  bool written_ = false;
};

// `group`: the ranks that have the parts of one model.
template <class R, class G>
class RanksSaveJob final : public SaveJob {
 public:
  RanksSaveJob(const R& ranks, const G& group) : ranks_(ranks), group_(group) {}
  bool is_alone() const override { return ranks_.size() == 1 && group_.size() == 1; }
  void finish() override {
    ranks_.together("save the checkpoint", [&] {
      group_.together("save the checkpoint", [&] {
        if (error) std::rethrow_exception(error);
      });
    });
    if (index_path.empty()) return;
    ranks_.together("write the index of the checkpoint", [&] {
      if (ranks_.rank() == 0) replace_index();
    });
  }

 private:
  // Behind it the files of the save before are no longer needed.
  void replace_index() const {
    const std::vector<std::string> before = files_of(old_index(index_path)), now = files_of(index);
    io::write_safetensors_index(index_path, index);
    for (const std::string& file : before) {
      bool kept = false;
      for (const std::string& other : now) kept = kept || file == other;
      if (!kept) ::unlink((folder_of(index_path) + file).c_str());
    }
  }
  // Those that an index names; of a save each file's tensors stand together.
  static std::vector<std::string> files_of(const io::SafetensorsIndex& of) {
    std::vector<std::string> files;
    for (const io::SafetensorsIndex::Entry& place : of.places)
      if (files.empty() || files.back() != place.file) files.push_back(place.file);
    return files;
  }

  R ranks_;
  G group_;
};

}  // namespace train

// A checkpoint on its way to the disk. A new one that is assigned waits for the one before, and so does the
// end of this object, which reports an error that nobody has asked for on stderr. On several ranks a call of
// all, each of these included.
class [[nodiscard]] Saving {
 public:
  Saving() = default;
  // Writes in a thread of its own, or at once where the system has none to give.
  explicit Saving(Shared<train::SaveJob> job) : job_(std::move(job)) {
    threaded_ = ::pthread_create(&thread_, nullptr, &Saving::write, job_.get()) == 0;
    if (!threaded_) job_->write();
  }
  Saving(Saving&& other) noexcept { swap(other); }
  // Throws what wait() throws.
  Saving& operator=(Saving&& other) {
    Saving next(std::move(other));
    std::exception_ptr error;
    try {
      wait();
    } catch (...) {
      error = std::current_exception();
    }
    swap(next);  // which goes on, whatever became of the one before
    if (error) std::rethrow_exception(error);
    return *this;
  }
  ~Saving() {
    try {
      join();
      // While an error passes through, other ranks may have gone.
      if (job_ && (job_->is_alone() || std::uncaught_exceptions() == exceptions_)) job_->finish();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "weft: a checkpoint was not saved: %s\n", error.what());
    }
  }

  // Whether the disk has it, so that wait() need not wait for that.
  bool is_written() const { return !job_ || job_->is_written(); }
  // Returns when the checkpoint is in its place; throws what save() would have thrown.
  void wait() {
    join();
    if (const Shared<train::SaveJob> job = std::exchange(job_, {})) job->finish();
  }

 private:
  static void* write(void* job) {
    static_cast<train::SaveJob*>(job)->write();
    return nullptr;
  }
  void join() {
    if (std::exchange(threaded_, false)) ::pthread_join(thread_, nullptr);
  }
  void swap(Saving& other) noexcept {
    std::swap(job_, other.job_), std::swap(thread_, other.thread_), std::swap(threaded_, other.threaded_);
  }

  Shared<train::SaveJob> job_;
  pthread_t thread_{};
  bool threaded_ = false;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace WEFT_NAMESPACE
