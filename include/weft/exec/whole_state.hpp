#pragma once
// State of which the ranks of a group have parts, as files have it: whole. Law: a file of a model in parts is
// that of the undivided model, byte for byte, and either loads the other's.

#include <exception>
#include <string>
#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/exec/load.hpp"

namespace WEFT_NAMESPACE::exec {

// A form in which rows that are parts lie whole, in a region behind the block; everything else is where it
// was.
inline StateForm whole_form(const StateForm& own) {
  StateForm whole = own;
  for (StateForm::Row& row : whole.rows) {
    if (row.parts == 1) continue;
    row.shape[static_cast<std::size_t>(row.part_axis)] *= row.parts;
    row.offset = whole.bytes;
    whole.bytes += row.bytes();
  }
  return whole;
}

// Calls f(in the whole, in the part, bytes) for every run of a part's elements that lie together in both.
template <class F>
void each_run(const StateForm::Row& part, i64 rank, const F& f) {
  const auto axis = static_cast<std::size_t>(part.part_axis);
  i64 outer = part.part_blocks, inner = size_of(part.dtype);
  for (std::size_t k = 0; k < part.shape.size(); ++k) {
    if (k < axis) outer *= part.shape[k];
    if (k >= axis) inner *= part.shape[k];
  }
  inner /= part.part_blocks;
  for (i64 o = 0; o < outer; ++o) f((o * part.parts + rank) * inner, o * inner, inner);
}

// Puts the ranks' parts together: of a block with the form `whole`, of which the rows of `own` are there. A
// call of all ranks of the group.
inline void gather_parts(comm::Communicator& group, const StateForm& own, const StateForm& whole,
                         std::byte* block) {
  std::vector<std::byte> all;
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const StateForm::Row& part = own.rows[i];
    if (part.parts == 1) continue;
    const i64 bytes = part.bytes();
    all.resize(static_cast<std::size_t>(bytes * part.parts));
    group.all_gather(block + part.offset, all.data(), bytes);
    for (i64 r = 0; r < part.parts; ++r)
      each_run(part, r, [&](i64 to, i64 from, i64 length) {
        std::memcpy(block + whole.rows[i].offset + to, all.data() + r * bytes + from,
                    static_cast<std::size_t>(length));
      });
  }
}
// The parts of rank `rank` to where `own` has them.
inline void take_parts(i64 rank, const StateForm& own, const StateForm& whole, std::byte* block) {
  for (std::size_t i = 0; i < own.rows.size(); ++i) {
    const StateForm::Row& part = own.rows[i];
    if (part.parts == 1) continue;
    each_run(part, rank, [&](i64 from, i64 to, i64 length) {
      std::memcpy(block + part.offset + to, block + whole.rows[i].offset + from,
                  static_cast<std::size_t>(length));
    });
  }
}

// Calls f on the first rank of the group; where it throws there, the others throw "comm/rank".
template <class F>
void first_of_group(comm::Communicator& group, const char* what, const F& f) {
  std::exception_ptr error;
  try {
    if (group.rank() == 0) f();
  } catch (...) {
    error = std::current_exception();
  }
  char failed = error ? 1 : 0;
  group.broadcast(&failed, 1);
  if (error) std::rethrow_exception(error);
  if (failed != 0) throw Error("comm/rank", std::string("the first rank of the group could not ") + what);
}

}  // namespace WEFT_NAMESPACE::exec
