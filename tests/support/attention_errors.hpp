#pragma once
// How far attention in f16 and bf16 is from f64 beside PyTorch's flash attention, values and gradients
// (tests/parity/generate_attention_errors.py). The host's weights stay in f32: it is nearer, and about as
// near as softmax and products in f32; what is more comes of the result that the gradient's row sums are of,
// which is rounded in memory. A GPU's weights are rounded to factors of its tensor cores, as PyTorch's are.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/repository.hpp"
#include "weft/exec/function.hpp"
#include "weft/exec/tensor.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/attention.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/transform/vjp.hpp"

namespace weft::testing::attention {

constexpr i64 batches = 2, heads = 2, tokens = 128, features = 64;
constexpr i64 size = batches * heads * tokens * features;

// The script's numbers, from -2 to 2.
template <class T>
std::vector<T> values(u32 seed) {
  std::vector<T> v(static_cast<std::size_t>(size));
  for (u32 i = 0; i < v.size(); ++i) {
    u32 h = i * 2654435761u + seed * 40503u;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    h *= 3266489917u;
    h ^= h >> 16;
    v[i] = static_cast<T>((static_cast<f32>(h & 0xFFFFu) + static_cast<f32>(h >> 16) - 65535.0f) / 32768.0f);
  }
  return v;
}

struct Errors {
  f64 greatest = 0, rms = 0, greatest_in_f32 = 0, rms_in_f32 = 0;
};
// PyTorch's.
inline Errors reference(const std::string& dtype, const std::string& order, const std::string& result) {
  std::ifstream file(repository_file("tests/parity/data/attention_errors.txt"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string t, o, r;
    Errors e;
    if (words >> t >> o >> r >> e.greatest >> e.rms >> e.greatest_in_f32 >> e.rms_in_f32 && t == dtype &&
        o == order && r == result)
      return e;
  }
  FAIL("no row " << dtype << ' ' << order << ' ' << result);
  return {};
}

// y = softmax(q k' / 8) v and the gradients of sum(y g), by loops in f64.
struct Exact {
  std::vector<f64> y, dq, dk, dv;
};
template <class T>
Exact exact(const std::vector<T>& q, const std::vector<T>& k, const std::vector<T>& v,
            const std::vector<T>& g, bool causal) {
  Exact r;
  r.y = r.dq = r.dk = r.dv = std::vector<f64>(q.size());
  const auto at = [](const std::vector<T>& x, i64 row, i64 d) {
    return static_cast<f64>(static_cast<f32>(x[static_cast<std::size_t>(row * features + d)]));
  };
  const auto add = [](std::vector<f64>& x, i64 row, i64 d, f64 value) {
    x[static_cast<std::size_t>(row * features + d)] += value;
  };
  for (i64 row = 0; row < batches * heads * tokens; ++row) {
    const i64 first = row / tokens * tokens, keys = causal ? row - first + 1 : tokens;
    std::vector<f64> p(static_cast<std::size_t>(keys)), dp(p.size());
    f64 top = -1e300, total = 0, mean = 0;
    for (i64 j = 0; j < keys; ++j) {
      f64& s = p[static_cast<std::size_t>(j)];
      for (i64 d = 0; d < features; ++d) {
        s += at(q, row, d) * at(k, first + j, d) / 8;
        dp[static_cast<std::size_t>(j)] += at(g, row, d) * at(v, first + j, d);
      }
      top = std::max(top, s);
    }
    for (f64& s : p) total += s = std::exp(s - top);
    for (std::size_t j = 0; j < p.size(); ++j) {
      p[j] /= total;
      mean += p[j] * dp[j];
    }
    for (i64 j = 0; j < keys; ++j) {
      const f64 weight = p[static_cast<std::size_t>(j)];
      const f64 ds = weight * (dp[static_cast<std::size_t>(j)] - mean) / 8;
      for (i64 d = 0; d < features; ++d) {
        add(r.y, row, d, weight * at(v, first + j, d));
        add(r.dv, first + j, d, weight * at(g, row, d));
        add(r.dq, row, d, ds * at(k, first + j, d));
        add(r.dk, first + j, d, ds * at(q, row, d));
      }
    }
  }
  return r;
}

// Checks attention of T, named as the script names it, on a device.
template <class T, bool Causal, class Device>
void check_errors(const Device& device, const std::string& dtype) {
  const auto q = values<T>(1), k = values<T>(2), v = values<T>(3), g = values<T>(4);
  auto f = compile(
      device,
      [](auto a, auto b, auto c, auto d) {
        const auto attend = [](auto x, auto y, auto z) {
          return scaled_dot_product_attention<AttentionOptions{.is_causal = Causal}>(x, y, z);
        };
        return std::tuple_cat(std::tuple{attend(a, b, c)}, grad<0, 1, 2>([&](auto x, auto y, auto z, auto w) {
                                return sum<>(cast<f32>(attend(x, y, z)) * cast<f32>(w));
                              })(a, b, c, d));
      },
      in<T, batches, heads, tokens, features>, in<T, batches, heads, tokens, features>,
      in<T, batches, heads, tokens, features>, in<T, batches, heads, tokens, features>);
  const Exact wanted = exact(q, k, v, g, Causal);
  const auto [y, dq, dk, dv] = f(q, k, v, g);
  const auto near = [&](const char* result, const auto& given, const std::vector<f64>& values_of) {
    Errors mine;
    const auto host = given.to_vector();
    for (std::size_t i = 0; i < host.size(); ++i) {
      const f64 e = std::abs(static_cast<f64>(static_cast<f32>(host[i])) - values_of[i]);
      mine.greatest = std::max(mine.greatest, e);
      mine.rms += e * e;
    }
    mine.rms = std::sqrt(mine.rms / static_cast<f64>(host.size()));
    const Errors theirs = reference(dtype, Causal ? "causal" : "full", result);
    INFO(dtype, " ", Causal, " ", result);
    if (std::is_same_v<Device, Cpu>) {
      CHECK(mine.rms <= theirs.rms);
      CHECK(mine.greatest <= theirs.greatest);
      CHECK(mine.rms <= 1.15 * theirs.rms_in_f32);
    } else {
      CHECK(mine.rms <= 1.03 * theirs.rms);
      CHECK(mine.greatest <= 1.5 * theirs.greatest);
    }
  };
  near("y", y, wanted.y);
  near("dq", dq, wanted.dq);
  near("dk", dk, wanted.dk);
  near("dv", dv, wanted.dv);
}

}  // namespace weft::testing::attention
