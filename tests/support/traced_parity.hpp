#pragma once
// Groups of tests/parity/data without a compiled program for each: a function is traced at run time, its
// results and their gradients are evaluated plainly and through fusion, memory plan and lowering, and both
// are compared with PyTorch's. tests/parity/traced.py writes such groups: after the results come the
// gradients of sum(result * weights) by every floating input, and where a second order is asked for those of
// sum(gradient * weights).

#include "support/leaves.hpp"
#include "support/parity.hpp"

namespace weft::testing {

namespace detail {

template <class Results, class Use>
void for_each_result(ir::Builder& b, const Results& r, Use use) {
  if constexpr (requires { std::tuple_size<Results>::value; })
    std::apply([&](const auto&... e) { (use(weft::detail::traced(b, e)), ...); }, r);
  else
    use(weft::detail::traced(b, r));
}

// A program that is traced: its graph, its inputs' values and which of them are floating.
struct Traced {
  ir::Builder b;
  Leaves leaves;
  List<int> floating;

  Traced();
  ir::Value input(const Reference& r, DType t, const Dims& d);
  void check(const std::string& name, const ReferenceGroup& group, std::vector<ir::Value> of, int orders);
};

}  // namespace detail

// `f` takes the group's inputs and returns one result or a tuple of all of them in order; Order: how often it
// is differentiated.
template <int Order = 1, class F, class... T, class... S>
void check_traced(const std::string& name, const F& f, Input<T, S>...) {
  const ReferenceGroup group = read_group(name);
  REQUIRE(group.inputs.size() == sizeof...(T));
  detail::Traced program;
  const auto arguments = [&]<std::size_t... K>(std::index_sequence<K...>) {
    return std::tuple<Expr<T, S>...>{Expr<T, S>{program.input(group.inputs[K], dtype_of<T>, S::value)}...};
  }
  (std::index_sequence_for<T...>{});
  std::vector<ir::Value> results;
  detail::for_each_result(program.b, std::apply(f, arguments),
                          [&](const auto& e) { results.push_back(e.value); });
  program.check(name, group, results, Order);
}

}  // namespace weft::testing
