#pragma once
// L-BFGS (Liu and Nocedal, 1989), as torch.optim.LBFGS: the search itself, on host vectors, around anything
// that computes a loss and its gradient. Dot products are summed in f64. train/lbfgs.hpp makes a trainer of
// it.

#include <cmath>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/optim/lbfgs_options.hpp"

namespace WEFT_NAMESPACE::optim {

// One minimisation. `evaluate(x, g)` returns the loss at x and writes its gradient to g, which has x's size.
class LbfgsSearch {
 public:
  using Vector = std::vector<f32>;
  // A pair of differences: of gradients and of places.
  struct Pair {
    Vector y, s;
    f64 rho = 0;
  };
  // What the next step depends on, beside x. Vectors are empty before the first iteration.
  struct State {
    i64 iterations = 0, evaluations = 0;
    f64 rate = 0, scale = 1;
    Vector direction, past_gradient;
    std::vector<Pair> pairs;
  };

  explicit LbfgsSearch(const LBFGS& options) : options_(options) {
    if (options.max_iter < 1 || options.history_size < 1)
      throw Error("lbfgs/bad-argument", "LBFGS: max_iter and history_size must be positive");
  }

  const State& state() const { return state_; }
  void restore(State state) { state_ = std::move(state); }
  const LBFGS& options() const { return options_; }
  void set_lr(f32 lr) { options_.lr = lr; }
  // How often the loss was evaluated, over all steps.
  i64 evaluations() const { return state_.evaluations; }

  // Moves x by at most max_iter iterations; returns the loss where it was.
  template <class Evaluate>
  f64 step(Vector& x, Evaluate&& evaluate) {
    const int most = options_.max_eval > 0 ? options_.max_eval : options_.max_iter * 5 / 4;
    Vector g(x.size());
    const f64 first = evaluate(x, g);
    f64 loss = first;
    int used = 1;
    ++state_.evaluations;
    if (largest(g) <= static_cast<f64>(options_.tolerance_grad)) return first;
    for (int k = 1; k <= options_.max_iter; ++k) {
      ++state_.iterations;
      find_direction(g);
      state_.past_gradient = g;
      const f64 past_loss = loss;
      state_.rate = static_cast<f64>(options_.lr);
      if (state_.iterations == 1) state_.rate *= std::fmin(1.0, 1.0 / sum_of_sizes(g));
      const f64 slope = dot(g, state_.direction);
      if (slope > -static_cast<f64>(options_.tolerance_change)) break;
      int spent = 0;
      if (options_.line_search == LineSearch::strong_wolfe) {
        spent = search(x, g, loss, slope, most - used, evaluate);
        move(x, state_.rate, x);
      } else {
        move(x, state_.rate, x);
        if (k != options_.max_iter) loss = evaluate(x, g), spent = 1;
      }
      used += spent;
      state_.evaluations += spent;
      if (used >= most || largest(g) <= static_cast<f64>(options_.tolerance_grad)) break;
      if (largest(state_.direction) * std::fabs(state_.rate) <= static_cast<f64>(options_.tolerance_change))
        break;
      if (std::fabs(loss - past_loss) < static_cast<f64>(options_.tolerance_change)) break;
    }
    return first;
  }

 private:
  // A place along the direction: how far, the loss, the gradient, its slope.
  struct Place {
    f64 t = 0, f = 0;
    Vector g;
    f64 slope = 0;
  };

  static f64 dot(const Vector& a, const Vector& b) {
    f64 sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<f64>(a[i]) * static_cast<f64>(b[i]);
    return sum;
  }
  static f64 largest(const Vector& a) {
    f64 most = 0;
    for (f32 v : a) most = std::fmax(most, std::fabs(static_cast<f64>(v)));
    return most;
  }
  static f64 sum_of_sizes(const Vector& a) {
    f64 sum = 0;
    for (f32 v : a) sum += std::fabs(static_cast<f64>(v));
    return sum;
  }
  static void add(Vector& to, f64 scale, const Vector& v) {
    const f32 by = static_cast<f32>(scale);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += by * v[i];
  }
  // to = x + t direction
  void move(const Vector& x, f64 t, Vector& to) const {
    const f32 by = static_cast<f32>(t);
    for (std::size_t i = 0; i < x.size(); ++i) to[i] = x[i] + by * state_.direction[i];
  }

  // The direction: minus the gradient times the inverse Hessian that the pairs approximate.
  void find_direction(const Vector& g) {
    if (state_.iterations > 1) {
      Pair pair;
      pair.y = g;
      add(pair.y, -1, state_.past_gradient);
      pair.s = state_.direction;
      for (f32& v : pair.s) v *= static_cast<f32>(state_.rate);
      const f64 ys = dot(pair.y, pair.s);
      if (ys > 1e-10) {
        if (static_cast<int>(state_.pairs.size()) == options_.history_size)
          state_.pairs.erase(state_.pairs.begin());
        pair.rho = 1 / ys;
        state_.scale = ys / dot(pair.y, pair.y);
        state_.pairs.push_back(static_cast<Pair&&>(pair));
      }
    }
    state_.direction = g;
    for (f32& v : state_.direction) v = -v;
    if (state_.iterations == 1) return;
    std::vector<f64> alpha(state_.pairs.size());
    for (std::size_t i = state_.pairs.size(); i-- > 0;) {
      alpha[i] = dot(state_.pairs[i].s, state_.direction) * state_.pairs[i].rho;
      add(state_.direction, -alpha[i], state_.pairs[i].y);
    }
    for (f32& v : state_.direction) v *= static_cast<f32>(state_.scale);
    for (std::size_t i = 0; i < state_.pairs.size(); ++i)
      add(state_.direction, alpha[i] - dot(state_.pairs[i].y, state_.direction) * state_.pairs[i].rho,
          state_.pairs[i].s);
  }

  // The least place of the cubic through two places and their slopes, held to [low, high].
  static f64 interpolate(const Place& a, const Place& b, f64 low, f64 high) {
    const f64 d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t), square = d1 * d1 - a.slope * b.slope;
    if (!(square >= 0)) return (low + high) / 2;
    const f64 d2 = std::sqrt(square);
    const f64 at = a.t <= b.t ? b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
                              : a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
    return std::fmin(std::fmax(at, low), high);
  }

  // A rate that fulfils the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6), the loss
  // and the gradient there; returns how many evaluations it took.
  template <class Evaluate>
  int search(const Vector& x, Vector& g, f64& loss, f64 slope, int most, Evaluate&& evaluate) {
    constexpr f64 sufficient = 1e-4, curvature = 0.9, least_change = 1e-9;
    const f64 size = largest(state_.direction);
    Vector to(x.size());
    const auto at = [&](f64 t) {
      Place p{t, 0, Vector(x.size()), 0};
      move(x, t, to);
      p.f = evaluate(to, p.g);
      p.slope = dot(p.g, state_.direction);
      return p;
    };
    const Place start{0, loss, g, slope};
    Place past = start, now = at(state_.rate), low, high;
    int used = 1, k = 0;
    bool done = false, bracketed = false;
    for (; k < most; ++k) {
      if (now.f > loss + sufficient * now.t * slope || (k > 1 && now.f >= past.f) ||
          (std::fabs(now.slope) > -curvature * slope && now.slope >= 0)) {
        low = past, high = now, bracketed = true;
        break;
      }
      if (std::fabs(now.slope) <= -curvature * slope) {
        low = now, done = bracketed = true;
        break;
      }
      const f64 next = interpolate(past, now, now.t + 0.01 * (now.t - past.t), now.t * 10);
      past = static_cast<Place&&>(now);
      now = at(next);
      ++used;
    }
    if (!bracketed) low = start, high = now;
    const auto order = [&] {
      if (high.f < low.f) std::swap(low, high);
    };
    if (!done) order();
    bool slow = false;
    while (!done && k < most && std::fabs(high.t - low.t) * size >= least_change) {
      const f64 left = std::fmin(low.t, high.t), right = std::fmax(low.t, high.t);
      // of the two in the order in which they were found, the cubic is the same
      f64 t = interpolate(low, high, left, right);
      const f64 edge = 0.1 * (right - left);
      if (std::fmin(right - t, t - left) < edge) {
        if (slow || t >= right || t <= left) {
          t = std::fabs(t - right) < std::fabs(t - left) ? right - edge : left + edge;
          slow = false;
        } else {
          slow = true;
        }
      } else {
        slow = false;
      }
      now = at(t);
      ++used, ++k;
      if (now.f > loss + sufficient * t * slope || now.f >= low.f) {
        high = static_cast<Place&&>(now);
        order();
      } else {
        if (std::fabs(now.slope) <= -curvature * slope)
          done = true;
        else if (now.slope * (high.t - low.t) >= 0)
          high = low;
        low = static_cast<Place&&>(now);
      }
    }
    state_.rate = low.t;
    loss = low.f;
    g = low.g;
    return used;
  }

  LBFGS options_;
  State state_;
};

}  // namespace WEFT_NAMESPACE::optim
