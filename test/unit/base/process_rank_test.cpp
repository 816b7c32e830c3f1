// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/process_rank.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <unistd.h>

namespace omptarget {
namespace {

std::map<std::string, std::string> variables;
const char *read_variable(const char *name) {
  const auto found = variables.find(name);
  return found == variables.end() ? nullptr : found->second.c_str();
}
ProcessRank rank_with(std::map<std::string, std::string> environment) {
  variables = std::move(environment);
  return read_process_rank(read_variable);
}

TEST(ProcessRank, is_unknown_without_a_launcher) {
  const ProcessRank rank = rank_with({});
  EXPECT_EQ(rank.launcher, nullptr);
  EXPECT_FALSE(rank.rank || rank.on_node || rank.count_on_node);
}

/// The variables of each launcher for rank 5, which is the second on its node.
struct Environment {
  const char *launcher;
  std::map<std::string, std::string> variables;
};
class Launchers : public testing::TestWithParam<Environment> {};

TEST_P(Launchers, tell_rank_and_place) {
  const ProcessRank rank = rank_with(GetParam().variables);
  ASSERT_NE(rank.launcher, nullptr);
  EXPECT_STREQ(rank.launcher, GetParam().launcher);
  EXPECT_EQ(rank.rank, 5);
  EXPECT_EQ(rank.on_node, 1);
  EXPECT_STREQ(read_variable(rank.rank_variable), "5");
  EXPECT_STREQ(read_variable(rank.on_node_variable), "1");
}

const Environment kEnvironments[] = {
    {"Open MPI",
     {{"OMPI_COMM_WORLD_RANK", "5"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
      {"PMIX_RANK", "5"}}},
    {"MVAPICH", {{"MV2_COMM_WORLD_RANK", "5"}, {"MV2_COMM_WORLD_LOCAL_RANK", "1"}, {"PMI_RANK", "5"}}},
    {"MPICH or Intel MPI", {{"PMI_RANK", "5"}, {"PMI_SIZE", "8"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "4"}}},
    {"PALS", {{"PALS_RANKID", "5"}, {"PALS_LOCAL_RANKID", "1"}, {"PMI_RANK", "5"}}},
    {"JSM", {{"JSM_NAMESPACE_RANK", "5"}, {"JSM_NAMESPACE_LOCAL_RANK", "1"}, {"PMIX_RANK", "5"}}},
    {"Flux", {{"FLUX_TASK_RANK", "5"}, {"FLUX_TASK_LOCAL_ID", "1"}, {"PMI_RANK", "5"}}},
    {"Slurm", {{"SLURM_PROCID", "5"}, {"SLURM_LOCALID", "1"}, {"PMIX_RANK", "5"}}},
    {"PMI", {{"PMI_RANK", "5"}, {"PMI_LOCAL_RANK", "1"}, {"PMI_LOCAL_SIZE", "4"}}},
};
INSTANTIATE_TEST_SUITE_P(All, Launchers, testing::ValuesIn(kEnvironments),
                         [](const auto &info) { return "number" + std::to_string(info.index); });

TEST(ProcessRank, inner_launcher_is_believed) {
  const ProcessRank rank = rank_with({{"SLURM_PROCID", "0"},
                                      {"SLURM_LOCALID", "0"},
                                      {"OMPI_COMM_WORLD_RANK", "6"},
                                      {"OMPI_COMM_WORLD_LOCAL_RANK", "2"},
                                      {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"}});
  EXPECT_STREQ(rank.launcher, "Open MPI");
  EXPECT_EQ(rank.rank, 6);
  EXPECT_EQ(rank.on_node, 2);
  EXPECT_EQ(rank.count_on_node, 3);
}

TEST(ProcessRank, rank_without_place) {
  const ProcessRank rank = rank_with({{"PMIX_RANK", "3"}});
  EXPECT_STREQ(rank.launcher, "PMIx");
  EXPECT_EQ(rank.rank, 3);
  EXPECT_FALSE(rank.on_node);
}

TEST(ProcessRank, nonsense_is_nothing) {
  for (const char *text : {"", "-1", "x", "1x", " 1", "99999999999999999999", "4294967296"}) {
    const ProcessRank rank = rank_with({{"SLURM_PROCID", text}, {"SLURM_LOCALID", text}});
    EXPECT_FALSE(rank.rank) << text;
    EXPECT_FALSE(rank.on_node) << text;
    EXPECT_EQ(rank.launcher, nullptr) << text;
  }
}

TEST(ProcessRank, file_names) {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  EXPECT_EQ(file_name_of_process("a.%r.%p.json"), "a.0." + std::to_string(getpid()) + ".json");
  EXPECT_EQ(file_name_of_process("%h"), host);
  EXPECT_EQ(file_name_of_process("100%%-%x-%"), "100%-%x-%");
  EXPECT_EQ(file_name_of_process(""), "");
}

} // namespace
} // namespace omptarget
