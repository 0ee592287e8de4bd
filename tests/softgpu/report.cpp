#include "softgpu/report.hpp"

#include <cxxabi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

namespace softgpu {

namespace {

std::mutex mutex;
u64 count = 0;

std::set<std::string>& seen() {
  static auto* const places = new std::set<std::string>;  // outlives static destructors, which may report too
  return *places;
}

}  // namespace

void report(const std::string& kind, const std::string& place, const std::string& text) {
  const std::lock_guard lock(mutex);
  ++count;
  if (!seen().insert(kind + "\n" + place).second) return;
  std::fprintf(stderr, "softgpu: %s: %s\n", kind.c_str(), text.c_str());
}

u64 report_count() {
  const std::lock_guard lock(mutex);
  return count;
}

void finish_reports() {
  const u64 findings = report_count();
  if (findings == 0) return;
  std::fprintf(stderr, "softgpu: %llu findings\n", static_cast<unsigned long long>(findings));
  std::fflush(nullptr);
  _exit(failed_status);
}

void stop(const std::string& text) {
  std::fprintf(stderr, "softgpu: %s\n", text.c_str());
  std::fflush(nullptr);
  _exit(failed_status);
}

std::string hex(u64 value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string readable(const std::string& mangled) {
  int status = 0;
  char* const whole = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? whole : mangled;
  std::free(whole);
  constexpr std::size_t most = 100;
  if (name.size() > most) name = name.substr(0, most) + "...";
  return name;
}

}  // namespace softgpu
