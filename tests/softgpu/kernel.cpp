#include "softgpu/kernel.hpp"

#include <algorithm>
#include <unordered_map>

#include "softgpu/forms/table.hpp"
#include "softgpu/registers.hpp"
#include "softgpu/report.hpp"

namespace softgpu {

namespace {

const std::map<std::string, Special>& specials() {
  static const std::map<std::string, Special> names{{"%tid.x", Special::tid_x},
                                                    {"%tid.y", Special::tid_y},
                                                    {"%tid.z", Special::tid_z},
                                                    {"%ntid.x", Special::ntid_x},
                                                    {"%ntid.y", Special::ntid_y},
                                                    {"%ntid.z", Special::ntid_z},
                                                    {"%ctaid.x", Special::ctaid_x},
                                                    {"%ctaid.y", Special::ctaid_y},
                                                    {"%ctaid.z", Special::ctaid_z},
                                                    {"%nctaid.x", Special::nctaid_x},
                                                    {"%nctaid.y", Special::nctaid_y},
                                                    {"%nctaid.z", Special::nctaid_z},
                                                    {"%laneid", Special::laneid},
                                                    {"%warpid", Special::warpid},
                                                    {"%lanemask_lt", Special::lanemask_lt},
                                                    {"%lanemask_le", Special::lanemask_le},
                                                    {"%lanemask_gt", Special::lanemask_gt},
                                                    {"%lanemask_ge", Special::lanemask_ge},
                                                    {"%lanemask_eq", Special::lanemask_eq}};
  return names;
}

Width width_of_type(const std::string& type) {
  if (type == "pred") return Width::predicate;
  return ptx::type_bytes(type) == 8 ? Width::wide : Width::narrow;
}

class Decoder {
 public:
  Decoder(const ptx::Module& module, const ptx::Kernel& source, const std::map<std::string, u64>& symbols)
      : source_(source), symbols_(symbols), kernel_(std::make_unique<Kernel>()) {
    kernel_->name = source.name;
    kernel_->max_threads = source.max_threads;
    for (const ptx::Variable& p : source.parameters) {
      kernel_->parameter_bytes = static_cast<u32>(round_up<u64>(kernel_->parameter_bytes, p.align));
      parameter_at_[p.name] = kernel_->parameter_bytes;
      kernel_->parameters.push_back({kernel_->parameter_bytes, static_cast<u32>(p.size)});
      kernel_->parameter_bytes += static_cast<u32>(p.size);
    }
    place_shared(module);
  }

  std::unique_ptr<Kernel> run() {
    kernel_->shared_granule = 8;
    for (const ptx::Instruction& i : source_.body) {
      code_of_body_.push_back(static_cast<u32>(kernel_->code.size()));
      Op op = instruction(i);
      kernel_->code.push_back(op);
    }
    code_of_body_.push_back(static_cast<u32>(kernel_->code.size()));
    for (Op& op : kernel_->code)
      if (op.control == Control::branch) op.target = code_of_body_[op.target];
    Op end;  // a kernel that runs off its end
    end.control = Control::exit;
    end.kind = Class::control;
    kernel_->code.push_back(end);
    kernel_->register_bytes = place_registers(kernel_->code, widths_, kernel_->constants, kernel_->specials);
    return std::move(kernel_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    stop("PTX line " + std::to_string(line_) + " of " + readable(source_.name) + " (" + source_.name +
         "): " + why);
  }

  // What the kernel names itself first, then the module's variables that it names, then the dynamic part.
  void place_shared(const ptx::Module& module) {
    const auto place = [&](const ptx::Variable& v) {
      kernel_->static_shared =
          static_cast<u32>(round_up<u64>(kernel_->static_shared, std::max<u64>(v.align, 1)));
      shared_at_[v.name] = kernel_->static_shared;
      kernel_->static_shared += static_cast<u32>(v.size);
    };
    for (const ptx::Variable& v : source_.variables) {
      if (v.space == ptx::Space::local) {
        kernel_->local_bytes =
            static_cast<u32>(round_up<u64>(kernel_->local_bytes, std::max<u64>(v.align, 1)));
        local_at_[v.name] = kernel_->local_bytes;
        kernel_->local_bytes += static_cast<u32>(v.size);
      } else {
        place(v);
      }
    }
    std::vector<const ptx::Variable*> dynamic;
    for (const ptx::Variable& v : module.variables) {
      if (v.space != ptx::Space::shared || !names(v.name)) continue;
      if (v.external || v.size == 0)
        dynamic.push_back(&v);
      else
        place(v);
    }
    kernel_->static_shared = round_up<u32>(kernel_->static_shared, 16);
    for (const ptx::Variable* v : dynamic) shared_at_[v->name] = kernel_->static_shared;
  }
  bool names(const std::string& symbol) const {
    const auto mentioned = [&](const ptx::Operand& o) { return o.name == symbol; };
    return std::any_of(source_.body.begin(), source_.body.end(), [&](const ptx::Instruction& i) {
      return std::any_of(i.operands.begin(), i.operands.end(), mentioned);
    });
  }

  // Until registers are placed, a Row is a number into widths_.
  Row new_row(Width width) {
    widths_.push_back(width);
    return static_cast<Row>(widths_.size() - 1);
  }
  Row constant(u64 bits, Width width) {
    const auto key = std::pair{bits, width};
    const auto at = constants_.find(key);
    if (at != constants_.end()) return at->second;
    const Row r = new_row(width);
    constants_[key] = r;
    kernel_->constants.push_back({r, bits, width == Width::wide});
    return r;
  }
  Width declared(const std::string& name) const {
    auto at = source_.registers.find(name);
    if (at == source_.registers.end()) {
      // %r12 of %r<40>, in its scope
      const std::size_t scope = name.find('@');
      std::string prefix = name.substr(0, scope);
      while (!prefix.empty() && prefix.back() >= '0' && prefix.back() <= '9') prefix.pop_back();
      at = source_.registers.find(prefix + "<>" + (scope == std::string::npos ? "" : name.substr(scope)));
    }
    if (at == source_.registers.end()) fail("an unknown register " + name);
    return width_of_type(at->second);
  }
  Row register_row(const std::string& name) {
    const auto at = rows_.find(name);
    if (at != rows_.end()) return at->second;
    const auto special = specials().find(name);
    const Row r = new_row(special != specials().end() ? Width::narrow : declared(name));
    rows_[name] = r;
    if (special != specials().end()) kernel_->specials.push_back({r, special->second});
    return r;
  }
  u64 symbol(const std::string& name) const {
    if (const auto at = parameter_at_.find(name); at != parameter_at_.end()) return param_window + at->second;
    if (const auto at = shared_at_.find(name); at != shared_at_.end()) return at->second;
    if (const auto at = local_at_.find(name); at != local_at_.end()) return at->second;
    if (const auto at = symbols_.find(name); at != symbols_.end()) return at->second;
    fail("an unknown name " + name);
  }
  Row operand(const ptx::Operand& o, Width width) {
    using Kind = ptx::Operand::Kind;
    switch (o.kind) {
      case Kind::reg: {
        if (o.name == "_") return no_row;
        const Row r = register_row(o.name);
        // a conversion may take the lower half of a register
        if (widths_[r] == Width::wide && width == Width::narrow && converts_)
          return extra("cvt.u32.u64", r, width);
        if (widths_[r] != width) fail("the register " + o.name + " is not as wide as the instruction's type");
        return o.negated ? extra("not.pred", r, width) : r;
      }
      case Kind::immediate:
        if (width == Width::predicate) return constant(o.bits != 0 ? full_mask : 0, width);
        return constant(width == Width::wide ? o.bits : o.bits & 0xffffffffu, width);
      case Kind::symbol:
        return constant(symbol(o.name), width);
      default:
        fail("an operand of this kind is not supported here");
    }
  }
  // An instruction before the present one, and where its result is.
  Row extra(const char* opcode, Row of, Width width) {
    const Form* const form = forms().find(opcode);
    Op op;
    op.execute = form->execute;
    op.kind = form->kind;
    op.line = line_;
    op.s[0] = of;
    op.d[0] = new_row(width);
    kernel_->code.push_back(op);
    return op.d[0];
  }

  // The carry as an operand, where an instruction has it.
  static void add_carry(const std::string& opcode, std::vector<ptx::Operand>& operands) {
    ptx::Operand carry;
    carry.kind = ptx::Operand::Kind::reg;
    carry.name = ptx::carry;
    if (opcode.find(".cc.") != std::string::npos) operands.at(0).elements.push_back(carry);
    for (const char* reads : {"addc.", "subc.", "madc."})
      if (opcode.rfind(reads, 0) == 0) operands.push_back(carry);
  }

  Op instruction(const ptx::Instruction& i) {
    line_ = i.line;
    converts_ = i.opcode.rfind("cvt.", 0) == 0;
    const bool splits = i.operands.size() == 2 && (i.operands[0].kind == ptx::Operand::Kind::vector ||
                                                   i.operands[1].kind == ptx::Operand::Kind::vector);
    const bool memory = i.opcode.rfind("ld.", 0) == 0 || i.opcode.rfind("st.", 0) == 0;
    std::string opcode = i.opcode;
    std::vector<ptx::Operand> operands = i.operands;
    if (splits && opcode.rfind("mov.", 0) == 0) {
      const bool packs = operands[1].kind == ptx::Operand::Kind::vector;
      opcode = (packs ? "pack." : "unpack.") + opcode.substr(4);
      operands = packs ? std::vector{operands[0], operands[1].elements[0], operands[1].elements[1]}
                       : std::vector{operands[0].elements[0], operands[0].elements[1], operands[1]};
    } else if (!memory) {
      operands = spread(operands);
    }
    if (opcode.rfind("wgmma.mma_async", 0) == 0 && i.operands.size() > 1 &&
        i.operands[1].kind != ptx::Operand::Kind::vector)
      opcode += ".descriptors";
    add_carry(opcode, operands);
    const Form* const form = forms().find(opcode);
    if (form == nullptr) fail("the instruction " + i.opcode + " is not known");
    Op op;
    op.execute = form->execute;
    op.control = form->control;
    op.kind = form->kind;
    op.line = i.line;
    op.used_bytes = i.used_bytes;
    if (!i.guard.empty()) {
      op.guarded = true;
      op.guard_negated = i.guard_negated;
      op.guard = register_row(i.guard);
    }
    if (op.kind == Class::atomic || opcode.rfind("membar", 0) == 0 ||
        (opcode.rfind("fence", 0) == 0 && opcode.rfind("fence.proxy", 0) != 0) ||
        opcode.find(".gpu.") != std::string::npos || opcode.find("volatile") != std::string::npos)
      kernel_->communicates = true;
    if (form->columns != 0)
      warpgroup_operands(op, *form, operands);
    else if (form->copies)
      copy_operands(op, operands);
    else if (form->loads || form->stores)
      memory_operands(op, *form, opcode, operands);
    else if (op.control == Control::branch)
      op.target = label(operands.at(0).name);
    else
      plain_operands(op, *form, operands);
    return op;
  }

  // The elements of vectors one after another, as an instruction of matrices takes them.
  static std::vector<ptx::Operand> spread(const std::vector<ptx::Operand>& operands) {
    std::vector<ptx::Operand> all;
    for (const ptx::Operand& o : operands) {
      if (o.kind == ptx::Operand::Kind::vector)
        all.insert(all.end(), o.elements.begin(), o.elements.end());
      else
        all.push_back(o);
    }
    return all;
  }

  u32 label(const std::string& name) {
    const auto at = source_.labels.find(name);
    if (at == source_.labels.end()) fail("an unknown label " + name);
    return static_cast<u32>(at->second);
  }

  void plain_operands(Op& op, const Form& form, const std::vector<ptx::Operand>& operands) {
    const std::size_t own = form.results.size();  // of a barrier that reduces
    if (op.control == Control::block_barrier &&
        (operands.size() != own + form.operands.size() || operands[own].bits != 0))
      fail("barriers other than barrier 0 of the whole block are not supported");
    std::size_t next = 0;
    for (std::size_t k = 0; k < form.results.size(); ++k) {
      if (k == 1 && form.results[1] == Width::predicate) {  // %r1|%p1
        if (!operands[0].elements.empty()) op.d[1] = operand(operands[0].elements[0], Width::predicate);
        continue;
      }
      op.d[k] = operand(operands.at(next++), form.results[k]);
    }
    for (std::size_t k = 0; k < form.operands.size(); ++k) {
      if (next >= operands.size()) {
        if (op.control == Control::none || form.aligned) fail("too few operands");
        break;
      }
      const ptx::Operand& o = operands[next++];
      if (o.kind == ptx::Operand::Kind::address) {
        op.operand(k) = address(op, o, form.operands[k]);
      } else {
        op.operand(k) = operand(o, form.operands[k]);
      }
    }
    if (next < operands.size()) fail("more operands than are known of this instruction");
    if (form.aligned)
      op.members = constant(full_mask, Width::narrow);
    else if (op.control == Control::collective || op.control == Control::warp_barrier)
      op.members = op.s[form.operands.size() - 1];
  }

  Row address(Op& op, const ptx::Operand& o, Width width) {
    op.offset = o.offset;
    if (!o.elements.empty()) return operand(o.elements[0], width);
    if (!o.name.empty()) op.offset += static_cast<i64>(symbol(o.name));
    return no_row;
  }

  void memory_operands(Op& op, const Form& form, const std::string& opcode,
                       const std::vector<ptx::Operand>& operands) {
    const ptx::Operand& data = operands.at(form.loads ? 0 : 1);
    const ptx::Operand& at = operands.at(form.loads ? 1 : 0);
    const bool shared = op.kind == Class::shared;
    Width base = Width::wide;
    if (!at.elements.empty()) base = declared_or_special(at.elements[0].name);
    if (shared && base == Width::wide && !at.elements.empty())
      fail("a shared address in 64 bits is not supported");
    op.s[0] = address(op, at, base);
    const std::vector<ptx::Operand> elements =
        data.kind == ptx::Operand::Kind::vector ? data.elements : std::vector{data};
    op.count = static_cast<u8>(elements.size());
    op.bytes = static_cast<u8>(form.bytes * elements.size());
    const std::size_t wanted = opcode.find(".v4.") != std::string::npos   ? 4
                               : opcode.find(".v2.") != std::string::npos ? 2
                                                                          : 1;
    if (elements.size() != wanted) fail("not as many registers as elements");
    if (form.bytes * elements.size() > 16) fail("an access of more than 16 bytes");
    for (const ptx::Operand& o : elements)
      if (o.kind == ptx::Operand::Kind::reg && o.name != "_") op.wide = declared(o.name) == Width::wide;
    for (const ptx::Operand& o : elements)
      if (o.kind == ptx::Operand::Kind::immediate && form.bytes == 8) op.wide = true;
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const Row r = operand(elements[k], op.wide ? Width::wide : Width::narrow);
      if (form.loads)
        op.d[k] = r;
      else
        op.s[k + 1] = r;
    }
    if (shared) kernel_->shared_granule = std::min<u32>(kernel_->shared_granule, form.bytes);
    if (op.kind != Class::shared && op.kind != Class::param && op.kind != Class::local &&
        opcode.find("global") == std::string::npos)
      kernel_->shared_granule = 1;  // a generic access may be to shared memory
  }
  // Sums, A, B, whether sums are added to, what A and B are multiplied by (1), and whether they lie across
  // the depth: of A, where it is in shared memory, and of B.
  void warpgroup_operands(Op& op, const Form& form, const std::vector<ptx::Operand>& operands) {
    const auto sums = static_cast<std::size_t>(form.columns) / 2;
    const bool described = operands.size() == sums + 7;
    if (!described && operands.size() != sums + 9)
      fail("a warpgroup's product with operands that are not known");
    std::size_t next = 0;
    for (; next < sums; ++next) op.many.push_back(operand(operands[next], Width::narrow));
    for (int k = 0; k < (described ? 0 : 4); ++k) op.many.push_back(operand(operands[next++], Width::narrow));
    for (int k = 0; k < (described ? 2 : 1); ++k) op.many.push_back(operand(operands[next++], Width::wide));
    op.many.push_back(operand(operands[next++], Width::predicate));
    if (operands[next].bits != 1 || operands[next + 1].bits != 1) fail("factors are multiplied by 1 only");
    next += 2;
    const u64 across_a = described ? operands[next++].bits : 0;
    if (across_a != 0) fail("A across the depth is not supported");
    op.bytes = static_cast<u8>(operands[next].bits << 1);
    op.count = static_cast<u8>(form.columns / 8);
    op.members = constant(full_mask, Width::narrow);
    kernel_->products = true;
  }
  // [to], [from], bytes, and maybe how many of them are taken.
  void copy_operands(Op& op, const std::vector<ptx::Operand>& operands) {
    if (operands.size() < 3 || operands.size() > 4 || operands[2].kind != ptx::Operand::Kind::immediate)
      fail("a copy with operands that are not known");
    op.s[1] = address(op, operands[0], Width::narrow);
    op.second_offset = op.offset;
    op.s[0] = address(op, operands[1], Width::wide);
    op.count = op.bytes = static_cast<u8>(operands[2].bits);
    if (operands.size() > 3) op.s[2] = operand(operands[3], Width::narrow);
    kernel_->shared_granule = std::min<u32>(kernel_->shared_granule, op.count);
  }
  Width declared_or_special(const std::string& name) const {
    return specials().count(name) != 0 ? Width::narrow : declared(name);
  }

  const ptx::Kernel& source_;
  const std::map<std::string, u64>& symbols_;
  std::unique_ptr<Kernel> kernel_;
  std::map<std::string, u32> parameter_at_, shared_at_, local_at_;
  std::vector<Width> widths_;
  std::unordered_map<std::string, Row> rows_;
  std::map<std::pair<u64, Width>, Row> constants_;
  int line_ = 0;
  bool converts_ = false;          // the present instruction
  std::vector<u32> code_of_body_;  // the decoder adds instructions of its own
};

}  // namespace

std::map<std::string, std::unique_ptr<Kernel>> decode(const ptx::Module& module,
                                                      const std::map<std::string, u64>& symbols) {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  for (const ptx::Kernel& k : module.kernels) kernels[k.name] = Decoder(module, k, symbols).run();
  return kernels;
}

}  // namespace softgpu
