#pragma once
// A kernel ready to run: its instructions with the places of their operands, and how its registers are laid
// out.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "softgpu/op.hpp"
#include "softgpu/ptx/syntax.hpp"
#include "softgpu/types.hpp"

namespace softgpu {

// The addresses at which generic accesses find shared memory and parameters: no host address looks like
// these.
inline constexpr u64 shared_window = u64{0x5f} << 56, param_window = u64{0x5e} << 56,
                     local_window = u64{0x5d} << 56;

enum class Special : u8 {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  lanemask_eq
};

struct Parameter {
  u32 offset = 0, size = 0;
};

struct Kernel {
  std::string name;
  std::vector<Op> code;
  std::vector<Parameter> parameters;
  u32 parameter_bytes = 0;
  u32 static_shared = 0;
  u32 local_bytes = 0;        // a thread, of the PTX
  u32 shared_granule = 4;     // the narrowest access to shared memory
  u32 register_bytes = 0;     // of a warp
  bool communicates = false;  // holds a fence or an atomic: blocks may wait for each other's plain stores
  bool products = false;      // of warpgroups, which read shared memory by another proxy
  int max_threads = 0;
  u32 machine_registers = 0;  // a thread, of the machine code beside the PTX
  u32 machine_local = 0;      // bytes of local memory a thread, of the same
  struct Constant {
    Row at;
    u64 bits;
    bool wide;
    bool predicate = false;
  };
  std::vector<Constant> constants;
  std::vector<std::pair<Row, Special>> specials;
};

// Every kernel of a module; stops at what is not known. `symbols` are the addresses of its global variables.
std::map<std::string, std::unique_ptr<Kernel>> decode(const ptx::Module& module,
                                                      const std::map<std::string, u64>& symbols);

}  // namespace softgpu
