; Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A critical section as flang writes it is put into a loop over the lanes; what it computes and later code uses goes
; through memory. A second run changes nothing, and neither does a section that has no end.

; RUN: %opt -passes=omptarget-serialise-critical-sections,omptarget-serialise-critical-sections %s | %check
; REQUIRES: opt

target datalayout = "e-p:64:64-p5:32:32-A5-G1"
target triple = "amdgcn-amd-amdhsa"

@lock = common global [8 x i32] zeroinitializer
@other = common global [8 x i32] zeroinitializer

; CHECK-LABEL: define i32 @counts
; CHECK: call i64 @llvm.amdgcn.ballot.i64(i1 true)
; CHECK: critical.lane:
; CHECK: %[[WAITING:.*]] = phi i64
; CHECK: call i64 @llvm.cttz.i64(i64 %[[WAITING]]
; CHECK: br i1 {{.*}}, label %critical.section, label %critical.next
; CHECK: critical.section:
; CHECK-NEXT: call void @__kmpc_critical
; CHECK: store i32 %new, ptr addrspace(5) %[[PLACE:.*]],
; CHECK: call void @__kmpc_end_critical
; CHECK-NEXT: br label %critical.next
; CHECK: critical.next:
; CHECK: br i1 {{.*}}, label %critical.after, label %critical.lane
; CHECK: critical.after:
; CHECK: load i32, ptr addrspace(5) %[[PLACE]]
; CHECK-NOT: critical.lane
define i32 @counts(ptr %sum) {
  call void @__kmpc_critical(ptr null, i32 0, ptr @lock)
  %old = load i32, ptr %sum
  %is_new = icmp eq i32 %old, 0
  br i1 %is_new, label %one, label %two
one:
  br label %two
two:
  %step = phi i32 [ 1, %0 ], [ 2, %one ]
  %new = add i32 %old, %step
  store i32 %new, ptr %sum
  call void @__kmpc_end_critical(ptr null, i32 0, ptr @lock)
  ret i32 %new
}

; CHECK-LABEL: define void @has_no_end
; CHECK-NEXT: call void @__kmpc_critical_with_hint
define void @has_no_end() {
  call void @__kmpc_critical_with_hint(ptr null, i32 0, ptr @lock, i32 0)
  call void @__kmpc_end_critical(ptr null, i32 0, ptr @other)
  ret void
}

declare void @__kmpc_critical(ptr, i32, ptr)
declare void @__kmpc_critical_with_hint(ptr, i32, ptr, i32)
declare void @__kmpc_end_critical(ptr, i32, ptr)

!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp-device", i32 11}
!1 = !{i32 7, !"openmp", i32 11}
