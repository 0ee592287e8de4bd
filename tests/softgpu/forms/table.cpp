#include "softgpu/forms/table.hpp"

namespace softgpu {

const FormTable& forms() {
  static const FormTable* const table = [] {
    auto* const made = new FormTable;
    add_integer_forms(*made);
    add_carry_forms(*made);
    add_float_forms(*made);
    add_convert_forms(*made);
    add_select_forms(*made);
    add_memory_forms(*made);
    add_atomic_forms(*made);
    add_warp_forms(*made);
    add_matrix_forms(*made);
    add_copy_forms(*made);
    add_warpgroup_forms(*made);
    return made;
  }();
  return *table;
}

}  // namespace softgpu
