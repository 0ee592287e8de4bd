#pragma once
// Tensors as text, in the form in which PyTorch prints them: std::cout << tensor, or to_text(tensor). Law:
// the text is PyTorch's with its default options (4 digits, 80 columns, the ends alone of more than 1,000
// elements), but for the names of dtypes.

#include <charconv>
#include <string>
#include <vector>

#include "weft/exec/tensor.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

// The elements of a tensor of T with extents `dims`.
template <class T>
class TensorText {
  static constexpr i64 threshold = 1000, edge = 3, line_width = 80;
  static constexpr bool floats = is_float(dtype_of<T>);

 public:
  // `device`: what follows the elements of one that is not the host; null for the host.
  TensorText(const std::vector<T>& values, const Dims& dims, const char* device)
      : values_(values), dims_(dims), device_(device), summarized_(dims.size() > threshold) {
    collect(0, 0);
    choose_format();
  }

  std::string text() const {
    const std::string prefix = "tensor(";
    const i64 indent = static_cast<i64>(prefix.size());
    std::string out = prefix;
    if (dims_.size() == 0)
      out += "[]";
    else if (dims_.rank == 0)
      out += format(values_[0]);
    else
      append(out, 0, 0, indent);
    const auto suffix = [&](const std::string& what) {
      const std::size_t line = out.rfind('\n');
      const std::size_t used = line == std::string::npos ? out.size() : out.size() - line - 1;
      if (used + what.size() + 3 > static_cast<std::size_t>(line_width))
        out += ",\n" + std::string(prefix.size(), ' ') + what;
      else
        out += ", " + what;
    };
    if (device_ != nullptr) suffix(std::string("device='") + device_ + "'");
    if (dims_.size() == 0 && dims_.rank != 1) suffix(std::string("size=") + to_text(dims_).c_str());
    constexpr DType t = dtype_of<T>;
    if (t != DType::f32 && t != DType::i64 && t != DType::boolean) suffix(std::string("dtype=") + name_of(t));
    return out + ")";
  }

 private:
  static double number(T x) { return static_cast<double>(x); }
  static std::string chars(double x, bool scientific, int digits) {
    if (x != x) return "nan";
    char buffer[400];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, x,
                      scientific ? std::chars_format::scientific : std::chars_format::fixed, digits);
    return {buffer, end.ptr};
  }

  i64 stride(int axis) const {
    i64 n = 1;
    for (int k = axis + 1; k < dims_.rank; ++k) n *= dims_.extent[k];
    return n;
  }
  bool cut(int axis) const { return summarized_ && dims_.extent[axis] > 2 * edge; }
  // Calls f(i) for every index of an axis that is shown.
  template <class F>
  void each(int axis, const F& f) const {
    const i64 n = dims_.extent[axis];
    for (i64 i = 0; i < n; ++i)
      if (!cut(axis) || i < edge || i >= n - edge) f(i);
  }
  // The elements that are shown, which decide on the format.
  void collect(int axis, i64 at) {
    if (dims_.size() == 0) return;
    if (axis == dims_.rank) {
      shown_.push_back(values_[static_cast<std::size_t>(at)]);
      return;
    }
    each(axis, [&](i64 i) { collect(axis + 1, at + i * stride(axis)); });
  }

  void choose_format() {
    if constexpr (floats) {
      double least = 0, most = 0;
      bool any = false;
      for (const T v : shown_) {
        const double x = number(v);
        if (x - x != 0 || x == 0) continue;
        const double size = x < 0 ? -x : x;
        least = !any || size < least ? size : least;
        most = size > most ? size : most;
        any = true;
        if (x != __builtin_trunc(x)) whole_ = false;
      }
      if (!any) return;
      scientific_ = most / least > 1000.0 || most > 1e8 || least < 1e-4;
      for (const T v : shown_) {
        const double x = number(v);
        if (x - x != 0 || x == 0) continue;
        widen(format_float(x).size());
      }
    } else {
      for (const T v : shown_) widen(format_whole(v).size());
    }
  }
  void widen(std::size_t width) { width_ = width > width_ ? width : width_; }

  std::string format_float(double x) const {
    if (scientific_) return chars(x, true, 4);
    if (!whole_) return chars(x, false, 4);
    return chars(x, false, 0) + (x - x == 0 ? "." : "");
  }
  static std::string format_whole(T v) {
    if constexpr (std::is_same_v<T, bool>)
      return v ? "True" : "False";
    else
      return std::to_string(static_cast<i64>(v));
  }
  std::string format(T v) const {
    std::string s;
    if constexpr (floats)
      s = format_float(number(v));
    else
      s = format_whole(v);
    return s.size() < width_ ? std::string(width_ - s.size(), ' ') + s : s;
  }

  void append(std::string& out, int axis, i64 at, i64 indent) const {
    const bool last = axis + 1 == dims_.rank;
    const i64 per_line = (line_width - indent) / static_cast<i64>(width_ + 2);
    const std::string margin(static_cast<std::size_t>(indent) + 1, ' ');
    const std::string between =
        last ? std::string(", ")
             : "," + std::string(static_cast<std::size_t>(dims_.rank - axis - 1), '\n') + margin;
    out += '[';
    i64 count = 0;
    const auto separate = [&] {
      if (count > 0) out += last && count % (per_line < 1 ? 1 : per_line) == 0 ? ",\n" + margin : between;
      ++count;
    };
    i64 before = -1;
    each(axis, [&](i64 i) {
      if (i != before + 1) {
        separate();
        out += last ? " ..." : "...";
      }
      before = i;
      separate();
      if (last)
        out += format(values_[static_cast<std::size_t>(at + i)]);
      else
        append(out, axis + 1, at + i * stride(axis), indent + 1);
    });
    out += ']';
  }

  const std::vector<T>& values_;
  Dims dims_;
  const char* device_;
  bool summarized_;
  std::vector<T> shown_;
  bool whole_ = true, scientific_ = false;
  std::size_t width_ = 1;
};

}  // namespace exec

// Of a tensor, a view or a result, wherever its memory is.
template <TensorLike X>
std::string to_text(const X& tensor) {
  using T = typename X::dtype;
  const char* device = std::is_same_v<typename X::device_type, Cpu> ? nullptr : "cuda";
  const std::vector<T> values = tensor.to_vector();
  return exec::TensorText<T>(values, X::shape::value, device).text();
}

template <class Stream>
concept TakesText = !Operand<Stream> && requires(Stream & stream, const std::string& text) {
  stream << text;
};
// To any stream that takes an std::string; this header needs none itself.
template <class Stream, TensorLike X>
requires TakesText<Stream>
decltype(auto) operator<<(Stream& stream, const X& tensor) { return stream << to_text(tensor); }
// Of the results of a function that has several: (first, second, ...), each from a line of its own on.
template <class Stream, TensorLike... X>
requires(sizeof...(X) > 0 && TakesText<Stream>) decltype(auto) operator<<(Stream& stream,
                                                                          const std::tuple<X...>& results) {
  std::string text;
  std::apply(
      [&text](const auto&... tensor) { ((text += (text.empty() ? "(" : ",\n ") + to_text(tensor)), ...); },
      results);
  return stream << text + ")";
}

}  // namespace WEFT_NAMESPACE
