#pragma once
// The members of an aggregate as arguments: FieldBind<N>::apply(object, f) calls
// f(FieldTypes<declared types...>{}, members&...). C++20 has no structured binding of a pack, so there is one
// for each N. Made by scripts/make_field_bind.py; edit that.

#include <cstddef>

#include "weft/core/config.hpp"

namespace WEFT_NAMESPACE::field_detail {

inline constexpr std::size_t max_fields = 64;

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

// clang-format off
template <> struct FieldBind<1> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0] = t; return f(FieldTypes<decltype(m0)>{}, m0); } };
template <> struct FieldBind<2> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1] = t; return f(FieldTypes<decltype(m0), decltype(m1)>{}, m0, m1); } };
template <> struct FieldBind<3> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2)>{}, m0, m1, m2); } };
template <> struct FieldBind<4> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3)>{},
        m0, m1, m2, m3); } };
template <> struct FieldBind<5> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4)>{}, m0, m1, m2, m3, m4); } };
template <> struct FieldBind<6> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5)>{}, m0, m1, m2, m3, m4, m5); } };
template <> struct FieldBind<7> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6)>{}, m0, m1, m2, m3, m4, m5, m6); } };
template <> struct FieldBind<8> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7)>{}, m0, m1, m2, m3, m4, m5, m6,
        m7); } };
template <> struct FieldBind<9> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8)>{},
        m0, m1, m2, m3, m4, m5, m6, m7, m8); } };
template <> struct FieldBind<10> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9); } };
template <> struct FieldBind<11> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10); } };
template <> struct FieldBind<12> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11); } };
template <> struct FieldBind<13> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12); } };
template <> struct FieldBind<14> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13)>{}, m0, m1, m2,
        m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13); } };
template <> struct FieldBind<15> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14); }
        };
template <> struct FieldBind<16> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15); } };
template <> struct FieldBind<17> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11, m12, m13, m14, m15, m16); } };
template <> struct FieldBind<18> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17); } };
template <> struct FieldBind<19> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18); } };
template <> struct FieldBind<20> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19] = t;
        return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19); } };
template <> struct FieldBind<21> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20] = t;
        return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20); } };
template <> struct FieldBind<22> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21]
        = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21); } };
template <> struct FieldBind<23> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22); } };
template <> struct FieldBind<24> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23); } };
template <> struct FieldBind<25> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23), decltype(m24)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19, m20, m21, m22, m23, m24); } };
template <> struct FieldBind<26> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23), decltype(m24), decltype(m25)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25); } };
template <> struct FieldBind<27> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9),
        decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15),
        decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21),
        decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26);
        } };
template <> struct FieldBind<28> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9),
        decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15),
        decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21),
        decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
        m24, m25, m26, m27); } };
template <> struct FieldBind<29> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9),
        decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15),
        decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21),
        decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27),
        decltype(m28)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28); } };
template <> struct FieldBind<30> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29); } };
template <> struct FieldBind<31> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29,
        m30); } };
template <> struct FieldBind<32> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31); } };
template <> struct FieldBind<33> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
        m24, m25, m26, m27, m28, m29, m30, m31, m32); } };
template <> struct FieldBind<34> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32),
        decltype(m33)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33); } };
template <> struct FieldBind<35> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29,
        m30, m31, m32, m33, m34); } };
template <> struct FieldBind<36> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31, m32, m33, m34, m35); } };
template <> struct FieldBind<37> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
        m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36); } };
template <> struct FieldBind<38> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37); } };
template <> struct FieldBind<39> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35,
        m36, m37, m38); } };
template <> struct FieldBind<40> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32,
        m33, m34, m35, m36, m37, m38, m39); } };
template <> struct FieldBind<41> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40] = t;
        return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23),
        decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29),
        decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35),
        decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40); } };
template <> struct FieldBind<42> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41] =
        t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23),
        decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29),
        decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35),
        decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
        m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41); } };
template <> struct FieldBind<43> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23),
        decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29),
        decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35),
        decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41),
        decltype(m42)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38,
        m39, m40, m41, m42); } };
template <> struct FieldBind<44> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28),
        decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34),
        decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40),
        decltype(m41), decltype(m42), decltype(m43)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32,
        m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43); } };
template <> struct FieldBind<45> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28),
        decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34),
        decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40),
        decltype(m41), decltype(m42), decltype(m43), decltype(m44)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29,
        m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44); } };
template <> struct FieldBind<46> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28),
        decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34),
        decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40),
        decltype(m41), decltype(m42), decltype(m43), decltype(m44), decltype(m45)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45); } };
template <> struct FieldBind<47> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9),
        decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15),
        decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21),
        decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27),
        decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33),
        decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39),
        decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44), decltype(m45),
        decltype(m46)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38,
        m39, m40, m41, m42, m43, m44, m45, m46); } };
template <> struct FieldBind<48> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9),
        decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15),
        decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21),
        decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27),
        decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33),
        decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39),
        decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44), decltype(m45),
        decltype(m46), decltype(m47)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35,
        m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47); } };
template <> struct FieldBind<49> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2),
        decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9),
        decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15),
        decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21),
        decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27),
        decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33),
        decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39),
        decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44), decltype(m45),
        decltype(m46), decltype(m47), decltype(m48)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32,
        m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48); } };
template <> struct FieldBind<50> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32),
        decltype(m33), decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38),
        decltype(m39), decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44),
        decltype(m45), decltype(m46), decltype(m47), decltype(m48), decltype(m49)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46,
        m47, m48, m49); } };
template <> struct FieldBind<51> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32),
        decltype(m33), decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38),
        decltype(m39), decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44),
        decltype(m45), decltype(m46), decltype(m47), decltype(m48), decltype(m49), decltype(m50)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
        m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43,
        m44, m45, m46, m47, m48, m49, m50); } };
template <> struct FieldBind<52> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51] = t; return f(FieldTypes<decltype(m0), decltype(m1),
        decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8),
        decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32),
        decltype(m33), decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38),
        decltype(m39), decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44),
        decltype(m45), decltype(m46), decltype(m47), decltype(m48), decltype(m49), decltype(m50),
        decltype(m51)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38,
        m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51); } };
template <> struct FieldBind<53> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32),
        decltype(m33), decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38),
        decltype(m39), decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44),
        decltype(m45), decltype(m46), decltype(m47), decltype(m48), decltype(m49), decltype(m50),
        decltype(m51), decltype(m52)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35,
        m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52); } };
template <> struct FieldBind<54> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53] = t; return f(FieldTypes<decltype(m0),
        decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5), decltype(m6), decltype(m7),
        decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12), decltype(m13), decltype(m14),
        decltype(m15), decltype(m16), decltype(m17), decltype(m18), decltype(m19), decltype(m20),
        decltype(m21), decltype(m22), decltype(m23), decltype(m24), decltype(m25), decltype(m26),
        decltype(m27), decltype(m28), decltype(m29), decltype(m30), decltype(m31), decltype(m32),
        decltype(m33), decltype(m34), decltype(m35), decltype(m36), decltype(m37), decltype(m38),
        decltype(m39), decltype(m40), decltype(m41), decltype(m42), decltype(m43), decltype(m44),
        decltype(m45), decltype(m46), decltype(m47), decltype(m48), decltype(m49), decltype(m50),
        decltype(m51), decltype(m52), decltype(m53)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32,
        m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52,
        m53); } };
template <> struct FieldBind<55> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41), decltype(m42),
        decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47), decltype(m48),
        decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53), decltype(m54)>{}, m0, m1,
        m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
        m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43,
        m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54); } };
template <> struct FieldBind<56> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41), decltype(m42),
        decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47), decltype(m48),
        decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53), decltype(m54),
        decltype(m55)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38,
        m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55); } };
template <> struct FieldBind<57> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41), decltype(m42),
        decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47), decltype(m48),
        decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53), decltype(m54),
        decltype(m55), decltype(m56)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35,
        m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55,
        m56); } };
template <> struct FieldBind<58> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41), decltype(m42),
        decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47), decltype(m48),
        decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53), decltype(m54),
        decltype(m55), decltype(m56), decltype(m57)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32,
        m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52,
        m53, m54, m55, m56, m57); } };
template <> struct FieldBind<59> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41), decltype(m42),
        decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47), decltype(m48),
        decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53), decltype(m54),
        decltype(m55), decltype(m56), decltype(m57), decltype(m58)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9,
        m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29,
        m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49,
        m50, m51, m52, m53, m54, m55, m56, m57, m58); } };
template <> struct FieldBind<60> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59] = t; return
        f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4), decltype(m5),
        decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11), decltype(m12),
        decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17), decltype(m18),
        decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23), decltype(m24),
        decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29), decltype(m30),
        decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35), decltype(m36),
        decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41), decltype(m42),
        decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47), decltype(m48),
        decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53), decltype(m54),
        decltype(m55), decltype(m56), decltype(m57), decltype(m58), decltype(m59)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46,
        m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59); } };
template <> struct FieldBind<61> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60] = t;
        return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23),
        decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29),
        decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35),
        decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41),
        decltype(m42), decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47),
        decltype(m48), decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53),
        decltype(m54), decltype(m55), decltype(m56), decltype(m57), decltype(m58), decltype(m59),
        decltype(m60)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18,
        m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38,
        m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58,
        m59, m60); } };
template <> struct FieldBind<62> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61] =
        t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23),
        decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29),
        decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35),
        decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41),
        decltype(m42), decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47),
        decltype(m48), decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53),
        decltype(m54), decltype(m55), decltype(m56), decltype(m57), decltype(m58), decltype(m59),
        decltype(m60), decltype(m61)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15,
        m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35,
        m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55,
        m56, m57, m58, m59, m60, m61); } };
template <> struct FieldBind<63> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61,
        m62] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3), decltype(m4),
        decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10), decltype(m11),
        decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16), decltype(m17),
        decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22), decltype(m23),
        decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28), decltype(m29),
        decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34), decltype(m35),
        decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40), decltype(m41),
        decltype(m42), decltype(m43), decltype(m44), decltype(m45), decltype(m46), decltype(m47),
        decltype(m48), decltype(m49), decltype(m50), decltype(m51), decltype(m52), decltype(m53),
        decltype(m54), decltype(m55), decltype(m56), decltype(m57), decltype(m58), decltype(m59),
        decltype(m60), decltype(m61), decltype(m62)>{}, m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12,
        m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32,
        m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52,
        m53, m54, m55, m56, m57, m58, m59, m60, m61, m62); } };
template <> struct FieldBind<64> {
  template <class T, class F> static constexpr auto apply(T& t, F&& f) {
    auto& [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21,
        m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41,
        m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61,
        m62, m63] = t; return f(FieldTypes<decltype(m0), decltype(m1), decltype(m2), decltype(m3),
        decltype(m4), decltype(m5), decltype(m6), decltype(m7), decltype(m8), decltype(m9), decltype(m10),
        decltype(m11), decltype(m12), decltype(m13), decltype(m14), decltype(m15), decltype(m16),
        decltype(m17), decltype(m18), decltype(m19), decltype(m20), decltype(m21), decltype(m22),
        decltype(m23), decltype(m24), decltype(m25), decltype(m26), decltype(m27), decltype(m28),
        decltype(m29), decltype(m30), decltype(m31), decltype(m32), decltype(m33), decltype(m34),
        decltype(m35), decltype(m36), decltype(m37), decltype(m38), decltype(m39), decltype(m40),
        decltype(m41), decltype(m42), decltype(m43), decltype(m44), decltype(m45), decltype(m46),
        decltype(m47), decltype(m48), decltype(m49), decltype(m50), decltype(m51), decltype(m52),
        decltype(m53), decltype(m54), decltype(m55), decltype(m56), decltype(m57), decltype(m58),
        decltype(m59), decltype(m60), decltype(m61), decltype(m62), decltype(m63)>{}, m0, m1, m2, m3, m4, m5,
        m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26,
        m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46,
        m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63); } };
// clang-format on

}  // namespace WEFT_NAMESPACE::field_detail
