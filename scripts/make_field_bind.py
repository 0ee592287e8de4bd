#!/usr/bin/env python3
"""Writes include/weft/core/field_bind.hpp: one structured binding for each number of members.

usage: scripts/make_field_bind.py > include/weft/core/field_bind.hpp
"""
import textwrap

MAX_FIELDS = 64

HEAD = """\
#pragma once
// The members of an aggregate as arguments: FieldBind<N>::apply(object, f) calls
// f(FieldTypes<declared types...>{}, members&...). C++20 has no structured binding of a pack, so there is one
// for each N. Made by scripts/make_field_bind.py; edit that.

#include <cstddef>

namespace weft::field_detail {

inline constexpr std::size_t max_fields = %d;

template <class... T>
struct FieldTypes {};

template <std::size_t N>
struct FieldBind;

template <>
struct FieldBind<0> {
  template <class T, class F>
  static constexpr auto apply(T&, F&& f) {
    return f(FieldTypes<>{});
  }
};
""" % MAX_FIELDS


def wrap(text: str, indent: int) -> str:
    pad = " " * indent
    return "\n".join(textwrap.wrap(text, 110, initial_indent=pad, subsequent_indent=pad + "    "))


def main() -> None:
    print(HEAD)
    print("// clang-format off")
    for n in range(1, MAX_FIELDS + 1):
        names = ", ".join(f"m{i}" for i in range(n))
        types = ", ".join(f"decltype(m{i})" for i in range(n))
        print(f"template <> struct FieldBind<{n}> {{")
        print("  template <class T, class F> static constexpr auto apply(T& t, F&& f) {")
        print(wrap(f"auto& [{names}] = t; return f(FieldTypes<{types}>{{}}, {names}); }} }};", 4))
    print("// clang-format on")
    print()
    print("}  // namespace weft::field_detail")


if __name__ == "__main__":
    main()
