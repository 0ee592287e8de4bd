#pragma once
// The memory that a program works in, and what is said where there is none.

#include <string>

#include "weft/compiler/image.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE::exec {

// Of a workspace that there is no memory for: its largest values, and what takes less.
inline std::string workspace_text(const compiler::ImageHeader& header) {
  std::string text = "this is the workspace, which holds values between kernels";
  const char* before = "; the largest are ";
  for (const compiler::LargeValue& value : header.largest) {
    if (value.bytes < 1 << 20) break;
    const auto op = static_cast<ir::Op>(value.op);
    const std::string_view name = op == ir::Op::flat_concat ? "the gradients" : ir::info(op).name;
    text.append(before).append(sized_text(name, value.dims, static_cast<DType>(value.dtype), value.bytes));
    before = "; ";
  }
  return text +
         "; a smaller batch (with accumulate<N>), checkpoint::blocks or a precision takes less, and "
         "memory_timeline(file) of a batch that fits shows what holds it";
}

// The memory that a program on the host works in: lent by the caller, or its own. Errors: HostBuffer's.
inline HostBuffer host_workspace(std::byte* given, i64 bytes, const compiler::ImageHeader& header = {}) {
  const auto size = static_cast<std::size_t>(bytes);
  if (given != nullptr) return HostBuffer::borrow(given, size);
  return allocate_or_tell([&] { return HostBuffer(size); }, [&] { return workspace_text(header); });
}

}  // namespace WEFT_NAMESPACE::exec
