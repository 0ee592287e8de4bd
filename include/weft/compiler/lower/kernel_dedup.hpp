#pragma once
// Fused kernels of one structure become one code with the same arguments but for addresses and random
// streams, so that the layers of a stack are lowered once. A kernel's structure is a list of words that says
// everything its code and its numbers depend on, with operands by their position in the kernel.

#include "weft/compiler/lowered.hpp"
#include "weft/kernels/fused/call.hpp"

namespace WEFT_NAMESPACE::compiler {

// Where an operand's address comes from: a member of the kernel by position, one of its stores, or nothing.
enum class Source : u8 {
  fixed,    // which: the address itself
  member,   // the memory that member `which` reads
  operand,  // the memory that the operand of member `which` reads
  store,    // where store `which` goes
  partial,  // partial results, `which` bytes after their begin
};
struct AddressRule {
  Source source{};
  u64 which = 0;
};

// A kernel that was lowered: its structure, and what its launches have in common with those of its equals.
struct FusedPattern {
  ir::Span structure, rules, randoms;  // randoms: members that draw random numbers, in order of their streams
  int step = 0;                        // its launch among Lowered::steps
};

class KernelDedup {
 public:
  constexpr KernelDedup(const ir::Graph& graph, const kernel_ir::Fusion& fusion, const kernel_ir::Plan& plan)
      : g(graph), f(fusion), p(plan), position_(graph.nodes.size(), 0) {
    position = position_.data();
  }

  // The kernel's members in ascending order, and its structure's words.
  constexpr void read(int k) {
    kernel_ = &f.kernels[k];
    kernel_number_ = k;
    const kernel_ir::Kernel& kernel = *kernel_;
    const kernel_ir::Tiling& tiling = p.tilings[k];
    const int count = kernel.body.size + kernel.loads.size;
    if (count > room_) {
      room_ = 2 * count;
      members_ = List<int>();
      members_.reserve(room_);
      is_read_ = List<int>();
      is_read_.reserve(room_);
      structure_ = List<u64>();
      structure_.reserve(words_a_member * room_ + 64);
    }
    members = members_.data();
    is_read = is_read_.data();
    const Dims& space = kernel.space;
    u64* w = structure_.data();
    *w++ = static_cast<u64>(space.rank) | static_cast<u64>(kernel.split + 1) << 8 |
           static_cast<u64>(kernel.middle_axis ? 1 : 0) << 16 | static_cast<u64>(tiling.flat ? 1 : 0) << 17 |
           static_cast<u64>(tiling.segments + 1) << 20 | static_cast<u64>(kernel.body.size) << 40;
    *w++ = static_cast<u64>(kernel.loads.size) | static_cast<u64>(kernel.batch + 1) << 32;
    for (int a = 0; a < space.rank; ++a) *w++ = static_cast<u64>(space.extent[a]);
    const int* const body = pool_ + kernel.body.begin;
    const int* const loads = pool_ + kernel.loads.begin;
    const int bodies = kernel.body.size, load_count = kernel.loads.size;
    u64 h = 0;
    for (int i = 0, j = 0, at = 0; at < count; ++at) {
      const bool load = i == bodies || (j < load_count && loads[j] < body[i]);
      const int x = load ? loads[j++] : body[i++];
      const int view = view_in_kernel(x);
      // a copy made here reads what it is a view of; one that a later kernel makes is still a view
      const bool reads = load || (view >= 0 && materialization_[x] == kernel_ir::Materialization::fused &&
                                  member_of_[x] == k);
      members[at] = x;
      is_read[at] = reads ? 1 : 0;
      position[x] = at;
      const ir::Node& node = nodes_[x];
      const u64 type = static_cast<u64>(node.dtype) | static_cast<u64>(node.shape) << 8 | rows(x) << 34;
      if (load) {
        *w++ = type | u64{1} << 32 | static_cast<u64>(view >= 0 ? 1 : 0) << 33;
        h = (h * 31 + type) % hash_modulus;
        if (view >= 0) w = strides(w, view);
        continue;
      }
      *w++ = type | static_cast<u64>(reads ? 1 : 0) << 33 | static_cast<u64>(node.op) << 40 |
             static_cast<u64>(level_[x]) << 48;
      *w++ = static_cast<u64>(node.list + 1);
      h = (h * 31 + type + static_cast<u64>(node.op)) % hash_modulus;
      if (reads) {
        w = strides(w, view);
      } else if (node.op == ir::Op::constant || node.op == ir::Op::iota) {
        *w++ = node.imm;
        h = (h * 31 + node.imm) % hash_modulus;
      } else if (node.op == ir::Op::random) {
        int first = 0;  // the member that introduced its stream
        while (nodes_[members[first]].op != ir::Op::random || nodes_[members[first]].imm != node.imm) ++first;
        *w++ = static_cast<u64>(first);
      } else if (node.op == ir::Op::pad) {  // reads its operand's memory, which need not be a member
        const int source = edges_[node.first], from = view_in_kernel(source);
        *w++ = node.imm;
        *w++ = static_cast<u64>(nodes_[source].shape) | static_cast<u64>(from >= 0 ? 1 : 0) << 32 |
               rows(source) << 34;
        if (from >= 0) w = strides(w, from);
      } else if (!kernel.middle_axis || !ir::is_reduction(node.op)) {
        const int* const in = edges_ + node.first;
        for (int a = 0; a < node.arity; ++a) *w++ = static_cast<u64>(position[in[a]]);
      }
    }
    for (int i = 0; i < kernel.stores.size; ++i)
      *w++ = static_cast<u64>(position[pool_[kernel.stores.begin + i]]);
    size_ = static_cast<int>(w - structure_.data());
    hash_ = h;
  }

  // The pattern with the structure that read() found, -1 without one.
  constexpr int find() const {
    const FusedPattern* const patterns = patterns_.data();
    const u64* const mine = structure_.data();
    for (int k = index_.first(hash_); k >= 0; k = index_.next(k)) {
      if (patterns[k].structure.size != size_) continue;
      const u64* const known = known_.data() + patterns[k].structure.begin;
      bool same = true;
      for (int i = 0; i < size_ && same; ++i) same = known[i] == mine[i];
      if (same) return k;
    }
    return -1;
  }

  // Remembers the launch that lowering made for the kernel that was read.
  constexpr void add(const List<AddressRule>& rules, const List<int>& randoms, int step) {
    FusedPattern pattern;
    index_.add(hash_);
    pattern.structure = {known_.size(), size_};
    known_.append(structure_.data(), size_);
    pattern.rules = {rules_.size(), rules.size()};
    rules_.append(rules.data(), rules.size());
    pattern.randoms = {randoms_.size(), randoms.size()};
    randoms_.append(randoms.data(), randoms.size());
    pattern.step = step;
    patterns_.push(pattern);
  }

  // The launch of the kernel that was read, as the pattern's was.
  constexpr void repeat(int pattern_number, Lowered& out) const {
    const FusedPattern pattern = patterns_[pattern_number];
    const u64 partials = p.tilings[kernel_number_].partials;
    List<u64> addresses, numbers;
    addresses.reserve(pattern.rules.size);
    const AddressRule* const rules = rules_.data() + pattern.rules.begin;
    for (int i = 0; i < pattern.rules.size; ++i) addresses.push(address(rules[i], partials));
    const Step first = out.steps[pattern.step];
    numbers.append(out.numbers.data() + first.numbers.begin, first.numbers.size);
    for (int i = 0; i < pattern.randoms.size; ++i)
      numbers[kernels::FusedCall::streams_at + i] = nodes_[members[randoms_[pattern.randoms.begin + i]]].imm;
    Step& step = out.step(StepKind::fused, first.kernel, addresses, numbers);
    step.bytes = first.bytes;
    step.flops = first.flops;
  }

 private:
  static constexpr int words_a_member = 12;
  static constexpr u64 hash_modulus =
      16777213;  // a prime: small numbers are what constant evaluation has cheap

  // The view through which this kernel reads x or copies it, -1 where it has x as it is.
  constexpr int view_in_kernel(int x) const {
    const int view = view_of_[x];
    return view >= 0 && (materialization_[x] == kernel_ir::Materialization::view ||
                         member_of_[x] >= kernel_number_)
               ? view
               : -1;
  }
  constexpr u64 rows(int x) const { return f.stored[x] == kernel_ir::stored_padded ? 1 : 0; }
  constexpr u64* strides(u64* w, int view) const {
    const kernel_ir::View& v = views_[view];
    for (int a = 0; a < v.rank; ++a) *w++ = static_cast<u64>(v.stride[a]);
    return w;
  }
  constexpr u64 memory(int x) const {
    const int view = view_in_kernel(x);
    if (view < 0) return where_[x];
    const kernel_ir::View& v = views_[view];
    return where_[v.root] + static_cast<u64>(v.offset * size_of(nodes_[x].dtype));
  }
  constexpr u64 address(const AddressRule& rule, u64 partials) const {
    switch (rule.source) {
      case Source::member:
        return memory(members[static_cast<int>(rule.which)]);
      case Source::operand:
        return memory(edges_[nodes_[members[static_cast<int>(rule.which)]].first]);
      case Source::store:
        return where_[pool_[kernel_->stores.begin + static_cast<int>(rule.which)]];
      case Source::partial:
        return partials + rule.which;
      default:
        return rule.which;
    }
  }

  const ir::Graph& g;
  const kernel_ir::Fusion& f;
  const kernel_ir::Plan& p;
  // plain pointers: constant evaluation pays for every call
  const ir::Node* nodes_ = g.nodes.data();
  const int* edges_ = g.edges.data();
  const kernel_ir::Materialization* materialization_ = f.materialization.data();
  const int* member_of_ = f.kernel_of.data();
  const kernel_ir::Level* level_ = f.level.data();
  const int* view_of_ = f.view_of.data();
  const kernel_ir::View* views_ = f.views.data();
  const int* pool_ = f.pool.data();
  const u64* where_ = p.where.data();
  const kernel_ir::Kernel* kernel_ = nullptr;
  int kernel_number_ = 0;
  int room_ = 0, size_ = 0;
  u64 hash_ = 0;
  List<int> position_, members_, is_read_, randoms_;
  List<u64> structure_, known_;
  List<AddressRule> rules_;
  List<FusedPattern> patterns_;
  HashIndex index_;  // of the patterns

 public:
  int* members = nullptr;   // of the kernel that was read, in ascending order
  int* is_read = nullptr;   // whether each is read from memory
  int* position = nullptr;  // of each member, by node
};

}  // namespace WEFT_NAMESPACE::compiler
