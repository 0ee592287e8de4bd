#pragma once
// The product of several matrices in the order that multiplies least: torch.linalg.multi_dot.

#include "weft/ops/linalg/matmul.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(MultiDotFits,
             "multi_dot takes two matrices or more that can be multiplied one after another; the first "
             "and the last may be vectors");

namespace detail {

// The cheapest order (Cormen et al., Introduction to Algorithms, 15.2): matrix k is (size[k], size[k + 1]).
template <class... S>
struct chain_rule {
  static constexpr int count = sizeof...(S);
  struct Sizes {
    i64 size[count + 1]{};
    bool ok = true;
  };
  static constexpr Sizes make_sizes() {
    Sizes r;
    const Dims dims[]{S::value...};
    for (int k = 0; k < count; ++k) {
      const Dims& d = dims[k];
      const bool vector = d.rank == 1 && (k == 0 || k == count - 1);
      r.ok = r.ok && (d.rank == 2 || vector);
      if (!r.ok) return r;
      const i64 rows = vector && k == 0 ? 1 : d.extent[0],
                columns = vector ? (k == 0 ? d.extent[0] : 1) : d.extent[1];
      r.ok = k == 0 || r.size[k] == rows;
      r.size[k] = rows, r.size[k + 1] = columns;
    }
    r.ok = r.ok && count >= 2;
    return r;
  }
  static constexpr Sizes sizes = make_sizes();
  struct Splits {
    int at[count][count]{};
  };
  static constexpr Splits make_splits() {
    Splits s;
    double cost[count][count]{};
    for (int length = 2; length <= count; ++length)
      for (int i = 0; i + length <= count; ++i) {
        const int j = i + length - 1;
        for (int k = i; k < j; ++k) {
          const double here = cost[i][k] + cost[k + 1][j] +
                              static_cast<double>(sizes.size[i]) * static_cast<double>(sizes.size[k + 1]) *
                                  static_cast<double>(sizes.size[j + 1]);
          if (k == i || here < cost[i][j]) cost[i][j] = here, s.at[i][j] = k;
        }
      }
    return s;
  }
  static constexpr Splits splits = make_splits();
};

}  // namespace detail

struct MultiDotOp : Operation<MultiDotOp> {
  template <ExprLike... X>
  static constexpr auto apply(ir::Builder& b, const X&... x) {
    using Rule = detail::chain_rule<typename X::shape...>;
    static_assert(sizeof(MultiDotFits<Rule::sizes.ok, MultiDotOp, typename X::shape...>) > 0);
    if constexpr (Rule::sizes.ok)
      return product<Rule, 0, Rule::count - 1>(b, std::tie(x...));
    else
      return std::get<0>(std::tie(x...));
  }

 private:
  template <class Rule, int I, int J, class Operands>
  static constexpr auto product(ir::Builder& b, const Operands& all) {
    if constexpr (I == J) {
      return std::get<I>(all);
    } else {
      constexpr int k = Rule::splits.at[I][J];
      return MatmulOp::apply(b, product<Rule, I, k>(b, all), product<Rule, k + 1, J>(b, all));
    }
  }
};

// multi_dot(a, b, c, ...)
inline constexpr MultiDotOp multi_dot{};

}  // namespace WEFT_NAMESPACE
