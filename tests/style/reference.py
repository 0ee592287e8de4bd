#!/usr/bin/env python3
"""docs/reference_*.md: every public template, option struct, enumeration and class of include/weft, with the order of
its template arguments, its members in order, their defaults and what the headers' comments say of them.

usage: reference.py check    the pages are what the headers give; everything public is on one of them, or has a line
                             in tests/registry/internal.txt; every member of an option struct says what it means
       reference.py write    writes the pages
       reference.py names    lists what is public, and where it is declared

tests/registry/internal.txt: "header.hpp name name ..." or "header.hpp *", what users do not write.
"""
import importlib.util
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
include = root / "include/weft"
internal_path = root / "tests/registry/internal.txt"
folders = ("core", "device", "io", "ops", "nn", "optim", "transforms", "compiler", "exec", "data", "train", "comm", "targets")

spec = importlib.util.spec_from_file_location("registry", pathlib.Path(__file__).with_name("registry.py"))
registry = importlib.util.module_from_spec(spec)
spec.loader.exec_module(registry)


# -- reading headers -------------------------------------------------------------------------------------------------

def without_comments(text):
    """The text with comments, directives and macros that declare as blanks, so that places stay where they are."""
    def blank(match):
        found = match.group(0)
        return found if found[0] == '"' else re.sub(r"[^\n]", " ", found)
    return re.sub(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*(?:(?<=\\)\n[^\n]*)*|^[ \t]*WEFT_(?!REFUSAL)[A-Z_]+\([^;\n]*\)[ \t]*$',
                  blank, text,
                  flags=re.S | re.M)


def skip_quoted(code, at):
    quote = code[at]
    at += 1
    while code[at] != quote:
        at += 2 if code[at] == "\\" else 1
    return at


def template_of(text):
    """(parameters, what follows) of a text that may begin with template <...>"""
    parameters = []
    while text.startswith("template"):
        depth = 0
        for at, c in enumerate(text):
            depth += {"<": 1, ">": -1}.get(c, 0) if not text.startswith("->", at - 1) else 0
            if c == ">" and depth == 0:
                break
        # what a user writes there: OptionsOf and More are there to be refused
        parameters += [re.sub(r"^OptionsOf<(\w+)>", r"\1", p) for p in split(text[text.index("<") + 1:at])
                       if p != "auto... More"]
        text = text[at + 1:].strip()
    return parameters, text


def statements(code, begin, end):
    """(start, stop, body): the statements between two places, body the place of the first braces, or None."""
    start = at = opened = begin
    depth, body = 0, None
    while at < end:
        c = code[at]
        if c == '"' or c == "'" and not code[at - 1].isalnum():
            at = skip_quoted(code, at)
        elif c in "({[":
            if c == "{" and depth == 0:
                opened = at
                body = body or [at, None]
            depth += 1
        elif c in ")}]":
            depth -= 1
            if c == "}" and depth == 0 and body:
                body[1] = body[1] or at
                rest, head = code[at + 1:end].lstrip()[:1], code[start:body[0]]
                thing = re.search(r"\b(struct|class|enum|union)\b[^()=]*$", template_of(head.strip())[1])
                clause = re.search(r"\brequires\s*$|(=|&&|\brequires)\s*requires\s*\([^)]*\)\s*$", code[start:opened])
                if re.search(r"\bnamespace\b", head) or not (thing or clause or rest and rest in ";,({)=.>"):
                    yield start, at + 1, tuple(body)
                    start, body = at + 1, None
        elif c == ";" and depth == 0:
            yield start, at, tuple(body) if body else None
            start, body = at + 1, None
        elif c == ":" and depth == 0 and re.fullmatch(r"\s*(public|private|protected)\s*", code[start:at]):
            yield start, at, None
            start = at + 1
        at += 1


def split(text, mark=","):
    """Splits at a mark that stands in no brackets and no quotes."""
    parts, depth, last, quoted = [], 0, 0, ""
    for at, c in enumerate(text):
        if quoted or c in "'\"":
            quoted = "" if c == quoted else quoted or c
        elif c in "([{<":
            depth += 1
        elif c in ")]}>" and text[at - 1] != "-":
            depth -= 1
        elif c == mark and depth == 0:
            parts.append(text[last:at].strip())
            last = at + 1
    return [part for part in parts + [text[last:].strip()] if part]


def comment_before(text, start):
    """The block of // lines that ends on the line above the place."""
    lines = text[:start].split("\n")[:-1]
    found = []
    while lines and re.match(r"\s*//", lines[-1]):
        found.insert(0, re.sub(r"^\s*// ?", "", lines.pop()))
    return " ".join(line.strip() for line in found), bool(lines) and not lines[-1].strip()


class Item:
    """A declaration at namespace level."""
    def __init__(self, path, space, text, code, start, stop, body):
        self.header = str(path.relative_to(include))
        while code[start] in " \n\t":
            start += 1
        self.text, self.code, self.body = text, code, body
        self.note, self.apart = comment_before(text, text.rfind("\n", 0, start) + 1)
        if not self.note:
            self.note = ""
            line = text[stop:text.find("\n", stop)]
            if "//" in line and not body:
                self.note = line.partition("//")[2].strip()
        self.head = " ".join(code[start:body[0] if body else stop].split())
        self.whole = " ".join(code[start:stop].split())
        self.space = re.sub(r"^weft(::|$)|(cuda|host)_target(::|$)", "", space).removesuffix("::")
        self.parameters, rest = template_of(self.whole)
        self.rest = rest
        self.kind, self.name, self.specialised = self.classify(rest)
        self.full = "::".join(part for part in (self.space, self.name) if part)

    def classify(self, rest):
        """kind, name, whether it specialises another one"""
        if rest.startswith("requires"):
            begin = re.search(r"(?<=[)>} ])\s*(constexpr|auto|void|struct|class|inline|decltype)\b(?! requires)", rest)
            rest = rest[begin.start():].strip() if begin else rest
        self.rest = rest
        rest = rest.replace("decltype(auto) ", "auto ")
        if rest.startswith("struct std::"):
            return "", "", False
        if found := re.match(r"(struct|class)(?: alignas\(\w+\))? (\w+)(<)?", rest):
            return "struct", found.group(2), found.group(3) is not None
        if found := re.match(r"enum (?:class )?(\w+)", rest):
            return "enum", found.group(1), False
        if found := re.match(r"using (\w+) =", rest):
            return "alias", found.group(1), False
        if found := re.match(r"concept (\w+)", rest):
            return "concept", found.group(1), False
        if re.match(r"using |static_assert|friend |extern |typedef |&&", rest):
            return "", "", False
        if rest.startswith("inline constexpr "):
            depth = 0
            for at, c in enumerate(rest + " "):
                depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(c, 0)
                if depth == 0 and c in "{=[" or at == len(rest):
                    break
            found = re.search(r"(\w+)(<[^<]*>+)?$", rest[:at].strip())
            return "constant", found.group(1), found.group(2) is not None
        if found := re.search(r"(operator\s*\S+?|[\w]+)\s*\(", rest):
            return "function", found.group(1), False
        return "", "", False

    def members(self):
        """(type, name, default, meaning) of the public data members, in order."""
        public, result = self.rest.startswith("struct"), []
        for start, stop, body in statements(self.code, self.body[0] + 1, self.body[1]):
            while self.code[start] in " \n\t":
                start += 1
            text = " ".join(self.code[start:stop].split())
            if access := re.fullmatch(r"(public|private|protected)", text):
                public = access.group(1) == "public"
                continue
            if enum := re.match(r"enum class (\w+) \{.*\} (\w+)(?: = (.*))?$", text):
                text = f"{enum.group(1)} {enum.group(2)} = {enum.group(3)}"
            if not public or re.match(r"(using|static|friend|template|struct|class|enum|constexpr|explicit|typedef)\b", text):
                continue
            found = re.match(r"((?:const )?[\w:]+(?:<.*>)?(?: \*|\*|&)?) ?(\w+(?:\[\w*\])*(?:, \w+(?: = [^,]+|\{\})?)*)\s*(=.*|\{.*\})?$", text)
            pointer = re.match(r"(.*\(\*)(\w+)(\)\(.*?\))(?: = (.*))?$", text)
            if not pointer and re.match(r"[^={]*\(", text):
                continue  # a function
            if pointer:
                one = [(pointer.group(1) + pointer.group(3), pointer.group(2), pointer.group(4) or "")]
            elif found:
                kind, names, default = found.groups()
                default = (default or "").removeprefix("=").strip()
                names = split(names + (" = " + default if default else ""))
                one = []
                for entry in names:
                    name, _, value = entry.partition("=")
                    value = value.strip()
                    if name.strip().endswith("{}"):
                        name, value = name.strip()[:-2], "{}"
                    one.append((kind, name.strip(), value))
            else:
                continue
            after = self.text[stop:self.text.find("\n", stop)]
            meaning = after.partition("//")[2].strip() if "//" in after else ""
            line = self.text.find("\n", stop) + 1  # a remark that goes on below, in its own column
            while meaning and re.match(r" {12,}//", self.text[line:line + 160].split("\n")[0]):
                meaning += " " + self.text[line:self.text.find("\n", line)].strip(" /")
                line = self.text.find("\n", line) + 1
            if not meaning:
                meaning = comment_before(self.text, self.text.rfind("\n", 0, start) + 1)[0]
            result += [(*m, meaning) for m in one if m[1] != "operator" and not m[1].endswith("_")]
        return result

    def methods(self):
        """(spelling, meaning) of the public member functions, in order; those without a remark share the last one."""
        public, result = self.rest.startswith("struct"), []
        for start, stop, body in statements(self.code, self.body[0] + 1, self.body[1]):
            while self.code[start] in " \n\t":
                start += 1
            text = " ".join(self.code[start:body[0] if body else stop].split())
            if access := re.fullmatch(r"(public|private|protected)", text):
                public = access.group(1) == "public"
                continue
            if not public or "(" not in text or "(*" in text.partition("=")[0] or re.match(r"(using|friend|static_assert|struct|class|enum)\b", text) or \
                    "= delete" in text or "= default" in text or text.startswith("~") or text.startswith("explicit"):
                continue
            if body and refusing.match(self.code[body[0]:body[1] + 1].strip()):
                continue
            parameters, rest = template_of(text)
            rest = re.sub(r"^requires\s*\((?:[^()]|\([^()]*\))*\)\s*", "", rest)
            rest = re.sub(r" requires requires$| requires .*$| &+$", "", rest)
            found = re.search(r"(?:^|[\s*&>])(operator\s*(?:\(\)|\S+?)|\w+)\s*\(", rest)
            name = found.group(1) if found else "requires"
            if name in ("requires", self.name) or re.match(r"operator\s+\w", name) or re.match(r"operator \w", rest):
                continue
            note, apart = comment_before(self.text, self.text.rfind("\n", 0, start) + 1)
            result.append((call_text(found.group(1), parameters, arguments_of(rest[found.end() - 1:])), note,
                           rest[:found.start(1)].strip()))
        return result

    def base(self):
        """The name of the class whose members are this one's, too."""
        found = re.search(r"(?: final)? : public (?:\w+::)*(\w+)<", self.head)
        return found.group(1) if found else None

    def values(self):
        """(name, meaning) of an enumeration's values."""
        result = []
        for line in self.text[self.body[0] + 1:self.body[1]].split("\n"):
            names, _, meaning = line.partition("//")
            names = [re.sub(r"\s*=.*", "", n).strip() for n in names.split(",")]
            result += [(name, meaning.strip()) for name in names if name]
        return result


def arguments_of(text):
    """The texts of a list of parameters that begins with its bracket."""
    depth = 0
    for at, c in enumerate(text):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if depth == 0:
            return split(text[1:at])
    return []


# Arguments that are words, by the types that carry them.
words = {"KeepDim": "keepdim", "Biased": "biased", "Descending": "descending", "Smallest": "smallest", "RightSide": "right_side",
         "ExcludeSelf": "exclude_self", "Replacement": "replacement", "IndexingXy": "indexing_xy", "ReturnIndices": "return_indices",
         "LogTarget": "log_target", "AlignCorners": "align_corners", "Frobenius": "frobenius", "OrderOf<P>": "order<P>",
         "OrderOf<N>": "order<N>", "Correction<C>": "correction<C>", "ReduceBy<How>": "reduce::sum", "EdgeOrder<N>": "edge_order<N>"}


def call_text(name, parameters, arguments):
    """name<what is given>(arguments): template parameters that the arguments decide are left out."""
    decided = " ".join(arguments)
    given = []
    for parameter in parameters:
        found = re.match(r"(?:class|typename|[A-Z]\w*(?:<[^>]*>)?|\w+)(?:\.\.\.)? ?(\w*)", parameter)
        word = re.match(r"(class|typename)(\.\.\.)? ?(\w+)", parameter)
        if word and re.search(rf"\b{word.group(3)}\b", decided):
            continue
        if not word and found and found.group(1) and re.search(rf"[<,] ?{found.group(1)}\.{{0,3}}[,>]", decided):
            continue
        given.append(parameter)
    shown = []
    for argument in arguments:
        argument, _, default = argument.partition(" = ")
        plain = re.match(r"(?:const )?([\w:]+(?:<.*>)?(?:\.\.\.)?)(?: const)?\s*[&*]*(\.\.\.)?\s*(\w+)?$", argument)
        if plain and plain.group(3):
            kind, many, word = plain.groups()
            many = many or ("..." if kind.endswith("...") else "")
            typed = re.match(r"(i64|i32|u64|u32|f32|f64|int|float|double|bool|std::|char)", kind)
            text = (f"{kind} " if typed and "string" not in kind and "vector" not in kind else "") + word + (many or "")
        elif plain:
            text = plain.group(1)
            text = words.get(text, "options..." if text.startswith("Option") else text)
            if re.fullmatch(r"[A-Z]", text):
                text = text.lower()  # a function without a name
        else:
            text = argument
        shown.append(text + (f" = {default}" if default else ""))
    return name + (f"<{', '.join(given)}>" if given else "") + f"({', '.join(shown)})"


def read_headers():
    items = []
    for folder in folders:
        for path in sorted((p for p in (include / folder).rglob("*") if p.suffix in (".hpp", ".cuh")), key=lambda p: p.name):
            text = path.read_text().replace("WEFT_NAMESPACE", "weft")
            code = without_comments(text)

            def level(begin, end, space):
                for start, stop, body in statements(code, begin, end):
                    head = " ".join(code[start:body[0] if body else stop].split())
                    if named := re.match(r"(?:inline )?namespace ([\w:]*)$", head):
                        level(body[0] + 1, body[1], space + [named.group(1)])
                    elif head:
                        items.append(Item(path, "::".join(space), text, code, start, stop, body))
            level(0, len(code), [])
    return items


# -- what is public --------------------------------------------------------------------------------------------------

# Types whose only definition is a specialisation, with what users write.
primary = {"Tensor": ["class T", "class S", "class Device = Cpu"], "Function": ["class Out(class... In)"]}


def internal_names():
    """{header: names or {"*"}}"""
    found = {}
    for number, line in enumerate(internal_path.read_text().splitlines(), 1):
        if line.strip() and not line.startswith("%"):
            header, *names = line.split()
            found.setdefault(header, set()).update(names)
    return found


# The bodies of functions that only refuse.
refusing = re.compile(r"\{\s*(using [^;]*;\s*)?(return )?((\w+::)*\w+_of\()?(\w+::)*"
                      r"((misspelt|respelled|refuse_dataset)<|static_assert\(\s*sizeof\([^;]*(== 0|\(A\) == 9|\(A\) == 64|\(A\) > least|\(A\) > 1024))|"
                      r"\{(?:(?!if constexpr).)*return AfterRefusal\{\};\s*\}$", re.S)


def is_message(item):
    """A struct that holds a sentence for a mistake and nothing else."""
    if item.kind != "struct" or not item.body:
        return False
    parts = [item.code[a:b].strip() for a, b, _ in statements(item.code, item.body[0] + 1, item.body[1])]
    parts = [part for part in parts if part]
    return bool(parts) and all(part.startswith("static_assert") for part in parts)


def public_items():
    """Everything that users may write, and what internal.txt names without need."""
    internal, used = internal_names(), set()
    everything = read_headers()
    marks = {re.match(r"inline constexpr ([\w:]+?)(?:<.*>)? \w+$", re.sub(r"\{.*", "", i.rest)).group(1)
             for i in everything if i.kind == "constant" and re.match(r"inline constexpr [\w:]+(?:<.*>)? \w+(\{|$)", i.rest)}
    found = []
    for item in everything:
        spaces = item.space.split("::")
        if item.name in primary and item.kind == "struct":
            if item.body:
                item.specialised, item.parameters, item.name = False, primary[item.name], item.name
            else:
                continue
        if not item.name or item.specialised or any("detail" in s for s in spaces) or spaces[0] in ("compiler", "exec", "ir", "kernels", "kernel_ir", "transforms"):
            continue
        if item.kind in ("concept", "") or item.name.startswith(("operator", "WEFT_")) or re.match(r"inline constexpr bool is_", item.rest) or is_message(item):
            continue
        if item.kind == "struct" and (": Operation<" in item.head or item.name.endswith("Op") or not item.body or
                                      item.parameters[:1] == ["bool Ok"]):
            continue
        if item.kind == "struct" and item.name in marks and not item.members():
            continue  # the mark itself is shown
        if "delete" in item.whole[-8:] or item.rest.startswith("WEFT_REFUSAL(") or item.name == "requires":
            continue  # declared to be refused
        if item.kind == "function" and item.body and refusing.match(item.code[item.body[0]:item.body[1] + 1].strip()):
            continue
        names = internal.get(item.header, set())
        if "*" in names or item.name in names:
            used.add((item.header, "*" if "*" in names else item.name))
            continue
        found.append(item)
    needless = [(h, n) for h, names in internal.items() for n in names if (h, n) not in used]
    return everything, found, needless


# -- pages -----------------------------------------------------------------------------------------------------------

made = "<!-- Made by tests/style/reference.py from the headers: a better sentence is a better comment there. -->"
head_operations = f"""# Reference: operations

{made}

Every function on tensors with what stands in its angle brackets, in order, and its arguments; `= value` is a default. What an
argument decides by itself is left out: `softplus(x, beta = 1)` takes a tensor of any shape. `<int Axis = -1>` may be left out,
`<int Axis>` may not; axes count from the end where they are negative. Options, words and enumerations come
[below](#options-words-and-enumerations). PyTorch's names, dtypes and differences are in [operations.md](operations.md), layers in
[reference_layers.md](reference_layers.md), everything else in [reference_programs.md](reference_programs.md)."""
head_layers = f"""# Reference: layers

{made}

Every layer of `weft::nn` with its template arguments in order, and the members that are set in braces, in order: `nn::Dropout{{.p =
0.1f}}`. What decides a shape is a template argument, what does not is a member. `= value` is a default. Parameters and buffers are
members, too, under PyTorch's names, and are not set. Options that are template arguments are structs: `nn::Conv2d<3, 64, 3,
nn::ConvOptions{{.padding = 1}}>`; those of operations are in [reference_operations.md](reference_operations.md#options-words-and-enumerations).
How models are written is in [layers.md](layers.md)."""
head_programs = f"""# Reference: programs, optimisers, data and files

{made}

Everything that is neither an operation ([reference_operations.md](reference_operations.md)) nor a layer
([reference_layers.md](reference_layers.md)): types with their template arguments in order, option structs with their members in order
and the defaults of these, functions, and what classes can do. Members of options are named in the order of the table: `{{.lr =
1e-3f, .weight_decay = 0.1f}}`."""

# Structs whose members are weft's to fill in.
not_set = ("nn::Param", "nn::Buffer", "Expr", "nn::Sequential", "nn::Frozen")

program_sections = [
    ("Dtypes, shapes and errors", ["core/types.hpp", "core/small_float.hpp", "core/dtype.hpp", "core/shape.hpp", "core/fixed_string.hpp",
                                   "core/error.hpp"]),
    ("Devices", ["device/best.hpp", "device/cpu.hpp", "device/cuda.cuh"]),
    ("The interpreter", ["targets/interpreter/device.hpp", "exec/interpreter/print.hpp", "exec/interpreter/tensor.hpp"]),
    ("Tensors", ["exec/tensor.hpp", "exec/print.hpp"]),
    ("Compiled functions", ["exec/function.hpp", "exec/any_function.hpp", "exec/explain.hpp", "exec/measure_roofline.hpp"]),
    ("Options of functions and trainers", ["exec/options.hpp", "transforms/precision_policy.hpp", "core/check.hpp", "core/fresh_seed.hpp", "compiler/user_pass.hpp"]),
    ("Models", ["exec/model.hpp", "exec/states.hpp", "exec/compile_model.hpp", "exec/load.hpp", "exec/apply.hpp", "exec/summary.hpp"]),
    ("Trainers", ["train/make_trainer.hpp", "train/trainer.hpp", "train/checkpoint.hpp", "train/any_trainer.hpp", "train/loss_ring.hpp", "train/options.hpp",
                  "train/lbfgs.hpp", "train/checkpoint_report.hpp", "train/saving.hpp", "train/scaling.hpp"]),
    ("Ranks", ["comm/mpi.hpp", "comm/tensor_parallel.hpp"]),
    ("Memory shared by DLPack", ["exec/dlpack.hpp", "exec/cuda_dlpack.cuh"]),
    ("A GPU's tensors under Thrust", ["exec/cuda_thrust.cuh"]),
    ("Evaluation, progress, curves", ["train/evaluate.hpp", "train/meter.hpp", "train/progress.hpp", "train/curve.hpp"]),
    ("Optimisers", ["optim/sgd.hpp", "optim/adam.hpp", "optim/adamax.hpp", "optim/nadam.hpp", "optim/radam.hpp", "optim/adagrad.hpp",
                    "optim/adadelta.hpp", "optim/rmsprop.hpp", "optim/rprop.hpp", "optim/asgd.hpp", "optim/adafactor.hpp", "optim/lion.hpp",
                    "optim/muon.hpp", "optim/lbfgs_options.hpp", "optim/lbfgs.hpp"]),
    ("Groups and wrappers of optimisers", ["optim/groups.hpp", "optim/average.hpp", "optim/maximize.hpp"]),
    ("Schedules", ["optim/schedule.hpp", "optim/plateau.hpp"]),
    ("Data", ["data/dataset.hpp", "data/values.hpp", "data/random_split.hpp", "data/stream.hpp", "data/loader_options.hpp", "data/loader.hpp", "data/batch.hpp",
              "data/digits.hpp"]),
    ("Files", ["io/csv.hpp", "io/safetensors.hpp", "io/safetensors_index.hpp"]),
    ("Primitives of one's own", ["core/custom_op.hpp"]),
]


def prose(text):
    """A comment's text for a cell of a table."""
    text = re.sub(r"\s+", " ", text).strip()
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*") if text else ""


def code_cell(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def parameters_of(item):
    return f"<{', '.join(item.parameters)}>" if item.parameters else ""


def is_state(kind):
    return re.match(r"(nn::)?(Param|Buffer|Tied)<", kind) is not None


def operand_names(item, operations):
    """The arguments of a function object: those of its type's apply."""
    kind = re.match(r"inline constexpr (?:detail::)?(\w+)", item.rest).group(1)
    found = []
    for thing in operations.get(kind, []):
        for _, rest in applies(thing):
            names = [re.search(r"(\w+)?$", a).group(0) + ("..." if "..." in a else "") for a in arguments_of(rest)[1:]]
            if all(names) and names not in found:
                found.append(names)
    return found


def applies(item):
    for start, stop, body in statements(item.code, item.body[0] + 1, item.body[1]):
        text = " ".join(item.code[start:body[0] if body else stop].split())
        if at := re.search(r"\bapply\(", text):
            yield text, text[at.end() - 1:]


def calls(item, operations):
    """The spellings of a function or a function object."""
    if item.kind == "function":
        return [call_text(item.full, item.parameters, arguments_of(item.rest[re.search(rf"\b{re.escape(item.name)}\s*\(", item.rest).end() - 1:]))]
    given = parameters_of(item)
    operands = operand_names(item, operations)
    return [f"{item.full}{given}({', '.join(names)})" for names in operands] or [item.full + given]


def stem(item):
    """What conv1d, conv2d and conv3d share; of an alias what it names."""
    if item.kind == "alias" and item.header.startswith("nn/"):
        return re.search(r"= *([\w:]+)", item.rest).group(1)
    if item.kind == "alias":
        return item.name
    return re.sub(r"\dd$|_[lmr]\w\w\w?d$", "", item.name)


def grouped(items):
    """Declarations that stand together under one remark."""
    groups = []
    for item in items:
        last = groups[-1][-1] if groups else None
        if last and not item.note and not item.apart and last.header == item.header and last.kind == item.kind and (
                stem(last) == stem(item) or re.search(rf"\b{re.escape(item.name)}\b", groups[-1][0].note)):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def member_table(item):
    out = ["| member | type | default | meaning |", "|---|---|---|---|"]
    for kind, name, default, meaning in item.members():
        out.append(f"| `{name}` | {code_cell(kind)} | {code_cell(default)} | {prose(meaning)} |")
    return out


bases = {}  # structs and classes by name


def methods_of(item):
    own = item.methods()
    if item.base() in bases:
        own += bases[item.base()].methods()
    once = {}
    for call, note, gives in own:  # a const one beside one that is not
        once[call] = (call, once[call][1] if call in once and once[call][1] else note, once[call][2] if call in once else gives)
    return list(once.values())


def method_table(item):
    out = ["| call | gives | meaning |", "|---|---|---|"]
    methods = [m for m in methods_of(item) if m[1] or not m[0].startswith(("operator=", "begin(", "end("))]
    for call, note, result in methods:
        result = re.sub(r"\b(static|constexpr|const|inline|virtual|WEFT_HD)\b|[&]|\[\[.*?\]\]|weft::", "", result)
        out.append(f"| {code_cell(call)} | {code_cell(' '.join(result.split()))} | {prose(note)} |")
    return out if methods else []


def struct_part(item, methods, level="###"):
    out = ["", f"{level} `{item.full}{parameters_of(item)}`", ""]
    if item.note:
        out += [prose(item.note), ""]
    members = item.members() if item.full not in not_set else []
    if members:
        out += member_table(item)
    if methods:
        table = method_table(item)
        out += ([""] if members and table else []) + table
    return out


def enum_part(item):
    values = item.values()
    out = ["", f"### `{item.full}`", ""]
    if item.note:
        out += [prose(item.note), ""]
    if any(meaning for _, meaning in values):
        return out + ["| value | meaning |", "|---|---|"] + [f"| `{name}` | {prose(meaning)} |" for name, meaning in values]
    return out + [", ".join(f"`{name}`" for name, _ in values) + "."]


def note_of(item):
    """Its remark, or that of the type that it gives."""
    if item.note or item.kind == "alias":
        return prose(item.note)
    found = re.match(r"(?:inline )?constexpr (?:\w+::)*(\w+)(?:<.*?>)? \w+", item.rest)
    kind = bases.get(found.group(1)) if found else None
    return prose(kind.note) if kind is not None and not kind.name.endswith("Op") and kind.header == item.header else ""


def call_rows(items, operations, torch=None):
    rows = []
    for group in grouped(items):
        spelled = list(dict.fromkeys(call for item in group for call in calls(item, operations)))
        named = list(dict.fromkeys(torch.get(item.full, "") for item in group)) if torch is not None else []
        cells = ["<br>".join(code_cell(call) for call in spelled)]
        if torch is not None:
            cells.append("<br>".join(code_cell(n) for n in named if n))
        rows.append("| " + " | ".join(cells + [note_of(group[0])]) + " |")
    return rows


def operations_page(operations, public, torch, sections):
    mine = [i for i in public if i.header.startswith("ops/") or "functional" in i.space]
    out, shown = [head_operations], set()
    for section, names in sections.items():
        found = [i for i in mine if i.full in names and i.kind in ("function", "constant")]
        if not found:
            continue
        shown.update(id(i) for i in found)
        out += ["", f"## {section}", "", "| weft | PyTorch | what the header says |", "|---|---|---|"] + call_rows(found, operations, torch)
    rest = [i for i in mine if id(i) not in shown]
    out += ["", "## Options, words and enumerations", "",
            "Words stand behind the arguments that a function is called with, or in place of one: `max<-1>(x, keepdim)`, `index(x, every, at<0>)`.", "",
            "| weft | meaning |", "|---|---|"] + call_rows([i for i in rest if i.kind in ("function", "constant")], {})
    out += alias_rows([i for i in rest if i.kind == "alias"])
    for item in rest:
        if item.kind == "struct":
            out += struct_part(item, False)
        elif item.kind == "enum":
            out += enum_part(item)
    return "\n".join(out) + "\n"


def alias_rows(items):
    return [f"| {'<br>'.join(code_cell(i.full + parameters_of(i)) for i in group)} | "
            f"{prose(group[0].note) or code_cell(group[0].rest.partition('= ')[2])} |" for group in grouped(items)]


def layer_row(group, structs, torch):
    """A layer, or several that stand under one remark."""
    cells, settings, notes = [], [], []
    named = list(dict.fromkeys(torch.get(item.full, "") for item in group))
    for item in group:
        cells.append(code_cell(item.full + parameters_of(item)))
        base = item
        while base.kind == "alias":
            target = re.search(r"= (?:nn::)?(?:\w+::)*(\w+)", base.rest).group(1)
            if target not in structs:
                break
            base = structs[target]
        for kind, name, default, meaning in base.members() if base.kind == "struct" else []:
            if re.match(r"(float|double|int|bool|i64)$", kind):
                text = code_cell(f"{kind} {name}" + (f" = {default}" if default else "")) + (f": {prose(meaning)}" if meaning else "")
                if text not in settings:
                    settings.append(text)
        for note in (item.note, base.note):
            if note and prose(note) not in notes:
                notes.append(prose(note))
    return f"| {'<br>'.join(cells)} | {'<br>'.join(settings)} | {'<br>'.join(code_cell(n) for n in named if n)} | {' '.join(notes)} |"


def layers_page(everything, public, torch, sections):
    structs = {i.name: i for i in everything if i.kind == "struct" and i.space == "nn" and not i.specialised and i.body}
    mine = [i for i in public if i.header.startswith("nn/") and "functional" not in i.space]
    used_by_alias = {re.search(r"= (?:nn::)?(\w+)", i.rest).group(1) for i in mine if i.kind == "alias"}
    out, shown = [head_layers], set()
    for section, names in sections.items():
        found = [i for i in mine if i.full in names]
        if not found:
            continue
        shown.update(id(i) for i in found)
        out += ["", f"## {section}", "", "| layer | members | PyTorch | what the header says |", "|---|---|---|---|"]
        out += [layer_row(group, structs, torch) for group in grouped(found)]
    rest = [i for i in mine if id(i) not in shown and not (i.kind == "struct" and i.name in used_by_alias and i.name not in ("TopKAccuracy",))]
    starts = [i for i in rest if i.space == "nn::init" and i.kind in ("struct", "alias", "function")]
    out += ["", "## Starting values", "",
            "The last argument of `Param` and `Buffer`, and arguments of some layers. Numbers that are not whole are fractions: `init::Normal<1, 50>` has "
            "the standard deviation 0.02.", "", "| weft | what the header says |", "|---|---|"]
    out += [f"| {'<br>'.join(code_cell(i.full + parameters_of(i) if i.kind != 'function' else calls(i, {})[0]) for i in group)} | {note_of(group[0])} |"
            for group in grouped(starts)]
    rest = [i for i in rest if i not in starts]
    options = [i for i in rest if i.kind == "struct" and i.members() and not any(is_state(m[0]) for m in i.members()) and not i.parameters]
    plain = [i for i in rest if i not in options and i.kind != "enum"]
    out += ["", "## Containers, parameters, words", "", "| weft | what the header says |", "|---|---|"]
    out += [f"| {'<br>'.join(code_cell(i.full + parameters_of(i)) if i.kind != 'function' else code_cell(calls(i, {})[0]) for i in group)} | {note_of(group[0])} |"
            for group in grouped(plain)]
    out += ["", "## Options and enumerations of layers"]
    for item in options:
        out += struct_part(item, False)
    for item in rest:
        if item.kind == "enum":
            out += enum_part(item)
    return "\n".join(out) + "\n"


def programs_page(public):
    out, shown = [head_programs], set()
    for section, headers in program_sections:
        out += ["", f"## {section}"]
        found = [i for header in headers for i in public if i.header == header]
        shown.update(id(i) for i in found)
        plain = [i for i in found if i.kind in ("function", "constant", "alias") or i.kind == "struct" and not i.members() and
                 (i.full.startswith("optim::") or not method_table(i))]
        if plain:
            out += ["", "| weft | what the header says |", "|---|---|"]
            for group in grouped(plain):
                spelled = [code_cell(c) for i in group for c in (calls(i, {}) if i.kind == "function" else [i.full + parameters_of(i)])]
                note = note_of(group[0]) or (code_cell(group[0].rest.partition("= ")[2]) if group[0].kind == "alias" else "")
                out.append(f"| {'<br>'.join(dict.fromkeys(spelled))} | {note} |")
        for item in found:
            if item.kind == "enum":
                out += enum_part(item)
            elif item not in plain:
                out += struct_part(item, not item.full.startswith(("optim::", "clip::")))
    return "\n".join(out) + "\n", [i for i in public if not i.header.startswith(("ops/", "nn/")) and id(i) not in shown]


def pages():
    """{path: text}, what is on no page, and the remarks of internal.txt that nothing needs"""
    everything, public, needless = public_items()
    bases.update((i.name, i) for i in everything if i.kind == "struct" and i.body and not i.specialised)
    sections, torch = {}, {}
    for section, name, pytorch, *_ in registry.table()[0]:
        sections.setdefault(section, set()).add(name)
        torch[name] = pytorch
    programs, lost = programs_page(public)
    operations = {}
    for item in everything:
        if item.kind == "struct" and item.header.startswith("ops/") and item.body and not item.specialised:
            operations.setdefault(item.name, []).append(item)
    return {include / "ops/core/call_forms.hpp": forms_header(public, operations),
            root / "docs/reference_operations.md": operations_page(operations, public, torch, sections),
            root / "docs/reference_layers.md": layers_page(everything, public, torch, sections),
            root / "docs/reference_programs.md": programs}, lost, needless, public


# Of what a form shows, what nobody writes.
unwritten = re.compile(r"(, )?(Operand|DropProbability)(\.\.\.)? \w+(?= *[,>])")


def forms_header(public, operations):
    """ops/core/call_forms.hpp: how each operation is written that has a last candidate, for the message."""
    spelled = set()
    for name in ("call_spelling.hpp", "spelling.hpp"):
        for lines in re.findall(r"#define WEFT_\w+\(M\)((?:.*\\\n)+.*\n)", (include / "ops/core" / name).read_text()):
            spelled.update(re.findall(r"\bM\((\w+)\)", lines))
    found = {}
    for item in public:
        if item.header.startswith("ops/") and item.kind == "function" and item.full in spelled and not note_of(item).startswith("Refused"):
            for call in calls(item, operations):
                if re.search(r"\bMore\b", call):
                    continue
                call = unwritten.sub("", call).replace("AxisIndex... A", "int... Axis").replace("<, ", "<").replace("<>", "")
                if call not in found.setdefault(item.full, []):
                    found[item.full].append(call)
    lines = []
    for name, forms in sorted(found.items()):
        text = ""
        for form in forms:
            if len(text) + len(form) < 120 or not text:
                text += (" or " if text else "") + form
        lines.append(f'WEFT_FORM({name}, "{text}")')
    return f"""#pragma once
// How each operation is written, for the sentence of a call that none of its forms takes.
// Made by tests/style/reference.py from the headers.

#include "weft/core/fixed_string.hpp"

namespace WEFT_NAMESPACE {{
namespace spelled {{
// clang-format off
#define WEFT_FORM(name, text) struct name {{ static constexpr char form[] = text; }};
{chr(10).join(lines)}
#undef WEFT_FORM
// clang-format on
}}  // namespace spelled

namespace detail {{
template <FixedString Text>
struct WrittenAs {{}};
template <class Name, class Operand>
struct FormFor {{
  using type = WrittenAs<"as its line in docs/reference_operations.md says">;
}};
template <class Name, class Operand>
requires(Name::form[0] != 0) struct FormFor<Name, Operand> {{
  using type = WrittenAs<FixedString(Name::form)>;
}};
// Of a dependent operand: made where a call is refused.
template <class Name, class Operand>
using FormOf = typename FormFor<Name, Operand>::type;
}}  // namespace detail
}}  // namespace WEFT_NAMESPACE
"""


def check():
    wrong = []
    texts, lost, needless, public = pages()
    for item in lost:
        wrong.append(f"include/weft/{item.header}: {item.full} is on no page: a section of reference.py, or tests/registry/internal.txt")
    for header, name in needless:
        wrong.append(f"tests/registry/internal.txt: {header} declares no {name}")
    members = 0
    for item in public:
        if item.kind != "struct" or item.full in not_set:
            continue
        for kind, name, default, meaning in item.members():
            if item.header.startswith("nn/") and item.parameters and not re.match(r"(float|double|int|bool|i64)$", kind):
                continue  # a part of the layer
            if kind == "Mode" or is_state(kind):
                continue
            members += 1
            if not meaning:
                wrong.append(f"include/weft/{item.header}: {item.full}::{name} does not say what it means")
    for path, text in texts.items():
        if not path.exists() or path.read_text() != text:
            wrong.append(f"{path.relative_to(root)} is not what the headers give: python3 tests/style/reference.py write")
    for line in wrong:
        print(line)
    print(f"{len(public)} declarations, {members} members, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    command = sys.argv[1] if len(sys.argv) > 1 else "check"
    if command == "names":
        for item in public_items()[1]:
            print(f"include/weft/{item.header} {item.kind} {item.full}{parameters_of(item)}")
    elif command == "write":
        for path, text in pages()[0].items():
            path.write_text(text)
    elif command == "check":
        sys.exit(check())
    else:
        sys.exit(__doc__)
