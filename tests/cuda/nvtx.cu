// The ranges of NVTX that profile() opens, as a tool gets them: this program is its own tool, by the function
// that NVTX looks for in a program.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "weft/device/nvtx.cuh"
#include "weft/weft.hpp"

using namespace weft;

namespace {

std::vector<std::string> opened, seen;  // seen: ranges with those around them, "fc1/#0 dot ..."
int NVTX_API push(const char* name) {
  opened.emplace_back(name);
  std::string path;
  for (const std::string& one : opened) path += (path.empty() ? "" : "/") + one;
  seen.push_back(path);
  return static_cast<int>(opened.size()) - 1;
}
int NVTX_API pop() {
  opened.pop_back();
  return static_cast<int>(opened.size());
}

int NVTX_API listen(NvtxGetExportTableFunc_t table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable functions = nullptr;
  unsigned count = 0;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &count) == 0)
    return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = reinterpret_cast<NvtxFunctionPointer>(push);
  *functions[NVTX_CBID_CORE_RangePop] = reinterpret_cast<NvtxFunctionPointer>(pop);
  return 1;
}

struct Mlp {
  nn::Linear<64, 128> up{};
  nn::Linear<128, 64> down{};
  constexpr auto operator()(auto x) const { return down(relu(up(x))); }
};
struct Net {
  Mlp first{};
  Mlp second{};
  constexpr auto operator()(auto x) const { return second(first(x)); }
};

bool saw(const std::string& path) {
  return std::any_of(seen.begin(), seen.end(),
                     [&](const std::string& s) { return s.compare(0, path.size(), path) == 0; });
}

// Before the first range.
[[maybe_unused]] const bool listens = (InitializeInjectionNvtx2_fnptr = listen) != nullptr;

}  // namespace

TEST_CASE("cuda nvtx: a module is inside the module around it, and stays open while work is its own") {
  seen.clear();
  {
    NvtxModules modules;
    for (const char* path : {"h.0.up", "h.0.down", "h.1", "after fc2.x", ""}) modules.enter(path);
    CHECK(opened.empty());
    modules.enter("a.b");
  }
  CHECK(opened.empty());
  CHECK(seen == std::vector<std::string>{"h", "h/0", "h/0/up", "h/0/down", "h/1", "after fc2.x", "a", "a/b"});
}

TEST_CASE("cuda nvtx: profile() shows each launch in its modules, as explain() has it") {
  seen.clear();
  auto f = compile<Net>(
      Cuda{}, [](const auto& m, auto x) { return m(x); }, in<f32, 8, 64>);
  f(std::vector<f32>(8 * 64, 1.0f));
  CHECK(seen.empty());  // a graph is one launch
  f.profile();
  CHECK(opened.empty());
  CHECK(saw("first/up/#0 dot"));
  CHECK(saw("second/down/#"));

  seen.clear();
  auto trainer = make_trainer<Net>(
      Cuda{}, [](const auto& m, auto x) { return mean<>(square(m(x))); }, in<f32, 8, 64>,
      optim::SGD{.lr = 0.1f});
  trainer.profile(std::vector<f32>(8 * 64, 1.0f));
  CHECK(opened.empty());
  CHECK(saw("first/up/#0 dot"));
  CHECK(saw("first/down/#"));
}
