#pragma once
// The CSV reader: every number that comes out is finite and stood in the file. The first byte chooses
// options.

#include <cmath>

#include "fuzz/target.hpp"
#include "weft/io/csv.hpp"

namespace fuzz {

inline void csv(const weft::u8* data, std::size_t size) {
  if (size == 0) return;
  weft::io::CsvOptions options;
  options.header = (data[0] & 1) == 0;
  options.separator = (data[0] & 2) == 0 ? ',' : ';';
  if ((data[0] & 4) != 0) options.columns = {options.header ? "a" : "0"};
  const std::vector<char> exact(data + 1, data + size);
  refuses(
      [&] {
        const weft::io::CsvTable table = weft::io::parse_csv({exact.data(), exact.size()}, options);
        require(table.rows() > 0 && !table.names().empty(), "a table has rows and columns");
        for (const std::string& name : table.names()) {
          require(static_cast<weft::i64>(table.column(name).size()) == table.rows(), "columns are as long");
          for (const weft::f64 x : table.column(name)) require(std::isfinite(x), "numbers are finite");
        }
        require(table.take<weft::f64>(table.names()).size() ==
                    static_cast<std::size_t>(table.rows()) * table.names().size(),
                "rows are whole");
        const auto near = [&](auto zero) {
          for (const std::string& name : table.names()) {
            const auto exact_values = table.take<decltype(zero)>({name});
            for (std::size_t i = 0; i < exact_values.size(); ++i) {
              const weft::f64 x = table.column(name)[i];
              require(static_cast<weft::f64>(exact_values[i]) == x, "an integer rounds to its f64");
            }
          }
        };
        const std::string_view area = "csv/";
        refuses([&] { near(weft::i64{}); }, area);
        refuses([&] { near(weft::u64{}); }, area);
        refuses([&] { near(weft::i8{}); }, area);
        refuses([&] { table.take<weft::f32>(table.names()); }, area);
      },
      "csv/");
}

}  // namespace fuzz
