#include <algorithm>
#include <cstdlib>
#include <set>

#include "softgpu/ptx/lexer.hpp"
#include "softgpu/ptx/syntax.hpp"
#include "softgpu/report.hpp"

namespace softgpu::ptx {

namespace {

u64 number(const std::string& text) {
  if (text.size() > 2 && text[0] == '0' &&
      (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D'))
    return std::strtoull(text.c_str() + 2, nullptr, 16);
  return std::strtoull(text.c_str(), nullptr, 0);
}

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(cut(text)) {}

  Module module() {
    find_functions();
    while (peek().kind != Token::Kind::end) top_level();
    return std::move(module_);
  }

 private:
  const Token& peek(int ahead = 0) const { return tokens_[at_ + static_cast<std::size_t>(ahead)]; }
  const Token& take() { return tokens_[at_++]; }
  bool accept(const char* text) {
    if (!peek().is(text)) return false;
    ++at_;
    return true;
  }
  void expect(const char* text) {
    if (!accept(text)) fail(std::string("expected '") + text + "'");
  }
  [[noreturn]] void fail(const std::string& why) const {
    stop("PTX line " + std::to_string(peek().line) + (kernel_ ? " of " + readable(kernel_->name) : "") +
         ": " + why + " at '" + peek().text + "'");
  }

  void top_level() {
    const Token& first = peek();
    if (first.is(".version") || first.is(".address_size")) {
      at_ += 2;
    } else if (first.is(".target")) {
      do at_ += 2;
      while (peek().is(","));
    } else if (first.is(".visible") || first.is(".weak") || first.is(".common")) {
      ++at_;
    } else if (first.is(".extern")) {
      ++at_;
      external_ = true;
    } else if (first.is(".entry")) {
      ++at_;
      entry();
    } else if (first.is(".func")) {  // where it is called
      while (!peek().is(";") && !peek().is("{")) ++at_;
      at_ = peek().is("{") ? behind_braces(at_) : at_ + 1;
    } else if (first.is(".pragma")) {
      while (!accept(";")) ++at_;
    } else if (first.is(".global") || first.is(".shared") || first.is(".const")) {
      module_.variables.push_back(variable());
      module_.variables.back().external = external_;
      external_ = false;
    } else if (first.is(".section") || first.is(".file")) {
      fail("debugging information is not supported: compile without -g or -lineinfo");
    } else {
      fail("an unknown directive");
    }
  }

  // A function that the compiler has not inlined: its tokens stand where it is called, with names of their
  // own; parameters and results are variables of the caller, in local memory.
  struct Function {
    std::vector<std::string> results, parameters;
    std::vector<Token> body;  // between its braces
  };

  // Behind the brace that closes the one at `at`.
  std::size_t behind_braces(std::size_t at) const {
    int depth = 0;
    do depth += tokens_[at].is("{") ? 1 : tokens_[at].is("}") ? -1 : 0;
    while (++at < tokens_.size() && depth > 0);
    return at;
  }
  void find_functions() {
    for (std::size_t k = 0; k < tokens_.size(); ++k) {
      if (!tokens_[k].is(".func")) continue;
      at_ = k + 1;
      Function f;
      const auto names = [&] {
        std::vector<std::string> all;
        if (!accept("(")) return all;
        while (!accept(")")) {
          all.push_back(variable().name);
          accept(",");
        }
        return all;
      };
      f.results = names();
      const std::string name = take().text;
      f.parameters = names();
      while (!peek().is(";") && !peek().is("{")) ++at_;
      if (peek().is(";")) continue;
      k = behind_braces(at_) - 1;
      for (std::size_t t = at_ + 1; t < k; ++t) f.body.push_back(tokens_[t]);
      functions_[name] = std::move(f);
    }
    at_ = 0;
  }

  // call[.uni] [(results),] name [, (parameters)];
  void call() {
    const int line = take().line;
    const auto names = [&] {
      std::vector<std::string> all;
      if (!accept("(")) return all;
      while (!accept(")")) {
        all.push_back(alias(take().text));
        accept(",");
      }
      accept(",");
      return all;
    };
    const std::vector<std::string> results = names();
    const auto found = functions_.find(peek().text);
    if (found == functions_.end()) fail("a call of what is no function of this module");
    ++at_;
    accept(",");
    const std::vector<std::string> parameters = names();
    expect(";");
    const Function& f = found->second;
    if (results.size() != f.results.size() || parameters.size() != f.parameters.size())
      fail("a call with another number of parameters");
    if (++calls_ > 10000) fail("a function that calls itself");

    const std::string mark = "@call" + std::to_string(calls_);
    std::map<std::string, std::string> renamed;
    for (std::size_t k = 0; k < results.size(); ++k) renamed[f.results[k]] = results[k];
    for (std::size_t k = 0; k < parameters.size(); ++k) renamed[f.parameters[k]] = parameters[k];
    std::vector<Token> body{{Token::Kind::mark, "{", line}};
    const auto add = [&](Token::Kind kind, const std::string& text) { body.push_back({kind, text, line}); };
    for (Token t : f.body) {
      if (t.is("ret") || t.is("ret.uni")) {
        add(Token::Kind::word, "bra");
        t.text = "$end" + mark;
      } else if (t.kind == Token::Kind::word && t.text[0] == '$') {
        t.text += mark;
      } else if (const auto other = renamed.find(t.text); other != renamed.end()) {
        t.text = other->second;
      }
      body.push_back(t);
    }
    add(Token::Kind::word, "$end" + mark);
    add(Token::Kind::mark, ":");
    add(Token::Kind::mark, "}");
    tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(at_), body.begin(), body.end());
  }

  // [.space] [.align N] .type NAME [N] [= {...}] up to what follows it
  Variable variable() {
    Variable v;
    const std::string space = take().text;
    v.space = space == ".global"   ? Space::global
              : space == ".shared" ? Space::shared
              : space == ".param"  ? Space::param
              : space == ".const"  ? Space::constant
                                   : Space::local;
    bool sized = false;
    u64 element = 0;
    while (peek().text[0] == '.') {
      const std::string word = take().text;
      if (word == ".align") {
        v.align = number(take().text);
        sized = true;
      } else if (const int bytes = type_bytes(word.substr(1)); bytes > 0) {
        element = static_cast<u64>(bytes);
      } else if (word != ".ptr" && word != ".global" && word != ".shared" && word != ".const") {
        fail("an unknown word " + word + " in a variable");
      }
    }
    if (!sized) v.align = element;
    v.name = take().text;
    u64 count = 1;
    while (accept("[")) {
      count *= peek().is("]") ? 0 : number(take().text);
      expect("]");
    }
    v.size = element * count;
    if (accept("=")) {
      const bool list = accept("{");
      do {
        const u64 value = number(take().text);
        for (u64 i = 0; i < element; ++i) v.initial.push_back(static_cast<u8>(value >> (8 * i)));
      } while (accept(","));
      if (list) expect("}");
    }
    if (v.space != Space::param) expect(";");
    return v;
  }

  void entry() {
    Kernel kernel;
    kernel_ = &kernel;
    kernel.name = take().text;
    kernel.registers[carry] = "pred";
    if (accept("(")) {
      while (!accept(")")) {
        kernel.parameters.push_back(variable());
        accept(",");
      }
    }
    while (!peek().is("{")) {
      const std::string word = take().text;
      if (word == ".maxntid" || word == ".reqntid") {
        kernel.max_threads = 1;
        do kernel.max_threads *= static_cast<int>(number(take().text));
        while (accept(","));
      } else if (word == ".minnctapersm" || word == ".maxnreg") {
        take();
      } else if (word == ".pragma") {
        while (!accept(";")) ++at_;
      } else {
        --at_;
        fail("an unknown directive of a kernel");
      }
    }
    expect("{");
    scope("");
    kernel_ = nullptr;
    module_.kernels.push_back(std::move(kernel));
  }

  // Registers of an inner scope are told apart by a suffix.
  void scope(const std::string& suffix) {
    std::set<std::string> local;
    scopes_.push_back({suffix, {}, {}});
    while (!accept("}")) {
      if (accept("{")) {
        scope("@" + std::to_string(++scope_count_));
      } else if (peek().is(".reg")) {
        registers();
      } else if (peek().is(".shared")) {
        kernel_->variables.push_back(variable());
      } else if (peek().is(".local") || peek().is(".param")) {  // perhaps a call's, and again the next one's
        Variable v = variable();
        if (v.space == Space::param) expect(";");
        v.space = Space::local;
        const std::string name = v.name + "@" + std::to_string(++scope_count_);
        scopes_.back().aliases[v.name] = name;
        v.name = name;
        kernel_->variables.push_back(std::move(v));
      } else if (peek().is("call") || peek().is("call.uni")) {
        call();
      } else if (accept(".pragma")) {
        pragma();
      } else if (accept(".loc")) {
        at_ += 3;
      } else if (peek().kind == Token::Kind::word && peek(1).is(":")) {
        kernel_->labels[take().text] = static_cast<int>(kernel_->body.size());
        ++at_;
      } else if (peek().text[0] == '.') {
        fail("an unknown directive");
      } else {
        instruction();
      }
    }
    scopes_.pop_back();
  }

  void registers() {
    take();
    const std::string type = take().text.substr(1);
    do {
      std::string name = take().text;
      if (accept("<")) {
        take();
        expect(">");
        name += "<>";
      }
      kernel_->registers[name + scopes_.back().suffix] = type;
      scopes_.back().names.insert(name);
    } while (accept(","));
    expect(";");
  }

  void pragma() {
    const std::string text = take().text;
    const std::string bytes = "used_bytes_mask ";
    if (text.rfind(bytes, 0) == 0) used_bytes_ = static_cast<u32>(number(text.substr(bytes.size())));
    expect(";");
  }

  void instruction() {
    Instruction i;
    i.line = peek().line;
    if (accept("@")) {
      i.guard_negated = accept("!");
      i.guard = in_scope(take().text);
    }
    i.opcode = take().text;
    i.used_bytes = used_bytes_;
    used_bytes_ = ~0u;
    while (!accept(";")) {
      i.operands.push_back(operand());
      if (accept("|")) i.operands.back().elements.push_back(operand());
      accept(",");
    }
    const auto is_of_a_call = [](const Operand& o) {
      return o.kind == Operand::Kind::address && o.name.find('@') != std::string::npos && o.name[0] != '%';
    };
    if (i.opcode.rfind("ld.param", 0) == 0 || i.opcode.rfind("st.param", 0) == 0)
      if (std::any_of(i.operands.begin(), i.operands.end(), is_of_a_call)) i.opcode.replace(3, 5, "local");
    kernel_->body.push_back(std::move(i));
  }

  Operand operand() {
    Operand o;
    if (accept("{")) {
      o.kind = Operand::Kind::vector;
      while (!accept("}")) {
        o.elements.push_back(operand());
        accept(",");
      }
    } else if (accept("[")) {
      o = operand();
      if (o.kind == Operand::Kind::immediate) o.offset = static_cast<i64>(o.bits);
      o.elements.clear();
      if (o.kind == Operand::Kind::reg) o.elements.push_back(o);
      if (accept("+")) {
        const bool negative = accept("-");
        const auto n = static_cast<i64>(number(take().text));
        o.offset += negative ? -n : n;
      }
      o.kind = Operand::Kind::address;
      expect("]");
    } else if (accept("-")) {
      o.kind = Operand::Kind::immediate;
      o.bits = u64{0} - number(take().text);
    } else if (accept("!")) {
      o = operand();
      o.negated = true;
    } else if (peek().kind == Token::Kind::number) {
      o.kind = Operand::Kind::immediate;
      o.bits = number(take().text);
    } else if (peek().kind == Token::Kind::word) {
      const std::string name = take().text;
      if (name == "WARP_SZ") {
        o.kind = Operand::Kind::immediate;
        o.bits = warp_size;
      } else if (name[0] == '%' || name == "_" || is_register(name)) {
        o.kind = Operand::Kind::reg;
        o.name = in_scope(name);
      } else {
        o.kind = Operand::Kind::symbol;
        o.name = alias(name);
      }
    } else {
      fail("an operand of a kind that is not known");
    }
    return o;
  }

  bool is_register(const std::string& name) const {
    return std::any_of(scopes_.begin(), scopes_.end(),
                       [&](const Scope& s) { return s.names.count(name) != 0; });
  }
  // A register as the innermost scope that has declared it calls it; %r5 is one of %r<9>.
  std::string in_scope(const std::string& name) const {
    std::string prefix = name;
    while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') prefix.pop_back();
    for (std::size_t k = scopes_.size(); k-- > 0;) {
      const Scope& s = scopes_[k];
      if (s.names.count(name) != 0 || (prefix != name && s.names.count(prefix + "<>") != 0))
        return name + s.suffix;
    }
    return name;
  }
  std::string alias(const std::string& name) const {
    for (std::size_t k = scopes_.size(); k-- > 0;)
      if (const auto found = scopes_[k].aliases.find(name); found != scopes_[k].aliases.end())
        return found->second;
    return name;
  }

  struct Scope {
    std::string suffix;
    std::set<std::string> names;
    std::map<std::string, std::string> aliases;  // of variables in local memory
  };

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Module module_;
  Kernel* kernel_ = nullptr;
  std::vector<Scope> scopes_;
  std::map<std::string, Function> functions_;
  int scope_count_ = 0, calls_ = 0;
  bool external_ = false;
  u32 used_bytes_ = ~0u;
};

}  // namespace

int type_bytes(const std::string& type) {
  if (type == "b8" || type == "u8" || type == "s8") return 1;
  if (type == "b16" || type == "u16" || type == "s16" || type == "f16") return 2;
  if (type == "b32" || type == "u32" || type == "s32" || type == "f32") return 4;
  if (type == "b64" || type == "u64" || type == "s64" || type == "f64") return 8;
  return 0;
}

Module parse(const std::string& text) { return Parser(text).module(); }

}  // namespace softgpu::ptx
