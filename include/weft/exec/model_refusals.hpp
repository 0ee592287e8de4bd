#pragma once
// What is said to who uses a Model as it cannot be used: by PyTorch's members, called, copied, printed.

#include "weft/core/diagnose.hpp"
#include "weft/core/refused_option.hpp"

namespace WEFT_NAMESPACE {

namespace exec {

struct AnyModel {
  template <class M>
  requires is_model<M> AnyModel(const M&) {}
};
struct AnyArgument {
  template <class A>
  AnyArgument(const A&) {}
};

// What PyTorch's load_state_dict takes.
struct LoadWords {
  bool strict = true;
};

WEFT_REFUSAL(
    NamedState,
    "the model has no parameter or buffer of this name: names are dotted as in PyTorch's state_dict, "
    "\"fc1.weight\"; model.summary() lists them");
WEFT_REFUSAL(
    ModelIsCompiled,
    "a Model is called by a function of it: auto f = compile(model, [](const auto& net, auto x) { return "
    "net(x); }, in<f32, 4, 8>), then f(x)");
WEFT_REFUSAL(
    ModelIsState,
    "a Model is parameters and buffers: load(path), load(other_model) and save(path), get<\"fc1.weight\">() "
    "and initialize(seed) change it, make_trainer(std::move(model), ...) trains it, compile(model, f, ...) "
    "runs it");
WEFT_REFUSAL(ModelsAreOne,
             "load takes over the values of a model of the same struct: of another one save a file and "
             "load what fits, model.load(path, LoadMode::lax), or write get<\"fc.weight\">(model) = "
             "get<\"fc.weight\">(other)");
WEFT_REFUSAL(LaxIsNamed,
             "load: strict=False is model.load(path, LoadMode::lax), or {.allow = missing | unexpected}");
WEFT_REFUSAL(LoadedIsConst,
             "load changes the model, and this one is const: declare it without const, or take it by "
             "Model&; a trainer whose ranks have pieces of it reads a file by trainer.load_model(path)");
WEFT_REFUSAL(
    ModeIsOption,
    "the mode is an option of compile, mode::train or mode::eval (the default); trainers train, evaluate() "
    "evaluates");
WEFT_REFUSAL(
    StateIsNamed,
    "one parameter is model.get<\"fc1.weight\">(), a tensor; all of them are saved by model.save(path) and "
    "listed by model.summary(); an optimiser is an option and takes none, make_trainer(model, loss, in<...>, "
    "optim::AdamW{.lr = 1e-3f})");
WEFT_REFUSAL(ModelHasDevice,
             "the device of a model is given where it is made: Model<Net> model(Cuda{}); a file is loaded to "
             "where the model is, model.load(path)");
WEFT_REFUSAL(ModelIsNoPointer, "a model is no pointer: write model.save(path) in place of ->");
WEFT_REFUSAL(LerpTakes,
             "lerp takes another model of the same struct and device, and then the weight: a.lerp(b, 0.5f) "
             "moves a half of the way from a to b");
// What lerp is for.
template <class Model, class... A>
inline constexpr bool is_lerp = false;
template <class Model, class Other, class Weight>
inline constexpr bool is_lerp<Model, Other, Weight> =
    std::is_convertible_v<const Other&, const Model&>&& std::is_convertible_v<const Weight&, f32>;

WEFT_REFUSAL(ModelSaves,
             "a model saves and loads itself: model.save(path), Model<Net> model, then "
             "model.load(path)");

// The members that others' models have, of one of an M.
template <class M>
struct RefusedModelMembers {
#define WEFT_MEMBER(name, Refusal) WEFT_REFUSED_MEMBER(name, AfterRefusal{}, Refusal, spelled::name, M)
  WEFT_MEMBER(forward, ModelIsCompiled)
  WEFT_MEMBER(train, ModeIsOption)
  WEFT_MEMBER(eval, ModeIsOption)
  WEFT_MEMBER(parameters, StateIsNamed)
  WEFT_REFUSED_MEMBER(named_parameters, AfterPairs{}, StateIsNamed, spelled::named_parameters, M)
  WEFT_MEMBER(state_dict, StateIsNamed)
  WEFT_MEMBER(to, ModelHasDevice)
  WEFT_MEMBER(cuda, ModelHasDevice)
  WEFT_MEMBER(load_state_dict, ModelIsState)
  WEFT_MEMBER(zero_grad, ModelIsState)
  WEFT_MEMBER(modules, ModelIsState)
  WEFT_MEMBER(children, ModelIsState)
  WEFT_MEMBER(buffers, ModelIsState)
  WEFT_MEMBER(apply, ModelIsState)
  WEFT_MEMBER(half, ModelIsState)
  WEFT_MEMBER(requires_grad_, ModelIsState)
  WEFT_MEMBER(cpu, ModelIsState)
  WEFT_MEMBER(fit, ModelIsState)
  WEFT_MEMBER(predict, ModelIsState)
  WEFT_MEMBER(step, ModelIsState)
#undef WEFT_MEMBER
};

}  // namespace exec

WEFT_REFUSAL(
    ModelIsMade,
    "a Model is made of a device and a seed, Model<Net> model(Cpu{}, 7), a file's values are taken by "
    "model.load(path), and the sizes of its layers are in their types");
WEFT_REFUSAL(ModelIsPrinted, "what a model or a trainer holds is text: std::cout << model.summary()");
WEFT_REFUSAL(ModelIsNotCopied,
             "Model: it is moved, not copied: a.clone() makes another with the same values, Model& b = a "
             "names the same one");
WEFT_REFUSAL(ConstModelIsRead,
             "compile: the function assigns a buffer of the model, and the model is const: give one that is "
             "not");

}  // namespace WEFT_NAMESPACE
