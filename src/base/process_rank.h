// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the processes of a parallel program this is, as its launcher (mpirun, srun, flux run, ...) tells in the
// environment. Asks nobody else: no MPI library, no file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace omptarget {

/// The place of a process as its launcher tells it. Numbers that it does not tell, or that make no sense, are absent.
struct ProcessRank {
  const char *launcher = nullptr;         ///< its name, for messages; null without one
  const char *rank_variable = nullptr;    ///< which variable gave the rank
  const char *on_node_variable = nullptr; ///< which variable gave the place on the node
  std::optional<int64_t> rank;            ///< among all processes, from 0
  std::optional<int64_t> on_node;         ///< among the processes of this node, from 0
  std::optional<int64_t> count_on_node;   ///< processes of the program on this node
};

/// Which of count things of a node, such as its devices, is this process's: they are dealt round robin by the place
/// on the node. 0 where the place is not known. count: at least 1.
inline int64_t share_of(const ProcessRank &rank, int64_t count) { return rank.on_node.value_or(0) % count; }

/// Looks a variable up, as getenv does.
using VariableReader = const char *(*)(const char *name);

/// Reads what a launcher has told. A launcher that runs inside of another one's allocation is believed, not the outer
/// one.
ProcessRank read_process_rank(VariableReader read);

/// Returns the place of this process from its environment, which is read once. Any thread.
const ProcessRank &process_rank();

/// The name of this machine, or "unknown".
std::string machine_name();

/// "rank 3 on node7", or "process 4711 on node7" where the rank is not known. For messages.
std::string describe_process();

/// Returns the prefix of each line for people: "[3@node7] " if LIBOMPTARGET_SHOW_RANK asks for it, or nothing. Any
/// thread.
const std::string &line_prefix();

/// A file name with %h replaced by the name of this machine, %p by the number of the process, %r by its rank (0
/// without a launcher), and %% by %. Everything else stays as it is.
std::string file_name_of_process(const std::string &pattern);
/// The same for a result of this process. Without %p and %r, ranks other than 0 have their number before the
/// extension. So processes of a parallel program do not write over one another's.
std::string file_name_of_rank(const std::string &pattern);

} // namespace omptarget
