// The table of primitives: its classes are the ranges that the predicates name.
#include "weft/ir/op.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace weft;
using ir::Op;
using ir::OpClass;

TEST_CASE("op: every primitive has a name of its own") {
  std::set<std::string> names;
  for (const ir::OpInfo& info : ir::op_table) {
    INFO(std::string(info.name));
    CHECK(names.insert(info.name).second);
  }
  CHECK(static_cast<int>(names.size()) == ir::op_count);
}

TEST_CASE("op: a class is a run of the table, and its predicate names that run") {
  std::set<OpClass> ended;
  for (int k = 0; k < ir::op_count; ++k) {
    const Op op = static_cast<Op>(k);
    const OpClass kind = ir::info(op).kind;
    INFO(std::string(ir::info(op).name));
    CHECK(ended.count(kind) == 0);
    if (k + 1 < ir::op_count && ir::info(static_cast<Op>(k + 1)).kind != kind) ended.insert(kind);
    CHECK(ir::is_pointwise(op) == (kind == OpClass::pointwise));
    CHECK(ir::is_movement(op) == (kind == OpClass::movement));
    CHECK(ir::is_reduction(op) == (kind == OpClass::reduction));
    CHECK(ir::is_along_axis(op) == (kind == OpClass::along_axis));
    CHECK(ir::is_dynamic_slice(op) == (kind == OpClass::dynamic_slice));
    CHECK((ir::is_region(op) || op == Op::result) == (kind == OpClass::region));
    CHECK((ir::is_collective(op) || op == Op::group_collective) == (kind == OpClass::collective));
    if (ir::is_arena_collective(op)) CHECK(ir::is_collective(op));
    if (ir::is_attention(op)) CHECK(ir::is_region(op));
    if (ir::is_predicate(op)) CHECK(ir::is_pointwise(op));
  }
}

TEST_CASE("op: how many operands a primitive has, and how many of them are read") {
  for (int k = 0; k < ir::op_count; ++k) {
    const Op op = static_cast<Op>(k);
    const ir::OpInfo& info = ir::info(op);
    INFO(std::string(info.name));
    CHECK((info.kind == OpClass::leaf) == (info.arity == 0));
    CHECK(info.arity <= 3);
    if (info.kind == OpClass::pointwise) CHECK(info.arity >= 1);
    for (const int arity : {1, 2, 5})
      CHECK(ir::data_operands(op, arity) == (op == Op::add_dependency ? 1 : arity));
  }
}
