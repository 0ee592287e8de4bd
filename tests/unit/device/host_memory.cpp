#include "weft/device/host_memory.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/error_of.hpp"
#include "unit/io/scratch.hpp"
#include "weft/device/cpu.hpp"

using namespace weft;

namespace {

// A machine as its files describe it.
class Machine {
 public:
  Machine& file(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root() + path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
    return *this;
  }
  Machine& with_memory() {
    return file("/proc/meminfo",
                "MemTotal: 9000 kB\nMemFree: 100 kB\nMemAvailable:    5000 kB\nSwapFree: 1000 kB\n");
  }
  i64 left() const { return available_host_memory(root()); }

 private:
  std::string root() const { return folder_.path(); }
  ScratchFolder folder_;
};

}  // namespace

TEST_CASE("host memory: what the machine has, where no control group says less") {
  CHECK(Machine().left() == -1);
  CHECK(Machine().with_memory().left() == 6000 * 1024);
  Machine m;
  m.with_memory().file("/proc/self/cgroup", "0::/\n").file("/sys/fs/cgroup/memory.max", "max\n");
  CHECK(m.file("/sys/fs/cgroup/memory.current", "77\n").left() == 6000 * 1024);
}

TEST_CASE("host memory: the least that a control group of version 2 around the process leaves") {
  Machine m;
  m.with_memory().file("/proc/self/cgroup", "0::/user/job\n");
  m.file("/sys/fs/cgroup/user/memory.max", "3000000\n")
      .file("/sys/fs/cgroup/user/memory.current", "1000000\n");
  CHECK(m.left() == 2000000);
  m.file("/sys/fs/cgroup/user/memory.stat", "anon 5\ninactive_file 250000\nactive_file 9\n");
  CHECK(m.left() == 2250000);  // pages of files can go
  m.file("/sys/fs/cgroup/user/job/memory.max", "900\n")
      .file("/sys/fs/cgroup/user/job/memory.current", "1000\n");
  CHECK(m.left() == 0);
}

TEST_CASE("host memory: control groups of version 1, and a container that sees its own as the root") {
  Machine m;
  m.with_memory().file("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/abc\n1:cpuset:/x\n");
  CHECK(m.left() == 6000 * 1024);
  m.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "5000\n");
  m.file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2000\n");
  CHECK(m.left() == 3000);
  m.file("/sys/fs/cgroup/memory/memory.stat", "cache 9\ntotal_inactive_file 500\n");
  CHECK(m.left() == 3500);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST_CASE("host memory: more than is left is refused before it is touched") {
  const i64 left = available_host_memory();
  if (left < 0) return;
  // malloc alone would promise it
  const auto bytes = static_cast<std::size_t>(left) + (std::size_t{1} << 30);
  CHECK(testing::error_of([&] { HostBuffer buffer(bytes); }) == "cpu/out-of-memory");
}
#endif
