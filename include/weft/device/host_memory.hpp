#pragma once
// How much memory the host has left for this process. malloc promises more than there is, and the process is
// killed when it touches what was promised, so a large allocation asks first.

#include <cstdio>
#include <cstring>
#include <string>

#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE {

namespace detail {

// The number behind `key` in a file of lines "key 123", in the file's unit, or the file's only number where
// the key is empty; -1 where there is none ("max").
inline i64 number_in_file(const std::string& path, const char* key) {
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return -1;
  const std::size_t length = std::strlen(key);
  char line[256];
  i64 found = -1;
  while (found < 0 && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::strncmp(line, key, length) != 0) continue;
    long long number = -1;
    if (std::sscanf(line + length, " %lld", &number) == 1 && number >= 0) found = number;
  }
  std::fclose(file);
  return found;
}

// What a control group leaves, in bytes; -1: it has no limit. File pages that were not used lately are given
// back when memory is short.
inline i64 left_in_group(const std::string& folder, const char* limit, const char* used, const char* cache) {
  const i64 most = number_in_file(folder + limit, ""), now = number_in_file(folder + used, "");
  if (most < 0 || now < 0) return -1;
  const i64 pages = number_in_file(folder + "/memory.stat", cache);
  const i64 held = pages > 0 ? now - pages : now;
  return most - (held < 0 ? 0 : held < most ? held : most);
}

inline void take_least(i64& least, i64 bytes) {
  if (bytes >= 0 && (least < 0 || bytes < least)) least = bytes;
}

}  // namespace detail

// Bytes that this process can still take: what is free on the machine, swap included, and what every control
// group around the process leaves (Linux, cgroup versions 1 and 2); -1 where nothing says. `root`: before the
// paths of /proc and /sys.
inline i64 available_host_memory(const std::string& root = "") {
  i64 least = -1;
  const std::string machine = root + "/proc/meminfo";
  const i64 free = detail::number_in_file(machine, "MemAvailable:"),
            swap = detail::number_in_file(machine, "SwapFree:");
  if (free >= 0) least = 1024 * (free + (swap > 0 ? swap : 0));

  std::FILE* const groups = std::fopen((root + "/proc/self/cgroup").c_str(), "r");
  if (groups == nullptr) return least;
  char line[4096];
  while (std::fgets(line, sizeof line, groups) != nullptr) {  // 4:memory:/path, or 0::/path of version 2
    line[std::strcspn(line, "\n")] = '\0';
    const char* const controllers = std::strchr(line, ':');
    const char* const path = controllers != nullptr ? std::strchr(controllers + 1, ':') : nullptr;
    if (path == nullptr) continue;
    std::string names = ",";  // appended to: GCC 12 warns of a literal + a temporary (its bug 105651)
    names.append(controllers + 1, path).append(",");
    const bool unified = names == ",,", memory = names.find(",memory,") != std::string::npos;
    if (!unified && !memory) continue;
    const std::string mount = root + (unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory");
    // the group and all around it; inside a container the path may begin above what is mounted
    for (std::string group = path + 1;; group.erase(group.rfind('/'))) {
      detail::take_least(
          least, unified
                     ? detail::left_in_group(mount + group, "/memory.max", "/memory.current", "inactive_file")
                     : detail::left_in_group(mount + group, "/memory.limit_in_bytes",
                                             "/memory.usage_in_bytes", "total_inactive_file"));
      if (group.rfind('/') == std::string::npos) break;
    }
  }
  std::fclose(groups);
  return least;
}

}  // namespace WEFT_NAMESPACE
