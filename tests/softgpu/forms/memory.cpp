// Loads and stores. Every lane's access is checked: inside a live allocation of this device, aligned, read
// only where something was written, and not where another block of the same launch writes.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "softgpu/block.hpp"
#include "softgpu/forms/access.hpp"
#include "softgpu/forms/rows.hpp"

namespace softgpu {

namespace {

enum class Where : u8 { global, shared, param, local, generic };

// An element from memory into its register, extended as its type says.
template <class T>
void put(const Warp& warp, const Op& op, int k, int lane, const std::byte* from) {
  if (op.d[k] == no_row) return;
  T value;
  std::memcpy(&value, from, sizeof value);
  if (op.wide)
    row<u64>(warp, op.d[k])[lane] = static_cast<u64>(static_cast<i64>(value));
  else
    row<u32>(warp, op.d[k])[lane] = static_cast<u32>(static_cast<i64>(value));
}
// The same for all lanes.
template <class T>
void put_all(const Warp& warp, const Op& op, int k, const std::byte* from) {
  put<T>(warp, op, k, 0, from);
  if (op.d[k] == no_row) return;
  if (op.wide)
    std::fill_n(row<u64>(warp, op.d[k]) + 1, warp_size - 1, row<u64>(warp, op.d[k])[0]);
  else
    std::fill_n(row<u32>(warp, op.d[k]) + 1, warp_size - 1, row<u32>(warp, op.d[k])[0]);
}
template <class T>
void take(const Warp& warp, const Op& op, int k, int lane, std::byte* to) {
  const T value = op.wide ? static_cast<T>(row<const u64>(warp, op.s[k + 1])[lane])
                          : static_cast<T>(row<const u32>(warp, op.s[k + 1])[lane]);
  std::memcpy(to, &value, sizeof value);
}

// Addresses of shared memory have 32 bits, and sums of them wrap.
u64 address_of(const Warp& warp, const Op& op, int lane, bool narrow) {
  if (op.s[0] == no_row) return static_cast<u64>(op.offset);
  if (narrow) return row<const u32>(warp, op.s[0])[lane] + static_cast<u32>(op.offset);
  return row<const u64>(warp, op.s[0])[lane] + static_cast<u64>(op.offset);
}

template <Where W>
void locate_and_move(Warp& warp, const Op& op, int lane, u64 address, std::byte* bytes, u32 size,
                     bool writes) {
  Where space = W;
  if constexpr (W == Where::generic) {
    const u64 window = address & (u64{0xff} << 56);
    space = window == shared_window  ? Where::shared
            : window == param_window ? Where::param
            : window == local_window ? Where::local
                                     : Where::global;
    if (space == Where::shared) address &= ~shared_window;
    if (space == Where::local) address &= ~local_window;
  }
  if (space == Where::shared) {
    if (writes)
      std::memcpy(warp.block().shared->writable(warp, op, lane, address, size), bytes, size);
    else
      std::memcpy(bytes, warp.block().shared->readable(warp, op, lane, address, size), size);
  } else if (space == Where::local) {
    std::byte* const at = access_local(warp, op, lane, address, size, writes);
    std::memcpy(writes ? at : bytes, writes ? bytes : at, size);
  } else if (space == Where::param) {
    const auto& params = warp.block().launch->params;
    const u64 at = address & ~param_window;
    if (writes || at > params.size() || size > params.size() - at)
      fail_access("out of bounds", warp, op, lane, "parameters, byte " + std::to_string(at), 700);
    std::memcpy(bytes, params.data() + at, size);
  } else if (writes) {
    store_global(warp, op, lane, address, bytes, size);
  } else {
    load_global(warp, op, lane, address, bytes, size, op.used_bytes, size);
  }
}

// A generic access counts for the memory that its first lane reaches.
template <Where W>
void count(Warp& warp, const Op& op, u32 active, u32 size) {
  if (!counting() || W == Where::param || W == Where::local) return;
  Where space = W;
  if constexpr (W == Where::generic) {
    const u64 window = address_of(warp, op, std::countr_zero(active), false) & (u64{0xff} << 56);
    if (window == param_window || window == local_window) return;
    space = window == shared_window ? Where::shared : Where::global;
  }
  if (space == Where::global) {
    count_global(warp, op, active, size);
    return;
  }
  u64 address[warp_size];
  for (int lane = 0; lane < warp_size; ++lane)
    address[lane] = address_of(warp, op, lane, W == Where::shared) & ~shared_window;
  count_shared(warp.block().launch->counts, address, active, size);
}

// All lanes have one shared address.
bool uniform(const Warp& warp, const Op& op) {
  if (op.s[0] == no_row) return true;
  const auto* address = row<const u32>(warp, op.s[0]);
  u32 different = 0;
  for (int i = 1; i < warp_size; ++i) different |= address[i] ^ address[0];
  return different == 0;
}

// The lanes' addresses follow each other without a gap, which is what most accesses are.
template <class T>
bool contiguous(const Warp& warp, const Op& op) {
  const auto* address = row<const u64>(warp, op.s[0]);
  const u64 first = address[0];
  u64 different = 0;
  for (u64 i = 0; i < warp_size; ++i) different |= address[i] ^ (first + i * sizeof(T));
  return different == 0;
}

template <class T, Where W>
struct Load {
  static void execute(Warp& warp, const Op& op, u32 active) {
    if constexpr (W == Where::global && std::is_unsigned_v<T>) {
      if (active == full_mask && op.count == 1 && op.s[0] != no_row && contiguous<T>(warp, op) &&
          whole(warp, op))
        return;
    }
    const u32 size = static_cast<u32>(op.count * sizeof(T));
    if constexpr (W == Where::shared) {
      if (active == full_mask && uniform(warp, op)) {
        count<W>(warp, op, active, size);
        const std::byte* const from =
            warp.block().shared->readable_by_all(warp, op, address_of(warp, op, 0, true), size);
        for (int k = 0; k < op.count; ++k)
          put_all<T>(warp, op, k, from + static_cast<std::size_t>(k) * sizeof(T));
        return;
      }
    }
    if constexpr (W == Where::param) {
      if (active == full_mask && op.s[0] == no_row) {
        std::byte bytes[4 * sizeof(T)];
        locate_and_move<W>(warp, op, 0, static_cast<u64>(op.offset), bytes, size, false);
        for (int k = 0; k < op.count; ++k)
          put_all<T>(warp, op, k, bytes + static_cast<std::size_t>(k) * sizeof(T));
        return;
      }
    }
    count<W>(warp, op, active, size);
    std::byte bytes[4 * sizeof(T)];
    for (int lane = 0; lane < warp_size; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      const u64 address = address_of(warp, op, lane, W == Where::shared);
      locate_and_move<W>(warp, op, lane, address, bytes, size, false);
      for (int k = 0; k < op.count; ++k)
        put<T>(warp, op, k, lane, bytes + static_cast<std::size_t>(k) * sizeof(T));
    }
  }

  // All lanes at once, where that is right; otherwise nothing was done.
  static bool whole(Warp& warp, const Op& op) {
    const std::byte* const from =
        load_global_row(warp, op, row<const u64>(warp, op.s[0])[0] + static_cast<u64>(op.offset), sizeof(T));
    if (from == nullptr) return false;
    if (op.d[0] == no_row) return true;
    T values[warp_size];
    std::memcpy(values, from, sizeof values);
    if (op.wide) {
      auto* d = row<u64>(warp, op.d[0]);
      for (int i = 0; i < warp_size; ++i) d[i] = values[i];
    } else {
      auto* d = row<u32>(warp, op.d[0]);
      for (int i = 0; i < warp_size; ++i) d[i] = static_cast<u32>(values[i]);
    }
    return true;
  }
};

template <class T, Where W>
struct Store {
  static void execute(Warp& warp, const Op& op, u32 active) {
    if constexpr (W == Where::global) {
      if (active == full_mask && op.count == 1 && op.s[0] != no_row && contiguous<T>(warp, op) &&
          whole(warp, op))
        return;
    }
    count<W>(warp, op, active, static_cast<u32>(op.count * sizeof(T)));
    std::byte bytes[4 * sizeof(T)];
    const u32 size = static_cast<u32>(op.count * sizeof(T));
    for (int lane = 0; lane < warp_size; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      for (int k = 0; k < op.count; ++k)
        take<T>(warp, op, k, lane, bytes + static_cast<std::size_t>(k) * sizeof(T));
      locate_and_move<W>(warp, op, lane, address_of(warp, op, lane, W == Where::shared), bytes, size, true);
    }
  }

  static bool whole(Warp& warp, const Op& op) {
    std::byte* const to =
        store_global_row(warp, op, row<const u64>(warp, op.s[0])[0] + static_cast<u64>(op.offset), sizeof(T));
    if (to == nullptr) return false;
    T values[warp_size];
    if (op.wide) {
      const auto* s = row<const u64>(warp, op.s[1]);
      for (int i = 0; i < warp_size; ++i) values[i] = static_cast<T>(s[i]);
    } else {
      const auto* s = row<const u32>(warp, op.s[1]);
      for (int i = 0; i < warp_size; ++i) values[i] = static_cast<T>(s[i]);
    }
    std::memcpy(to, values, sizeof values);
    return true;
  }
};

template <class T, Where W>
void add_space(FormTable& t, const std::string& type, std::initializer_list<const char*> spaces) {
  const Class loads = W == Where::shared  ? Class::shared
                      : W == Where::param ? Class::param
                      : W == Where::local ? Class::local
                                          : Class::load_global;
  const Class stores = W == Where::shared  ? Class::shared
                       : W == Where::local ? Class::local
                                           : Class::store_global;
  for (const char* space : spaces) {
    for (const char* count : {"", "v2.", "v4."}) {
      const std::string end = std::string(space) + count + type;
      Form form{&Load<T, W>::execute, loads, {}, {}};
      form.bytes = sizeof(T);
      form.loads = true;
      t.add("ld." + end, form);
      if (W == Where::param) continue;
      form.execute = &Store<T, W>::execute;
      form.kind = stores;
      form.loads = false;
      form.stores = true;
      t.add("st." + end, form);
    }
  }
}

template <class T>
void add_type(FormTable& t, const std::string& type) {
  add_space<T, Where::global>(t, type,
                              {"global.", "global.nc.", "volatile.global.", "const.", "relaxed.gpu.global.",
                               "relaxed.sys.global.", "acquire.gpu.global.", "release.gpu.global."});
  add_space<T, Where::shared>(t, type, {"shared.", "volatile.shared."});
  add_space<T, Where::param>(t, type, {"param."});
  add_space<T, Where::local>(t, type, {"local.", "volatile.local."});
  add_space<T, Where::generic>(t, type, {"", "volatile.", "relaxed.gpu.", "acquire.gpu.", "release.gpu."});
}

}  // namespace

void add_memory_forms(FormTable& t) {
  for (const char* letter : {"b", "u"}) {
    add_type<u8>(t, letter + std::string("8"));
    add_type<u16>(t, letter + std::string("16"));
    add_type<u32>(t, letter + std::string("32"));
    add_type<u64>(t, letter + std::string("64"));
  }
  add_type<i8>(t, "s8");
  add_type<i16>(t, "s16");
  add_type<i32>(t, "s32");
  add_type<i64>(t, "s64");
  add_type<u32>(t, "f32");
  add_type<u64>(t, "f64");
}

}  // namespace softgpu
