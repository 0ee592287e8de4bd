#pragma once
// Numeric tables in CSV files (RFC 4180, any separator). Law: every number that comes out stood in the file,
// is finite, and fits the type asked for; anything else is an Error that names the line and the column.

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"
#include "weft/core/types.hpp"
#include "weft/io/file.hpp"

namespace weft::io {

struct CsvOptions {
  char separator = ',';
  bool header = true;                  // without one the columns are called "0", "1", ...
  std::vector<std::string> columns{};  // read only these, in this order; others may hold text. Empty: all
};

// Columns of numbers under their names.
class CsvTable {
 public:
  i64 rows() const { return columns_.empty() ? 0 : static_cast<i64>(columns_[0].size()); }
  const std::vector<std::string>& names() const { return names_; }

  // One column; throws "csv/missing-column".
  const std::vector<f64>& column(std::string_view name) const { return columns_[index(name)]; }

  // The named columns side by side, row-major, rows() x names.size(). T is f32, f64 or an integer type;
  // throws "csv/out-of-range" or "csv/not-an-integer" for a number that T does not hold.
  template <class T>
  std::vector<T> take(const std::vector<std::string>& names) const {
    std::vector<T> out(static_cast<std::size_t>(rows()) * names.size());
    for (std::size_t c = 0; c < names.size(); ++c) {
      const std::vector<f64>& values = column(names[c]);
      for (std::size_t r = 0; r < values.size(); ++r)
        out[r * names.size() + c] = convert<T>(values[r], r, names[c]);
    }
    return out;
  }

 private:
  friend class CsvReader;
  std::size_t index(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return i;
    throw_missing(source_, name, names_);
  }
  [[noreturn]] static void throw_missing(const std::string& source, std::string_view name,
                                         const std::vector<std::string>& present) {
    std::string list;
    for (const std::string& column : present) list += (list.empty() ? "'" : ", '") + column + "'";
    throw Error("csv/missing-column",
                "'" + source + "' has no column '" + std::string(name) + "'; its columns are " + list);
  }
  template <class T>
  T convert(f64 value, std::size_t row, const std::string& column) const {
    const auto where = [&] {
      return "'" + source_ + "', data row " + std::to_string(row + 1) + ", column '" + column +
             "': " + std::to_string(value);
    };
    if constexpr (std::is_integral_v<T>) {
      if (std::trunc(value) != value) throw Error("csv/not-an-integer", where() + " is not an integer");
      // Both bounds are powers of two or zero, hence exact in f64.
      const f64 end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const f64 begin = std::is_signed_v<T> ? -end : 0.0;
      if (value < begin || value >= end)
        throw Error("csv/out-of-range", where() + " does not fit the integer type");
    } else if (std::abs(value) > static_cast<f64>(std::numeric_limits<T>::max())) {
      throw Error("csv/out-of-range", where() + " does not fit the floating-point type");
    }
    return static_cast<T>(value);
  }

  std::string source_;
  std::vector<std::string> names_;
  std::vector<std::vector<f64>> columns_;
};

class CsvReader {
 public:
  CsvReader(std::string_view text, const CsvOptions& options, const std::string& source)
      : text_(text), separator_(options.separator) {
    table_.source_ = source;
    if (separator_ == '"' || separator_ == '\n' || separator_ == '\r')
      throw Error("csv/separator", "a separator cannot be a quote or a line end");
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    end_ = text_.size();
    while (end_ > at_ && (text_[end_ - 1] == '\n' || text_[end_ - 1] == '\r'))
      --end_;  // blank lines at the end
    if (at_ == end_) throw Error("csv/empty", "'" + source + "' is empty");
    read_header(options);
    while (at_ < end_) read_row();
    if (table_.columns_[0].empty()) throw Error("csv/empty", "'" + source + "' has a header but no rows");
  }
  CsvTable take() { return std::move(table_); }

 private:
  static constexpr std::size_t skipped = static_cast<std::size_t>(-1);

  [[noreturn]] void fail(const char* id, const std::string& what) const {
    throw Error(id, "'" + table_.source_ + "', line " + std::to_string(line_) + ": " + what);
  }

  // The next field; `last` says whether it ends its row. Points into the file, or into `scratch_` when quotes
  // had to be taken off.
  std::string_view field(bool& last) {
    std::string_view value;
    if (at_ < end_ && text_[at_] == '"') {
      value = quoted();
      if (at_ < end_ && text_[at_] != separator_ && text_[at_] != '\n' && text_[at_] != '\r')
        fail("csv/quote", "text after a closing quote");
    } else {
      const std::size_t start = at_;
      while (at_ < end_ && text_[at_] != separator_ && text_[at_] != '\n') {
        if (text_[at_] == '"') fail("csv/quote", "a quote inside an unquoted field");
        ++at_;
      }
      value = text_.substr(start, at_ - start);
      if ((at_ == end_ || text_[at_] == '\n') && value.ends_with('\r')) value.remove_suffix(1);
    }
    if (at_ < end_ && text_[at_] == '\r' && (at_ + 1 == end_ || text_[at_ + 1] == '\n')) ++at_;
    last = at_ >= end_ || text_[at_] == '\n';
    if (!last && text_[at_] == '\r') fail("csv/quote", "text after a closing quote");
    if (at_ < end_) ++at_;
    return value;
  }

  std::string_view quoted() {
    scratch_.clear();
    for (++at_; at_ < end_; ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 < end_ && text_[at_ + 1] == '"') {
          ++at_;
        } else {
          ++at_;
          return scratch_;
        }
      } else if (text_[at_] == '\n') {
        ++quoted_lines_;
      }
      scratch_.push_back(text_[at_]);
    }
    fail("csv/quote", "a quoted field does not end");
  }

  void finish_line() {
    line_ += 1 + quoted_lines_;
    quoted_lines_ = 0;
  }

  void read_header(const CsvOptions& options) {
    const std::size_t start = at_;
    for (bool last = false; !last;) {
      const std::string_view name = field(last);
      header_.push_back(options.header ? std::string(name) : std::to_string(header_.size()));
      for (std::size_t i = 0; i + 1 < header_.size(); ++i)
        if (header_[i] == header_.back())
          fail("csv/duplicate-column", "two columns are called '" + header_[i] + "'");
    }
    if (options.header) {
      finish_line();
    } else {
      at_ = start;
      quoted_lines_ = 0;
    }
    table_.names_ = options.columns.empty() ? header_ : options.columns;
    table_.columns_.resize(table_.names_.size());
    slot_.assign(header_.size(), skipped);
    for (std::size_t i = 0; i < table_.names_.size(); ++i) {
      std::size_t c = 0;
      while (c < header_.size() && header_[c] != table_.names_[i]) ++c;
      if (c == header_.size()) CsvTable::throw_missing(table_.source_, table_.names_[i], header_);
      if (slot_[c] != skipped) fail("csv/duplicate-column", "column '" + header_[c] + "' is asked for twice");
      slot_[c] = i;
    }
  }

  void read_row() {
    std::size_t c = 0;
    for (bool last = false; !last; ++c) {
      const std::string_view value = field(last);
      if (c < slot_.size() && slot_[c] != skipped)
        table_.columns_[slot_[c]].push_back(number(value, header_[c]));
    }
    if (c != slot_.size())
      fail("csv/ragged",
           std::to_string(c) + " fields where the first line has " + std::to_string(slot_.size()));
    finish_line();
  }

  f64 number(std::string_view value, const std::string& column) const {
    const std::string_view written = value;
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    if (value.size() > 1 && value[0] == '+' && value[1] != '-') value.remove_prefix(1);
    f64 result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    const auto where = [&] {
      return "column '" + column + "': '" + std::string(written.substr(0, 40)) + "' ";
    };
    if (error == std::errc::invalid_argument || end != value.data() + value.size())
      fail("csv/not-a-number", where() + "is not a number");
    if (error == std::errc::result_out_of_range) fail("csv/out-of-range", where() + "does not fit in f64");
    if (!std::isfinite(result)) fail("csv/not-finite", where() + "is not finite");
    return result;
  }

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0, end_ = 0;
  i64 line_ = 1, quoted_lines_ = 0;
  std::string scratch_;
  std::vector<std::string> header_;
  std::vector<std::size_t> slot_;  // file column -> table column
  CsvTable table_;
};

// Reads a table from text. Throws "csv/empty", "csv/missing-column", "csv/duplicate-column",
// "csv/not-a-number", "csv/not-finite", "csv/out-of-range", "csv/ragged", "csv/quote" or "csv/separator".
inline CsvTable parse_csv(std::string_view text, const CsvOptions& options = {},
                          const std::string& source = "text") {
  return CsvReader(text, options, source).take();
}

// The same from a file; also throws the file's errors.
inline CsvTable read_csv(const std::string& path, const CsvOptions& options = {}) {
  const MappedFile file(path);
  return parse_csv(file.text(), options, path);
}

}  // namespace weft::io
