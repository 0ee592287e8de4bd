#include "support/parity.hpp"

#include <fstream>
#include <sstream>

#include "support/repository.hpp"

namespace weft::testing {

ReferenceGroup read_group(const std::string& name) {
  const std::size_t slash = name.find('/');
  const std::string from = "tests/parity/data/" +
                           (slash != name.npos            ? name.substr(0, slash)
                            : name.rfind("func_", 0) == 0 ? "func"
                                                          : "ops") +
                           ".txt";
  const std::string wanted = slash == name.npos ? name : name.substr(slash + 1);
  std::ifstream file(repository_file(from));
  REQUIRE_MESSAGE(file.good(), from, ": not found");
  ReferenceGroup group;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind, value;
    words >> kind;
    if (kind == "group") {
      words >> value;
      inside = value == wanted;
      continue;
    }
    if (!inside) continue;
    Reference r;
    if (kind == "out") words >> r.name;
    words >> r.dtype >> r.shape;
    while (words >> value) r.values.push_back(std::stod(value));
    (kind == "in" ? group.inputs : group.outputs).push_back(r);
  }
  REQUIRE_MESSAGE(!group.outputs.empty(), "no such group: ", wanted);
  return group;
}

}  // namespace weft::testing
