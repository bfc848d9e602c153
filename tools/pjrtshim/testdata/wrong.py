# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: 2026 The purepjrt Authors
"""A client that breaks the rules of PJRT on purpose: python wrong.py LIBRARY SLOTS

SLOTS is a JSON object with the offsets of functions in the table. It prints the
handles that it misuses as a JSON object.
"""

import ctypes
import json
import sys

library, slots = ctypes.CDLL(sys.argv[1]), json.loads(sys.argv[2])
library.GetPjrtApi.restype = ctypes.c_void_p
table = library.GetPjrtApi()


def call(name, size, **fields):
    """Calls a function with words at offsets, fields named _OFFSET, and returns its args."""
    args = (ctypes.c_uint64 * 32)()
    args[0] = size
    for offset, value in fields.items():
        args[int(offset[1:]) // 8] = value or 0
    function = ctypes.cast(table + slots[name], ctypes.POINTER(ctypes.c_void_p))[0]
    prototype = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    error = prototype(function)(ctypes.addressof(args))
    return error, args


def destroy_error(error):
    if error:
        call("PJRT_Error_Destroy", 24, _16=error)


def upload(client, semantics, data):
    dims = (ctypes.c_int64 * 1)(len(data))
    error, args = call(
        "PJRT_Client_BufferFromHostBuffer", 120,
        _16=client, _24=ctypes.addressof(data), _32=11, _40=ctypes.addressof(dims),
        _48=1, _72=semantics, _80=device,
    )
    assert not error
    return args[14], args[13]


error, _ = call("PJRT_Plugin_Initialize", 16)
assert not error
error, args = call("PJRT_Client_Create", 88)
assert not error
client = args[8]
error, args = call("PJRT_Client_AddressableDevices", 40, _16=client)
device = ctypes.cast(args[3], ctypes.POINTER(ctypes.c_uint64))[0]

numbers = (ctypes.c_float * 1024)(*range(1024))
during_call, until_done = 0, 2

# A buffer that is used, and destroyed, after it was destroyed.
used, done = upload(client, during_call, numbers)
call("PJRT_Event_Destroy", 24, _16=done)
call("PJRT_Buffer_Destroy", 24, _16=used)
error, _ = call("PJRT_Buffer_ElementType", 28, _16=used)
error2, _ = call("PJRT_Buffer_Destroy", 24, _16=used)

# Errors that nobody reads.
destroy_error(error)
destroy_error(error2)

# Arguments that are too small for any version.
error, _ = call("PJRT_Client_PlatformName", 20, _16=client)
destroy_error(error)

# Memory that changes while the buffer is that memory.
lent = (ctypes.c_float * (1 << 16))()
aligned = (ctypes.c_float * (1 << 14)).from_buffer(lent, (-ctypes.addressof(lent)) % 64)
changed, done = upload(client, until_done, aligned)
aligned[5] = 1
call("PJRT_Buffer_Destroy", 24, _16=changed)
call("PJRT_Event_Await", 24, _16=done)
call("PJRT_Event_Destroy", 24, _16=done)

# Another client's device.
error, args = call("PJRT_Client_Create", 88)
second = args[8]
dims = (ctypes.c_int64 * 1)(4)
error, args = call(
    "PJRT_Client_BufferFromHostBuffer", 120,
    _16=second, _24=ctypes.addressof(numbers), _32=11, _40=ctypes.addressof(dims), _48=1, _80=device,
)
destroy_error(error)
call("PJRT_Client_Destroy", 24, _16=second)

# An event that is never destroyed, and a client that is destroyed before its buffer.
left, leaked = upload(client, during_call, numbers)
call("PJRT_Client_Destroy", 24, _16=client)

print(json.dumps({"used": hex(used), "changed": hex(ctypes.addressof(aligned)), "device": hex(device), "left": hex(left), "leaked": hex(leaked)}))
