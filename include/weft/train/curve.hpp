#pragma once
// A line chart of training curves as an SVG file. Law: the same points give the same bytes, in any locale; a
// value that cannot be drawn (NaN, infinite, or not positive on a logarithmic axis) leaves a gap.

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/core/types.hpp"
#include "weft/io/file.hpp"

namespace WEFT_NAMESPACE::train {

struct CurveOptions {
  std::string title{};           // above the chart
  std::string x_label = "step";  // below the horizontal axis
  std::string y_label = "loss";  // beside the vertical axis
  bool log_y = false;            // a logarithmic vertical axis
};

class Curve {
 public:
  explicit Curve(CurveOptions options = {}) : options_(std::move(options)) {}

  // Appends a point to the series of this name, which is drawn in the order of its points.
  void add(std::string_view series, f64 step, f64 value) {
    for (Series& known : series_)
      if (known.name == series) return known.points.push_back({step, value});
    series_.push_back({std::string(series), {{step, value}}});
  }

  // The chart, 800 x 480.
  std::string svg() const {
    Frame frame;
    for (const Series& series : series_)
      for (const Point& point : series.points)
        if (drawable(point)) frame.x.cover(point.x), frame.y.cover(scaled(point.y));
    frame.x.settle(false);
    frame.y.settle(options_.log_y);
    std::string out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"800\" height=\"480\" viewBox=\"0 0 800 480\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"800\" height=\"480\" fill=\"white\"/>\n";
    draw_axes(out, frame);
    for (std::size_t i = 0; i < series_.size(); ++i) draw_series(out, frame, i);
    draw_legend(out);
    return out + "</svg>\n";
  }

  // Writes the chart atomically; throws the file's errors.
  void save(const std::string& path) const { io::write_file(path, svg()); }

 private:
  struct Point {
    f64 x, y;
  };
  struct Series {
    std::string name;
    std::vector<Point> points;
  };
  // The range of an axis and its ticks; a logarithmic axis works on log10 of its values.
  struct Axis {
    f64 low = HUGE_VAL, high = -HUGE_VAL, tick = 1;

    void cover(f64 value) { low = std::min(low, value), high = std::max(high, value); }
    // Widens the range to whole ticks of 1, 2 or 5 times a power of ten, five to ten of them.
    void settle(bool log) {
      if (low > high) low = 0, high = 1;
      if (low == high) {
        const f64 margin = log ? 1 : std::max(std::abs(low), 1.0) * 0.5;
        low -= margin, high += margin;
      }
      const f64 rough = (high / 8 - low / 8);
      const f64 power = std::pow(10.0, std::floor(std::log10(rough)));
      for (const f64 nice : {1.0, 2.0, 5.0, 10.0}) {
        tick = nice * power;
        if (tick >= rough * (1 - 1e-9)) break;
      }
      if (log) tick = std::max(1.0, std::ceil(tick));
      low = std::floor(low / tick + 1e-9) * tick;
      high = std::ceil(high / tick - 1e-9) * tick;
      if (low == high) high += tick;
    }
    int ticks() const { return static_cast<int>(std::lround((high - low) / tick)); }
    f64 at(int i) const { return std::abs(low + i * tick) < tick * 1e-6 ? 0.0 : low + i * tick; }
    f64 fraction(f64 value) const { return (value - low) / (high - low); }
  };
  struct Frame {
    Axis x, y;
    static constexpr f64 left = 86, right = 776, top = 48, bottom = 420;
    f64 px(f64 value) const { return left + x.fraction(value) * (right - left); }
    f64 py(f64 value) const { return bottom - y.fraction(value) * (bottom - top); }
  };

  f64 scaled(f64 y) const { return options_.log_y ? std::log10(y) : y; }
  // Beyond 1e300 a range would overflow.
  bool drawable(const Point& p) const {
    return std::abs(p.x) < 1e300 && std::abs(p.y) < 1e300 && (!options_.log_y || p.y > 0);
  }

  static std::string number(f64 value, std::chars_format format, int precision) {
    char text[64];
    const auto result = std::to_chars(text, text + sizeof text, value, format, precision);
    return {text, result.ptr};
  }
  static std::string pixel(f64 value) { return number(value, std::chars_format::fixed, 1); }
  static std::string label(f64 value) { return number(value, std::chars_format::general, 6); }
  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '&')
        out += "&amp;";
      else if (c == '<')
        out += "&lt;";
      else if (c == '>')
        out += "&gt;";
      else if (static_cast<u8>(c) >= 0x20)
        out += c;
    }
    return out;
  }
  static void text(std::string& out, f64 x, f64 y, const char* attributes, std::string_view content) {
    out += "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\" " + attributes + ">" + escaped(content) +
           "</text>\n";
  }
  static void line(std::string& out, f64 x1, f64 y1, f64 x2, f64 y2, const char* color) {
    out += "<line x1=\"" + pixel(x1) + "\" y1=\"" + pixel(y1) + "\" x2=\"" + pixel(x2) + "\" y2=\"" +
           pixel(y2) + "\" stroke=\"" + color + "\"/>\n";
  }

  void draw_axes(std::string& out, const Frame& frame) const {
    for (int i = 0; i <= frame.x.ticks(); ++i) {
      const f64 x = frame.px(frame.x.at(i));
      line(out, x, Frame::top, x, Frame::bottom, "#e4e4e4");
      text(out, x, Frame::bottom + 20, "text-anchor=\"middle\" fill=\"#333\"", label(frame.x.at(i)));
    }
    for (int i = 0; i <= frame.y.ticks(); ++i) {
      const f64 value = frame.y.at(i), y = frame.py(value);
      line(out, Frame::left, y, Frame::right, y, "#e4e4e4");
      text(out, Frame::left - 8, y + 4.5, "text-anchor=\"end\" fill=\"#333\"",
           label(options_.log_y ? std::pow(10.0, value) : value));
    }
    // Fewer than three powers of ten are too few to read values from.
    for (int i = 0; options_.log_y && frame.y.ticks() < 3 && i < frame.y.ticks(); ++i)
      for (const f64 step : {2.0, 5.0}) {
        const f64 value = frame.y.at(i) + std::log10(step), y = frame.py(value);
        line(out, Frame::left, y, Frame::right, y, "#f2f2f2");
        text(out, Frame::left - 8, y + 4.5, "text-anchor=\"end\" fill=\"#777\"",
             label(std::pow(10.0, value)));
      }
    line(out, Frame::left, Frame::bottom, Frame::right, Frame::bottom, "#333");
    line(out, Frame::left, Frame::top, Frame::left, Frame::bottom, "#333");
    text(out, (Frame::left + Frame::right) / 2, 28, "text-anchor=\"middle\" font-size=\"17\"",
         options_.title);
    text(out, (Frame::left + Frame::right) / 2, 464, "text-anchor=\"middle\"", options_.x_label);
    text(out, 0, 0, "text-anchor=\"middle\" transform=\"translate(20 234) rotate(-90)\"", options_.y_label);
  }

  // Okabe and Ito's colours, which colour-blind readers can tell apart; yellow is too pale on white.
  static const char* color(std::size_t i) {
    constexpr const char* colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#000000"};
    return colors[i % std::size(colors)];
  }

  // Long series keep the first, least, greatest and last point of each pixel column, which looks the same.
  void draw_series(std::string& out, const Frame& frame, std::size_t index) const {
    std::vector<Point> pixels, column;
    std::string path;
    const auto flush_column = [&] {
      if (column.size() > 4) {
        std::size_t least = 0, greatest = 0;
        for (std::size_t i = 1; i < column.size(); ++i) {
          if (column[i].y < column[least].y) least = i;
          if (column[i].y >= column[greatest].y) greatest = i;
        }
        const std::size_t first = std::min(least, greatest), second = std::max(least, greatest);
        column = {column.front(), column[first], column[second], column.back()};
      }
      pixels.insert(pixels.end(), column.begin(), column.end());
      column.clear();
    };
    const auto flush_line = [&] {
      flush_column();
      if (pixels.size() == 1)
        out += "<circle cx=\"" + pixel(pixels[0].x) + "\" cy=\"" + pixel(pixels[0].y) + "\" r=\"3\" fill=\"" +
               color(index) + "\"/>\n";
      if (pixels.size() > 1) {
        out += "<polyline fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\" stroke=\"";
        out += std::string(color(index)) + "\" points=\"";
        for (const Point& p : pixels) out += (&p == pixels.data() ? "" : " ") + pixel(p.x) + "," + pixel(p.y);
        out += "\"/>\n";
      }
      pixels.clear();
    };
    for (const Point& point : series_[index].points) {
      if (!drawable(point)) {
        flush_line();
        continue;
      }
      const Point p{frame.px(point.x), frame.py(scaled(point.y))};
      if (!column.empty() && std::floor(p.x) != std::floor(column.front().x)) flush_column();
      column.push_back(p);
    }
    flush_line();
  }

  // In the upper right corner, where falling losses leave room.
  void draw_legend(std::string& out) const {
    if (series_.size() < 2 && (series_.empty() || series_[0].name.empty())) return;
    std::size_t longest = 0;
    for (const Series& series : series_) longest = std::max(longest, series.name.size());
    const f64 width = std::min(320.0, 52 + 8.0 * static_cast<f64>(longest));
    const f64 left = Frame::right - width - 8, height = 10 + 20.0 * static_cast<f64>(series_.size());
    out += "<rect x=\"" + pixel(left) + "\" y=\"" + pixel(Frame::top + 8) + "\" width=\"" + pixel(width) +
           "\" height=\"" + pixel(height) + "\" fill=\"white\" fill-opacity=\"0.85\" stroke=\"#bbb\"/>\n";
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const f64 y = Frame::top + 23 + 20.0 * static_cast<f64>(i);
      out += "<line x1=\"" + pixel(left + 10) + "\" y1=\"" + pixel(y) + "\" x2=\"" + pixel(left + 34) +
             "\" y2=\"" + pixel(y) + "\" stroke-width=\"3\" stroke=\"" + color(i) + "\"/>\n";
      text(out, left + 42, y + 4.5, "fill=\"#333\"", series_[i].name);
    }
  }

  CurveOptions options_;
  std::vector<Series> series_;
};

}  // namespace WEFT_NAMESPACE::train
