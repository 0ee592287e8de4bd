#pragma once
// What an expression that draws random numbers shares with its copies, so that a name stands for the same
// numbers wherever it is used. Law: they are drawn once, in the trace that uses them first.

#include <type_traits>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE::ir {

class Builder;

struct Draw {
  int holders = 1;             // expressions, and the trace that has drawn
  Builder* builder = nullptr;  // that trace, while there is one
  int node = -1;               // there
  Draw* next = nullptr;        // what the same trace has drawn before
};

// Counts a Draw's holders. Empty where a program runs: an expression of run-time tensors is one of its
// statement.
class DrawHandle {
 public:
  constexpr DrawHandle() : draw_(std::is_constant_evaluated() ? new Draw{} : nullptr) {}
  constexpr DrawHandle(const DrawHandle& other) : draw_(other.draw_) {
    if (draw_ != nullptr) ++draw_->holders;
  }
  constexpr DrawHandle& operator=(const DrawHandle& other) {
    if (other.draw_ != nullptr) ++other.draw_->holders;
    release(draw_);
    draw_ = other.draw_;
    return *this;
  }
  constexpr ~DrawHandle() { release(draw_); }

  constexpr Draw* get() const { return draw_; }

  // Whether somebody holds it still.
  static constexpr bool release(Draw* draw) {
    if (draw == nullptr || --draw->holders > 0) return draw != nullptr;
    delete draw;
    return false;
  }

 private:
  Draw* draw_;
};

}  // namespace WEFT_NAMESPACE::ir
