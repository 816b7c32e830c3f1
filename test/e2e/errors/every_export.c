// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls every exported function with arguments that no compiler passes: null pointers, counts and sizes that are
// negative or too large, devices that do not exist. Each call returns, or ends with a message: no crash, no hang.
// The names are those that the library exports, and those of the page about them.

// RUN: %clang %s -o %t -ldl
// RUN: %run OMP_TARGET_OFFLOAD=DEFAULT %t calls 2>&1 | %FileCheck %s
// RUN: %run %t names | sort > %t.called
// RUN: sh -c 'grep -hv "^#" %S/../../abi/exports.txt %S/../../abi/own_exports.txt | grep . | sort' | diff - %t.called
// RUN: sh -c 'sed -n "s/^| .\([_a-zA-Z0-9]*\). | [0-9o].*/\1/p" %S/../../../docs/internals/exports.md | sort' | diff - %t.called
// UNSUPPORTED: runtime-llvm
// CHECK-NOT: {{crashes|hangs|silently}}
// CHECK: {{[0-9]+}} calls of {{[0-9]+}} functions
// CHECK-NOT: {{crashes|hangs|silently}}

#define _GNU_SOURCE // RTLD_DEFAULT
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/// Arguments: p a pointer, d a device, n a count or a size, k a version or a kind.
struct Export {
  const char *name, *arguments;
};
#define OLD "dnpppp"
#define NEW "pdnpppppp"
#define DEPENDENCES "npnp"
static const struct Export exports[] = {
    {"__kmpc_push_target_tripcount", "dn"},
    {"__kmpc_push_target_tripcount_mapper", "pdn"},
    {"__kmpc_target_translate_fptr", "p"},
    {"__llvmPopCallConfiguration", ""},
    {"__llvmPushCallConfiguration", "nnnp"},
    {"__llvm_omp_indirect_call_lookup", "p"},
    {"__omptarget_called_from", "p"},
    {"__omptarget_declared_variables", ""},
    {"__omptarget_device_address", "pd"},
    {"__omptarget_enter_data", "p"},
    {"__omptarget_enter_once", "p"},
    {"__omptarget_exit_data", "p"},
    {"__omptarget_exit_once", "p"},
    {"__omptarget_refuse", "pp"},
    {"__omptarget_run_region", "pp"},
    {"__omptarget_update_data", "p"},
    {"__omptarget_warn", "p"},
    {"__omptarget_warn_of", "ppp"},
    {"__tgt_activate_record_replay", "dnpkkp"},
    {"__tgt_get_mem_resources", "npkkp"},
    {"__tgt_init_all_rtls", ""},
    {"__tgt_interop_destroy", "pnpdnpn"},
    {"__tgt_interop_get", "pkdnppp"},
    {"__tgt_interop_init", "pnpkdnpn"},
    {"__tgt_interop_release", "pppp"},
    {"__tgt_interop_use", "pnpdnpn"},
    {"__tgt_interop_use60", "pppp"},
    {"__tgt_mapper_num_components", "p"},
    {"__tgt_omp_alloc", "np"},
    {"__tgt_omp_free", "pp"},
    {"omp_get_device_num_teams", "d"},
    {"omp_get_device_teams_thread_limit", "d"},
    {"omp_set_device_num_teams", "nd"},
    {"omp_set_device_teams_thread_limit", "nd"},
    {"__tgt_print_device_info", "d"},
    {"__tgt_push_mapper_component", "pppnkp"},
    {"__tgt_register_lib", "p"},
    {"__tgt_register_requires", "k"},
    {"__tgt_register_rpc_callback", "p"},
    {"__tgt_rtl_deinit", ""},
    {"__tgt_rtl_init", ""},
    {"__tgt_set_info_flag", "k"},
    {"__tgt_target", "dpnpppp"},
    {"__tgt_target_data_begin", OLD},
    {"__tgt_target_data_begin_mapper", NEW},
    {"__tgt_target_data_begin_nowait", OLD DEPENDENCES},
    {"__tgt_target_data_begin_nowait_mapper", NEW},
    {"__tgt_target_data_end", OLD},
    {"__tgt_target_data_end_mapper", NEW},
    {"__tgt_target_data_end_nowait", OLD DEPENDENCES},
    {"__tgt_target_data_end_nowait_mapper", NEW},
    {"__tgt_target_data_update", OLD},
    {"__tgt_target_data_update_mapper", NEW},
    {"__tgt_target_data_update_nowait", OLD DEPENDENCES},
    {"__tgt_target_data_update_nowait_mapper", NEW},
    {"__tgt_target_kernel", "pdkkpp"},
    {"__tgt_target_kernel_nowait", "pdkkpp" DEPENDENCES},
    {"__tgt_target_kernel_replay", "pdpnnpnkkk"},
    {"__tgt_target_mapper", "pdpnpppppp"},
    {"__tgt_target_nowait", "dpnpppp" DEPENDENCES},
    {"__tgt_target_nowait_mapper", "pdpnpppppp"},
    {"__tgt_target_nowait_query", "p"},
    {"__tgt_target_sync", "pnpp"},
    {"__tgt_target_teams", "dpnppppkk"},
    {"__tgt_target_teams_mapper", "pdpnppppppkk"},
    {"__tgt_target_teams_nowait", "dpnppppkk" DEPENDENCES},
    {"__tgt_target_teams_nowait_mapper", "pdpnppppppkk"},
    {"__tgt_unregister_lib", "p"},
    {"llvmLaunchKernel", "pnnpnp"},
    {"llvm_omp_get_dynamic_shared", ""},
    {"llvm_omp_target_alloc_device", "nd"},
    {"llvm_omp_target_alloc_host", "nd"},
    {"llvm_omp_target_alloc_shared", "nd"},
    {"llvm_omp_target_dynamic_shared_alloc", ""},
    {"llvm_omp_target_free_device", "pd"},
    {"llvm_omp_target_free_host", "pd"},
    {"llvm_omp_target_free_shared", "pd"},
    {"llvm_omp_target_lock_mem", "pnd"},
    {"llvm_omp_target_unlock_mem", "pd"},
    {"omp_get_device_from_uid", "p"},
    {"omp_get_device_num", ""},
    {"omp_get_gprivate_limit", "dk"},
    {"omp_get_initial_device", ""},
    {"omp_get_interop_int", "pkp"},
    {"omp_get_interop_name", "pk"},
    {"omp_get_interop_ptr", "pkp"},
    {"omp_get_interop_rc_desc", "pk"},
    {"omp_get_interop_rec_desc", "pk"},
    {"omp_get_interop_str", "pkp"},
    {"omp_get_interop_type_desc", "pk"},
    {"omp_get_mapped_ptr", "pd"},
    {"omp_get_num_devices", ""},
    {"omp_get_uid_from_device", "d"},
    {"omp_target_alloc", "nd"},
    {"omp_target_associate_ptr", "ppnnd"},
    {"omp_target_disassociate_ptr", "pd"},
    {"omp_target_free", "pd"},
    {"omp_target_is_accessible", "pnd"},
    {"omp_target_is_present", "pd"},
    {"omp_target_memcpy", "ppnnndd"},
    {"omp_target_memcpy_async", "ppnnnddnp"},
    {"omp_target_memcpy_rect", "ppnnpppppdd"},
    {"omp_target_memcpy_rect_async", "ppnnpppppddnp"},
    {"omp_target_memset", "pknd"},
    {"omp_target_memset_async", "pkndnp"},
    {"ompt_libomptarget_connect", "p"},
    {"omptarget_call_host", "kpn"},
    {"omptarget_register_host_function", "kp"},
    {"ompx_dump_mapping_tables", ""},
    {"ompx_interop_add_completion_callback", "ppp"},
    {"tgt_pause_resource", "kd"},
};
enum { kExports = sizeof exports / sizeof *exports, kRounds = 5 };

typedef long (*Function)(long, long, long, long, long, long, long, long, long, long, long, long, long, long);

static void call(const struct Export *export, int round) {
  static const long devices[kRounds] = {-1, 0, 99, -1000000, 0x7fffffff};
  static const long counts[kRounds] = {0, 3, -1, 0x7fffffff, 1};
  static const long kinds[kRounds] = {0, -1, 77, 0x7fffffff, -9};
  long values[14] = {0};
  for (int i = 0; export->arguments[i]; ++i)
    switch (export->arguments[i]) {
    case 'd': values[i] = devices[round]; break;
    case 'n': values[i] = counts[round]; break;
    case 'k': values[i] = kinds[round]; break;
    }
  Function function;
  *(void **)&function = dlsym(RTLD_DEFAULT, export->name);
  if (!function) {
    printf("%s silently has no such function\n", export->name);
    return;
  }
  function(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8], values[9],
           values[10], values[11], values[12], values[13]);
}

/// Calls it in a process of its own, and says what is wrong.
static int is_harmless(const struct Export *export, int round) {
  int words[2];
  if (pipe(words) != 0)
    return 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    dup2(words[1], STDERR_FILENO);
    close(words[0]);
    close(words[1]);
    call(export, round);
    _exit(0);
  }
  close(words[1]);
  char text[4096];
  size_t length = 0;
  for (ssize_t got; (got = read(words[0], text + length, sizeof text - 1 - length)) > 0;)
    length += (size_t)got;
  text[length] = 0;
  close(words[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  const int has_words = strstr(text, "omptarget") != NULL;
  if (signal == 14)
    printf("%s hangs in round %d: %s\n", export->name, round, text);
  else if (signal != 0 && signal != 6)
    printf("%s crashes in round %d by signal %d: %s\n", export->name, round, signal, text);
  else if (signal == 6 && !has_words)
    printf("%s ends silently in round %d: %s\n", export->name, round, text);
  else
    return 1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "names") == 0) {
    for (int i = 0; i < kExports; ++i)
      puts(exports[i].name);
    return 0;
  }
#pragma omp target
  {
  }
  int wrong = 0;
  for (int i = 0; i < kExports; ++i)
    for (int round = 0; round < kRounds; ++round)
      wrong += !is_harmless(&exports[i], round);
  printf("%d calls of %d functions, %d wrong\n", kExports * kRounds, kExports, wrong);
  return wrong != 0;
}
