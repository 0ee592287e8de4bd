// What a warp does with matrices spread over its lanes: mma.sync and ldmatrix. Lane 4 g + t is the t-th of
// group g.
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "softgpu/block.hpp"
#include "softgpu/float_formats.hpp"
#include "softgpu/forms/table.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

// Lanes that are missing leave the result undefined; here it is made of what their registers hold.
void expect_all_lanes(Warp& warp, const Op& op, u32 active) {
  if (active == full_mask) return;
  report("absent lanes", place(warp, op),
         "an instruction of all 32 lanes is run by lanes " + hex(active) + ", " +
             where(warp, op, std::countr_zero(active)));
}

// d = a b + c. A has 16 rows and B 8 columns; both are `steps` pieces of 4 registers' width deep.
constexpr std::size_t rows = 16, columns = 8, lanes = warp_size;

struct Bf16 {
  static constexpr std::size_t per_register = 2;
  static float value(u32 bits, std::size_t i) { return from_bf16(static_cast<u16>(bits >> (16 * i))); }
};
struct F16 {
  static constexpr std::size_t per_register = 2;
  static float value(u32 bits, std::size_t i) { return from_f16(static_cast<u16>(bits >> (16 * i))); }
};
struct Tf32 {
  static constexpr std::size_t per_register = 1;
  static float value(u32 bits, std::size_t) { return truncated_to_tf32(std::bit_cast<float>(bits)); }
};

// The seeded displacement of a sum: as if each term were cut to the 24 bits of the largest one, and the sum
// then rounded to the nearest or toward zero. Terms that need no cutting are exact in every order of summing.
float displaced(const double* a, const double* b, std::size_t depth, double c, double sum) {
  double largest = std::fabs(c);
  for (std::size_t k = 0; k < depth; ++k) largest = std::fmax(largest, std::fabs(a[k] * b[k * columns]));
  if (largest == 0 || !std::isfinite(sum) || !std::isfinite(largest)) return static_cast<float>(sum);
  const double step = std::ldexp(1.0, std::ilogb(largest) - 23);
  const auto is_cut = [in_steps = 1 / step](double term) {
    return std::nearbyint(term * in_steps) != term * in_steps ? 1 : 0;
  };
  int cut = is_cut(c);
  for (std::size_t k = 0; k < depth; ++k) cut += is_cut(a[k] * b[k * columns]);
  const u64 drawn = Random(std::bit_cast<u64>(sum) ^ settings().approx).next();
  const double moved = sum + cut * step * (static_cast<double>(drawn >> 40) * 0x1p-23 - 1);
  const auto nearest = static_cast<float>(moved);
  const bool beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(moved);
  return beyond && (drawn & 1) != 0 ? std::nextafter(nearest, 0.0f) : nearest;
}

// Products are exact; they are summed in f64 in the order of k, C comes last, and the result is rounded once.
template <class T, int Steps>
void multiply(Warp& warp, const Op& op, u32 active) {
  expect_all_lanes(warp, op, active);
  constexpr std::size_t per = T::per_register, depth = 4 * per * Steps;
  constexpr std::size_t a_registers = 2 * Steps, b_registers = Steps;
  double a[rows][depth], b[depth][columns], sum[rows][columns]{};
  for (std::size_t r = 0; r < a_registers; ++r)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t i = 0; i < per; ++i)
        a[lane / 4 + 8 * (r % 2)][(lane % 4 + 4 * (r / 2)) * per + i] =
            static_cast<double>(T::value(row<const u32>(warp, op.operand(r))[lane], i));
  for (std::size_t r = 0; r < b_registers; ++r)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      for (std::size_t i = 0; i < per; ++i)
        b[(lane % 4 + 4 * r) * per + i][lane / 4] =
            static_cast<double>(T::value(row<const u32>(warp, op.operand(a_registers + r))[lane], i));
  for (std::size_t m = 0; m < rows; ++m)
    for (std::size_t k = 0; k < depth; ++k)
      for (std::size_t n = 0; n < columns; ++n) sum[m][n] += a[m][k] * b[k][n];
  // An operand's row may also be a result's.
  float d[4][lanes];
  for (std::size_t r = 0; r < 4; ++r) {
    const auto* c = row<const float>(warp, op.operand(a_registers + b_registers + r));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t m = lane / 4 + 8 * (r / 2), n = lane % 4 * 2 + r % 2;
      const double whole = sum[m][n] + static_cast<double>(c[lane]);
      const float result = settings().approx == 0
                               ? static_cast<float>(whole)
                               : displaced(a[m], &b[0][n], depth, static_cast<double>(c[lane]), whole);
      d[r][lane] = result == result ? result : std::bit_cast<float>(0x7fffffffu);
    }
  }
  for (std::size_t r = 0; r < 4; ++r) {
    if (op.d[r] == no_row) continue;
    auto* to = row<float>(warp, op.d[r]);
    for (std::size_t lane = 0; lane < lanes; ++lane)
      if ((active >> lane & 1) != 0) to[lane] = d[r][lane];
  }
}

template <class T, int Steps>
void add_product(FormTable& t, const std::string& shape, const std::string& type) {
  Form form{&multiply<T, Steps>, Class::tensor, std::vector<Width>(4, Width::narrow),
            std::vector<Width>(3 * Steps + 4, Width::narrow), Control::collective};
  form.aligned = true;
  t.add("mma.sync.aligned." + shape + ".row.col.f32." + type + "." + type + ".f32", form);
}

// Matrix k has eight rows of 16 bytes, to which lanes 8 k to 8 k + 7 point.
template <int Count, bool Transposed>
void load(Warp& warp, const Op& op, u32 active) {
  expect_all_lanes(warp, op, active);
  if (counting()) {  // each matrix goes through the banks on its own
    u64 rows_at[8 * Count];
    for (int lane = 0; lane < 8 * Count; ++lane)
      rows_at[lane] =
          (op.s[0] == no_row ? 0 : row<const u32>(warp, op.s[0])[lane]) + static_cast<u32>(op.offset);
    Counts& counts = warp.block().launch->counts;
    for (std::size_t k = 0; k < Count; ++k) {
      ++counts.shared_accesses;
      counts.bank_conflicts += bank_passes(std::span<const u64>(rows_at).subspan(8 * k, 8), 16) - 1;
    }
  }
  u16 matrix[Count][8][8]{};
  for (int lane = 0; lane < 8 * Count; ++lane) {
    if ((active >> lane & 1) == 0) continue;
    const u32 base = op.s[0] == no_row ? 0 : row<const u32>(warp, op.s[0])[lane];
    const u64 at = base + static_cast<u32>(op.offset);  // 32 bits, which wrap
    std::memcpy(matrix[lane / 8][lane % 8], warp.block().shared->readable_by_several(warp, op, lane, at, 16),
                16);
  }
  for (int k = 0; k < Count; ++k) {
    if (op.d[k] == no_row) continue;
    auto* d = row<u32>(warp, op.d[k]);
    for (int lane = 0; lane < warp_size; ++lane) {
      if ((active >> lane & 1) == 0) continue;
      const int g = lane / 4, t = lane % 4 * 2;
      const u16 low = Transposed ? matrix[k][t][g] : matrix[k][g][t];
      const u16 high = Transposed ? matrix[k][t + 1][g] : matrix[k][g][t + 1];
      d[lane] = u32{high} << 16 | low;
    }
  }
}

template <int Count>
void add_load(FormTable& t) {
  const std::string begin = "ldmatrix.sync.aligned.m8n8.x" + std::to_string(Count);
  Form form{&load<Count, false>,
            Class::shared,
            std::vector<Width>(Count, Width::narrow),
            {Width::narrow},
            Control::collective};
  form.aligned = true;
  Form transposed = form;
  transposed.execute = &load<Count, true>;
  for (const char* space : {".shared.b16", ".shared::cta.b16"}) {
    t.add(begin + space, form);
    t.add(begin + ".trans" + space, transposed);
  }
}

}  // namespace

void add_matrix_forms(FormTable& t) {
  add_product<Bf16, 2>(t, "m16n8k16", "bf16");
  add_product<Bf16, 1>(t, "m16n8k8", "bf16");
  add_product<F16, 2>(t, "m16n8k16", "f16");
  add_product<F16, 1>(t, "m16n8k8", "f16");
  add_product<Tf32, 2>(t, "m16n8k8", "tf32");
  add_product<Tf32, 1>(t, "m16n8k4", "tf32");
  add_load<1>(t);
  add_load<2>(t);
  add_load<4>(t);
}

}  // namespace softgpu
