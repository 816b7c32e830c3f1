// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/process_rank.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <unistd.h>

#include "base/format.h"
#include "base/settings.h"

namespace omptarget {

namespace {

/// The variables of one launcher; null where it has none.
struct Launcher {
  const char *name;
  const char *rank;
  const char *on_node;
  const char *count_on_node;
};

// Those that run inside of others come first: mpirun in a job of Slurm or Flux finds the batch step's variables, too.
constexpr Launcher kLaunchers[] = {
    {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"MVAPICH", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {"MPICH or Intel MPI", "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"PALS", "PALS_RANKID", "PALS_LOCAL_RANKID", nullptr},
    {"JSM", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE"},
    {"Flux", "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", nullptr},
    {"Slurm", "SLURM_PROCID", "SLURM_LOCALID", nullptr},
    {"PMIx", "PMIX_RANK", nullptr, nullptr},
    {"PMI", "PMI_RANK", "PMI_LOCAL_RANK", "PMI_LOCAL_SIZE"},
};

/// A number from 0 on, or nothing.
std::optional<int64_t> number_in(VariableReader read, const char *variable) {
  const char *const text = variable ? read(variable) : nullptr;
  if (!text || *text < '0' || *text > '9')
    return {};
  char *end = nullptr;
  errno = 0;
  const int64_t number = std::strtoll(text, &end, 10);
  return *end == '\0' && errno == 0 && number <= INT_MAX ? std::optional(number) : std::nullopt;
}

} // namespace

std::string machine_name() {
  char name[HOST_NAME_MAX + 1] = {};
  return ::gethostname(name, sizeof name - 1) == 0 && name[0] ? name : "unknown";
}

ProcessRank read_process_rank(VariableReader read) {
  ProcessRank best;
  for (const Launcher &launcher : kLaunchers) {
    ProcessRank rank;
    rank.launcher = launcher.name;
    rank.rank = number_in(read, launcher.rank);
    rank.on_node = number_in(read, launcher.on_node);
    rank.count_on_node = number_in(read, launcher.count_on_node);
    rank.rank_variable = rank.rank ? launcher.rank : nullptr;
    rank.on_node_variable = rank.on_node ? launcher.on_node : nullptr;
    if (rank.on_node)
      return rank;
    if (rank.rank && !best.launcher)
      best = rank; // another one may know the place on the node
  }
  return best;
}

const ProcessRank &process_rank() {
  static const auto *const rank =
      new ProcessRank(read_process_rank([](const char *name) -> const char * { return std::getenv(name); }));
  return *rank;
}

std::string describe_process() {
  const ProcessRank &rank = process_rank();
  return rank.rank ? format("rank %lld on %s", static_cast<long long>(*rank.rank), machine_name().c_str())
                   : format("process %d on %s", static_cast<int>(::getpid()), machine_name().c_str());
}

const std::string &line_prefix() {
  static constinit std::atomic<const std::string *> known{nullptr};
  static thread_local bool is_being_made = false;
  static const auto *const nothing = new std::string;
  if (const std::string *prefix = known.load(std::memory_order_acquire)) [[likely]]
    return *prefix;
  if (is_being_made)
    return *nothing; // the line is a warning about the setting itself
  is_being_made = true;
  const std::optional<int64_t> rank = process_rank().rank;
  const auto *made =
      new std::string(!setting_flag(SettingId::kShowRank) ? ""
                      : rank ? format("[%lld@%s] ", static_cast<long long>(*rank), machine_name().c_str())
                             : format("[%s] ", machine_name().c_str()));
  is_being_made = false;
  const std::string *other = nullptr;
  if (known.compare_exchange_strong(other, made, std::memory_order_acq_rel))
    return *made;
  delete made;
  return *other;
}

std::string file_name_of_process(const std::string &pattern) {
  std::string name;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (next == 'h')
      name += machine_name();
    else if (next == 'p')
      name += std::to_string(::getpid());
    else if (next == 'r')
      name += std::to_string(process_rank().rank.value_or(0));
    else if (next == '%')
      name += '%';
    else {
      name += pattern[i];
      continue;
    }
    ++i;
  }
  return name;
}

std::string file_name_of_rank(const std::string &pattern) {
  std::string name = file_name_of_process(pattern);
  const bool is_own = pattern.find("%p") != std::string::npos || pattern.find("%r") != std::string::npos;
  const int64_t rank = process_rank().rank.value_or(0);
  if (is_own || rank == 0)
    return name;
  const size_t folder = name.rfind('/') + 1;                                // 0 without one
  const size_t end = name.ends_with(".gz") ? name.rfind('.') : name.size(); // "p.json.gz" has two extensions
  const size_t dot = name.substr(0, end).rfind('.');
  const size_t place = dot == std::string::npos || dot <= folder ? end : dot;
  return name.insert(place, format(".%lld", static_cast<long long>(rank)));
}

} // namespace omptarget
