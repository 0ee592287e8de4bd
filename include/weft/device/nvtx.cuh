#pragma once
// NVTX: named ranges of this thread, which NVIDIA's tools show above what the GPU does (nsys profile
// --trace=nvtx,cuda). Where no tool listens a range costs a test of a pointer.

#include <string>
#include <string_view>
#include <vector>

#include "weft/core/config.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#endif

namespace WEFT_NAMESPACE {

// A range inside those that are open. (A toolkit may be installed without NVTX: then there is none.)
inline void nvtx_push([[maybe_unused]] const char* name) {
#if __has_include(<nvtx3/nvToolsExt.h>)
  nvtxRangePushA(name);
#endif
}
inline void nvtx_pop() {
#if __has_include(<nvtx3/nvToolsExt.h>)
  nvtxRangePop();
#endif
}

// The modules that work is done for, each a range inside that of the module around it.
class NvtxModules {
 public:
  NvtxModules() = default;
  NvtxModules(const NvtxModules&) = delete;
  NvtxModules& operator=(const NvtxModules&) = delete;
  ~NvtxModules() { leave(0); }

  // From now on work is of the module `path`, "h.0.mlp": what it shares with the last one stays open. What is
  // no path, "after fc2", is one range.
  void enter(std::string_view path) {
    std::size_t depth = 0;
    while (!path.empty()) {
      const std::size_t end = path.find(' ') == path.npos ? path.find('.') : path.npos;
      const std::string_view name = path.substr(0, end);
      path = end == path.npos ? std::string_view() : path.substr(end + 1);
      if (depth < open_.size() && open_[depth] != name) leave(depth);
      if (depth++ < open_.size()) continue;
      open_.emplace_back(name);
      nvtx_push(open_.back().c_str());
    }
    leave(depth);
  }

 private:
  void leave(std::size_t depth) {
    for (; open_.size() > depth; open_.pop_back()) nvtx_pop();
  }
  std::vector<std::string> open_;
};

}  // namespace WEFT_NAMESPACE
