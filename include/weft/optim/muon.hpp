#pragma once
// Muon (Jordan et al., 2024), as torch.optim.Muon: b = momentum b + (1 - momentum) g; p loses lr weight_decay
// p, then lr r O, where O is about the nearest matrix with orthonormal rows or columns to b (with nesterov,
// to (1 - momentum) g + momentum b), by five steps of Newton and Schulz, and r depends on the shape. Matrices
// are updated so, one by one, through products in the graph; everything else by AdamW, in one kernel.

#include "weft/core/square_root.hpp"
#include "weft/ops/linalg/orthogonal.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/groups.hpp"

namespace WEFT_NAMESPACE::optim {

namespace detail {

struct MuonNumbers {
  enum : int { original, rms, spectral, keep, rest, momentum, now, past, a, b, c, eps, count };
};

// x / |x|, then steps x = a x + (b s + c s s) x with s = x x^T; tall matrices transposed.
constexpr Value orthogonalized(Value x, Value a, Value b, Value c, Value eps, int steps) {
  const i64 turn[2]{1, 0};
  const bool tall = x.dims().extent[0] > x.dims().extent[1];
  if (tall) x = ir::permute(x, turn);
  const Value norm = square_root(ir::reduce(Op::reduce_sum, x * x, 3u));
  x = x / ir::binary(Op::max, norm, eps);
  for (int k = 0; k < steps; ++k) x = weft::detail::newton_schulz_step(x, a, b, c);
  return tall ? ir::permute(x, turn) : x;
}

}  // namespace detail

// How the rate follows a matrix's shape (rows, columns): sqrt(max(1, rows / columns)), 0.2 sqrt(max(rows,
// columns)), sqrt(rows / columns).
enum class MuonRate { original, match_rms_adamw, spectral_unclamped };

struct NewtonSchulz {
  float a = 3.4445f, b = -4.7750f, c = 2.0315f;  // of X, (X X^T) X and (X X^T)^2 X
};

// `others`: what updates everything that is no matrix, and matrices that a rule elementwise(predicate) names
// (embeddings, the head); set_lr changes the rate of the matrices. PyTorch multiplies in bf16; here products
// are f32 unless the precision policy says otherwise.
struct Muon {
  Schedule lr = 1e-3f;                 // learning rate of matrices
  float weight_decay = 0.1f;           // p is first scaled by 1 - lr weight_decay
  float momentum = 0.95f;              // share of the mean of g that stays
  bool nesterov = true;                // the step reads g and its mean
  NewtonSchulz coefficients{};         // of the iteration
  float eps = 1e-7f;                   // least norm that g is divided by
  MuonRate rate = MuonRate::original;  // how the rate depends on a matrix's extents
  AdamW others{};                      // for everything that is no matrix

  static constexpr std::string_view name = "Muon";
  WEFT_OPTIMIZER(Muon)
  static constexpr int moments = AdamW::moments;  // of a matrix, the first alone
  static constexpr int numbers = detail::MuonNumbers::count;
  static constexpr int steps = 5;
  void fill(i64 step, f32* n) const {
    using N = detail::MuonNumbers;
    const f32 now = lr(step);
    n[N::original] = rate == MuonRate::original ? now : 0;
    n[N::rms] = rate == MuonRate::match_rms_adamw ? now : 0;
    n[N::spectral] = rate == MuonRate::spectral_unclamped ? now : 0;
    n[N::keep] = static_cast<f32>(1.0 - static_cast<f64>(now) * static_cast<f64>(weight_decay));
    n[N::momentum] = momentum;
    n[N::rest] = static_cast<f32>(1.0 - static_cast<f64>(momentum));
    n[N::now] = nesterov ? n[N::rest] : 0;
    n[N::past] = nesterov ? momentum : 1;
    n[N::a] = coefficients.a;
    n[N::b] = coefficients.b;
    n[N::c] = coefficients.c;
    n[N::eps] = eps;
  }
  void fill_others(i64 step, f32* n) const {
    for (int k = AdamW::numbers; k < numbers; ++k) n[k] = 0;
    others.fill(step, n);
  }
  static constexpr void update(Update& u) { AdamW::update(u); }
  static constexpr void update_matrix(Update& u) {
    using N = detail::MuonNumbers;
    const Dims d = u.parameter.dims();
    const double rows = static_cast<double>(d.extent[0]), columns = static_cast<double>(d.extent[1]);
    const Value past = u.moment[0] * u.number[N::momentum] + u.gradient * u.number[N::rest];
    u.moment[0] = past;
    const Value direction = u.gradient * u.number[N::now] + past * u.number[N::past];
    const Value o = detail::orthogonalized(direction, u.number[N::a], u.number[N::b], u.number[N::c],
                                           u.number[N::eps], steps);
    const double ratio = weft::square_root(rows / columns);
    const double longest = 0.2 * weft::square_root(rows > columns ? rows : columns);
    const Value rate = u.number[N::original] * (ratio > 1 ? ratio : 1.0) + u.number[N::rms] * longest +
                       u.number[N::spectral] * ratio;
    u.parameter = u.parameter * u.number[N::keep] - o * rate;
  }
};

// Matrices for which P holds are updated like everything that is no matrix.
template <class P>
struct Elementwise {
  static constexpr bool elementwise = true;
  static constexpr bool matches(std::string_view name, const Dims& d) { return P{}(name, d); }
  template <class O>
  static void change(O&) {}
};
template <class P>
constexpr Elementwise<P> elementwise(P) {
  return {};
}

// Two groups for each rule: of its matrices, and of everything else that it matches.
template <class O, class... Rules>
struct MatrixGroups : Groups<O, Rules...> {
  using Rows = Groups<O, Rules...>;
  static constexpr int group_count = 2 * Rows::group_count;
  static constexpr int group_of(std::string_view name, const Dims& d) {
    const int rule = Rows::group_of(name, d);
    return 2 * rule + (d.rank == 2 && !is_elementwise(rule) ? 0 : 1);
  }
  static constexpr bool by_matrix(int group) { return group % 2 == 0; }
  static constexpr bool is_frozen(int group) { return Rows::is_frozen(group / 2); }
  void fill(int group, i64 step, f32* n) const {
    O changed = this->optimizer;
    [[maybe_unused]] int k = 0;
    ((k++ == group / 2 ? (Rules::change(changed), Rules::change(changed.others)) : void()), ...);
    if (by_matrix(group))
      changed.fill(step, n);
    else
      changed.fill_others(step, n);
  }

 private:
  static constexpr bool is_elementwise(int rule) {
    bool found = false;
    [[maybe_unused]] int k = 0;
    ((found = found || (k == rule && requires { Rules::elementwise; }), ++k), ...);
    return found;
  }
};

template <class O>
requires requires(Update& u) { O::update_matrix(u); }
struct AsGroups<O> {
  using type = MatrixGroups<O>;
  static type make(const O& o) { return {{o}}; }
};
template <class O, class... R>
requires requires(Update& u) { O::update_matrix(u); }
struct AsGroups<Groups<O, R...>> {
  using type = MatrixGroups<O, R...>;
  static type make(const Groups<O, R...>& o) { return {o}; }
};

}  // namespace WEFT_NAMESPACE::optim
