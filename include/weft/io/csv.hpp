#pragma once
// Numeric tables in CSV files (RFC 4180, any separator). Law: every number that comes out stood in the file,
// is finite, and fits the type asked for: an integer exactly, a fraction as the nearest f64 (what is too
// small for one is 0); anything else is an Error that names the line and the column. Time grows with the
// file's length, and memory is a few times it.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/core/diagnose.hpp"
#include "weft/core/error.hpp"
#include "weft/core/refused_option.hpp"
#include "weft/core/types.hpp"
#include "weft/io/decimal.hpp"
#include "weft/io/open_file.hpp"
#include "weft/io/order.hpp"

namespace WEFT_NAMESPACE::io {

struct CsvOptions {
  char separator = ',';                // between the fields of a line
  bool header = true;                  // without one the columns are called "0", "1", ...
  std::vector<std::string> columns{};  // read only these, in this order; others may hold text. Empty: all
  // What an empty field, NaN, nan, NA, N/A, null, NULL and None stand for: .missing = NAN, or a number.
  // Without it they are an Error.
  std::optional<f64> missing{};
};

WEFT_REFUSAL(CsvIsTaken,
             "one column of a table is table.column(\"price\"), several side by side are "
             "table.take<f32>({\"age\", \"price\"}), which gives them as f32");
WEFT_REFUSAL(ColumnsAreOption,
             "the columns to read are an option: io::read_csv(path, {.columns = {\"age\", \"price\"}})");
WEFT_REFUSAL(SeparatorIsOption,
             "what separates the fields of a line is an option: io::read_csv(path, {.separator = ';'})");
WEFT_REFUSAL(ColumnsAreNamed,
             "columns are named, and not numbered: write table.column(\"price\"), or "
             "table.column(table.names()[0]); of a file without a header the names are \"0\", \"1\"");

// Columns of numbers under their names.
class CsvTable {
 public:
  // Rows of numbers, the header not counted.
  i64 rows() const { return columns_.empty() ? 0 : static_cast<i64>(columns_[0].size()); }
  // Of the columns, in their order.
  const std::vector<std::string>& names() const& { return names_; }
  std::vector<std::string> names() && { return std::move(names_); }

  // One column; throws "csv/missing-column".
  const std::vector<f64>& column(std::string_view name) const& { return columns_[index(name)]; }
  std::vector<f64> column(std::string_view name) && { return std::move(columns_[index(name)]); }

  template <class Name>
  auto operator[](const Name&) const {
    static_assert(sizeof(CsvIsTaken<sizeof(Name) == 0, Name>) > 0);
    return AfterRefusal{};
  }

  // Refusals: column(0), of which a null string would be made; column<f32>("price"), take<f32>("price").
  template <class Number>
  requires is_no_name<Number> std::vector<f64> column(Number)
  const {
    static_assert(sizeof(ColumnsAreNamed<sizeof(Number) == 0, Number>) > 0);
    return {};
  }
  template <class T, class Number>
  requires is_no_name<Number> std::vector<T> take(std::initializer_list<Number>)
  const {
    static_assert(sizeof(ColumnsAreNamed<sizeof(T) == 0, Number>) > 0);
    return {};
  }
  template <class T>
  std::vector<T> column(std::string_view) const {
    static_assert(sizeof(CsvIsTaken<sizeof(T) == 0, T>) > 0);
    return {};
  }
  template <class T, class... Names>
  requires(std::is_convertible_v<const Names&, std::string_view>&&...) std::vector<T> take(const Names&...)
  const {
    static_assert(sizeof(CsvIsTaken<sizeof(T) == 0, T, Names...>) > 0);
    return {};
  }

  // The named columns side by side, row-major, rows() x names.size(). T is f32, f64 or an integer type;
  // throws "csv/out-of-range" or "csv/not-an-integer" for a number that T does not hold.
  template <class T>
  std::vector<T> take(const std::vector<std::string>& names) const {
    std::vector<T> out(static_cast<std::size_t>(rows()) * names.size());
    for (std::size_t c = 0; c < names.size(); ++c) {
      const std::size_t which = index(names[c]);
      const std::vector<f64>& values = columns_[which];
      const std::vector<Inexact> none;
      const std::vector<Inexact>& inexact = which < inexact_.size() ? inexact_[which] : none;
      std::size_t next = 0;
      for (std::size_t r = 0; r < values.size(); ++r) {
        const bool special = next < inexact.size() && inexact[next].row == r;
        out[r * names.size() + c] = convert<T>(values[r], special ? &inexact[next++] : nullptr, r, names[c]);
      }
    }
    return out;
  }

 private:
  friend class CsvReader;
  // A number that its f64 is not: an integer of more than 53 bits, or a fraction beside an integer.
  struct Inexact {
    std::size_t row;
    bool integer;
    bool negative;
    u64 size;  // of an integer
  };

  std::size_t index(std::string_view name) const {
    const std::size_t i = find_name(names_, by_name_, name);
    if (i == names_.size()) throw_missing(source_, name, names_);
    return i;
  }
  // The place of a name among `names`, in whose order `by_name` lists them; their number where it is none.
  static std::size_t find_name(const std::vector<std::string>& names, const std::vector<u32>& by_name,
                               std::string_view name) {
    std::size_t low = 0, high = by_name.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (names[by_name[middle]] < name)
        low = middle + 1;
      else
        high = middle;
    }
    return low < by_name.size() && names[by_name[low]] == name ? by_name[low] : names.size();
  }
  static std::vector<u32> sorted(const std::vector<std::string>& names) {
    return order_by(names.size(), [&](u32 a, u32 b) { return names[a] < names[b]; });
  }
  [[noreturn]] static void throw_missing(const std::string& source, std::string_view name,
                                         const std::vector<std::string>& present) {
    constexpr std::size_t shown = 20;
    std::string list;
    for (std::size_t i = 0; i < present.size() && i < shown; ++i)
      list += (list.empty() ? "'" : ", '") + present[i].substr(0, 100) + "'";
    if (present.size() > shown) list += " and " + std::to_string(present.size() - shown) + " more";
    throw Error("csv/missing-column",
                "'" + source + "' has no column '" + std::string(name) + "'; its columns are " + list);
  }
  template <class T>
  T convert(f64 value, const Inexact* inexact, std::size_t row, const std::string& column) const {
    const auto where = [&] {
      return "'" + source_ + "', data row " + std::to_string(row + 1) + ", column '" + column +
             "': " + std::to_string(value);
    };
    if constexpr (std::is_integral_v<T>) {
      if (std::trunc(value) != value || (inexact != nullptr && !inexact->integer))
        throw Error("csv/not-an-integer", where() + " is not an integer");
      const auto misfit = [&] {
        return Error("csv/out-of-range", where() + " does not fit the integer type");
      };
      constexpr u64 most = static_cast<u64>(std::numeric_limits<T>::max());
      if (inexact != nullptr) {
        const u64 bound = inexact->negative ? std::is_signed_v<T> ? most + 1 : 0 : most;
        if (inexact->size > bound) throw misfit();
        return static_cast<T>(inexact->negative ? u64{0} - inexact->size : inexact->size);
      }
      // Both bounds are powers of two or zero, hence exact in f64.
      const f64 end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const f64 begin = std::is_signed_v<T> ? -end : 0.0;
      if (value < begin || value >= end) throw misfit();
    } else if (std::abs(value) > static_cast<f64>(std::numeric_limits<T>::max())) {
      throw Error("csv/out-of-range", where() + " does not fit the floating-point type");
    }
    return static_cast<T>(value);
  }

  std::string source_;
  std::vector<std::string> names_;
  std::vector<u32> by_name_;
  std::vector<std::vector<f64>> columns_;
  std::vector<std::vector<Inexact>> inexact_;  // column by column; empty where there is none at all
};

class CsvReader {
 public:
  CsvReader(std::string_view text, const CsvOptions& options, const std::string& source)
      : text_(text), separator_(options.separator), missing_(options.missing) {
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
  static constexpr u32 skipped = ~u32{0};
  static constexpr std::size_t max_columns = 1'000'000;

  [[noreturn]] void fail(const char* id, const std::string& what) const {
    throw Error(id, "'" + table_.source_ + "', line " + std::to_string(line_) + ": " + what.substr(0, 1000));
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
    std::vector<std::string> header;
    for (bool last = false; !last;) {
      const std::string_view name = field(last);
      if (header.size() == max_columns) fail("csv/too-many-columns", "more than a million columns");
      header.push_back(options.header ? std::string(name) : std::to_string(header.size()));
    }
    std::vector<u32> by_name = CsvTable::sorted(header);
    for (std::size_t i = 1; i < by_name.size(); ++i)
      if (header[by_name[i]] == header[by_name[i - 1]])
        fail("csv/duplicate-column", "two columns are called '" + header[by_name[i]] + "'");
    if (options.header) {
      finish_line();
    } else {
      at_ = start;
      quoted_lines_ = 0;
    }
    slot_.assign(header.size(), skipped);
    if (options.columns.empty()) {
      for (std::size_t c = 0; c < header.size(); ++c) slot_[c] = static_cast<u32>(c);
      table_.names_ = std::move(header);
      table_.by_name_ = std::move(by_name);
    } else {
      for (std::size_t i = 0; i < options.columns.size(); ++i) {
        const std::string& name = options.columns[i];
        const std::size_t c = CsvTable::find_name(header, by_name, name);
        if (c == header.size()) CsvTable::throw_missing(table_.source_, name, header);
        if (slot_[c] != skipped) fail("csv/duplicate-column", "column '" + name + "' is asked for twice");
        slot_[c] = static_cast<u32>(i);
      }
      table_.names_ = options.columns;
      table_.by_name_ = CsvTable::sorted(table_.names_);
    }
    table_.columns_.resize(table_.names_.size());
    // A row has a line, and a byte for each of its columns.
    std::size_t lines = 1;
    for (const char c : text_.substr(at_, end_ - at_)) lines += c == '\n' ? 1 : 0;
    const std::size_t room = (end_ - at_) / slot_.size() + 1;
    for (auto& column : table_.columns_) column.reserve(lines < room ? lines : room);
  }

  void read_row() {
    std::size_t c = 0;
    for (bool last = false; !last; ++c) {
      const std::string_view value = field(last);
      if (c < slot_.size() && slot_[c] != skipped) add_number(value, slot_[c]);
    }
    if (c != slot_.size())
      fail("csv/ragged",
           std::to_string(c) + " fields where the first line has " + std::to_string(slot_.size()));
    finish_line();
  }

  static bool is_missing(std::string_view value) {
    constexpr std::string_view words[]{"", "NaN", "nan", "NA", "N/A", "null", "NULL", "None"};
    return std::find(std::begin(words), std::end(words), value) != std::end(words);
  }
  void add_number(std::string_view value, u32 slot) {
    const std::string_view written = value;
    while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
    if (missing_ && is_missing(value)) {
      table_.columns_[slot].push_back(*missing_);
      return;
    }
    if (value.size() > 1 && value[0] == '+' && value[1] != '-') value.remove_prefix(1);
    f64 result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    const auto where = [&] {
      return "column '" + table_.names_[slot] + "': '" + std::string(written.substr(0, 40)) + "' ";
    };
    const char* const hint = is_missing(value) ? ": {.missing = NAN}, or a number, takes it as missing" : "";
    if (error == std::errc::invalid_argument || end != value.data() + value.size())
      fail("csv/not-a-number", where() + "is not a number" + hint);
    if (error == std::errc::result_out_of_range) {
      if (Decimal(value).at_least_one()) fail("csv/out-of-range", where() + "does not fit in f64");
      result = value[0] == '-' ? -0.0 : 0.0;
    }
    if (!std::isfinite(result)) fail("csv/not-finite", where() + "is not finite" + hint);
    auto& column = table_.columns_[slot];
    // Digits alone are exact below 2^53; what is no integer as f64, or none of 64 bits, is asked nothing
    // more.
    const f64 size = std::abs(result);
    const bool digits = value.find_first_of(".eE") == std::string_view::npos;
    if (size <= 0x1p64 && std::trunc(size) == size && !(digits && size < 0x1p53)) {
      u64 exact = 0;
      const bool integer = Decimal(value).to_integer(exact);
      if (size == 0x1p64 ? integer : !integer || exact != static_cast<u64>(size)) {
        table_.inexact_.resize(table_.columns_.size());
        table_.inexact_[slot].push_back({column.size(), integer, value[0] == '-', exact});
      }
    }
    column.push_back(result);
  }

  std::string_view text_;
  char separator_;
  std::optional<f64> missing_;
  std::size_t at_ = 0, end_ = 0;
  i64 line_ = 1, quoted_lines_ = 0;
  std::string scratch_;
  std::vector<u32> slot_;  // file column -> table column
  CsvTable table_;
};

// Reads a table from text. Throws "csv/empty", "csv/missing-column", "csv/duplicate-column",
// "csv/too-many-columns" (above a million), "csv/not-a-number", "csv/not-finite", "csv/out-of-range",
// "csv/ragged", "csv/quote" or "csv/separator".
inline CsvTable parse_csv(std::string_view text, const CsvOptions& options = {},
                          const std::string& source = "text") {
  return CsvReader(text, options, source).take();
}

// The same from a file; also throws the file's errors.
inline CsvTable read_csv(const std::string& path, const CsvOptions& options = {}) {
  const MappedFile file(path);
  return parse_csv(file.text(), options, path);
}

// Refused: read_csv(path, {"age", "price"}).
template <class Name>
requires std::is_convertible_v<Name, std::string_view> CsvTable parse_csv(std::string_view,
                                                                          std::initializer_list<Name>) {
  static_assert(sizeof(ColumnsAreOption<sizeof(Name) == 0, Name>) > 0);
  return {};
}
template <class Name>
requires std::is_convertible_v<Name, std::string_view> CsvTable read_csv(const std::string&,
                                                                         std::initializer_list<Name>) {
  static_assert(sizeof(ColumnsAreOption<sizeof(Name) == 0, Name>) > 0);
  return {};
}

// Refused: read_csv(path, ';').
template <class C>
requires std::is_same_v<C, char> CsvTable read_csv(const std::string&, C) {
  static_assert(sizeof(SeparatorIsOption<sizeof(C) == 0, C>) > 0);
  return {};
}
// Refused: read_csv<f32>(path).
template <class T, class... A>
CsvTable read_csv(const A&...) {
  static_assert(sizeof(CsvIsTaken<sizeof(T) == 0, T>) > 0);
  return {};
}

}  // namespace WEFT_NAMESPACE::io
