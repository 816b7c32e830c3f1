// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "observe/demangle.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <tuple>

namespace omptarget::observe {
namespace {

TEST(Demangle, names_of_programs_are_readable) {
  EXPECT_EQ(readable_symbol("_ZN1a4workEi"), "a::work(int)");
  EXPECT_EQ(readable_symbol("_Z1fIiJdcEEvT_DpT0_"), "void f<int, double, char>(int, double, char)");
  EXPECT_EQ(readable_symbol("_ZN6Kokkos4ViewIPPdJNS_11LayoutRightENS_9HostSpaceEEEC2ERKS5_"),
            "Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace>::View(Kokkos::View<double**, "
            "Kokkos::LayoutRight, Kokkos::HostSpace> const&)");
  EXPECT_EQ(readable_symbol("_ZZ4mainENKUlvE_clEv"), "main::'lambda'()::operator()() const");
  EXPECT_EQ(readable_symbol("_Z3sumIdJiiEEDTplfp_spfp0_ET_DpT0_"),
            "decltype(fp + fp0...) sum<double, int, int>(double, int, int)");
}

TEST(Demangle, short_names_are_without_parameters_and_types) {
  const std::tuple<const char *, const char *, const char *> cases[] = {
      {"a::work(int)", "a::work", "a::work"},
      {"void f<int, double, char>(int, double, char)", "f", "f<int, double, char>"},
      {"Kokkos::View<double**, Kokkos::LayoutRight>::View(Kokkos::View<double**> const&)", "Kokkos::View::View",
       "Kokkos::View<double**, Kokkos::LayoutRight>::View"},
      {"main::'lambda'()::operator()() const", "main::'lambda'::operator()", "main::'lambda'::operator()"},
      {"decltype(fp + fp0...) sum<double, int>(double, int)", "sum", "sum<double, int>"},
      {"(anonymous namespace)::step(std::function<void (int)>)", "(anonymous)::step", "(anonymous)::step"},
      {"bool operator< <int>(a<int> const&, int)", "operator< <int>", "operator< <int>"},
      {"a::operator->() const", "a::operator->", "a::operator->"},
      {"a::operator unsigned long() const", "a::operator unsigned long", "a::operator unsigned long"},
      {"std::enable_if<(2) < (3), int>::type a::f<3>(int) const &", "a::f", "a::f<3>"},
      {"main", "main", "main"},
      {"heat::step", "heat::step", "heat::step"},
      {"", "", ""},
      {"(", "(", "("},
      {"f(((", "f", "f"},
  };
  for (const auto &[name, shortest, with_arguments] : cases) {
    EXPECT_EQ(short_symbol(name, false), shortest);
    EXPECT_EQ(short_symbol(name, true), with_arguments);
  }
  for (const char *const damaged : {"a<<<(>>>)))(int)", ">>)]}", "operator", "operator(", "a<(", "] [ (>"}) {
    (void)short_symbol(damaged, false);
    (void)short_symbol(damaged, true);
  }
}

TEST(Demangle, other_names_stay_as_they_are) {
  for (const char *name :
       {"", "main", "i", "_", "_Z", "_ZN", "_Z3ab", "__omp_offloading_1_2_f_l3", "?f@@YAXXZ", "_RNvC1a1b"})
    EXPECT_EQ(readable_symbol(name), name);
}

/// f(T1, T2, ...), where each type holds the one before twice; at most 36.
std::string doubling_name(int levels) {
  constexpr char kDigits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string name = "_Z1f1aIiiE";
  for (int i = 0; i < levels; ++i) {
    const std::string last = std::string("S") + kDigits[i] + "_";
    name += "S_I" + last + last + "E";
  }
  return name;
}

TEST(Demangle, a_short_name_that_stands_for_a_huge_one_stays_short) {
  const std::string small = doubling_name(4);
  EXPECT_GT(readable_symbol(small).size(), 16u * 6) << "the test's own name is not what it seems";
  EXPECT_EQ(readable_symbol(doubling_name(30)), doubling_name(30));
}

TEST(Demangle, packs_are_counted_for_each_expansion) {
  // f<(pack of 40)>(expansions of the pack in expansions of the pack ...)
  std::string name = "_Z1fIJ" + std::string(40, 'i') + "EEv";
  for (int i = 0; i < 6; ++i)
    name += "Dp1aI";
  name += "T_";
  for (int i = 0; i < 6; ++i)
    name += "E";
  EXPECT_LT(readable_symbol(name).size(), 1u << 20);
}

void *demangle_deep_names(void *) {
  for (const char *unit : {"P",   "K",   "1aI", "N1aI", "DTng", "ng",  "XngX",  "J",     "IJ", "M1a",
                           "FvP", "A1_", "Dp",  "LZ1f", "Z1f",  "U1a", "L_Z1f", "sr1aI", "Tt", "UlT"}) {
    for (const size_t length : {size_t{2000}, size_t{8000}, size_t{300000}}) {
      std::string name = "_Z1f";
      while (name.size() < length)
        name += unit;
      EXPECT_EQ(readable_symbol(name), name) << unit;
      EXPECT_EQ(readable_symbol("_Z1fI" + name.substr(4)), "_Z1fI" + name.substr(4)) << unit;
    }
  }
  // These are valid, and as deep as they are long.
  for (const char *unit : {"P", "K", "1a"}) {
    std::string parts;
    while (parts.size() < 8000)
      parts += unit;
    (void)readable_symbol("_Z1f" + parts + "i");
    (void)readable_symbol("_ZN" + parts + "E");
  }
  std::string tags = "_Z1f";
  while (tags.size() < 8000)
    tags += "B1a";
  (void)readable_symbol(tags + "v");
  return nullptr;
}

TEST(Demangle, names_of_flang_are_read) {
  EXPECT_EQ(readable_symbol("_QMheatPstep"), "heat::step");
  EXPECT_EQ(readable_symbol("_QMheatFstepPinner_2"), "heat::step::inner_2");
  EXPECT_EQ(readable_symbol("_QPsolve"), "solve");
  EXPECT_EQ(readable_symbol("_QQmain"), "main program");
  for (const char *other : {"_Q", "_QM", "_QMHeat", "_QMheatXstep", "_QQclX41"})
    EXPECT_EQ(readable_symbol(other), other);
}

TEST(Demangle, deep_names_take_a_small_stack) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, SMALL_STACK_MIB << 20), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, demangle_deep_names, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

} // namespace
} // namespace omptarget::observe
