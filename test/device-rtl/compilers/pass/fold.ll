; Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Translations of what has turned out to be the device's go away, and the calls become direct ones.

; RUN: %opt -passes=omptarget-fold-translations %s | %check
; REQUIRES: opt

target triple = "x86_64-pc-linux-gnu"

@vtable = linkonce_odr constant { [3 x ptr] } { [3 x ptr] [ptr null, ptr null, ptr @known] }
declare i32 @known(i32)
declare ptr @__kmpc_target_translate_fptr(ptr)

; CHECK-LABEL: @function(
; CHECK-NEXT: call i32 @known(i32 1)
define i32 @function() {
  %f = call ptr @__kmpc_target_translate_fptr(ptr @known)
  %r = call i32 %f(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @own_vtable(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define ptr @own_vtable() {
  %v = call ptr @__kmpc_target_translate_fptr(ptr getelementptr inbounds ({ [3 x ptr] }, ptr @vtable, i32 0, i32 0, i32 2))
  ret ptr %v
}

; CHECK-LABEL: @unknown(
; CHECK: call ptr @__kmpc_target_translate_fptr(
define ptr @unknown(ptr %f) {
  %t = call ptr @__kmpc_target_translate_fptr(ptr %f)
  ret ptr %t
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
