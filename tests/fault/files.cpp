// Faults of the file system: whatever goes wrong while a file is replaced, the old one stays and nothing is
// left beside it.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <functional>

#include "../unit/io/scratch.hpp"
#include "weft/io/file.hpp"
#include "weft/io/safetensors.hpp"
#include "weft/train/curve.hpp"

using namespace weft;

// Lowers a resource limit for a scope; past a file size limit, write(2) then says EFBIG.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_) == 0);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, old_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  sighandler_t handler_;
};

TEST_CASE("fault: a write cut short by a size limit") {
  const ScratchFolder folder;
  const std::string path = folder / "a", big(100'000, 'n');
  io::write_file(path, "old");
  std::string text;
  {
    const FileSizeLimit limit(50'000);  // the first write is short, the second fails
    text = error_text([&] { io::write_file(path, big); });
  }
  CHECK(text.find("file/write: ") == 0);
  CHECK(text.find(path) != std::string::npos);
  CHECK(text.find("File too large") != std::string::npos);
  CHECK(io::read_file(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("fault: a checkpoint and a chart cut short") {
  const ScratchFolder folder;
  const std::vector<f32> values(20'000, 1.0f);
  io::write_safetensors(folder / "m", {{"w", DType::f32, {3}, values.data()}});
  const std::string old = io::read_file(folder / "m");
  train::Curve curve;
  for (int i = 0; i < 5000; ++i) curve.add("a", i, i % 7);
  {
    const FileSizeLimit limit(10'000);
    CHECK(error_id([&] {
            io::write_safetensors(folder / "m", {{"w", DType::f32, {20'000}, values.data()}});
          }) == "file/write");
    CHECK(error_id([&] { curve.save(folder / "c.svg"); }) == "file/write");
  }
  CHECK(io::read_file(folder / "m") == old);
  CHECK(io::Safetensors(folder / "m").at("w").size() == 3);
  CHECK(folder.count() == 1);
}

TEST_CASE("fault: a full disk") {
  const ScratchFolder folder;
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    MESSAGE("skipped: mounting a small tmpfs needs root");
    return;
  }
  const std::string path = folder / "a";
  io::write_file(path, "old");
  const std::string text = error_text([&] { io::write_file(path, std::string(1'000'000, 'n')); });
  const std::string kept = io::read_file(path);
  const int files = folder.count();
  // With the failed file gone there is room again.
  const std::string again = error_id([&] { io::write_file(path, std::string(10'000, 'n')); });
  REQUIRE(::umount(folder.path().c_str()) == 0);
  CHECK(text == "file/write: cannot write '" + path + "': No space left on device");
  CHECK(kept == "old");
  CHECK(files == 1);
  CHECK(again == "no error");
}

TEST_CASE("fault: folders that cannot take the file") {
  const ScratchFolder folder;
  io::write_file(folder / "file", "x");
  const auto text = [](const std::string& path) { return error_text([&] { io::write_file(path, "n"); }); };
  CHECK(text(folder / "none/a").find("file/create: ") == 0);
  CHECK(text(folder / "none/a").find("No such file or directory") != std::string::npos);
  CHECK(text(folder / "file/a").find("Not a directory") != std::string::npos);
  CHECK(text(folder / "file/a").find(folder / "file/a") != std::string::npos);
  CHECK(text(folder.path()).find("file/not-regular: ") == 0);
  CHECK(text("/dev/full").find("file/not-regular: ") == 0);
  CHECK(text("").find("file/create: ") == 0);
  CHECK(text(folder / std::string(300, 'x')).find("File name too long") != std::string::npos);
  CHECK(text("/proc/weft-test").find("file/create: ") == 0);
  CHECK(folder.count() == 1);
}

// Runs `action` in a child that has given up root, and returns whether it returned true.
static bool as_nobody(const std::function<bool()>& action) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const bool dropped = ::geteuid() != 0 || (::setgid(65534) == 0 && ::setuid(65534) == 0);
    ::_exit(dropped && action() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_CASE("fault: a folder without permission to write") {
  const ScratchFolder folder;
  const std::string path = folder / "a";
  io::write_file(path, "old");
  REQUIRE(::chmod(path.c_str(), 0666) == 0);
  REQUIRE(::chmod(folder.path().c_str(), 0555) == 0);
  CHECK(as_nobody([&] {
    const std::string text = error_text([&] { io::write_file(path, "new"); });
    return text.find("file/create: ") == 0 && text.find("Permission denied") != std::string::npos;
  }));
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  CHECK(io::read_file(path) == "old");
  CHECK(folder.count() == 1);
}

TEST_CASE("fault: a folder that may be written and not read") {
  const ScratchFolder folder;
  const std::string path = folder / "a";
  REQUIRE(::chmod(folder.path().c_str(), 0333) == 0);
  CHECK(as_nobody([&] {
    io::write_file(path, "new");
    io::write_file(path, "newer");
    return io::read_file(path) == "newer";
  }));
  REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
  CHECK(folder.count() == 1);
}

TEST_CASE("fault: root leaves a user's file with the user, and a user keeps of it what he may") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: owners are given by root");
    return;
  }
  const ScratchFolder folder;
  const std::string path = folder / "a";
  const auto owned = [&](uid_t user, gid_t group, mode_t mode) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && status.st_uid == user && status.st_gid == group &&
           (status.st_mode & 07777) == mode;
  };
  io::write_file(path, "old");
  REQUIRE(::chown(path.c_str(), 1234, 5678) == 0);
  REQUIRE(::chmod(path.c_str(), 04750) == 0);
  io::write_file(path, "new");
  CHECK(owned(1234, 5678, 0750));
  // Somebody else may write the folder: the file becomes his, and his group may no more than everybody.
  REQUIRE(::chmod(folder.path().c_str(), 0777) == 0);
  REQUIRE(::chmod(path.c_str(), 0664) == 0);
  CHECK(as_nobody([&] {
    io::write_file(path, "nobody's");
    return true;
  }));
  CHECK(owned(65534, 65534, 0644));
  CHECK(io::read_file(path) == "nobody's");
}

TEST_CASE("fault: another user's link in a folder that all may write is not followed") {
  if (::geteuid() != 0) {
    MESSAGE("skipped: owners are given by root");
    return;
  }
  const ScratchFolder folder;
  io::write_file(folder / "victim", "old");
  REQUIRE(::mkdir((folder / "all").c_str(), 0755) == 0);
  REQUIRE(::chmod((folder / "all").c_str(), 01777) == 0);
  const std::string link = folder / "all/link";
  REQUIRE(::symlink((folder / "victim").c_str(), link.c_str()) == 0);
  CHECK(error_id([&] { io::write_file(link, "own"); }) == "no error");
  REQUIRE(::lchown(link.c_str(), 1234, 5678) == 0);
  CHECK(error_text([&] { io::write_file(link, "new"); }).find("another user's symbolic link") !=
        std::string::npos);
  CHECK(io::read_file(folder / "victim") == "own");
}

TEST_CASE("fault: the target becomes a folder while it is written") {
  const ScratchFolder folder;
  const std::string path = folder / "a";
  io::AtomicFile file(path);
  file.write("new");
  REQUIRE(::mkdir(path.c_str(), 0755) == 0);
  CHECK(error_id([&] { file.commit(); }) == "file/rename");
  CHECK(folder.count() == 1);  // the folder alone
}

TEST_CASE("fault: killed in the middle, the old file stays") {
  const ScratchFolder folder;
  const std::string path = folder / "a";
  io::write_file(path, "old");
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    io::AtomicFile file(path);
    file.write(std::string(10'000, 'n'));
    ::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  CHECK(io::read_file(path) == "old");
}
