/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indirect functions for compilers without `declare target indirect`, or without calls that translate. If the host
 * declares a function here, and the device calls it through its host address, the device's version runs. C11 and C++11
 * on, clang 14 and later. Without -fopenmp everything here does nothing. docs/use/indirect.md has examples.
 *
 *   static int twice(int x) { return 2 * x; }
 *   OMPTARGET_INDIRECT(twice)                            // at file scope, after the function's declaration
 *   ...
 *   int (*function)(int) = twice;                        // anywhere in host code
 *   #pragma omp target map(tofrom : value)
 *   value = OMPTARGET_TRANSLATE(function)(value);
 */
#ifndef OMPTARGET_INDIRECT_H
#define OMPTARGET_INDIRECT_H

#include "omptarget/types.h"

#ifdef __cplusplus
#define OMPTARGET_INDIRECT_EXTERN_C extern "C"
#else
#define OMPTARGET_INDIRECT_EXTERN_C extern
#endif

/* The base is what the host runs; the variant below takes its place in device code. */
static inline void *omptarget_translate_pointer(void *pointer) { return pointer; }

#if defined(_OPENMP) && defined(__clang__)

#pragma omp begin declare variant match(device = {kind(nohost)})
OMPTARGET_INDIRECT_EXTERN_C void *__kmpc_target_translate_fptr(void *);
static inline void *omptarget_translate_pointer(void *pointer) { return __kmpc_target_translate_fptr(pointer); }
#pragma omp end declare variant

/* Code for one pass of the compiler only: the other pass skips what lies between the two lines. */
#define OMPTARGET_INDIRECT_DEVICE_ONLY                                                                                 \
  _Pragma("omp begin declare variant match(device = {kind(nohost)})") _Pragma("omp declare target")
#define OMPTARGET_INDIRECT_DEVICE_END _Pragma("omp end declare target") _Pragma("omp end declare variant")
#define OMPTARGET_INDIRECT_HOST_ONLY _Pragma("omp begin declare variant match(device = {kind(host)})")
#define OMPTARGET_INDIRECT_HOST_END _Pragma("omp end declare variant")

#if __clang_major__ >= 20
#define OMPTARGET_INDIRECT_ENTRY_TYPE __tgt_offload_entry_v1
#define OMPTARGET_INDIRECT_ENTRY_SECTION "llvm_offload_entries"
#define OMPTARGET_INDIRECT_ENTRY(address, name)                                                                        \
  {0, 1, OMPTARGET_ENTRY_KIND_OPENMP, OMPTARGET_ENTRY_INDIRECT, (void *)(address), (char *)(name), 8, 0, 0}
#define OMPTARGET_INDIRECT_ENTRY_ADDRESS(entry) (entry).address
#else
#define OMPTARGET_INDIRECT_ENTRY_TYPE __tgt_offload_entry
#define OMPTARGET_INDIRECT_ENTRY_SECTION "omp_offloading_entries"
#define OMPTARGET_INDIRECT_ENTRY(address, name) {(void *)(address), (char *)(name), 8, OMPTARGET_ENTRY_INDIRECT, 0}
#define OMPTARGET_INDIRECT_ENTRY_ADDRESS(entry) (entry).addr
#endif

#define OMPTARGET_INDIRECT_EMIT_ENTRY(tag, address)                                                                    \
  static OMPTARGET_INDIRECT_ENTRY_TYPE omptarget_entry_##tag                                                           \
      __attribute__((used, section(OMPTARGET_INDIRECT_ENTRY_SECTION))) =                                               \
          OMPTARGET_INDIRECT_ENTRY(address, "__omptarget_indirect_" #tag);

/* On a CPU the device image has an entry of its own; on a GPU the variable's name is enough. */
#if defined(__NVPTX__) || defined(__AMDGCN__)
#define OMPTARGET_INDIRECT_DEVICE_ENTRY(tag)
#else
#define OMPTARGET_INDIRECT_DEVICE_ENTRY(tag) OMPTARGET_INDIRECT_EMIT_ENTRY(tag, &__omptarget_indirect_##tag)
#endif

/* The device's variable of 8 bytes: it holds the device function's address, its name leads there. */
#define OMPTARGET_INDIRECT_DEVICE_VARIABLE(linkage, tag, type, value)                                                  \
  OMPTARGET_INDIRECT_EXTERN_C type __omptarget_indirect_##tag;                                                         \
  __attribute__((used, visibility("protected"))) linkage type __omptarget_indirect_##tag = value;

#define OMPTARGET_INDIRECT_EMIT(linkage, tag, function)                                                                \
  OMPTARGET_INDIRECT_DEVICE_ONLY                                                                                       \
  OMPTARGET_INDIRECT_DEVICE_VARIABLE(linkage, tag, const void *const, (const void *)(function))                        \
  OMPTARGET_INDIRECT_DEVICE_ENTRY(tag)                                                                                 \
  OMPTARGET_INDIRECT_DEVICE_END                                                                                        \
  OMPTARGET_INDIRECT_HOST_ONLY                                                                                         \
  OMPTARGET_INDIRECT_EMIT_ENTRY(tag, (const void *)(function))                                                         \
  OMPTARGET_INDIRECT_HOST_END

#ifdef __cplusplus
#define OMPTARGET_INDIRECT_EMIT_MEMBER(tag, member)                                                                    \
  OMPTARGET_INDIRECT_DEVICE_ONLY                                                                                       \
  OMPTARGET_INDIRECT_DEVICE_VARIABLE(, tag, decltype(member) const, member)                                            \
  OMPTARGET_INDIRECT_DEVICE_ENTRY(tag)                                                                                 \
  OMPTARGET_INDIRECT_DEVICE_END                                                                                        \
  OMPTARGET_INDIRECT_HOST_ONLY                                                                                         \
  OMPTARGET_INDIRECT_EMIT_ENTRY(tag, 0)                                                                                \
  OMPTARGET_INDIRECT_BEFORE_REGISTRATION static void omptarget_indirect_set_##tag() {                                  \
    OMPTARGET_INDIRECT_ENTRY_ADDRESS(omptarget_entry_##tag) = omptarget_indirect_detail::address_of(member);           \
  }                                                                                                                    \
  OMPTARGET_INDIRECT_HOST_END
#endif

#else

#define OMPTARGET_INDIRECT_EMIT(linkage, tag, function)
#define OMPTARGET_INDIRECT_EMIT_MEMBER(tag, member)

#endif

/* Makes a function of C, or of C++ outside of classes and namespaces, indirect. Stands at file scope, once in the
 * program: two functions of one name (static ones in two files) need OMPTARGET_INDIRECT_AS for one of them; the device
 * linker says so. The function may be static and is compiled for the device whether or not it is declared target. */
#define OMPTARGET_INDIRECT(function) OMPTARGET_INDIRECT_EMIT(, function, function)

/* The same for any constant address of a function (of an overload, a template's instance, a static member, inside a
 * namespace); tag is an identifier, unique in the program. */
#define OMPTARGET_INDIRECT_AS(tag, function) OMPTARGET_INDIRECT_EMIT(, tag, function)

/* The same in a header that several files include, for a function that is one in all of them. */
#define OMPTARGET_INDIRECT_SHARED(tag, function) OMPTARGET_INDIRECT_EMIT(__attribute__((weak)), tag, function)

/* Translates a function pointer in device code: to be called at once or kept. On the host, and for a pointer that is
 * no indirect host function, the same pointer. */
#define OMPTARGET_TRANSLATE(pointer) ((__typeof__(&*(pointer)))omptarget_translate_pointer((void *)(pointer)))

#ifdef __cplusplus

/* C++: the member function (not virtual) that a pointer to member such as &Shape::area names. */
#define OMPTARGET_INDIRECT_MEMBER(tag, member) OMPTARGET_INDIRECT_EMIT_MEMBER(tag, member)

/* C++: the same for a pointer to member function. One to a virtual function comes back unchanged: there the object's
 * pointer to its vtable decides. */
#define OMPTARGET_TRANSLATE_MEMBER(pointer) omptarget_indirect_detail::translate_member(pointer)

namespace omptarget_indirect_detail {

/* A pointer to member function: the function's address, or an odd number for a virtual one. */
template <typename Member> union MemberPointer {
  Member member;
  struct {
    void *function;
    ptrdiff_t adjustment;
  } parts;
};

template <typename Member> inline void *address_of(Member member) {
  MemberPointer<Member> pointer = {member};
  return (uintptr_t)pointer.parts.function % 2 == 0 ? pointer.parts.function : (void *)0;
}

template <typename Member> inline Member translate_member(Member member) {
  MemberPointer<Member> pointer = {member};
  if ((uintptr_t)pointer.parts.function % 2 == 0)
    pointer.parts.function = omptarget_translate_pointer(pointer.parts.function);
  return pointer.member;
}

} // namespace omptarget_indirect_detail

/* Entries are read when the module is registered, which is the first thing done in it. */
#define OMPTARGET_INDIRECT_BEFORE_REGISTRATION __attribute__((used, constructor(0)))

#endif
#endif
