#pragma once
// What the device has to say about a program. A finding does not stop the program unless the hardware would;
// but a process that had one ends with status `failed_status`, whatever its tests said.

#include <string>

#include "softgpu/types.hpp"

namespace softgpu {

inline constexpr int failed_status = 86;

// Prints "softgpu: KIND: TEXT". A place (a kernel's line, a call) is printed once for each kind, and counted.
void report(const std::string& kind, const std::string& place, const std::string& text);

// How many findings there were, repeats included.
u64 report_count();

// Ends the process with `failed_status` if there was a finding.
void finish_reports();

// Prints and ends the process: the device cannot go on, for example because it does not know an instruction.
[[noreturn]] void stop(const std::string& text);

std::string hex(u64 value);

// A kernel's name as its source has it, shortened to one line.
std::string readable(const std::string& mangled);

}  // namespace softgpu
