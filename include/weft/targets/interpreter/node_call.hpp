#pragma once
// One evaluation of a node: its operands and its result as plain memory, and ways through it.

#include <bit>
#include <cstring>

#include "weft/core/list.hpp"
#include "weft/ir/value.hpp"

namespace WEFT_NAMESPACE::exec {

// One evaluation of node `node`: where its operands lie, and where its value goes; all row-major.
struct NodeCall {
  const ir::Graph& graph;
  int node = 0;
  const std::byte* const* in = nullptr;
  std::byte* out = nullptr;

  const ir::Node& self() const { return graph.nodes[node]; }
  const Dims& dims() const { return graph.dims(node); }
  const Dims& operand_dims(int k) const { return graph.dims(graph.in(node, k)); }
  DType operand_dtype(int k) const { return graph.nodes[graph.in(node, k)].dtype; }
  template <class T>
  const T* operand(int k) const {
    return reinterpret_cast<const T*>(in[k]);
  }
  template <class T>
  T* result() const {
    return reinterpret_cast<T*>(out);
  }
};
using NodeFunction = void (*)(const NodeCall&);

// How far one walks in memory for a step along each axis.
struct Steps {
  i64 by[max_rank + 1]{};
};
inline Steps row_major(const Dims& d) {
  Steps steps;
  i64 n = 1;
  for (int a = d.rank; a-- > 0;) {
    steps.by[a] = n;
    n *= d.extent[a];
  }
  return steps;
}
// Goes through every index within some extents in row-major order; `at` is the sum of the steps.
class Walk {
 public:
  Walk(const Dims& dims, const Steps& steps) : dims_(dims), steps_(steps), left_(dims.size()) {}
  bool done() const { return left_ <= 0; }
  void next() {
    --left_;
    for (int a = dims_.rank; a-- > 0;) {
      at += steps_.by[a];
      if (++index_[a] < dims_.extent[a]) return;
      at -= index_[a] * steps_.by[a];
      index_[a] = 0;
    }
  }
  i64 at = 0;

 private:
  const Dims& dims_;
  const Steps& steps_;
  i64 left_;
  i64 index_[max_rank + 1]{};
};
// The positions of a walk.
inline List<i64> positions(const Dims& dims, const Steps& steps) {
  List<i64> all;
  for (Walk walk(dims, steps); !walk.done(); walk.next()) all.push(walk.at);
  return all;
}

// An integer of any dtype: what an index is read as.
inline i64 read_integer(DType t, const void* values, i64 i) {
  switch (t) {
    case DType::i64:
      return static_cast<const i64*>(values)[i];
    case DType::i32:
      return static_cast<const i32*>(values)[i];
    case DType::u32:
      return static_cast<const u32*>(values)[i];
    case DType::i8:
      return static_cast<const i8*>(values)[i];
    default:
      return static_cast<const u8*>(values)[i];
  }
}
// A float of any dtype.
inline double read_float(DType t, const void* values, i64 i) {
  switch (t) {
    case DType::f64:
      return static_cast<const f64*>(values)[i];
    case DType::f32:
      return static_cast<double>(static_cast<const f32*>(values)[i]);
    case DType::f16:
      return static_cast<double>(static_cast<const f16*>(values)[i]);
    case DType::bf16:
      return static_cast<double>(static_cast<const bf16*>(values)[i]);
    case DType::f8e4m3:
      return static_cast<double>(static_cast<const f8e4m3*>(values)[i]);
    default:
      return static_cast<double>(static_cast<const f8e5m2*>(values)[i]);
  }
}
// An element of dtype t as its bytes, from a constant's bits (ir::constant_value).
struct Element {
  std::byte bytes[8]{};
  template <class T>
  static Element of(T value) {
    Element e;
    std::memcpy(e.bytes, &value, sizeof value);
    return e;
  }
};
inline Element constant_element(DType t, u64 bits) {
  const double x = ir::constant_value(t, bits);
  const f32 single = static_cast<f32>(x);
  switch (t) {
    case DType::f64:
      return Element::of(x);
    case DType::f32:
      return Element::of(single);
    case DType::f16:
      return Element::of(f16(single));
    case DType::bf16:
      return Element::of(bf16(single));
    case DType::f8e4m3:
      return Element::of(f8e4m3(single));
    case DType::f8e5m2:
      return Element::of(f8e5m2(single));
    case DType::boolean:
      return Element::of(bits != 0);
    default:
      return Element::of(bits);  // the low bytes of an integer
  }
}

}  // namespace WEFT_NAMESPACE::exec
