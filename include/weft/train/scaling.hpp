#pragma once
// What a step of a trainer would take on many ranks: a simulation of the program's own list of launches, on
// a cluster that the caller states. Law: a prediction runs nothing and asks no machine; it is the same
// wherever it is made.
//
// Each rank computes its launches one after the other, and a done waits for what its start began. Costs are
// those of the exchange that weft's backends make (comm/communicator.hpp): every rank sends each other rank
// that one's piece of a bucket, adds what it has got, and gives the sum to all. A rank's links to its own
// machine and to others carry one thing at a time in each direction. Gathering passes all pieces around a
// ring, whose part between machines all ranks of a machine carry together. (The terms are those of Hockney,
// "The communication challenge for MPP", 1994: a time a message, and one a byte.)

#include <algorithm>
#include <string>
#include <vector>

#include "weft/train/trainer.hpp"

namespace WEFT_NAMESPACE {

// What carries bytes away from a rank, and as many to it at the same time.
struct Link {
  double bytes_per_second = 10e9;  // in one direction
  double seconds = 2e-6;           // of a message, beside its bytes
};

// Machines of equal ranks, one or several.
struct Cluster {
  Roofline rank{};            // what a rank computes with
  double launch_seconds = 0;  // of each launch of a kernel, beside its bytes and FLOPs
  // What a step takes on one rank by itself, if that was measured: launches take their shares of it, by what
  // `rank` says of them. 0: they take what `rank` says.
  double step_seconds = 0;
  i64 ranks_per_node = 8;  // of a machine
  Link node{};             // to another rank of the same machine
  Link network{};          // to one of another
  // Whether links carry while ranks compute: those of GPUs do; comm::Mpi moves bytes with the processors that
  // compute.
  bool overlaps = true;
};

// A step on so many ranks, each with a batch of its own.
struct ScalingPoint {
  i64 ranks = 1;         // each a process with a device of its own
  double seconds = 0;    // of the step
  double computing = 0;  // of these, in launches
  double carrying = 0;   // that the busiest link is busy, beside the launches or not
  i64 state_bytes = 0;   // of parameters, buffers and the optimiser's state on one rank
  // In which the ranks wait for what is carried, or move it themselves.
  double waiting() const { return seconds > computing ? seconds - computing : 0; }
  // The share of a step that is not waited: 1 where samples a second grow as the ranks do.
  double efficiency() const { return seconds > 0 ? computing / seconds : 1; }
};

namespace train {

// The links of all ranks, and until when they are busy. Times are seconds from the begin of the step.
class ClusterLinks {
 public:
  ClusterLinks(const Cluster& cluster, i64 ranks)
      : cluster_(cluster), ranks_(ranks), width_(std::min(cluster.ranks_per_node, ranks)) {
    if (ranks < 1 || cluster.ranks_per_node < 1)
      throw Error("scaling/ranks", "predict_scaling: a cluster has a rank and more, and so has a machine");
    ranks_links_.resize(static_cast<std::size_t>(ranks));
  }

  // The pieces of what `c` is of, by rank, in bytes.
  std::vector<double> pieces(const exec::ExplainedCollective& c) const {
    const bool is_shared = c.shared.elements > 0;
    const comm::Shares shares = is_shared ? c.shared : comm::Shares{c.elements, 1};
    const i64 begin = is_shared ? c.begin : 0;
    const auto bound = [&](i64 rank) { return shares.begin_in(rank, ranks_, begin, c.elements); };
    std::vector<double> bytes;
    for (i64 r = 0; r < ranks_; ++r)
      bytes.push_back(
          static_cast<double>((c.at_once ? c.elements : bound(r + 1) - bound(r)) * c.element_bytes));
    return bytes;
  }
  // When it has ended, if it begins at `start`.
  double carry(const exec::ExplainedCollective& c, double start) {
    if (ranks_ == 1) return start;
    const std::vector<double> of = pieces(c);
    if (c.sums) start = exchange(of, start);
    return c.gathers ? gather(of, start) : start;
  }

  // Every rank gets its piece from all others, and adds when it has all.
  double exchange(const std::vector<double>& pieces, double start) {
    double all = 0, largest = 0, end = start;
    i64 owners = 0;
    for (const double bytes : pieces) all += bytes, owners += bytes > 0, largest = std::max(largest, bytes);
    for (i64 first = 0; first < ranks_; first += width_) {
      const i64 last = std::min(first + width_, ranks_);
      double here = 0;
      i64 owners_here = 0;
      for (i64 r = first; r < last; ++r) here += at(pieces, r), owners_here += at(pieces, r) > 0;
      for (i64 r = first; r < last; ++r) {
        RankLinks& links = ranks_links_[static_cast<std::size_t>(r)];
        const double own = at(pieces, r);
        const auto near = static_cast<double>(last - first - 1),
                   far = static_cast<double>(ranks_ - (last - first)),
                   to_near = static_cast<double>(owners_here - (own > 0)),
                   to_far = static_cast<double>(owners - owners_here);
        end = std::max({end, links.node_in.carry(cluster_.node, 0, own * near, start),
                        links.network_in.carry(cluster_.network, 0, own * far, start),
                        links.node_out.carry(cluster_.node, to_near, here - own, start),
                        links.network_out.carry(cluster_.network, to_far, all - here, start)});
      }
    }
    return end + largest * static_cast<double>(ranks_ + 1) / cluster_.rank.bytes_per_second;
  }
  // Every rank gets all pieces.
  double gather(const std::vector<double>& pieces, double start) {
    double all = 0, smallest = pieces[0];
    for (const double bytes : pieces) all += bytes, smallest = std::min(smallest, bytes);
    const i64 nodes = (ranks_ + width_ - 1) / width_;
    const double of_others = all * static_cast<double>(nodes - 1) / static_cast<double>(nodes);
    const double seconds =
        static_cast<double>(ranks_ - nodes) * cluster_.node.seconds +
        static_cast<double>(nodes - 1) * cluster_.network.seconds +
        std::max((all - smallest) / cluster_.node.bytes_per_second,
                 of_others / static_cast<double>(width_) / cluster_.network.bytes_per_second);
    return occupy(seconds, start);
  }
  // Every rank gets rank 0's bytes, from one to the next power of two.
  double broadcast(double bytes, double start) {
    double seconds = 0;
    for (i64 have = 1; have < ranks_; have *= 2) {
      const Link& link = have < cluster_.ranks_per_node ? cluster_.node : cluster_.network;
      seconds += link.seconds + bytes / link.bytes_per_second;
    }
    return occupy(seconds, start);
  }

  // Seconds that the busiest link has been busy.
  double busy() const {
    double most = 0;
    for (const RankLinks& links : ranks_links_)
      for (const Direction* one : {&links.node_in, &links.node_out, &links.network_in, &links.network_out})
        most = std::max(most, one->busy);
    return most;
  }

 private:
  // One direction of a link.
  struct Direction {
    double free = 0, busy = 0;
    // Returns when it is free again.
    double carry(const Link& link, double messages, double bytes, double start) {
      const double seconds = messages * link.seconds + bytes / link.bytes_per_second;
      if (seconds == 0) return start;
      busy += seconds;
      return free = std::max(free, start) + seconds;
    }
  };
  struct RankLinks {
    Direction node_in, node_out, network_in, network_out;
  };

  static double at(const std::vector<double>& list, i64 k) { return list[static_cast<std::size_t>(k)]; }
  // All links, once they are free.
  double occupy(double seconds, double start) {
    for (const RankLinks& links : ranks_links_)
      start = std::max(
          {start, links.node_in.free, links.node_out.free, links.network_in.free, links.network_out.free});
    for (RankLinks& links : ranks_links_)
      for (Direction* one : {&links.node_in, &links.node_out, &links.network_in, &links.network_out})
        one->free = start + seconds, one->busy += seconds;
    return start + seconds;
  }

  const Cluster& cluster_;
  i64 ranks_, width_;  // the latter: of a machine
  std::vector<RankLinks> ranks_links_;
};

// What ranks do together behind the launches of a step: they gather what each has updated, and take rank 0's
// running statistics. Bytes.
struct BehindStep {
  exec::ExplainedCollective gathered{};
  double broadcast = 0;
};

// Of the launches `e`.
inline ScalingPoint simulate(const exec::Explanation& e, const Cluster& cluster, i64 ranks,
                             const BehindStep& behind = {}) {
  ClusterLinks links(cluster, ranks);
  const auto least = [&](const exec::ExplainedStep& step) {
    return step.is_loop || step.collective.request >= 0
               ? 0
               : cluster.rank.seconds(step.bytes, step.flops) +
                     static_cast<double>(step.launches) * cluster.launch_seconds;
  };
  double all = 0;
  for (const exec::ExplainedStep& step : e.steps) all += least(step);
  const double scale = cluster.step_seconds > 0 && all > 0 ? cluster.step_seconds / all : 1;

  ScalingPoint out{.ranks = ranks};
  double now = 0;
  std::vector<double> ended;  // by request
  double before[2]{};         // when the last two ended that are summed into a slot
  const auto moved = [&](double end) {
    if (!cluster.overlaps) now = end;
    return end;
  };
  for (const exec::ExplainedStep& step : e.steps) {
    const exec::ExplainedCollective& c = step.collective;
    if (c.request < 0) {
      now += least(step) * scale;
      out.computing += least(step) * scale;
    } else if (c.sums || c.gathers) {
      if (c.into) now = std::max(now, before[0]);
      double end = now;
      for (i64 trip = 0; trip < step.launches; ++trip) end = moved(links.carry(c, end));
      if (c.into) before[0] = before[1], before[1] = end;
      if (c.at_once) now = end;
      ended.resize(std::max(ended.size(), static_cast<std::size_t>(c.request) + 1));
      ended[static_cast<std::size_t>(c.request)] = end;
    } else {
      now = std::max(now, ended.at(static_cast<std::size_t>(c.request)));
    }
  }
  if (ranks > 1 && behind.broadcast > 0) now = links.broadcast(behind.broadcast, now);
  if (ranks > 1 && behind.gathered.elements > 0) now = links.gather(links.pieces(behind.gathered), now);
  out.seconds = now;
  out.carrying = links.busy();
  return out;
}

WEFT_REFUSAL(
    ScalingIsOfRanks,
    "predict_scaling: the trainer is of one rank, or ranks have parts of its model: predict one with "
    "comm::ddp<Backend> or comm::zero<1, Backend> among its options, and a whole model on each rank");

// A trainer's launches, and what follows them.
template <class T>
struct ScalingOf {
  static constexpr bool is_of_ranks = false;
};
template <class M, class F, class Device, class O, class... I>
struct ScalingOf<Trainer<M, F, Device, O, I...>> {
  static constexpr bool is_of_ranks = O::distributed && !nn::state_table<M>.in_parts();
  using Source = compiled_step<M, F, O, true, I...>;
  static exec::Explanation explanation() {
    return exec::Shown<Source, exec::code_of<Device, Source>>::explanation();
  }
  static BehindStep behind() {
    BehindStep out;
    out.broadcast = static_cast<double>(Source::assigned_buffers().length);
    if constexpr (O::sharded && !O::shards_parameters) {
      const comm::Shares& arena = arena_shares<M, O>;
      out.gathered = {.elements = arena.elements,
                      .element_bytes = size_of(parameter_type<M>()),
                      .shared = arena,
                      .gathers = true};
    }
    return out;
  }
};

}  // namespace train

// What a step of trainer T, one with comm::ddp or comm::zero, takes on so many ranks of `cluster`, each with
// a batch of its own: predict_scaling<decltype(trainer)>({.node = {450e9, 3e-6}}, {1, 8, 64}) needs no
// trainer, and a model may be larger than this machine. A prediction: nothing is run. Of steps that update;
// with accumulate<N> those that only add up communicate less. Throws "scaling/ranks" for less than one rank.
template <class T>
std::vector<ScalingPoint> predict_scaling(const Cluster& cluster, const std::vector<i64>& ranks) {
  using Of = train::ScalingOf<T>;
  static_assert(sizeof(train::ScalingIsOfRanks<Of::is_of_ranks, T>) > 0);
  std::vector<ScalingPoint> out;
  if constexpr (Of::is_of_ranks) {
    const exec::Explanation launches = Of::explanation();
    for (const i64 n : ranks) {
      out.push_back(train::simulate(launches, cluster, n, Of::behind()));
      out.back().state_bytes = T::state_bytes(n);
    }
  }
  return out;
}

// The same of a trainer that there is: predict_scaling(trainer, cluster, {1, 8, 64}).
template <class T>
std::vector<ScalingPoint> predict_scaling(const T&, const Cluster& cluster, const std::vector<i64>& ranks) {
  return predict_scaling<T>(cluster, ranks);
}

// A table of them, a line each, in at most 79 columns.
inline std::string to_text(const std::vector<ScalingPoint>& points) {
  using namespace exec::explain_detail;
  std::string out = "  ranks  predicted step  computing  waiting  links busy  efficiency      state\n";
  for (const ScalingPoint& p : points)
    out += padded(std::to_string(p.ranks), 7, true) + padded(duration(p.seconds), 16, true) +
           padded(duration(p.computing), 11, true) + padded(duration(p.waiting()), 9, true) +
           padded(duration(p.carrying), 12, true) + padded(number(100 * p.efficiency(), 1) + " %", 12, true) +
           padded(compact(static_cast<double>(p.state_bytes), "B"), 11, true) + "\n";
  return out;
}

}  // namespace WEFT_NAMESPACE
