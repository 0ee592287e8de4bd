#pragma once
// Golden texts: compare(name, text) checks `text` against tests/golden/NAME.txt. With WEFT_REGENERATE set in
// the environment it writes the file instead; read the difference before you commit it.

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/compile_verified.hpp"
#include "support/repository.hpp"
#include "weft/compiler/print.hpp"
#include "weft/exec/explain.hpp"
#include "weft/io/file.hpp"
#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"

namespace golden {

using namespace weft;

inline void expect_sound(const ir::Graph& g, ir::Stage stage) {
  CHECK(ir::to_text(ir::verify(g, stage), g) == "");
}

// The sections of a graph from pruning on.
inline std::string after_prune(const ir::Graph& traced, int* launches = nullptr) {
  const compiler::Module m = testing::compile_verified(traced);
  const exec::Explanation e = exec::explain_graph(traced);
  if (launches) *launches = static_cast<int>(e.steps.size());
  std::string out = "== prune\n" + compiler::print(compiler::Prune{}, m) + "== fuse\n" +
                    compiler::print(compiler::Collect{}, m) + "== lower\n";
  for (const exec::ExplainedStep& s : e.steps) out += s.kernel + " " + s.shape + ": " + s.ops + "\n";
  out += std::to_string(e.steps.size()) + " launches\n";
  return out + "== kernels\n" + compiler::print(compiler::Lower{}, m);
}

inline std::string section(const char* name, const ir::Graph& g) {
  expect_sound(g, ir::Stage::traced);
  return std::string("== ") + name + "\n" + ir::print(g);
}

inline void compare(const std::string& name, const std::string& text) {
  const std::string path = repository_file("tests/golden/" + name + ".txt");
  if (std::getenv("WEFT_REGENERATE") != nullptr) {
    io::write_file(path, text);
    MESSAGE("wrote ", path);
    return;
  }
#if defined(__clang__)
  // C++ leaves the order of a call's arguments to the compiler, and nodes are numbered as they are built: the
  // files hold g++'s order. Soundness and launch counts are checked with every compiler.
  MESSAGE("skipped: ", path, " holds the numbering of g++");
  return;
#endif
  const io::MappedFile file(path);
  const std::string_view wanted = file.text();
  if (wanted == text) return;
  std::size_t at = 0, line = 1;
  while (at < text.size() && at < wanted.size() && text[at] == wanted[at]) line += text[at++] == '\n' ? 1 : 0;
  const auto line_at = [&](std::string_view s) {
    const std::size_t begin = at > 0 && at <= s.size() ? s.rfind('\n', at - 1) + 1 : 0;
    return std::string(s.substr(begin, s.find('\n', begin) - begin));
  };
  FAIL_CHECK("differs from ", path, " at line ", line, "\n  file: ", line_at(wanted),
             "\n  now:  ", line_at(text),
             "\nif the change is meant: WEFT_REGENERATE=1, run this test again, and read the difference");
}

}  // namespace golden
