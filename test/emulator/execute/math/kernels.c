// Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel for each function of a GPU's library, for math_test.cpp. With T as float or double those of functions.def,
// with -DOF_BITS those of libdevice whose results are compared bit by bit.

#include "points.h"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#ifdef __NVPTX__
#define KERNEL __attribute__((nvptx_kernel)) void
#define PRIVATE
#define THREAD __nvvm_read_ptx_sreg_tid_x()
#else
#define KERNEL __attribute__((amdgpu_kernel)) void
#define PRIVATE __attribute__((address_space(5)))
#define THREAD __builtin_amdgcn_workitem_id_x()
#endif

#ifdef OF_BITS

#define FROM(type, bits)                                                                                               \
  ({                                                                                                                   \
    type from_;                                                                                                        \
    __builtin_memcpy(&from_, &(bits), sizeof(from_));                                                                  \
    from_;                                                                                                             \
  })
#define COMPUTE(name, R, expression)                                                                                   \
  KERNEL kernel_##name(struct Bits *bits) {                                                                            \
    const unsigned i = THREAD;                                                                                         \
    const R result = (expression);                                                                                     \
    bits->result[i] = 0;                                                                                               \
    __builtin_memcpy(&bits->result[i], &result, sizeof(result));                                                       \
  }
#define NV_1(R, name, A, expression)                                                                                   \
  R __nv_##name(A);                                                                                                    \
  COMPUTE(name, R, __nv_##name(FROM(A, bits->a[i])))
#define NV_2(R, name, A, B, expression)                                                                                \
  R __nv_##name(A, B);                                                                                                 \
  COMPUTE(name, R, __nv_##name(FROM(A, bits->a[i]), FROM(B, bits->b[i])))
#define NV_3(R, name, A, B, C, expression)                                                                             \
  R __nv_##name(A, B, C);                                                                                              \
  COMPUTE(name, R, __nv_##name(FROM(A, bits->a[i]), FROM(B, bits->b[i]), FROM(C, bits->c[i])))
#include "emulator/execute/libdevice/functions.def"

#else

#ifdef __NVPTX__
#define F(name) JOIN(__nv_##name, SUFFIX)
#else
#define F(name) JOIN(__ocml_##name, SUFFIX)
typedef T T2 __attribute__((ext_vector_type(2)));
// CUDA's names.
#define __ocml_cyl_bessel_i0_f32 __ocml_i0_f32
#define __ocml_cyl_bessel_i0_f64 __ocml_i0_f64
#define __ocml_cyl_bessel_i1_f32 __ocml_i1_f32
#define __ocml_cyl_bessel_i1_f64 __ocml_i1_f64
#define __ocml_norm3d_f32 __ocml_len3_f32
#define __ocml_norm3d_f64 __ocml_len3_f64
#define __ocml_norm4d_f32 __ocml_len4_f32
#define __ocml_norm4d_f64 __ocml_len4_f64
#define __ocml_normcdf_f32 __ocml_ncdf_f32
#define __ocml_normcdf_f64 __ocml_ncdf_f64
#define __ocml_normcdfinv_f32 __ocml_ncdfinv_f32
#define __ocml_normcdfinv_f64 __ocml_ncdfinv_f64
#define __ocml_rnorm3d_f32 __ocml_rlen3_f32
#define __ocml_rnorm3d_f64 __ocml_rlen3_f64
#define __ocml_rnorm4d_f32 __ocml_rlen4_f32
#define __ocml_rnorm4d_f64 __ocml_rlen4_f64
#endif

// The functions that are called, declared where they are.
#define ONE(name)                                                                                                      \
  ({                                                                                                                   \
    T F(name)(T);                                                                                                      \
    F(name)(a);                                                                                                        \
  })
#define TWO(name)                                                                                                      \
  ({                                                                                                                   \
    T F(name)(T, T);                                                                                                   \
    F(name)(a, b);                                                                                                     \
  })
#define NEXT(name) TWO(name)
#define THREE(name)                                                                                                    \
  ({                                                                                                                   \
    T F(name)(T, T, T);                                                                                                \
    F(name)(a, b, c);                                                                                                  \
  })
#define FOUR(name)                                                                                                     \
  ({                                                                                                                   \
    T F(name)(T, T, T, T);                                                                                             \
    F(name)(a, b, c, d);                                                                                               \
  })
#define TO_INT(name)                                                                                                   \
  ({                                                                                                                   \
    int F(name)(T);                                                                                                    \
    (T) F(name)(a);                                                                                                    \
  })
#define TO_LONG(name)                                                                                                  \
  ({                                                                                                                   \
    long long F(name)(T);                                                                                              \
    (T) F(name)(a);                                                                                                    \
  })
#define BY_INT(name)                                                                                                   \
  ({                                                                                                                   \
    T F(name)(T, int);                                                                                                 \
    F(name)(a, (int)b);                                                                                                \
  })
#define INT_FIRST(name)                                                                                                \
  ({                                                                                                                   \
    T F(name)(int, T);                                                                                                 \
    F(name)((int)b, a);                                                                                                \
  })
#define OUT_1(name, type)                                                                                              \
  ({                                                                                                                   \
    T F(name)(T, PRIVATE type *);                                                                                      \
    type out_;                                                                                                         \
    const T first_ = F(name)(a, (PRIVATE type *)&out_);                                                                \
    second = (T)out_;                                                                                                  \
    first_;                                                                                                            \
  })
#define QUOTIENT(name)                                                                                                 \
  ({                                                                                                                   \
    T F(name)(T, T, PRIVATE int *);                                                                                    \
    int out_;                                                                                                          \
    const T first_ = F(name)(a, b, (PRIVATE int *)&out_);                                                              \
    second = (T)(out_ & 7);                                                                                            \
    first_;                                                                                                            \
  })
#define ARRAY(name)                                                                                                    \
  ({                                                                                                                   \
    T F(name)(int, const T *);                                                                                         \
    const T values_[4] = {a, b, c, d};                                                                                 \
    F(name)(4, values_);                                                                                               \
  })
#ifdef __NVPTX__
#define NAN_OF(name)                                                                                                   \
  ({                                                                                                                   \
    T F(name)(const char *);                                                                                           \
    F(name)("");                                                                                                       \
  })
#define BOTH(name)                                                                                                     \
  ({                                                                                                                   \
    void F(name)(T, T *, T *);                                                                                         \
    T sine_;                                                                                                           \
    F(name)(a, &sine_, &second);                                                                                       \
    sine_;                                                                                                             \
  })
#else
#define NAN_OF(name)                                                                                                   \
  ({                                                                                                                   \
    T F(name)(U);                                                                                                      \
    F(name)(0);                                                                                                        \
  })
#define BOTH(name) OUT_1(name, T)
#define COMPLEX_SIZE(name)                                                                                             \
  ({                                                                                                                   \
    T F(name)(T2);                                                                                                     \
    F(name)((T2){a, b});                                                                                               \
  })
#define COMPLEX_1(name)                                                                                                \
  ({                                                                                                                   \
    T2 F(name)(T2);                                                                                                    \
    const T2 result_ = F(name)((T2){a, b});                                                                            \
    second = result_.y;                                                                                                \
    result_.x;                                                                                                         \
  })
#define COMPLEX_2(name)                                                                                                \
  ({                                                                                                                   \
    T2 F(name)(T2, T2);                                                                                                \
    const T2 result_ = F(name)((T2){a, b}, (T2){c, d});                                                                \
    second = result_.y;                                                                                                \
    result_.x;                                                                                                         \
  })
#endif

#define COMPUTE(name, form)                                                                                            \
  KERNEL kernel_##name(struct Points *points) {                                                                        \
    const unsigned i = THREAD;                                                                                         \
    const T a = points->a[i], b = points->b[i], c = points->c[i], d = points->d[i];                                    \
    T second = 0;                                                                                                      \
    points->first[i] = form;                                                                                           \
    points->second[i] = second;                                                                                        \
    (void)a, (void)b, (void)c, (void)d;                                                                                \
  }
#define FUNCTION(name, of_a, of_others, ulps_float, ulps_double, form) COMPUTE(name, form)
#define FLOAT(name, of_a, of_others, ulps, form)
#ifdef __NVPTX__
#define NVIDIA(name, of_a, of_others, ulps_float, ulps_double, form) COMPUTE(name, form)
#define AMD(name, of_a, of_others, ulps_float, ulps_double, form)
#else
#define NVIDIA(name, of_a, of_others, ulps_float, ulps_double, form)
#define AMD(name, of_a, of_others, ulps_float, ulps_double, form) COMPUTE(name, form)
#ifdef OF_FLOAT
#undef FLOAT
#define FLOAT(name, of_a, of_others, ulps, form) COMPUTE(name, form)
#endif
#endif
#include "functions.def"

#endif
