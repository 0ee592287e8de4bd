#pragma once
// A device that evaluates a program's graph node by node, with one ordinary function call for each, in host
// memory. Law: its numbers are those of Cpu to the last bit wherever nothing is summed; no kernel is compiled
// for it.

#include <string>

#include "weft/ir/print.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE {

namespace exec {
class GraphRunner;
}

// The value of a node that has just been evaluated, or of an input or a parameter before its first use.
struct NodeValue {
  const char* op = nullptr;                   // "exp", "dot", ...; "input", "state", ...
  int node = 0;                               // its number in the graph, or in the body of the innermost loop
  int depth = 0;                              // loops around it
  i64 trip = -1;                              // of the innermost loop; -1 outside loops
  DType dtype{};                              // of the elements
  Dims dims;                                  // their extents
  const void* data = nullptr;                 // elements in row-major order, until the next node is evaluated
  const ir::Graph* graph = nullptr;           // where `node` is
  const exec::GraphRunner* runner = nullptr;  // who evaluates it: of scope()

  // The node as the graph prints it: "%5 = exp(%4) : f32 (8, 10)".
  std::string text() const { return ir::print_node(*graph, node); }
  // The module that it was computed for: "h.3.mlp", "after fc2"; empty where no state is near. (A template,
  // so that programs that do not ask have no part of it.)
  template <class Runner = exec::GraphRunner>
  std::string scope() const {
    return static_cast<const Runner*>(runner)->scopes()[node];
  }
};

WEFT_REFUSAL(VisitCapturesNothing,
             "Interpreter{.visit = f}: f captures nothing and takes a value, [](const NodeValue& v) { ... }: "
             "count and keep in a static or global variable");
// What a run calls: a function, as its address.
struct Visit {
  using Function = void (*)(const NodeValue& value);
  Function function = nullptr;  // none

  constexpr Visit() = default;
  constexpr Visit(Function f) : function(f) {}
  constexpr Visit(std::nullptr_t) {}
  template <class F>
  requires std::is_class_v<F>
  constexpr Visit(const F& f) {
    constexpr bool plain = std::is_convertible_v<const F&, Function>;
    static_assert(sizeof(VisitCapturesNothing<plain, F>) > 0);
    if constexpr (plain) function = f;
  }
  constexpr operator Function() const { return function; }
  constexpr bool operator==(const Visit&) const = default;
};

// A device that evaluates programs node by node: docs/interpreter.md.
struct Interpreter {
  // Called with every value of every run but those that give a model its starting values.
  Visit visit{};

  constexpr bool operator==(const Interpreter&) const = default;
};

namespace exec {

template <>
struct DeviceMemory<Interpreter> : HostMemory<Interpreter> {};
template <>
struct TensorsOf<Interpreter> {
  using type = Cpu;
};
template <>
struct SilentDevice<Interpreter> {
  static Interpreter of(Interpreter device) {
    device.visit = nullptr;
    return device;
  }
};

}  // namespace exec
}  // namespace WEFT_NAMESPACE
