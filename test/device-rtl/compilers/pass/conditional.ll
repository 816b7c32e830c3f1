; Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A translation leaves a loop that need not call the pointer on a CPU only: on a GPU it may stop the kernel.

; RUN: %opt -passes='omptarget-insert-translations,function(loop-mssa(licm))' %s | %FileCheck --check-prefix=CPU %s
; RUN: sed -e 's/x86_64-pc-linux-gnu/amdgcn-amd-amdhsa/' %s | %opt -passes='omptarget-insert-translations,function(loop-mssa(licm))' | %FileCheck --check-prefix=GPU %s
; RUN: sed -e 's/x86_64-pc-linux-gnu/nvptx64-nvidia-cuda/' %s | %opt -passes='omptarget-insert-translations,function(loop-mssa(licm))' | %FileCheck --check-prefix=GPU %s
; REQUIRES: opt

target triple = "x86_64-pc-linux-gnu"

; CPU: entry:
; CPU-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
; GPU: calls:
; GPU-NEXT: call ptr @__kmpc_target_translate_fptr(ptr %f)
define void @loop(ptr %f, ptr %is_wanted, i32 %n) {
entry:
  br label %body
body:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ]
  %at = getelementptr i8, ptr %is_wanted, i32 %i
  %wanted = load i8, ptr %at
  %is = icmp ne i8 %wanted, 0
  br i1 %is, label %calls, label %latch
calls:
  call void %f(i32 %i)
  br label %latch
latch:
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %body, label %exit
exit:
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
