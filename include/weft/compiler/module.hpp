#pragma once
// What a program is while it is compiled: its graph, and what the passes have made of it so far.
// Law: each part crosses from one constant evaluation to the next as words and comes back equal.

#include "weft/compiler/freeze.hpp"
#include "weft/compiler/image.hpp"
#include "weft/ir/freeze.hpp"
#include "weft/kernel_ir/collect.hpp"
#include "weft/kernel_ir/freeze.hpp"
#include "weft/kernel_ir/plan.hpp"

namespace WEFT_NAMESPACE::compiler {

struct Module {
  ir::Graph graph;
  kernel_ir::Clustering clustering;  // clusters half formed
  kernel_ir::Fusion fusion;
  kernel_ir::Plan plan;
  compiler::Lowered lowered;
  compiler::Image image;
};

enum class Part : u8 { graph, clustering, fusion, plan, lowered, image };

// How a part becomes words, and how a later stage has it: `load` borrows what `From` wrote, for reading;
// `resume` makes it one's own, to continue with.
template <Part>
struct PartOf;

template <>
struct PartOf<Part::graph> {
  static constexpr void write(WordWriter& w, const Module& m) { ir::write(w, m.graph); }
  template <class From>
  static constexpr void load(Module& m) {
    m.graph = ir::FrozenGraph<From>::graph();
  }
};
template <>
struct PartOf<Part::clustering> {
  static constexpr void write(WordWriter& w, const Module& m) { kernel_ir::write(w, m.graph, m.clustering); }
  template <class From>
  static constexpr void resume(Module& m) {
    kernel_ir::read_clustering(Kept<From>::data, m.graph, m.clustering);
  }
};
template <>
struct PartOf<Part::fusion> {
  static constexpr void write(WordWriter& w, const Module& m) { kernel_ir::write(w, m.graph, m.fusion); }
  template <class From>
  static constexpr void load(Module& m) {
    m.fusion = kernel_ir::FrozenFusion<From>::borrowed();
  }
  template <class From>
  static constexpr void resume(Module& m) {
    m.fusion = kernel_ir::FrozenFusion<From>::collectable();
  }
};
template <>
struct PartOf<Part::plan> {
  static constexpr void write(WordWriter& w, const Module& m) { compiler::write(w, m.plan); }
  template <class From>
  static constexpr void load(Module& m) {
    m.plan = compiler::FrozenPlan<From>::plan();
  }
};
template <>
struct PartOf<Part::lowered> {
  static constexpr void write(WordWriter& w, const Module& m) { compiler::write(w, m.lowered); }
  template <class From>
  static constexpr void load(Module& m) {
    m.lowered = compiler::thaw_lowered(Kept<From>::data);
  }
  // By append, which enters the kernels among those that a further one is compared with.
  template <class From>
  static constexpr void resume(Module& m) {
    m.lowered.append(compiler::thaw_lowered(Kept<From>::data));
  }
};
template <>
struct PartOf<Part::image> {
  static constexpr void write(WordWriter& w, const Module& m) {
    compiler::write(w, m.image.header);
    compiler::write(w, m.image, m.lowered);
  }
};

}  // namespace WEFT_NAMESPACE::compiler
