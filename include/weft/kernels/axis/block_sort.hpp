#pragma once
// Sorting what a team has in shared memory, by a network. Law: every compare-exchange has its own pair.

#include "weft/kernels/team/team.hpp"

namespace WEFT_NAMESPACE::kernels {

// Sorts `size` items, a power of two, upwards. The team has seen them, and sees the result.
template <class Item, class Team, class Items>
WEFT_HD_INLINE void sort_in_block(Team& team, Items& items, int size) {
  for (int run = 2; run <= size; run *= 2)
    for (int step = run / 2; step > 0; step /= 2) {
      for (int pair = team.rank(); pair < size / 2; pair += team.size()) {
        const int i = pair / step * 2 * step + pair % step, j = i + step;
        const Item x = items[i], y = items[j];
        if ((y < x) == ((i & run) == 0)) {
          items[i] = y;
          items[j] = x;
        }
      }
      team.sync();
    }
}

}  // namespace WEFT_NAMESPACE::kernels
