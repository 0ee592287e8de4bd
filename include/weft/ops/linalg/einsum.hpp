#pragma once
// einsum<"bhsd,bhtd->bhst">(q, k): sums of products named by letters, as torch.einsum. Law: operands are put
// together two at a time, the pair with the fewest multiplications first; a pair that sums is one matrix
// product, one that does not is arithmetic.

#include "weft/ops/linalg/einsum_rule.hpp"
#include "weft/ops/shape/concat.hpp"

namespace WEFT_NAMESPACE {

WEFT_REFUSAL(EinsumSubscripts,
             "einsum: the subscripts are not well formed: letters and at most one ellipsis an operand, "
             "commas between them, and after an arrow letters that came before, each once");
WEFT_REFUSAL(EinsumOperands, "einsum: the subscripts name another number of operands than are given");
WEFT_REFUSAL(EinsumAxes,
             "einsum: an operand has another number of axes than its subscripts name: give each axis a "
             "letter, or ... for those in front");
WEFT_REFUSAL(EinsumExtents,
             "einsum: a letter stands for axes of different extents: name one of them otherwise, or exchange "
             "the letters of an operand that is transposed");
WEFT_REFUSAL(EinsumRank, "einsum: more than 8 axes are needed at once");

namespace detail {

// An operand, or what was made of some of them: an axis a label, no label twice.
struct EinsumPart {
  ir::Value v;
  int label[max_rank]{};
  int rank = 0;

  constexpr int find(int l) const {
    for (int k = 0; k < rank; ++k)
      if (label[k] == l) return k;
    return -1;
  }
  constexpr void drop(int axis) {
    --rank;
    for (int k = axis; k < rank; ++k) label[k] = label[k + 1];
  }
};

class EinsumWork {
 public:
  constexpr EinsumWork(const EinsumPlan& plan, const ir::Value* operands, int count)
      : plan_(plan), count_(count) {
    for (int t = 0; t < count; ++t) {
      EinsumPart& p = part_[t];
      p.v = operands[t];
      p.rank = plan.term[t].rank;
      for (int k = 0; k < p.rank; ++k) p.label[k] = plan.term[t].label[k];
    }
  }

  constexpr ir::Value run() {
    for (int t = 0; t < count_; ++t) {
      squeeze(part_[t]);
      diagonals(part_[t]);
    }
    for (int t = 0; t < count_; ++t) sum_alone(t);
    while (count_ > 1) {
      const EinsumPair next = einsum_pair(sets(), plan_.extent);
      part_[next.a] = join(next.a, next.b);
      for (int t = next.b; t + 1 < count_; ++t) part_[t] = part_[t + 1];
      --count_;
    }
    return arranged(part_[0], plan_.result.label, plan_.result.rank);
  }

 private:
  constexpr EinsumSets sets() const {
    EinsumSets r;
    r.count = count_;
    for (int k = 0; k < plan_.result.rank; ++k) r.result |= u64{1} << plan_.result.label[k];
    for (int t = 0; t < count_; ++t)
      for (int k = 0; k < part_[t].rank; ++k) r.operand[t] |= u64{1} << part_[t].label[k];
    return r;
  }
  // Whether the result or another part needs the label.
  constexpr bool wanted(int l, int a, int b) const { return (sets().wanted(a, b) >> l & 1) != 0; }

  // An axis of extent 1 under a label of a greater extent is one to broadcast: it goes.
  constexpr void squeeze(EinsumPart& p) const {
    Dims d = p.v.dims(), r;
    int kept = 0;
    for (int k = 0; k < p.rank; ++k) {
      if (d.extent[k] == 1 && plan_.extent[p.label[k]] != 1) continue;
      p.label[kept++] = p.label[k];
      r.extent[r.rank++] = d.extent[k];
    }
    p.rank = kept;
    p.v = ir::reshape(p.v, r);
  }

  // Two axes of one label become their diagonal: behind each other they are one axis of which every
  // (n + 1)th element counts.
  constexpr void diagonals(EinsumPart& p) const {
    for (int i = 0; i < p.rank; ++i)
      for (int j = i + 1; j < p.rank; ++j) {
        if (p.label[i] != p.label[j]) continue;
        const int l = p.label[i];
        i64 order[8]{};
        int n = 0;
        for (int k = 0; k < p.rank; ++k)
          if (k != i && k != j) order[n++] = k;
        order[n] = i;
        order[n + 1] = j;
        Dims d = ir::permuted(p.v.dims(), order);
        const i64 extent = d.extent[n];
        d.rank -= 1;
        d.extent[n] = extent * extent;
        d.extent[n + 1] = 0;
        const ir::Value flat = ir::reshape(ir::permute(p.v, order), d);
        ir::Slices axes;
        axes[n].step = extent + 1;
        d.extent[n] = extent;
        p.v = ir::slice(flat, axes, d);
        p.drop(j);
        p.drop(i);
        p.label[p.rank++] = l;
        return diagonals(p);
      }
  }

  constexpr void sum_alone(int t) {
    EinsumPart& p = part_[t];
    ir::Axes axes = 0;
    const Dims d = p.v.dims();
    for (int k = 0; k < p.rank; ++k)
      if (!wanted(p.label[k], t, t)) axes |= 1u << k;
    if (axes == 0) return;
    p.v = ir::reshape(ir::reduce(ir::Op::reduce_sum, p.v, axes), ir::dropped(d, axes));
    int kept = 0;
    for (int k = 0; k < p.rank; ++k)
      if (!(axes >> k & 1u)) p.label[kept++] = p.label[k];
    p.rank = kept;
  }

  // p with its axes in the order of `labels`, all of which it has.
  static constexpr ir::Value arranged(const EinsumPart& p, const int* labels, int count) {
    i64 order[8]{};
    for (int k = 0; k < count; ++k) order[k] = p.find(labels[k]);
    return ir::permute(p.v, order);
  }

  struct Roles {
    int batch[max_rank]{}, a[max_rank]{}, b[max_rank]{}, summed[max_rank]{};
    int batches = 0, as = 0, bs = 0, sums = 0;
  };

  constexpr EinsumPart join(int first, int second) const {
    Roles r = roles(first, second);
    const EinsumPart &p = part_[first], &q = part_[second];
    if (r.sums == 0) return multiply(p, q, r);
    // the other order, where that alone gives the result's
    if (count_ == 2 && !in_order(r) && in_order(roles(second, first)))
      return product(q, p, roles(second, first));
    return product(p, q, r);
  }
  constexpr Roles roles(int first, int second) const {
    const EinsumPart &p = part_[first], &q = part_[second];
    Roles r;
    for (int k = 0; k < p.rank; ++k) {
      const int l = p.label[k];
      if (q.find(l) < 0)
        r.a[r.as++] = l;
      else if (wanted(l, first, second))
        r.batch[r.batches++] = l;
      else
        r.summed[r.sums++] = l;
    }
    for (int k = 0; k < q.rank; ++k)
      if (p.find(q.label[k]) < 0) r.b[r.bs++] = q.label[k];
    return r;
  }
  constexpr bool in_order(const Roles& r) const {
    for (int k = 0; k < plan_.result.rank; ++k) {
      const int l = k < r.batches          ? r.batch[k]
                    : k < r.batches + r.as ? r.a[k - r.batches]
                                           : r.b[k - r.batches - r.as];
      if (plan_.result.label[k] != l) return false;
    }
    return true;
  }
  static constexpr void name(EinsumPart& made, const Roles& r) {
    made.rank = 0;
    for (int k = 0; k < r.batches; ++k) made.label[made.rank++] = r.batch[k];
    for (int k = 0; k < r.as; ++k) made.label[made.rank++] = r.a[k];
    for (int k = 0; k < r.bs; ++k) made.label[made.rank++] = r.b[k];
  }
  constexpr Dims named_dims(const EinsumPart& made) const {
    Dims d;
    d.rank = made.rank;
    for (int k = 0; k < made.rank; ++k) d.extent[k] = plan_.extent[made.label[k]];
    return d;
  }

  // Nothing is summed: both operands spread over all axes, and multiplied.
  constexpr EinsumPart multiply(const EinsumPart& p, const EinsumPart& q, const Roles& r) const {
    EinsumPart made;
    name(made, r);
    const auto spread_out = [&](const EinsumPart& x) {
      int labels[max_rank]{}, n = 0;
      Dims d;
      d.rank = made.rank;
      for (int k = 0; k < made.rank; ++k) {
        const bool own = x.find(made.label[k]) >= 0;
        if (own) labels[n++] = made.label[k];
        d.extent[k] = own ? plan_.extent[made.label[k]] : 1;
      }
      return ir::reshape(arranged(x, labels, n), d);
    };
    const ir::Value a = spread_out(p), b = spread_out(q);
    made.v = a * b;
    return made;
  }

  constexpr EinsumPart product(const EinsumPart& p, const EinsumPart& q, const Roles& r) const {
    EinsumPart made;
    name(made, r);
    ir::DotAxes axes;
    if (r.batches <= 2 && r.as <= 2 && r.bs <= 2) {
      axes.batch = r.batches;
      axes.contracted = r.sums;
      for (int k = 0; k < r.batches; ++k)
        axes.batch_a[k] = p.find(r.batch[k]), axes.batch_b[k] = q.find(r.batch[k]);
      for (int k = 0; k < r.sums; ++k)
        axes.contracted_a[k] = p.find(r.summed[k]), axes.contracted_b[k] = q.find(r.summed[k]);
      made.v = ir::dot(p.v, q.v, axes, p.v.dtype());
    } else {  // too many axes to walk in place: three each
      axes.batch = axes.contracted = 1;
      axes.contracted_a[0] = axes.contracted_b[0] = 2;
      const ir::Value a = three(p, r, r.a, r.as), b = three(q, r, r.b, r.bs);
      made.v = ir::reshape(ir::dot(a, b, axes, p.v.dtype()), named_dims(made));
    }
    return made;
  }
  // (batch, free, summed)
  constexpr ir::Value three(const EinsumPart& x, const Roles& r, const int* free, int frees) const {
    int labels[max_rank]{}, n = 0;
    Dims d;
    d.rank = 3;
    d.extent[0] = d.extent[1] = d.extent[2] = 1;
    const auto append = [&](const int* list, int count, int to) {
      for (int k = 0; k < count; ++k) {
        labels[n++] = list[k];
        d.extent[to] *= plan_.extent[list[k]];
      }
    };
    append(r.batch, r.batches, 0);
    append(free, frees, 1);
    append(r.summed, r.sums, 2);
    return ir::reshape(arranged(x, labels, n), d);
  }

  const EinsumPlan& plan_;
  int count_ = 0;
  EinsumPart part_[einsum_operands];
};

template <FixedString Subscripts, class... S>
struct einsum_rule {
  static constexpr EinsumPlan make() {
    const Dims shapes[sizeof...(S) + 1]{S::value..., Dims{}};
    return einsum_plan(Subscripts.view(), shapes, static_cast<int>(sizeof...(S)));
  }
  static constexpr EinsumPlan plan = make();
  static constexpr bool ok = plan.fault == EinsumFault::none;
  static constexpr Dims value = ok ? plan.dims : Dims{};
};

}  // namespace detail

template <FixedString Subscripts>
struct EinsumOp : Operation<EinsumOp<Subscripts>> {
  template <ExprLike... X>
  static constexpr auto apply(ir::Builder&, const X&... x) {
    using Rule = detail::einsum_rule<Subscripts, typename X::shape...>;
    using Fault = detail::EinsumFault;
    constexpr Fault f = Rule::plan.fault;
    static_assert(sizeof(EinsumSubscripts<f != Fault::syntax, EinsumOp, typename X::shape...>) > 0);
    static_assert(sizeof(EinsumOperands<f != Fault::operands, EinsumOp, typename X::shape...>) > 0);
    static_assert(sizeof(EinsumAxes<f != Fault::axes, EinsumOp, typename X::shape...>) > 0);
    static_assert(sizeof(EinsumExtents<f != Fault::extents, EinsumOp, typename X::shape...>) > 0);
    static_assert(sizeof(EinsumRank<f != Fault::rank, EinsumOp, typename X::shape...>) > 0);
    using T = typename detail::promote_all<typename X::dtype...>::type;
    using R = Expr<T, shape_of<Rule>>;
    static_assert(sizeof(DtypeAllowed<!std::is_same_v<T, bool>, EinsumOp, typename X::dtype...>) > 0);
    if constexpr (Rule::ok) {
      const ir::Value operands[]{ir::cast(x.value, dtype_of<T>)...};
      return R{detail::EinsumWork(Rule::plan, operands, static_cast<int>(sizeof...(X))).run()};
    } else {
      return detail::refused<T, typename R::shape>(x...);
    }
  }
};

WEFT_REFUSAL(EinsumTakes, "einsum takes a value for each group of letters: einsum<\"ij,jk->ik\">(a, b)");
// einsum<"ij,jk->ik">(a, b)
template <FixedString Subscripts, class... X>
constexpr auto einsum(const X&... x) {
  static_assert(sizeof(EinsumTakes<(sizeof...(X) > 0), EinsumOp<Subscripts>>) > 0);
  if constexpr (sizeof...(X) > 0)
    return EinsumOp<Subscripts>{}(x...);
  else
    return AfterRefusal{};
}

}  // namespace WEFT_NAMESPACE
