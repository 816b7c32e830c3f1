/* Part of omptarget, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The records by which device code asks the host, through the plugin, for a service: docs/use/host-services.md.
 * Self-contained C11 and C++. All integers are little endian.
 */
#ifndef OMPTARGET_SERVICE_PROTOCOL_H
#define OMPTARGET_SERVICE_PROTOCOL_H

#include "omptarget/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The variable of an image that tells its device code where the mailbox is. An image without it needs no services. */
#define OMPTARGET_SERVICE_CLIENT_NAME "__omptarget_service_client"

enum {
  OMPTARGET_SERVICE_VERSION = 1,
  OMPTARGET_SERVICE_MOST_PORTS = 64,
  OMPTARGET_SERVICE_PAYLOAD = 960,       /* bytes of a packet's payload */
  OMPTARGET_SERVICE_MOST_BYTES = 1048576 /* of the data of a call */
};

/* The begin of the client's variable. The image says the version; the plugin reads it and writes the rest. */
typedef struct __omptarget_service_client_head {
  uint32_t version; /* OMPTARGET_SERVICE_VERSION of the image */
  uint32_t ports;   /* of the mailbox; 0: nobody serves */
  uint64_t mailbox; /* address of the first port, for the device */
} __omptarget_service_client_head;
OMPTARGET_STATIC_ASSERT(sizeof(__omptarget_service_client_head) == 16, "layout of version 1");

/* The whole variable. Images of before have it without the streams. */
typedef struct __omptarget_service_client_data {
  __omptarget_service_client_head head;
  uint32_t locks[OMPTARGET_SERVICE_MOST_PORTS]; /* device code's own */
  uint64_t streams[2]; /* the plugin writes the host's stdout and stderr: device code that gets one knows which it is */
} __omptarget_service_client_data;
OMPTARGET_STATIC_ASSERT(sizeof(__omptarget_service_client_data) == 288, "layout of version 1");

/* Streams of the host's. */
enum { OMPTARGET_SERVICE_STDOUT = 0, OMPTARGET_SERVICE_STDERR = 1, OMPTARGET_SERVICE_NO_STREAM = 2 };

/* Operations. Data: what the call's packets hold. */
enum {
  OMPTARGET_SERVICE_CONTINUE = 0, /* one more packet of the call that the port has begun */
  /* Argument: a stream. Data: a format with its NUL, then a value for each conversion. Result: as printf's. */
  OMPTARGET_SERVICE_PRINT = 1,
  OMPTARGET_SERVICE_ALLOCATE = 2, /* argument: bytes; result: address, or 0 */
  OMPTARGET_SERVICE_RELEASE = 3,  /* argument: an address of ALLOCATE */
  OMPTARGET_SERVICE_ABORT = 4,    /* ends the process as abort() does */
  OMPTARGET_SERVICE_EXIT = 5,     /* argument: status; ends the process as exit() does */
  OMPTARGET_SERVICE_CALL = 6,  /* argument: a function's number; data go to it and come back; result: the function's */
  OMPTARGET_SERVICE_FETCH = 7, /* the next packet of what comes back */
  OMPTARGET_SERVICE_CALL_ADDRESS = 8, /* argument: a function's address; it gets the data's; result: the function's */
  OMPTARGET_SERVICE_WRITE = 9,        /* argument: a stream; bytes to write; result: how many were written */
  OMPTARGET_SERVICE_FLUSH = 10,       /* argument: a stream; result: 0 */
  OMPTARGET_SERVICE_PRINT_ERROR = 11, /* argument: an errno; data: what perror gets, without its NUL; result: 0 */
  OMPTARGET_SERVICE_TIME = 12,        /* result: nanoseconds since 1970 */
  OMPTARGET_SERVICE_SIZE_OF = 13      /* argument: an address of ALLOCATE; result: its bytes */
};

/* Kinds of a printed value. A value is one byte of kind, then its bytes, unaligned. */
enum {
  OMPTARGET_SERVICE_VALUE_INT32 = 1,  /* 4 bytes */
  OMPTARGET_SERVICE_VALUE_INT64 = 2,  /* 8 bytes */
  OMPTARGET_SERVICE_VALUE_DOUBLE = 3, /* 8 bytes */
  OMPTARGET_SERVICE_VALUE_STRING = 4, /* bytes up to and with a NUL */
  OMPTARGET_SERVICE_VALUE_NULL = 5    /* a string whose address is null: nothing */
};

enum {
  OMPTARGET_SERVICE_DONE = 0,   /* status: result is valid */
  OMPTARGET_SERVICE_REFUSED = 1 /* status: the host has said why on stderr */
};

/* The device writes all of it but status and result, which the host writes; payload goes both ways. */
typedef struct __omptarget_service_packet {
  uint32_t operation;
  uint32_t size;     /* bytes of payload that are used */
  uint64_t argument; /* in the first packet of a call */
  uint32_t block;    /* who asks: number of the block in x, */
  uint32_t thread;   /* and of the thread in its block */
  uint32_t is_last;  /* the call's data end here */
  uint32_t status;   /* OMPTARGET_SERVICE_DONE or _REFUSED, with the answer */
  uint64_t result;   /* with the answer to the last packet of a call */
  uint64_t unused;
  uint8_t payload[OMPTARGET_SERVICE_PAYLOAD];
} __omptarget_service_packet;
OMPTARGET_STATIC_ASSERT(sizeof(__omptarget_service_packet) == 1008, "layout of version 1");

/* The packet belongs to the device if asked equals answered, otherwise to the host. One side only writes each. */
typedef struct __omptarget_service_port {
  uint32_t asked; /* the device counts: one for each packet */
  uint32_t unused1[31];
  uint32_t answered; /* the host follows */
  uint32_t unused2[31];
  __omptarget_service_packet packet;
  uint8_t unused3[16];
} __omptarget_service_port;
OMPTARGET_STATIC_ASSERT(sizeof(__omptarget_service_port) == 1280, "layout of version 1");

#ifdef __cplusplus
}
#endif

#endif
