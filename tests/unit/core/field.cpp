#include "weft/core/field.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace {

struct Linear {
  float weight = 1;
  float bias = 2;
};
struct Block {
  Linear c_attn;
  Linear c_proj;
};
struct Gpt {
  Linear wte;
  std::array<Block, 2> h;
  Linear ln_f;
};

// Dotted paths as PyTorch's state_dict writes them.
template <class T>
void paths(T& part, const std::string& prefix, std::vector<std::string>& out) {
  if constexpr (weft::is_array_like<T>) {
    for (std::size_t i = 0; i < part.size(); ++i) paths(part[i], prefix + "." + std::to_string(i), out);
  } else if constexpr (std::is_class_v<T>) {
    weft::for_each_field(part, [&](auto, std::string_view name, auto& member) {
      paths(member, prefix.empty() ? std::string(name) : prefix + "." + std::string(name), out);
    });
  } else {
    out.push_back(prefix);
  }
}

}  // namespace

TEST_CASE("field: a walk gives the names PyTorch's state_dict gives") {
  Gpt model;
  std::vector<std::string> found;
  paths(model, "", found);
  const std::vector<std::string> expected{"wte.weight",        "wte.bias",          "h.0.c_attn.weight",
                                          "h.0.c_attn.bias",   "h.0.c_proj.weight", "h.0.c_proj.bias",
                                          "h.1.c_attn.weight", "h.1.c_attn.bias",   "h.1.c_proj.weight",
                                          "h.1.c_proj.bias",   "ln_f.weight",       "ln_f.bias"};
  CHECK(found == expected);
}

TEST_CASE("field: members are visited in order, once each, and are the object's own") {
  Linear layer;
  std::vector<std::size_t> order;
  std::vector<const void*> addresses;
  weft::for_each_field(layer, [&](auto index, std::string_view, float& member) {
    order.push_back(index);
    addresses.push_back(&member);
    member += 10;
  });
  CHECK(order == std::vector<std::size_t>{0, 1});
  CHECK(addresses == std::vector<const void*>{&layer.weight, &layer.bias});
  CHECK(layer.weight == 11);
  CHECK(layer.bias == 12);
}

TEST_CASE("field: a member of a const object arrives const") {
  const Linear layer;
  float sum = 0;
  weft::for_each_field(layer, [&](auto, std::string_view, auto& member) {
    static_assert(std::is_const_v<std::remove_reference_t<decltype(member)>>);
    sum += member;
  });
  CHECK(sum == 3);
}

TEST_CASE("field: a struct local to a function, with members that own memory") {
  struct Local {
    std::string text;
    std::vector<int> numbers;
  };
  CHECK(weft::field_count<Local>() == 2);
  CHECK(weft::field_name<Local, 0>() == "text");
  CHECK(weft::field_name<Local, 1>() == "numbers");
  Local local;
  weft::for_each_field(local, []<class M>(auto, std::string_view, M& member) { member.resize(3); });
  CHECK(local.text.size() == 3);
  CHECK(local.numbers.size() == 3);
}

TEST_CASE("field: a name ends with a zero") {
  constexpr auto name = weft::field_name<Gpt, 2>();
  CHECK(std::string(name.data()) == "ln_f");
}
