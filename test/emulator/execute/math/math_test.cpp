// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mathematical functions of GPUs' libraries, run by the executor, beside the host's. The libraries are the
// executor's own libdevice, CUDA's where it is on the machine, and ocml.

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <random>
#include <regex>
#include <vector>

#include "images.h"
#include "points.h"
#include "reference.h"

namespace emulator::executor::math {
namespace {

enum class Domain {
  kNone,
  kAny,
  kUnit,
  kAboveOne,
  kSmall,
  kPositive,
  kTail,
  kChance,
  kGamma,
  // No edges are tried of the values below.
  kFinite,
  kAboveMinus8,
  kWave,
  kFew,
  kPower,
  kPlane
};
using enum Domain;

struct Row {
  const char *name;
  Domain of_a, of_others;
  double ulps_float, ulps_double;
  Results (*compute)(const Values &v);
  bool is_nvidia, is_amd, is_of_double;
};

#define ROW(name, of_a, of_others, ulps_float, ulps_double, form, ...)                                                 \
  {#name,                                                                                                              \
   of_a,                                                                                                               \
   of_others,                                                                                                          \
   ulps_float,                                                                                                         \
   ulps_double,                                                                                                        \
   [](const Values &v) -> Results {                                                                                    \
     (void)v;                                                                                                          \
     return form;                                                                                                      \
   },                                                                                                                  \
   __VA_ARGS__},
#define FUNCTION(name, of_a, of_others, ulps_float, ulps_double, form)                                                 \
  ROW(name, of_a, of_others, ulps_float, ulps_double, form, true, true, true)
#define NVIDIA(name, of_a, of_others, ulps_float, ulps_double, form)                                                   \
  ROW(name, of_a, of_others, ulps_float, ulps_double, form, true, false, true)
#define AMD(name, of_a, of_others, ulps_float, ulps_double, form)                                                      \
  ROW(name, of_a, of_others, ulps_float, ulps_double, form, false, true, true)
#define FLOAT(name, of_a, of_others, ulps, form) ROW(name, of_a, of_others, ulps, 0, form, false, true, false)
const Row kRows[] = {
#include "functions.def"
};

// ---- Values

template <class T> T any(std::mt19937_64 &random) {
  while (true) {
    const uint64_t bits = random();
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    if (std::isfinite(value))
      return value;
  }
}
template <class T> T value_of(Domain domain, std::mt19937_64 &random) {
  const auto between = [&](double low, double high) {
    return static_cast<T>(std::uniform_real_distribution<double>(low, high)(random));
  };
  const auto sometimes = [&] { return random() % 4 == 0; };
  switch (domain) {
  case kNone: return 0;
  case kAny: return sometimes() ? between(-100, 100) : any<T>(random);
  case kPositive: return sometimes() ? between(0, 10) : std::fabs(any<T>(random));
  case kUnit:
    return sometimes() ? static_cast<T>(std::ldexp(between(-1, 1), -static_cast<int>(random() % 30))) : between(-1, 1);
  case kAboveOne: return static_cast<T>(std::exp2(between(0, 20)));
  case kSmall: return sometimes() ? std::rint(between(-20, 20)) : between(-20, 20);
  case kTail: return between(-5, 9);
  case kChance:
    return sometimes() ? static_cast<T>(std::ldexp(between(0.1, 1), -static_cast<int>(random() % 30))) : between(0, 1);
  case kFinite: return any<T>(random);
  case kAboveMinus8: return between(-7.9, 20);
  case kWave: return between(0.1, 20);
  case kGamma: return between(0.1, 30);
  case kFew: return std::rint(between(1, 8));
  case kPower: return std::rint(between(-20, 20));
  case kPlane: return between(-3, 3);
  }
  return 0;
}
// Where functions have edges, but for those that are about small numbers alone.
template <class T> T edge(unsigned n) {
  using Limits = std::numeric_limits<T>;
  const T edges[] = {0,
                     -T{0},
                     1,
                     -1,
                     Limits::infinity(),
                     -Limits::infinity(),
                     Limits::quiet_NaN(),
                     Limits::min(),
                     Limits::denorm_min(),
                     Limits::max(),
                     T{0.5},
                     2};
  return edges[n % std::size(edges)];
}
bool has_edges(Domain domain) { return domain != kNone && domain < kFinite; }

template <class T> void fill(const Row &row, uint64_t round, Points<T> &points) {
  std::mt19937_64 random(std::hash<std::string_view>()(row.name) + round);
  for (unsigned i = 0; i < POINTS; ++i) {
    points.a[i] = i < 24 && has_edges(row.of_a) ? edge<T>(i) : value_of<T>(row.of_a, random);
    points.b[i] = i < 24 && has_edges(row.of_others) ? edge<T>(i / 12 + i * 5) : value_of<T>(row.of_others, random);
    points.c[i] = value_of<T>(row.of_others, random);
    points.d[i] = value_of<T>(row.of_others, random);
    points.first[i] = points.second[i] = 77;
  }
}

// ---- Comparison

// In units of the last place of the wanted value; with values near zeros of waves, of 1.
template <class T> bool is_near(T got, Wide wanted, double ulps, bool is_absolute) {
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got);
  if (got == rounded)
    return true;
  if (std::isinf(got)) // where the wanted value is nearly as large
    return ulps > 0 &&
           std::fabs(wanted) > std::numeric_limits<T>::max() * (1 - ulps * std::numeric_limits<T>::epsilon()) &&
           std::signbit(got) == std::signbit(rounded);
  const T size = std::max<T>({std::fabs(rounded), std::numeric_limits<T>::min(), is_absolute ? T{1} : T{0}});
  const T limited = std::min(size, std::numeric_limits<T>::max());
  const Wide unit = std::ldexp(Wide{1}, std::ilogb(limited)) * std::numeric_limits<T>::epsilon();
  return std::fabs(Wide(got) - wanted) <= ulps * unit;
}

template <class T> void check(Image &image, const Row &row, uint64_t round) {
  const double ulps = sizeof(T) == sizeof(float) ? row.ulps_float : row.ulps_double;
  const auto points = std::make_unique<Points<T>>();
  fill(row, round, *points);
  const std::string fault = image.run(std::string("kernel_") + row.name, points.get(), sizeof(*points), POINTS);
  ASSERT_EQ(fault, "") << row.name;
  unsigned wrong = 0;
  for (unsigned i = 0; i < POINTS; ++i) {
    const Values values{points->a[i], points->b[i], points->c[i], points->d[i], sizeof(T) == sizeof(float)};
    const Results wanted = row.compute(values);
    const bool is_absolute = row.of_a == kWave || row.of_a == kPlane;
    const bool is_right =
        is_near<T>(points->first[i], wanted.first, ulps, is_absolute) &&
        (!std::isfinite(points->a[i]) || is_near<T>(points->second[i], wanted.second, ulps, is_absolute));
    if (is_right || ++wrong > 3)
      continue;
    ADD_FAILURE() << row.name << (sizeof(T) == sizeof(float) ? ", float: " : ", double: ") << std::hexfloat
                  << points->a[i] << ", " << points->b[i] << ", " << points->c[i] << ", " << points->d[i] << " gave "
                  << points->first[i] << ", " << points->second[i] << "; wanted " << static_cast<T>(wanted.first)
                  << ", " << static_cast<T>(wanted.second) << " within " << ulps << " ulps";
  }
}

/// As many times as many points, of which the edges are the same.
template <class T> void check(Image &image, const Row &row) {
  for (uint64_t round = 0; round < 8; ++round)
    check<T>(image, row, round);
}

void check_nvidia(const std::string &library) {
  const auto of_float = make_ptx_image("-DT=float -DSUFFIX=f", library),
             of_double = make_ptx_image("-DT=double -DSUFFIX=", library);
  ASSERT_TRUE(of_float && of_double);
  for (const Row &row : kRows)
    if (row.is_nvidia) {
      check<float>(*of_float, row);
      check<double>(*of_double, row);
    }
}

void check_amd(const std::string &processor) {
  if (!std::ifstream(ROCM_LIBRARIES "/ocml.bc"))
    GTEST_SKIP() << "there is no ocml in " ROCM_LIBRARIES ": the package rocm-device-libs has it";
  const auto of_float = make_amd_image("-DT=float -DU=unsigned -DSUFFIX=_f32 -DOF_FLOAT", processor),
             of_double = make_amd_image("-DT=double -DU='unsigned long' -DSUFFIX=_f64", processor);
  ASSERT_TRUE(of_float && of_double);
  for (const Row &row : kRows)
    if (row.is_amd) {
      check<float>(*of_float, row);
      if (row.is_of_double)
        check<double>(*of_double, row);
    }
}

// As make-ptx-toolkit puts it into a toolkit.
const std::string &own_library() {
  static const std::string name = [] {
    const std::string toolkit = testing::TempDir() + "/executor-math-toolkit";
    EXPECT_EQ(std::system((MAKE_PTX_TOOLKIT " " + toolkit).c_str()), 0);
    return toolkit + "/nvvm/libdevice/libdevice.10.bc";
  }();
  return name;
}

TEST(MathOfNvidia, the_executors_libdevice_is_as_the_host) { check_nvidia(own_library()); }

// Functions that OpenMP's mathematics and programs themselves may call. The header leaves out what CUDA's libdevice no
// longer has.
TEST(MathOfNvidia, the_executors_libdevice_has_all_that_clangs_headers_declare) {
  const std::string text = compile_to_ptx(NEWEST_CLANG, "-Wno-override-module -x ir " + own_library());
  std::string error;
  const auto module = ptx::Module::load(text, error);
  ASSERT_TRUE(module) << error;
  const std::string declared = testing::TempDir() + "/executor-math-declared";
  const std::string command = NEWEST_CLANG " -E -x c -DCUDA_VERSION=12000 "
                                           "$(" NEWEST_CLANG " -print-resource-dir)"
                                           "/include/__clang_cuda_libdevice_declares.h >" +
                              declared;
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::ifstream file(declared);
  const std::string header(std::istreambuf_iterator<char>(file), {});
  const std::regex pattern("__nv_[a-z0-9_A-Z]+");
  size_t count = 0;
  for (std::sregex_iterator name(header.begin(), header.end(), pattern), end; name != end; ++name, ++count)
    EXPECT_TRUE(module->find_function(name->str())) << name->str();
  EXPECT_GT(count, 300u);
}

TEST(MathOfNvidia, cudas_libdevice_is_as_the_host) {
  if (std::string(CUDA_LIBDEVICE).empty())
    GTEST_SKIP() << "there is no CUDA with a libdevice";
  check_nvidia(CUDA_LIBDEVICE);
}

TEST(MathOfNvidia, every_function_of_cudas_libdevice_can_be_loaded) {
  if (std::string(CUDA_LIBDEVICE).empty())
    GTEST_SKIP() << "there is no CUDA with a libdevice";
  const std::string text = compile_to_ptx(NEWEST_CLANG, "-Wno-override-module -x ir " CUDA_LIBDEVICE);
  if (text.find("llvm.nvvm.") != std::string::npos)
    GTEST_SKIP() << "CUDA's libdevice has intrinsics that " NEWEST_CLANG " does not know";
  std::string error;
  const auto module = ptx::Module::load(text, error);
  ASSERT_TRUE(module) << error;
  for (const char *name : {"__nv_sin", "__nv_tanf", "__nv_fast_tanhf"})
    EXPECT_TRUE(module->find_function(name)) << name;
}

// ---- What instructions do, or a sequence of them that leaves no choice

struct Exact {
  std::string name;
  size_t size; ///< the size of a float; else 0
};
std::vector<Exact> exact_functions() {
  std::vector<Exact> names;
#define NV_1(R, name, A, expression) names.push_back({#name, std::is_floating_point_v<R> ? sizeof(R) : 0});
#define NV_2(R, name, A, B, expression) NV_1(R, name, A, expression)
#define NV_3(R, name, A, B, C, expression) NV_1(R, name, A, expression)
#include "emulator/execute/libdevice/functions.def"
  return names;
}

// The results, with one NaN for all.
Bits run_exact(Image &image, const Exact &function) {
  Bits bits = {};
  std::mt19937_64 random(7);
  for (unsigned i = 0; i < POINTS; ++i) {
    const double wide = std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 64) - 63);
    const auto narrow =
        static_cast<float>(std::ldexp(static_cast<double>(random()) - 0x1p63, static_cast<int>(random() % 64) - 63));
    bits.a[i] = i % 3 == 0 ? random() : i % 3 == 1 ? std::bit_cast<uint64_t>(wide) : std::bit_cast<uint32_t>(narrow);
    bits.b[i] = i % 3 == 0 ? random() : bits.a[i > 2 ? i - 3 : i];
    bits.c[i] = random();
  }
  EXPECT_EQ(image.run("kernel_" + function.name, &bits, sizeof(bits), POINTS), "") << function.name;
  for (unsigned long long &result : bits.result)
    if ((function.size == 4 && std::isnan(std::bit_cast<float>(static_cast<uint32_t>(result)))) ||
        (function.size == 8 && std::isnan(std::bit_cast<double>(result))))
      result = ~0ull;
  return bits;
}

TEST(MathOfNvidia, the_executors_libdevice_has_the_bits_of_cudas) {
  if (std::string(CUDA_LIBDEVICE).empty())
    GTEST_SKIP() << "there is no CUDA with a libdevice";
  const auto own = make_ptx_image("-DOF_BITS", own_library()), cudas = make_ptx_image("-DOF_BITS", CUDA_LIBDEVICE);
  ASSERT_TRUE(own && cudas);
  for (const Exact &function : exact_functions()) {
    const Bits got = run_exact(*own, function), wanted = run_exact(*cudas, function);
    for (unsigned i = 0; i < POINTS; ++i)
      if (got.result[i] != wanted.result[i]) {
        ADD_FAILURE() << function.name << " of " << std::hex << got.a[i] << ", " << got.b[i] << ", " << got.c[i]
                      << " is " << got.result[i] << ", CUDA's " << wanted.result[i];
        break;
      }
  }
}

// The same where there is no CUDA: a number for the results of each function, as CUDA's libdevice gave them.
TEST(MathOfNvidia, the_executors_libdevice_has_the_bits_that_cudas_had) {
  const std::map<std::string, uint64_t> noted = {
#define BITS(name, number) {#name, number},
#include "bits_of_cuda.def"
  };
  const auto own = make_ptx_image("-DOF_BITS", own_library());
  ASSERT_TRUE(own);
  size_t count = 0;
  for (const Exact &function : exact_functions()) {
    if (function.name.starts_with("fast_") || function.name.starts_with("rsqrt")) // as near as the host's are
      continue;
    uint64_t number = 0;
    for (const unsigned long long result : run_exact(*own, function).result)
      number = (number ^ result) * 0x9e3779b97f4a7c15 + (number >> 29);
    const auto row = noted.find(function.name);
    EXPECT_TRUE(row != noted.end() && row->second == number)
        << "BITS(" << function.name << ", 0x" << std::hex << number << ") is not in bits_of_cuda.def";
    ++count;
  }
  EXPECT_EQ(count, noted.size());
}

TEST(MathOfAmd, ocml_is_as_the_host_on_gfx90a) { check_amd("gfx90a"); }
TEST(MathOfAmd, ocml_is_as_the_host_on_gfx1100) { check_amd("gfx1100"); }

} // namespace
} // namespace emulator::executor::math
