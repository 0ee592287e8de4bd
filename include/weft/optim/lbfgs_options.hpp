#pragma once
// The settings of L-BFGS, for whoever names it; what it does is in lbfgs.hpp, which weft.hpp leaves out.

#include <string_view>

#include "weft/optim/optimizer.hpp"

namespace WEFT_NAMESPACE::optim {

enum class LineSearch { none, strong_wolfe };

struct LBFGS {
  float lr = 1;                               // length of a step, of the first tried with a line search
  int max_iter = 20;                          // iterations of one step
  int max_eval = 0;                           // evaluations of one step; 0: 5/4 of max_iter
  float tolerance_grad = 1e-7f;               // stop where no element of g is larger
  float tolerance_change = 1e-9f;             // stop where loss and parameters change less
  int history_size = 100;                     // steps that are remembered
  LineSearch line_search = LineSearch::none;  // none, or strong_wolfe

  // It is no expression in the step's program: it asks for the loss and the gradient as often as it needs.
  static constexpr bool closure = true;
  static constexpr std::string_view name = "LBFGS";
  WEFT_OPTIMIZER(LBFGS)
  static constexpr int moments = 0;
  static constexpr int numbers = 0;
};

}  // namespace WEFT_NAMESPACE::optim
