#pragma once
// How each kind of step runs on the host. Work is cut by size, so results do not depend on the threads.

#include <cstring>

#include "weft/kernels/dot.hpp"
#include "weft/kernels/loop.hpp"

namespace weft::kernels {

// One step, ready to run: pointers resolved, numbers as its kind defines them.
struct HostLaunch {
  void (*run)(const HostLaunch&, int threads) = nullptr;
  LoopArgs args;
  const u64* numbers = nullptr;
  int number_count = 0;
};

template <class C>
void run_loop(const HostLaunch& launch, int threads) {
  using Body = Loop<C, LaneFamily, SerialTeam>;
  parallel_for(launch.args.chunks, threads, [&](i64 chunk) {
    alignas(64) std::byte kept[static_cast<std::size_t>(Body::kept_bytes()) + 64];
    SerialTeam team(kept, Body::kept_bytes() + 64);
    Body body(team, launch.args);
    body.run(chunk);
  });
}

namespace detail {

template <class T, Fold fold>
void finish_sum(const char* partial, i64 chunks, i64 stride, T* to, i64 count) {
  for (i64 i = 0; i < count; ++i) {
    T total = reinterpret_cast<const T*>(partial)[i];
    for (i64 c = 1; c < chunks; ++c)
      total = combine<fold>(total, reinterpret_cast<const T*>(partial + c * stride)[i]);
    to[i] = total;
  }
}
template <class T>
void finish_fold(Fold fold, const char* partial, i64 chunks, i64 stride, void* to, i64 count) {
  T* out = static_cast<T*>(to);
  switch (fold) {
    case Fold::max:
      return finish_sum<T, Fold::max>(partial, chunks, stride, out, count);
    case Fold::min:
      return finish_sum<T, Fold::min>(partial, chunks, stride, out, count);
    case Fold::prod:
      return finish_sum<T, Fold::prod>(partial, chunks, stride, out, count);
    default:
      return finish_sum<T, Fold::sum>(partial, chunks, stride, out, count);
  }
}

}  // namespace detail

// Numbers: chunks, bytes between chunks, then for each sum its offset, elements, and dtype with fold.
inline void run_finish(const HostLaunch& launch, int) {
  const i64 chunks = static_cast<i64>(launch.numbers[0]), stride = static_cast<i64>(launch.numbers[1]);
  for (int k = 2, to = 1; k < launch.number_count; k += 3, ++to) {
    const char* partial = static_cast<const char*>(launch.args.pointer[0]) + launch.numbers[k];
    const i64 count = static_cast<i64>(launch.numbers[k + 1]);
    const Fold fold = static_cast<Fold>(launch.numbers[k + 2] >> 8);
    void* out = launch.args.pointer[to];
    switch (kind_of(static_cast<DType>(launch.numbers[k + 2] & 255))) {
      case Kind::f64:
        detail::finish_fold<double>(fold, partial, chunks, stride, out, count);
        break;
      case Kind::i32:
        detail::finish_fold<i32>(fold, partial, chunks, stride, out, count);
        break;
      case Kind::i64:
        detail::finish_fold<i64>(fold, partial, chunks, stride, out, count);
        break;
      case Kind::u32:
        detail::finish_fold<u32>(fold, partial, chunks, stride, out, count);
        break;
      default:
        detail::finish_fold<float>(fold, partial, chunks, stride, out, count);
        break;
    }
  }
}

// Words: dtypes of a, b, c. Numbers: m, n, k, strides, and per batch axis an extent and three strides.
template <class C>
void run_dot(const HostLaunch& launch, int threads) {
  using A = ctype<static_cast<DType>(C::w[0])>;
  using B = ctype<static_cast<DType>(C::w[1])>;
  using R = ctype<static_cast<DType>(C::w[2])>;
  const u64* n = launch.numbers;
  const auto number = [&](int i) { return static_cast<i64>(n[i]); };
  const DotShape shape{number(0), number(1), number(2), number(3), number(4), number(5), number(6), number(7)};
  DotBatch batch;
  batch.rank = static_cast<int>(n[8]);
  for (int i = 0; i < batch.rank; ++i) {
    batch.extent[i] = number(9 + 4 * i);
    batch.a[i] = number(10 + 4 * i);
    batch.b[i] = number(11 + 4 * i);
    batch.c[i] = number(12 + 4 * i);
  }
  dot<A, B, R>(shape, batch, static_cast<const A*>(launch.args.pointer[0]), static_cast<const B*>(launch.args.pointer[1]),
               static_cast<R*>(launch.args.pointer[2]), threads);
}

// Rows of a table by index. An index outside the table gives a row of NaN (0 for integers).
template <class C>
void run_gather(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using I = ctype<static_cast<DType>(C::w[1])>;
  const T* table = static_cast<const T*>(launch.args.pointer[0]);
  const I* index = static_cast<const I*>(launch.args.pointer[1]);
  T* out = static_cast<T*>(launch.args.pointer[2]);
  const i64 rows = static_cast<i64>(launch.numbers[0]), count = static_cast<i64>(launch.numbers[1]);
  const i64 width = static_cast<i64>(launch.numbers[2]);
  const i64 together = width > 0 && width < 16384 ? 16384 / width : 1;
  parallel_for((count + together - 1) / together, threads, [&](i64 block) {
    const i64 end = (block + 1) * together < count ? (block + 1) * together : count;
    for (i64 i = block * together; i < end; ++i) {
      const i64 row = static_cast<i64>(index[i]);
      if (row >= 0 && row < rows) {
        std::memcpy(out + i * width, table + row * width, static_cast<std::size_t>(width) * sizeof(T));
      } else {
        for (i64 j = 0; j < width; ++j) {
          if constexpr (is_float(dtype_of<T>))
            out[i * width + j] = T(std::numeric_limits<float>::quiet_NaN());
          else
            out[i * width + j] = T(0);
        }
      }
    }
  });
}

// Adds rows into a zeroed table, in index order; an index outside it is skipped. Threads own columns.
template <class C>
void run_scatter_add(const HostLaunch& launch, int threads) {
  using T = ctype<static_cast<DType>(C::w[0])>;
  using I = ctype<static_cast<DType>(C::w[1])>;
  const T* update = static_cast<const T*>(launch.args.pointer[0]);
  const I* index = static_cast<const I*>(launch.args.pointer[1]);
  T* out = static_cast<T*>(launch.args.pointer[2]);
  const i64 rows = static_cast<i64>(launch.numbers[0]), count = static_cast<i64>(launch.numbers[1]);
  const i64 width = static_cast<i64>(launch.numbers[2]);
  const i64 block = (rows + count) * width < 65536 ? width : 64;
  parallel_for(width > 0 ? (width + block - 1) / block : 0, threads, [&](i64 b) {
    const i64 begin = b * block, n = begin + block < width ? block : width - begin;
    for (i64 r = 0; r < rows; ++r)
      for (i64 j = 0; j < n; ++j) out[r * width + begin + j] = T(0);
    for (i64 i = 0; i < count; ++i) {
      const i64 row = static_cast<i64>(index[i]);
      if (row < 0 || row >= rows) continue;
      T* to = out + row * width + begin;
      const T* from = update + i * width + begin;
      for (i64 j = 0; j < n; ++j) to[j] = narrow<T>(static_cast<register_of<T>>(widen(to[j]) + widen(from[j])));
    }
  });
}

inline void run_copy(const HostLaunch& launch, int) {
  std::memmove(launch.args.pointer[1], launch.args.pointer[0], static_cast<std::size_t>(launch.numbers[0]));
}

}  // namespace weft::kernels
