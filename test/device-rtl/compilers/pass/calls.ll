; Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Which calls are translated.

; RUN: %opt -passes=omptarget-insert-translations %s | %check
; RUN: sed -e 's/openmp-device/openmp/' %s | %opt -passes=omptarget-insert-translations | %FileCheck --check-prefix=HOST %s
; REQUIRES: opt

; HOST-NOT: __kmpc_target_translate_fptr

target triple = "x86_64-pc-linux-gnu"

@table = internal constant [2 x ptr] [ptr @known, ptr @known]
@variable = global ptr null
declare i32 @known(i32)
declare ptr @__llvm_omp_indirect_call_lookup(ptr)

; CHECK-LABEL: @argument(
; CHECK: [[F:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr %f) [[PURE:#[0-9]+]], !dbg [[LINE:![0-9]+]]
; CHECK-NEXT: call i32 [[F]](i32 1), !dbg [[LINE]]
define i32 @argument(ptr %f) !dbg !5 {
  %r = call i32 %f(i32 1), !dbg !6
  ret i32 %r, !dbg !6
}

; CHECK-LABEL: @member_function(
; CHECK: [[P:%.*]] = inttoptr i64 %f to ptr
; CHECK: [[T:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr [[P]])
; CHECK: call i32 [[T]](i32 1)
define i32 @member_function(i64 %f) {
  %p = inttoptr i64 %f to ptr
  %r = call i32 %p(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @from_variable(
; CHECK: call ptr @__kmpc_target_translate_fptr(
define i32 @from_variable() {
  %f = load ptr, ptr @variable
  %r = call i32 %f(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @direct(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define i32 @direct() {
  %r = call i32 @known(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @from_constant_table(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define i32 @from_constant_table(i64 %i) {
  %slot = getelementptr inbounds [2 x ptr], ptr @table, i64 0, i64 %i
  %f = load ptr, ptr %slot
  %r = call i32 %f(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @chosen_of_functions(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define i32 @chosen_of_functions(i1 %which) {
  %f = select i1 %which, ptr @known, ptr @direct
  %r = call i32 %f(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @already_translated(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define i32 @already_translated(ptr %f) {
  %t = call ptr @__llvm_omp_indirect_call_lookup(ptr %f)
  %r = call i32 %t(i32 1)
  ret i32 %r
}

; CHECK-LABEL: @assembly(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define void @assembly() {
  call void asm sideeffect "nop", ""()
  ret void
}

; The device RTL's own calls go to device functions.
; CHECK-LABEL: @__kmpc_invoke(
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define void @__kmpc_invoke(ptr %f) {
  call void %f()
  ret void
}

; Without marks of the optimiser: *(*object + 8) is a virtual call.
; CHECK-LABEL: @virtual_call(
; CHECK: [[V:%.*]] = load ptr, ptr %object
; CHECK-NEXT: [[TV:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr [[V]])
; CHECK-NEXT: [[S:%.*]] = getelementptr inbounds ptr, ptr [[TV]], i64 1
; CHECK-NEXT: [[F:%.*]] = load ptr, ptr [[S]]
; CHECK-NEXT: [[TF:%.*]] = call ptr @__kmpc_target_translate_fptr(ptr [[F]])
; CHECK-NEXT: call i32 [[TF]](ptr %object)
define i32 @virtual_call(ptr %object) {
  %vtable = load ptr, ptr %object
  %slot = getelementptr inbounds ptr, ptr %vtable, i64 1
  %f = load ptr, ptr %slot
  %r = call i32 %f(ptr %object)
  ret i32 %r
}

; With marks: a table of functions that is no vtable.
; CHECK-LABEL: @table_in_struct(
; CHECK-COUNT-1: __kmpc_target_translate_fptr
; CHECK-NOT: __kmpc_target_translate_fptr
; CHECK: ret
define i32 @table_in_struct(ptr %object) {
  %table = load ptr, ptr %object, !tbaa !7
  %slot = getelementptr inbounds ptr, ptr %table, i64 1
  %f = load ptr, ptr %slot, !tbaa !7
  %r = call i32 %f(ptr %object)
  ret i32 %r
}

; CHECK-LABEL: @marked_vtable(
; CHECK-COUNT-2: __kmpc_target_translate_fptr
; CHECK: ret
define i32 @marked_vtable(ptr %object) {
  %table = load ptr, ptr %object, !tbaa !10
  %slot = getelementptr inbounds ptr, ptr %table, i64 1
  %f = load ptr, ptr %slot, !tbaa !7
  %r = call i32 %f(ptr %object)
  ret i32 %r
}

; CHECK: attributes [[PURE]] = {{.*}}nounwind willreturn memory(none)

!llvm.dbg.cu = !{!3}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "a.c", directory: "/")
!3 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: LineTablesOnly)
!4 = !DISubroutineType(types: !{})
!5 = distinct !DISubprogram(name: "argument", file: !2, line: 1, type: !4, unit: !3, spFlags: DISPFlagDefinition)
!6 = !DILocation(line: 2, column: 3, scope: !5)
!7 = !{!8, !8, i64 0}
!8 = !{!"any pointer", !9, i64 0}
!9 = !{!"tbaa root"}
!10 = !{!11, !11, i64 0}
!11 = !{!"vtable pointer", !9, i64 0}
