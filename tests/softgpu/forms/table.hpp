#pragma once
// Every form of instruction that the device knows: its opcode with all modifiers, what runs it, and how wide
// the registers of its operands are.

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "softgpu/op.hpp"

namespace softgpu {

// A row of registers holds 32 lanes of 4 or of 8 bytes (narrower values lie in 4), or one bit a lane.
enum class Width : u8 { predicate, narrow, wide };

struct Form {
  Execute execute = nullptr;
  Class kind = Class::integer;
  std::vector<Width> results, operands;
  Control control = Control::none;
  // Loads and stores: bytes of an element, and the space.
  u8 bytes = 0;
  bool loads = false, stores = false;
  bool copies = false;   // from global to shared memory
  bool aligned = false;  // all 32 lanes run it together, or what it does is undefined
  int columns = 0;       // of a warpgroup's product
};

class FormTable {
 public:
  void add(const std::string& opcode, Form form) { forms_[opcode] = std::move(form); }
  void add(std::initializer_list<const char*> opcodes, const Form& form) {
    for (const char* opcode : opcodes) forms_[opcode] = form;
  }
  const Form* find(const std::string& opcode) const {
    const auto at = forms_.find(opcode);
    return at == forms_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::string, Form> forms_;
};

void add_integer_forms(FormTable& table);
void add_carry_forms(FormTable& table);
void add_float_forms(FormTable& table);
void add_convert_forms(FormTable& table);
void add_select_forms(FormTable& table);
void add_memory_forms(FormTable& table);
void add_atomic_forms(FormTable& table);
void add_warp_forms(FormTable& table);
void add_matrix_forms(FormTable& table);
void add_copy_forms(FormTable& table);
void add_warpgroup_forms(FormTable& table);

const FormTable& forms();

}  // namespace softgpu
