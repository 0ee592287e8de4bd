// System calls that fail, are interrupted, do half of their work, or are the last that a process makes: of
// saving and of loading, each in its turn. The calls of this program go through the functions below, which
// pass them on to the kernel unless a test says otherwise.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstdarg>
#include <functional>
#include <set>

#include "../unit/io/scratch.hpp"
#include "weft/data/digits.hpp"
#include "weft/io/csv.hpp"
#include "weft/io/safetensors.hpp"

using namespace weft;

namespace {

struct Gate {
  bool armed = false;
  int calls = 0;               // made since it was armed
  int fail_at = 0, error = 0;  // the call of this number fails with this error
  int kill_at = 0;             // at the call of this number the process is killed: even ones are done before
  bool interrupt_all = false;  // every call is interrupted once
  bool short_writes = false;   // a write puts half of what it is given
  bool interrupted = false;
  std::set<std::string> names;  // of the calls that were made
  std::string failed;           // the call that failed
};
Gate gate;

// Whether a call is to fail; then errno is set.
bool stopped(const char* name) {
  if (!gate.armed) return false;
  if (gate.interrupt_all && std::strcmp(name, "close") != 0) {
    gate.interrupted = !gate.interrupted;
    if (gate.interrupted) return errno = EINTR, true;
  }
  ++gate.calls;
  gate.names.insert(name);
  if (gate.kill_at == 2 * gate.calls - 1) ::raise(SIGKILL);
  if (gate.fail_at != gate.calls) return false;
  gate.failed = name;
  return errno = gate.error, true;
}
template <class... A>
long pass(const char* name, long number, A... arguments) {
  if (stopped(name)) return -1;
  const long result = ::syscall(number, arguments...);
  if (gate.armed && gate.kill_at == 2 * gate.calls) ::raise(SIGKILL);
  return result;
}

int mode_of(int flags, va_list& list) { return (flags & O_CREAT) != 0 ? va_arg(list, int) : 0; }

}  // namespace

extern "C" {
int open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = mode_of(flags, list);
  va_end(list);
  return static_cast<int>(pass("open", SYS_openat, AT_FDCWD, path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const int mode = mode_of(flags, list);
  va_end(list);
  return static_cast<int>(pass("openat", SYS_openat, folder, path, flags, mode));
}
int close(int file) {
  const bool fails = stopped("close");
  const int error = errno;
  const int result = static_cast<int>(::syscall(SYS_close, file));  // whatever it says, the file is closed
  if (gate.armed && gate.kill_at == 2 * gate.calls) ::raise(SIGKILL);
  return fails ? (errno = error, -1) : result;
}
ssize_t read(int file, void* to, std::size_t size) { return pass("read", SYS_read, file, to, size); }
ssize_t write(int file, const void* from, std::size_t size) {
  return pass("write", SYS_write, file, from, gate.armed && gate.short_writes ? (size + 1) / 2 : size);
}
int fsync(int file) { return static_cast<int>(pass("fsync", SYS_fsync, file)); }
int syncfs(int file) noexcept { return static_cast<int>(pass("syncfs", SYS_syncfs, file)); }
int flock(int file, int how) noexcept { return static_cast<int>(pass("flock", SYS_flock, file, how)); }
int fchmod(int file, mode_t mode) noexcept {
  return static_cast<int>(pass("fchmod", SYS_fchmod, file, mode));
}
int fchown(int file, uid_t user, gid_t group) noexcept {
  return static_cast<int>(pass("fchown", SYS_fchown, file, user, group));
}
int fstat(int file, struct stat* status) noexcept {
  return static_cast<int>(pass("fstat", SYS_fstat, file, status));
}
int fstatat(int folder, const char* path, struct stat* status, int flags) noexcept {
  return static_cast<int>(pass("fstatat", SYS_newfstatat, folder, path, status, flags));
}
ssize_t readlink(const char* path, char* to, std::size_t size) noexcept {
  return pass("readlink", SYS_readlinkat, AT_FDCWD, path, to, size);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return static_cast<int>(pass("renameat", SYS_renameat2, from_folder, from, to_folder, to, 0));
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return static_cast<int>(pass("unlinkat", SYS_unlinkat, folder, path, flags));
}
void* mmap(void* at, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  return reinterpret_cast<void*>(pass("mmap", SYS_mmap, at, size, protection, flags, file, offset));
}
int munmap(void* at, std::size_t size) noexcept {
  return static_cast<int>(pass("munmap", SYS_munmap, at, size));
}
}

namespace {

// The action under the gate's present settings; "done", or the id of its Error.
std::string run(const std::function<void()>& action) {
  gate.calls = 0;
  gate.interrupted = false;
  gate.names.clear();
  gate.failed.clear();
  gate.armed = true;
  std::string id = "done";
  try {
    action();
  } catch (const Error& error) {
    id = error.id();
  }
  gate.armed = false;
  return id;
}
int calls_of(const std::function<void()>& action) {
  gate = {};
  REQUIRE(run(action) == "done");
  return gate.calls;
}
int descriptors() {
  int n = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++n;
  return n;
}

const std::string old_text = "old", new_text(100'000, 'n');
const int errors[] = {EIO, EACCES, ENOSPC, ENOENT, EINTR};

}  // namespace

TEST_CASE("calls: each of a save fails in its turn, and the path holds the old or the new") {
  const ScratchFolder folder;
  const std::string path = folder / "a", link = folder / "link";
  REQUIRE(::symlink("a", link.c_str()) == 0);
  const auto save = [&] { io::write_file(link, new_text); };
  std::set<std::string> seen;
  int tried = 0;
  for (const bool over : {false, true}) {
    const auto prepare = [&] {
      ::unlink(path.c_str());
      if (!over) return;
      io::write_file(path, old_text);
      REQUIRE(::chmod(path.c_str(), 0640) == 0);
      if (::geteuid() == 0) REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
    };
    prepare();
    const int count = calls_of(save);
    seen.insert(gate.names.begin(), gate.names.end());
    const int files = descriptors();
    for (int k = 1; k <= count; ++k)
      for (const int error : errors) {
        prepare();
        gate = {};
        gate.fail_at = k, gate.error = error;
        const std::string id = run(save), failed = gate.failed;
        gate = {};
        ++tried;
        CAPTURE(k);
        CAPTURE(error);
        CAPTURE(failed);
        CAPTURE(id);
        REQUIRE(failed != "");
        const bool there = std::filesystem::exists(path);
        const std::string content = there ? io::read_file(path) : "";
        if (id == "done") {
          CHECK(content == new_text);
        } else {
          // A folder that cannot be synced is found when all is done, and the message says so.
          const bool late = failed == "fsync" && content == new_text && id == "file/sync";
          CHECK((late || content == (over ? old_text : "")));
          CHECK((late || there == over));
        }
        if (error == EINTR && failed != "close") CHECK(id == "done");
        if (failed == "write" || failed == "renameat") CHECK((error == EINTR || id != "done"));
        CHECK(descriptors() == files);
        // What could not be removed, the next save removes.
        save();
        CHECK(folder.count() == 2);
      }
  }
  CHECK(tried >= 27 * 5);
  for (const char* name :
       {"open", "openat", "close", "write", "fsync", "flock", "fchmod", "fstatat", "readlink", "renameat"})
    CHECK(seen.count(name) == 1);
}

TEST_CASE("calls: each of a load fails in its turn, and there is an Error or the right content") {
  const ScratchFolder folder;
  const f32 values[2] = {1, 2};
  io::write_safetensors(folder / "m", {{"w", DType::f32, {2}, values}});
  io::write_file(folder / "t.csv", "a\n1\n2\n");
  bool right = false;
  const std::vector<std::function<void()>> loads = {
      [&] { right = io::Safetensors(folder / "m").at("w").to_vector<f32>()[1] == 2; },
      [&] { right = io::read_csv(folder / "t.csv").column("a")[1] == 2; },
      [&] { right = io::read_file(folder / "t.csv") == "a\n1\n2\n"; },
      [&] { right = data::load_digits(repository_file("examples/data/digits.bin")).test.size() == 360; }};
  for (const auto& load : loads) {
    const int count = calls_of(load), files = descriptors();
    CHECK(count >= 3);
    for (int k = 1; k <= count; ++k)
      for (const int error : errors) {
        gate = {};
        gate.fail_at = k, gate.error = error;
        right = false;
        const std::string id = run(load), failed = gate.failed;
        CAPTURE(failed);
        CAPTURE(error);
        CHECK(((id == "done" && right) || id == "file/open" || id == "file/read" || id == "file/map"));
        if (failed == "open" || failed == "fstat" || failed == "read" || failed == "mmap")
          CHECK((id == "done") == (error == EINTR && failed != "mmap"));
        gate = {};
        CHECK(descriptors() == files);
      }
  }
}

TEST_CASE("calls: every one interrupted once, and writes that do half their work") {
  const ScratchFolder folder;
  gate = {};
  gate.interrupt_all = true;
  CHECK(run([&] { io::write_file(folder / "a", new_text); }) == "done");
  CHECK(run([&] { io::write_file(folder / "a", new_text); }) == "done");
  CHECK(run([&] { CHECK(io::read_file(folder / "a") == new_text); }) == "done");
  gate = {};
  gate.short_writes = true;
  CHECK(run([&] { io::write_file(folder / "b", new_text); }) == "done");
  gate = {};
  CHECK(io::read_file(folder / "b") == new_text);
  CHECK(folder.count() == 2);
}

TEST_CASE("calls: a process killed at each of a save's leaves the old or the new, and nothing for long") {
  const ScratchFolder folder;
  const std::string path = folder / "a";
  io::write_file(path, old_text);
  const auto save = [&] { io::write_file(path, new_text); };
  const int count = calls_of(save);
  int old_ones = 0, new_ones = 0;
  for (int k = 1; k <= 2 * count; ++k) {
    io::write_file(path, old_text);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      gate = {};
      gate.kill_at = k;
      run(save);
      ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CAPTURE(k);
    CHECK(WIFSIGNALED(status));
    const std::string content = io::read_file(path);
    (content == old_text ? old_ones : new_ones) += 1;
    CHECK((content == old_text || content == new_text));
    CHECK(folder.count() <= 2);
    save();
    CHECK(folder.count() == 1);
  }
  CHECK(old_ones > 10);
  CHECK(new_ones >= 2);
}

TEST_CASE("calls: a process killed at any time of many saves leaves one of them whole") {
  const ScratchFolder folder;
  const std::string path = folder / "m";
  std::vector<f32> values(50'000);
  const auto save = [&](f32 x) {
    for (f32& v : values) v = x;
    io::write_safetensors(path, {{"w", DType::f32, {50'000}, values.data()}});
  };
  save(-1);
  u64 state = 88172645463325252u;
  for (int trial = 0; trial < 300; ++trial) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      for (f32 x = 0;; ++x) save(x);
    }
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    ::usleep(static_cast<useconds_t>(state % 4000));
    ::kill(child, SIGKILL);
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    const io::Safetensors file(path);
    const std::vector<f32> found = file.at("w").to_vector<f32>();
    bool whole = true;
    for (const f32 v : found) whole = whole && v == found[0];
    REQUIRE(whole);
    REQUIRE(folder.count() <= 2);
  }
  save(0);
  CHECK(folder.count() == 1);
}
