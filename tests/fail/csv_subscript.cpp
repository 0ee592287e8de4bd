// wrote: table["price"]
// write: table.column("price")
// expect: char
// first-error: one column of a table is table.column
#include "weft/io/csv.hpp"
#include "weft/weft.hpp"
using namespace weft;

int main() {
  const io::CsvTable table = io::read_csv("prices.csv");
#ifdef WEFT_FIXED
  const std::vector<f64> price = table.column("price");
#else
  const std::vector<f64> price = table["price"];
#endif
  return price.size() > 3;
}
