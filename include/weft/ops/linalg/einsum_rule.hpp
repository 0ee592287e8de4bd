#pragma once
// The subscripts of einsum, read and checked while compiling. Law: PyTorch's grammar: letters of both cases,
// an ellipsis in each term, spaces anywhere; a letter that comes twice in a term is a diagonal, one missing
// from the result is summed; without an arrow the result has the letters that come once, capitals first.

#include <bit>

#include "weft/core/fixed_string.hpp"
#include "weft/ir/shape_rule.hpp"

namespace WEFT_NAMESPACE::detail {

enum class EinsumFault : u8 { none, syntax, operands, axes, extents, rank };

// Letters are 0 to 51, the axes of an ellipsis from 52 on, counted from the left of the longest.
inline constexpr int einsum_letters = 52, einsum_labels = einsum_letters + max_rank;
inline constexpr int einsum_operands = 16;

struct EinsumTerm {
  int label[max_rank]{};
  int rank = 0;
  int ellipsis = -1;  // where one stands, in letters from the left
};

struct EinsumPlan {
  EinsumFault fault{};
  EinsumTerm term[einsum_operands];
  EinsumTerm result;
  i64 extent[einsum_labels]{};
  Dims dims;  // of the result

  constexpr void fail(EinsumFault f) {
    if (fault == EinsumFault::none) fault = f;
  }
};

constexpr int einsum_letter(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : -1;
}

// Reads one term; stops at a comma, an arrow or the end.
constexpr void read_term(std::string_view text, std::size_t& at, EinsumTerm& term, EinsumPlan& plan) {
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ') continue;
    if (c == ',' || c == '-') return;
    if (c == '.') {
      if (term.ellipsis >= 0 || at + 2 >= text.size() || text[at + 1] != '.' || text[at + 2] != '.')
        return plan.fail(EinsumFault::syntax);
      term.ellipsis = term.rank;
      at += 2;
    } else if (einsum_letter(c) < 0) {
      return plan.fail(EinsumFault::syntax);
    } else if (term.rank == max_rank) {
      return plan.fail(EinsumFault::rank);
    } else {
      term.label[term.rank++] = einsum_letter(c);
    }
  }
}

// Puts the ellipsis's axes, `count` of the `longest`, among a term's letters.
constexpr void spread(EinsumTerm& term, int count, int longest, EinsumPlan& plan) {
  if (term.ellipsis < 0) return;
  if (term.rank + count > max_rank) return plan.fail(EinsumFault::rank);
  for (int k = term.rank - 1; k >= term.ellipsis; --k) term.label[k + count] = term.label[k];
  for (int k = 0; k < count; ++k) term.label[term.ellipsis + k] = einsum_letters + longest - count + k;
  term.rank += count;
}

static_assert(einsum_labels <= 64);
// Labels as a set of bits, one set an operand.
struct EinsumSets {
  u64 operand[einsum_operands]{};
  int count = 0;
  u64 result = 0;

  // What the result or another operand than a and b needs.
  constexpr u64 wanted(int a, int b) const {
    u64 all = result;
    for (int t = 0; t < count; ++t)
      if (t != a && t != b) all |= operand[t];
    return all;
  }
  // The labels of operands a and b put together.
  constexpr u64 joined(int a, int b) const {
    const u64 x = operand[a], y = operand[b];
    return (x ^ y) | (x & y & wanted(a, b));
  }
  constexpr void join(int a, int b) {
    operand[a] = joined(a, b);
    for (int t = b; t + 1 < count; ++t) operand[t] = operand[t + 1];
    --count;
  }
};
struct EinsumPair {
  int a = 0, b = 1;
};
// The pair with the fewest multiplications, of equal ones that with the smallest result.
constexpr EinsumPair einsum_pair(const EinsumSets& sets, const i64* extent) {
  const auto size = [&](u64 set) {
    double product = 1;
    for (int l = 0; l < einsum_labels; ++l)
      if ((set >> l & 1) != 0) product *= static_cast<double>(extent[l]);
    return product;
  };
  EinsumPair best;
  double least = -1, smallest = 0;
  for (int a = 0; a < sets.count; ++a)
    for (int b = a + 1; b < sets.count; ++b) {
      const double work = size(sets.operand[a] | sets.operand[b]), made = size(sets.joined(a, b));
      if (least < 0 || work < least || (work == least && made < smallest))
        least = work, smallest = made, best = {a, b};
    }
  return best;
}
// Whether nothing on the way to the result has more axes than a tensor may have.
constexpr bool einsum_has_room(const EinsumPlan& plan, const Dims* shapes, int count) {
  EinsumSets sets;
  sets.count = count;
  for (int k = 0; k < plan.result.rank; ++k) sets.result |= u64{1} << plan.result.label[k];
  for (int t = 0; t < count; ++t)
    for (int k = 0; k < plan.term[t].rank; ++k) {
      const int l = plan.term[t].label[k];
      if (shapes[t].extent[k] == plan.extent[l]) sets.operand[t] |= u64{1} << l;
    }
  for (int t = 0; t < count; ++t) sets.operand[t] &= sets.wanted(t, t);
  while (sets.count > 1) {
    const EinsumPair next = einsum_pair(sets, plan.extent);
    if (std::popcount(sets.joined(next.a, next.b)) > max_rank) return false;
    sets.join(next.a, next.b);
  }
  return true;
}

constexpr EinsumPlan einsum_plan(std::string_view text, const Dims* shapes, int count) {
  EinsumPlan plan;
  std::size_t at = 0;
  int terms = 0, longest = 0;
  bool arrow = false;
  while (plan.fault == EinsumFault::none) {
    if (terms == count || terms == einsum_operands) {
      plan.fail(EinsumFault::operands);
      break;
    }
    read_term(text, at, plan.term[terms++], plan);
    if (at >= text.size() || text[at] != ',') break;
    ++at;
  }
  if (plan.fault != EinsumFault::none) return plan;
  if (terms != count) plan.fail(EinsumFault::operands);
  if (at < text.size()) {
    arrow = at + 1 < text.size() && text[at] == '-' && text[at + 1] == '>';
    if (!arrow) plan.fail(EinsumFault::syntax);
    at += 2;
    read_term(text, at, plan.result, plan);
    if (at < text.size()) plan.fail(EinsumFault::syntax);
  }
  int times[einsum_labels]{};
  for (int t = 0; t < terms && plan.fault == EinsumFault::none; ++t) {
    EinsumTerm& term = plan.term[t];
    for (int k = 0; k < term.rank; ++k) ++times[term.label[k]];
    const int covered = shapes[t].rank - term.rank;
    if (covered < 0 || (term.ellipsis < 0 && covered != 0)) plan.fail(EinsumFault::axes);
    if (term.ellipsis >= 0 && covered > longest) longest = covered;
  }
  if (plan.fault != EinsumFault::none) return plan;
  for (int t = 0; t < terms; ++t) {
    EinsumTerm& term = plan.term[t];
    spread(term, shapes[t].rank - term.rank, longest, plan);
    for (int k = 0; k < term.rank; ++k) {
      i64& known = plan.extent[term.label[k]];
      const i64 e = shapes[t].extent[k];
      if (known == 0 && times[term.label[k]] >= 0) known = e, times[term.label[k]] -= 1000;
      if (known != e && known != 1 && e != 1) plan.fail(EinsumFault::extents);
      if (e != 1) known = e;
    }
  }
  if (!arrow) {
    plan.result.ellipsis = 0;
    for (int l = 0; l < einsum_letters; ++l) {
      if (times[l] != 1 - 1000) continue;
      if (plan.result.rank == max_rank) return plan.fail(EinsumFault::rank), plan;
      plan.result.label[plan.result.rank++] = l;
    }
  }
  u64 seen = 0;
  for (int k = 0; k < plan.result.rank; ++k) {
    const int l = plan.result.label[k];
    if (times[l] == 0 || (seen >> l & 1) != 0) plan.fail(EinsumFault::syntax);
    seen |= u64{1} << l;
  }
  spread(plan.result, longest, longest, plan);
  plan.dims.rank = plan.result.rank;
  for (int k = 0; k < plan.result.rank; ++k) plan.dims.extent[k] = plan.extent[plan.result.label[k]];
  if (plan.fault == EinsumFault::none && !einsum_has_room(plan, shapes, count)) plan.fail(EinsumFault::rank);
  return plan;
}

}  // namespace WEFT_NAMESPACE::detail
