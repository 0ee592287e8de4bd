#include "softgpu/fat_binary.hpp"

#include <elf.h>

#include <cstring>

#include "softgpu/report.hpp"
#include "softgpu/settings.hpp"

namespace softgpu {

namespace {

constexpr u32 wrapper_magic = 0x466243b1, container_magic = 0xba55ed50;
enum EntryKind : u16 { ptx_text = 1, machine_code = 2 };
constexpr u64 flag_compressed = 0x8000 | 0x2000;

template <class T>
T read(const u8* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// What .nv.info says of all kernels together: entries of format, attribute and size, here each a symbol's
// number and the size of its frame.
void read_frames(const u8* elf, const Elf64_Shdr& info, const Elf64_Shdr& symbols, const Elf64_Shdr& strings,
                 std::map<std::string, u32>& local) {
  constexpr u8 sized = 4, frame_size = 0x11;
  const u8* at = elf + info.sh_offset;
  const u8* const end = at + info.sh_size;
  while (at + 4 <= end) {
    const u8 format = at[0], attribute = at[1];
    const auto size = format == sized ? read<u16>(at + 2) : u16{0};
    if (format == sized && attribute == frame_size && size >= 8) {
      const auto symbol =
          read<Elf64_Sym>(elf + symbols.sh_offset + u64{read<u32>(at + 4)} * sizeof(Elf64_Sym));
      local[reinterpret_cast<const char*>(elf + strings.sh_offset + symbol.st_name)] = read<u32>(at + 8);
    }
    at += 4 + size;
  }
}

// The number of registers stands in the upper byte of sh_info of each .text section.
void read_kernels(const u8* elf, std::map<std::string, u32>& registers, std::map<std::string, u32>& local) {
  const auto header = read<Elf64_Ehdr>(elf);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
  const u8* const sections = elf + header.e_shoff;
  const auto names = read<Elf64_Shdr>(sections + header.e_shstrndx * sizeof(Elf64_Shdr));
  Elf64_Shdr info{}, symbols{}, strings{};
  for (int i = 0; i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(sections + static_cast<std::size_t>(i) * sizeof(Elf64_Shdr));
    const std::string name = reinterpret_cast<const char*>(elf + names.sh_offset + section.sh_name);
    if (name.rfind(".text.", 0) == 0) registers[name.substr(6)] = section.sh_info >> 24;
    if (name == ".nv.info") info = section;
    if (name == ".symtab") symbols = section;
    if (name == ".strtab") strings = section;
  }
  read_frames(elf, info, symbols, strings, local);
}

}  // namespace

FatBinary read_fat_binary(const void* wrapper) {
  const auto* const w = static_cast<const u8*>(wrapper);
  if (read<u32>(w) != wrapper_magic) stop("a fat binary of a kind that is not known");
  const auto* container = read<const u8*>(w + 8);
  FatBinary binary;
  u32 ptx_arch = 0, code_arch = 0;
  bool compressed = false;
  if (read<u32>(container) != container_magic) stop("a fat binary without its container");
  const u8* entry = container + read<u16>(container + 6);
  const u8* const end = entry + read<u64>(container + 8);
  while (entry < end) {
    const auto kind = read<u16>(entry);
    const u8* const data = entry + read<u32>(entry + 4);
    const auto size = read<u64>(entry + 8);
    const auto arch = read<u32>(entry + 28);
    const auto preferred = [&](u32 before) {
      return before == 0 || (settings().newest ? arch > before : arch < before);
    };
    if ((read<u64>(entry + 40) & flag_compressed) != 0) {
      compressed = true;
    } else if (kind == ptx_text && preferred(ptx_arch)) {
      ptx_arch = arch;
      binary.ptx.assign(reinterpret_cast<const char*>(data),
                        strnlen(reinterpret_cast<const char*>(data), size));
    } else if (kind == machine_code && preferred(code_arch)) {
      code_arch = arch;
      binary.registers.clear();
      binary.local.clear();
      read_kernels(data, binary.registers, binary.local);
    }
    entry = data + size;
  }
  if (binary.ptx.empty())
    stop(compressed ? "the program's PTX is compressed: compile it with -no-compress"
                    : "the program holds no PTX: compile it for compute_80 too");
  return binary;
}

}  // namespace softgpu
