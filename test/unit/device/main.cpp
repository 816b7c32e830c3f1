// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs tests that find only the recording plugins. The runtime is one per process, so each test gets a process of its
// own.

#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "policy.h"

namespace omptarget {
int target_offload_policy = 1;
}

/// As libomp has it: 0 disabled, 1 default, 2 mandatory.
extern "C" int __kmpc_get_target_offload(void) { return omptarget::target_offload_policy; }

namespace {

bool passes_alone(const std::string &name) {
  const std::string filter = "--gtest_filter=" + name;
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "unit_device", filter.c_str(), "--gtest_brief=1", static_cast<char *>(nullptr));
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int run_each_alone() {
  const testing::UnitTest &tests = *testing::UnitTest::GetInstance();
  int failed = 0;
  for (int i = 0; i < tests.total_test_suite_count(); ++i)
    for (int j = 0; j < tests.GetTestSuite(i)->total_test_count(); ++j) {
      const testing::TestInfo &test = *tests.GetTestSuite(i)->GetTestInfo(j);
      const std::string name = std::string(test.test_suite_name()) + "." + test.name();
      if (passes_alone(name))
        continue;
      std::printf("FAILED: %s\n", name.c_str());
      ++failed;
    }
  std::printf("%d of %d tests failed\n", failed, tests.total_test_count());
  return failed == 0 ? 0 : 1;
}

} // namespace

int main(int count, char **arguments) {
  setenv("LIBOMPTARGET_PLUGIN_PATH", OMPTARGET_RECORDING_PLUGINS, 1);
  testing::InitGoogleTest(&count, arguments);
  if (GTEST_FLAG_GET(filter) == "*" && !GTEST_FLAG_GET(list_tests))
    return run_each_alone();
  return RUN_ALL_TESTS();
}
