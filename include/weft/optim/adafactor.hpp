#pragma once
// Adafactor (Shazeer and Stern, 2018), as torch.optim.Adafactor: of a parameter of two axes or more the
// squares of gradients are kept as the means of rows and of columns alone, r and c; v = r c / mean(r), of a
// vector v itself. With w = t^beta2_decay each of them x += w (mean of g^2 - x), t counting updates from 1.
// The step is u = g / sqrt(v), divided by max(1, rms(u) / d), times max(eps.second, rms(p)) min(lr, 1 /
// sqrt(t)); p first loses lr weight_decay p. Law: the state is as large as a row and a column of each matrix.

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

struct Adafactor {
  struct Eps {
    float first = 1.1920929e-07f;  // the least mean square of a row; f32's epsilon, which is PyTorch's None
    float second = 1e-3f;          // the least scale of a parameter
  };
  Schedule lr = 1e-2f;        // learning rate: a number, or a schedule of the update
  float beta2_decay = -0.8f;  // exponent: the means keep 1 - t^beta2_decay at update t
  Eps eps{};                  // added to g^2's means; least norm of a parameter
  float d = 1;                // greatest root mean square of a step
  float weight_decay = 0;     // p is first scaled by 1 - lr weight_decay

  static constexpr std::string_view name = "Adafactor";
  WEFT_OPTIMIZER(Adafactor)
  static constexpr int moments = 2;  // r and c; of a vector v and nothing
  static constexpr int factors = 2;
  static constexpr int numbers = 6;
  static constexpr Dims factor_dims(int m, const Dims& parameter) {
    Dims r = parameter;
    if (parameter.rank > 1) {
      r.extent[parameter.rank - 1 - m] = 1;
    } else if (m == 1) {
      r.rank = 1;
      r.extent[0] = 0;
    }
    return r;
  }
  void fill(i64 step, f32* n) const {
    const f32 now = lr(step);
    n[0] = now;
    n[1] = static_cast<f32>(1.0 - static_cast<f64>(now) * static_cast<f64>(weight_decay));
    n[2] = beta2_decay;
    n[3] = eps.first;
    n[4] = eps.second;
    n[5] = d;
  }
  static constexpr void update_tensor(Update& u) {
    const Value weight = power(u.updates, u.number[2]), least = u.number[3];
    const Value squares = u.gradient * u.gradient;
    const int rank = u.parameter.dims().rank;
    Value v{};
    if (rank > 1) {
      const Value rows = mean(squares, 1u << (rank - 1)), columns = mean(squares, 1u << (rank - 2));
      u.moment[0] = u.moment[0] + (rows - u.moment[0]) * weight;
      u.moment[1] = u.moment[1] + (columns - u.moment[1]) * weight;
      const Value whole = mean(u.moment[0], 1u << (rank - 2));
      v = u.moment[0] * u.moment[1] / ir::binary(Op::max, whole, least);
    } else {
      u.moment[0] = u.moment[0] + (squares - u.moment[0]) * weight;
      v = u.moment[0];
    }
    const Value step = u.gradient * ir::unary(Op::rsqrt, ir::binary(Op::max, v, least * least));
    const Value one = ir::constant_like(weight, 1);
    const Value clipped = ir::binary(Op::max, rms(step) / u.number[5], one);
    const Value rate = ir::binary(Op::min, u.number[0], 1.0 / square_root(u.updates));
    const Value scale = ir::binary(Op::max, rms(u.parameter), u.number[4]) * rate / clipped;
    u.parameter = u.parameter * u.number[1] - step * scale;
  }

 private:
  // Over the axes named, which stay with extent 1.
  static constexpr Value mean(Value x, ir::Axes axes) {
    const Value total = ir::reduce(Op::reduce_sum, x, axes);
    const i64 all = total.dims().size();
    return total * (static_cast<double>(all) / static_cast<double>(x.dims().size()));
  }
  static constexpr Value rms(Value x) {
    return square_root(ir::reshape(mean(x * x, ir::all_axes(x.dims().rank)), Dims{}));
  }
};

}  // namespace WEFT_NAMESPACE::optim
