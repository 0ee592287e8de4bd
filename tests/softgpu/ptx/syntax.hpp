#pragma once
// PTX as read: a module's variables and kernels, statement by statement.

#include <map>
#include <string>
#include <vector>

#include "softgpu/types.hpp"

namespace softgpu::ptx {

struct Operand {
  enum class Kind { reg, immediate, symbol, vector, address, none };
  Kind kind = Kind::none;
  std::string name;      // of a register or symbol; of an address, of its base, empty for a plain number
  u64 bits = 0;          // of an immediate
  i64 offset = 0;        // of an address
  bool negated = false;  // !%p1
  std::vector<Operand> elements;  // of a vector; of %r1|%p1, the second
};

struct Instruction {
  int line = 0;
  std::string opcode;  // with its modifiers
  std::string guard;   // a predicate, or empty
  bool guard_negated = false;
  std::vector<Operand> operands;
  u32 used_bytes = ~0u;  // of a vector load: which of its bytes are used (a pragma says so)
};

enum class Space { reg, global, shared, param, constant, local };

struct Variable {
  std::string name;
  Space space = Space::reg;
  u64 size = 0, align = 1;
  bool external = false;
  std::vector<u8> initial;
};

// The register of carries: a predicate that every kernel has.
inline constexpr const char* carry = "%carry";

struct Kernel {
  std::string name;
  std::vector<Variable> parameters;
  std::vector<Variable> variables;               // shared and local, inside the kernel
  std::map<std::string, std::string> registers;  // name or prefix -> type
  std::vector<Instruction> body;
  std::map<std::string, int> labels;  // -> index into body
  int max_threads = 0;                // .maxntid, 0 for none
};

struct Module {
  std::vector<Variable> variables;
  std::vector<Kernel> kernels;
};

// Stops at what is not understood, with its line.
Module parse(const std::string& text);

// The bytes of a type such as "f32" or "b64"; 0 for "pred".
int type_bytes(const std::string& type);

}  // namespace softgpu::ptx
