// Reads a handwritten digit by its nearest neighbours: a compiled function gives an image's distances to all
// known ones, and a library sorts them. On a GPU that is Thrust, in the memory and the stream of the
// function; on a CPU the standard library, over the same memory.

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>
#include <weft/weft.hpp>

#include "digits.hpp"

#if defined(__CUDACC__)
#include <thrust/sequence.h>
#include <thrust/sort.h>

#include <weft/thrust.hpp>
#endif

using namespace weft;

constexpr const char* usage =
    "usage: neighbours [OPTIONS]\n"
    "  --digits N   how many digits to read (default: all that are held out)\n"
    "  --data FILE  the digits (default: examples/data/digits.bin)\n"
    "  --threads N  of the CPU (default: 0, as many as it has)\n";

constexpr i64 known = 1408, pixels = 64;
constexpr std::size_t voters = 5;

// The places of the nearest images, nearest first; of equals the first.
template <class Distances, class Places>
std::array<i32, voters> nearest(const Cpu&, Distances distances, Places& places) {
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(), [&](i32 a, i32 b) { return distances[a] < distances[b]; });
  std::array<i32, voters> first{};
  std::copy_n(places.begin(), voters, first.begin());
  return first;
}
#if defined(__CUDACC__)
template <class Distances, class Places>
std::array<i32, voters> nearest(const Cuda& device, Distances distances, Places& places) {
  const auto policy = thrust_policy(device);
  thrust::sequence(policy, begin(places), end(places));
  thrust::stable_sort_by_key(policy, begin(distances), end(distances), begin(places));
  std::array<i32, voters> first{};
  std::copy_n(begin(places), voters, first.begin());  // element by element to the host
  return first;
}
#endif

template <class Device>
Finding run(const Device& device, const data::Digits& digits, const Options& options) {
  std::vector<f32> images;
  std::vector<i32> labels;
  for (auto& [image, label] : data::loader<known>(digits.train, {.last = data::drop})) {
    images.assign(image.begin(), image.end());
    labels.assign(label.begin(), label.end());
  }

  auto distances_to = compile(
      device, [](auto all, auto image) { return sum<1>(square(all - image)); }, in<f32, known, pixels>,
      in<f32, 1, pixels>);
  const Tensor<f32, Shape<known, pixels>, Device> all(images, device);
  Tensor<i32, Shape<known>, Device> places(device);

  const double start = steady_seconds();
  int right = 0, asked = 0;
  const int most = options.number("digits", 100000, 1, 100000);
  for (auto& [image, label] : data::loader<1>(digits.test)) {
    if (asked == most) break;
    std::array<int, 10> votes{};
    for (const i32 place : nearest(device, distances_to(all, image), places))
      ++votes[static_cast<std::size_t>(labels[static_cast<std::size_t>(place)])];
    right += std::max_element(votes.begin(), votes.end()) - votes.begin() == label[0];
    ++asked;
  }
  return {figure("accuracy", static_cast<double>(right) / asked, 3), steady_seconds() - start};
}

int main(int argc, char** argv) {
  return run_on_digits("neighbours", usage, argc, argv,
                       [](const auto& device, const auto& digits, const Options& options) {
                         return run(device, digits, options);
                       });
}
