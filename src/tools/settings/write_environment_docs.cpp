// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes docs/use/environment.md from the table of settings; with --check, only says whether it is up to date.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "base/format.h"
#include "base/settings.h"

using namespace omptarget;

namespace {

constexpr const char *kHead =
    R"(<!-- Made from src/base/settings.def by the build target environment_docs. Change that, not this. -->
# Environment variables

omptarget reads each of these variables when it first needs it. If a value is invalid, a warning says so and the default
is used. Nothing is fatal. If a name is not in the list, and begins with `LIBOMPTARGET_`, `OMPTARGET_`, `OMPX_` or
`OFFLOAD_`, a warning suggests the most similar name. The same goes for names that begin with `OMP_` and end in `_DEV`,
or in `_DEV_` and a number.

Flags are `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`, in any case. Integers are decimal, or hexadecimal
after `0x`.

Variables that libomp reads have their usual meaning; omptarget asks libomp for them. `OMP_DEFAULT_DEVICE` is the device
of constructs that name none. `OMP_TARGET_OFFLOAD` is one of these:

- `MANDATORY`: a construct that cannot run on a device ends the program.
- `DISABLED`: everything runs on the host, and no plugin is loaded.
- `DEFAULT`: if there is no device for the program, the host runs everything.

A name with `_DEV` is a variable of devices (OpenMP 6.0, section 4.1). `OMP_NUM_TEAMS_DEV_2` is for device 2,
`OMP_NUM_TEAMS_DEV` for the devices without such a variable, and `OMP_NUM_TEAMS_ALL` for those without either. A
variable without an ending is the host's. `OMP_NUM_TEAMS` and `OMP_TEAMS_THREAD_LIMIT` also hold for devices, as with
LLVM's runtime, unless a variable of the device or the program sets another number. These routines read and set two of
the numbers for one device; 0 means none. No `omp.h` of clang declares them yet, so declare them yourself:

```c
int omp_get_device_num_teams(int device);
void omp_set_device_num_teams(int teams, int device);
int omp_get_device_teams_thread_limit(int device);
void omp_set_device_teams_thread_limit(int threads, int device);
```

On the CPU device, teams have at most as many threads as there are processors. If a construct has a `num_teams` clause,
`OMP_NUM_THREADS_DEV` and `OMP_TEAMS_THREAD_LIMIT_DEV` have no effect there, because libomp chooses. On GPUs both limit
the threads of the block, also for a region without `teams`. A `num_threads` clause inside of it gets no more.

| variable | type | default | read by | what it does |
|---|---|---|---|---|
)";

const char *type_name(SettingType type) {
  switch (type) {
  case SettingType::kFlag: return "flag";
  case SettingType::kInteger: return "integer";
  case SettingType::kNumber: return "number";
  case SettingType::kText: break;
  }
  return "text";
}

std::string document() {
  std::string text = kHead;
  for (uint32_t i = 0; i < static_cast<uint32_t>(SettingId::kCount); ++i) {
    const SettingRow &row = setting_row(static_cast<SettingId>(i));
    const std::string value = *row.default_value ? format("`%s`", row.default_value) : "unset";
    text += format("| `%s` | %s | %s | %s | %s |\n", row.variable, type_name(row.type), value.c_str(), row.reader,
                   row.help);
  }
  return text;
}

} // namespace

int main(int count, char **arguments) {
  const bool checks = count == 3 && std::strcmp(arguments[1], "--check") == 0;
  if (count != 2 && !checks) {
    std::fputs("usage: write_environment_docs [--check] FILE\n", stderr);
    return 2;
  }
  const char *const path = arguments[count - 1];
  if (!checks) {
    std::ofstream(path, std::ios::binary) << document();
    return 0;
  }
  std::ostringstream contents;
  contents << std::ifstream(path, std::ios::binary).rdbuf();
  if (contents.str() == document())
    return 0;
  std::fprintf(stderr, "%s is not up to date with src/base/settings.def: build the target environment_docs\n", path);
  return 1;
}
