// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our declarations of the tools interface against those of an installed omp-tools.h, where there is one.

#include "ompt/ompt_types.h"

#include <gtest/gtest.h>

#ifdef OMPTARGET_OMP_TOOLS
#include OMPTARGET_OMP_TOOLS
#endif

namespace omptarget {
namespace {

#ifdef OMPTARGET_OMP_TOOLS

TEST(OmptTypes, records_have_the_layout_of_the_header) {
#define EXPECT_SAME(own, own_member, theirs, their_member)                                                             \
  EXPECT_EQ(offsetof(own, own_member), offsetof(theirs, their_member));                                                \
  EXPECT_EQ(sizeof(own::own_member), sizeof(theirs::their_member))
  EXPECT_EQ(sizeof(ompt::StartToolResult), sizeof(ompt_start_tool_result_t));
  EXPECT_SAME(ompt::StartToolResult, finalize, ompt_start_tool_result_t, finalize);
  EXPECT_SAME(ompt::StartToolResult, tool_data, ompt_start_tool_result_t, tool_data);
  EXPECT_EQ(sizeof(ompt::Record), sizeof(ompt_record_ompt_t));
  EXPECT_SAME(ompt::Record, time, ompt_record_ompt_t, time);
  EXPECT_SAME(ompt::Record, thread_id, ompt_record_ompt_t, thread_id);
  EXPECT_SAME(ompt::Record, target_id, ompt_record_ompt_t, target_id);
  EXPECT_EQ(offsetof(ompt::Record, record), offsetof(ompt_record_ompt_t, record));
  EXPECT_EQ(sizeof(ompt::RecordTarget), sizeof(ompt_record_target_t));
  EXPECT_SAME(ompt::RecordTarget, device, ompt_record_target_t, device_num);
  EXPECT_SAME(ompt::RecordTarget, target_id, ompt_record_target_t, target_id);
  EXPECT_SAME(ompt::RecordTarget, code, ompt_record_target_t, codeptr_ra);
  EXPECT_EQ(sizeof(ompt::RecordDataOp), sizeof(ompt_record_target_data_op_t));
  EXPECT_SAME(ompt::RecordDataOp, source, ompt_record_target_data_op_t, src_addr);
  EXPECT_SAME(ompt::RecordDataOp, destination_device, ompt_record_target_data_op_t, dest_device_num);
  EXPECT_SAME(ompt::RecordDataOp, bytes, ompt_record_target_data_op_t, bytes);
  EXPECT_SAME(ompt::RecordDataOp, code, ompt_record_target_data_op_t, codeptr_ra);
  EXPECT_EQ(sizeof(ompt::RecordKernel), sizeof(ompt_record_target_kernel_t));
  EXPECT_SAME(ompt::RecordKernel, end_time, ompt_record_target_kernel_t, end_time);
#undef EXPECT_SAME
}

TEST(OmptTypes, callbacks_have_the_numbers_of_the_header) {
  EXPECT_EQ(int{ompt::kTarget}, int{ompt_callback_target});
  EXPECT_EQ(int{ompt::kTargetDataOp}, int{ompt_callback_target_data_op});
  EXPECT_EQ(int{ompt::kTargetSubmit}, int{ompt_callback_target_submit});
  EXPECT_EQ(int{ompt::kTargetMap}, int{ompt_callback_target_map});
  EXPECT_EQ(int{ompt::kTargetEmi}, int{ompt_callback_target_emi});
  EXPECT_EQ(int{ompt::kTargetDataOpEmi}, int{ompt_callback_target_data_op_emi});
  EXPECT_EQ(int{ompt::kTargetSubmitEmi}, int{ompt_callback_target_submit_emi});
  EXPECT_EQ(int{ompt::kTargetMapEmi}, int{ompt_callback_target_map_emi});
  EXPECT_EQ(int{ompt::kDeviceInitialize}, int{ompt_callback_device_initialize});
  EXPECT_EQ(int{ompt::kDeviceFinalize}, int{ompt_callback_device_finalize});
  EXPECT_EQ(int{ompt::kDeviceLoad}, int{ompt_callback_device_load});
  EXPECT_EQ(int{ompt::kDeviceUnload}, int{ompt_callback_device_unload});
  EXPECT_EQ(int{ompt::kSetAlways}, int{ompt_set_always});
  EXPECT_EQ(int{ompt::kDataAlloc}, int{ompt_target_data_alloc});
  EXPECT_EQ(int{ompt::kDataToDevice}, int{ompt_target_data_transfer_to_device});
  EXPECT_EQ(int{ompt::kDataFromDevice}, int{ompt_target_data_transfer_from_device});
  EXPECT_EQ(int{ompt::kDataDelete}, int{ompt_target_data_delete});
  EXPECT_EQ(int{ompt::kDataAssociate}, int{ompt_target_data_associate});
  EXPECT_EQ(int{ompt::kDataDisassociate}, int{ompt_target_data_disassociate});
  EXPECT_EQ(ompt_target + ompt::kNowaitDistance, int{ompt_target_nowait});
  EXPECT_EQ(ompt_target_update + ompt::kNowaitDistance, int{ompt_target_update_nowait});
  EXPECT_EQ(unsigned{ompt::kMapImplicit}, unsigned{ompt_target_map_flag_implicit});
}

#else

TEST(OmptTypes, records_have_the_layout_of_the_header) { GTEST_SKIP() << "there is no omp-tools.h here"; }

#endif

} // namespace
} // namespace omptarget
