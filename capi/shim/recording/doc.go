// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package recording records the calls of a client to a PJRT plugin, and repeats them on another
// plugin.
//
// A [Recorder] writes a session to a file, [Open] reads it, and [Replay] repeats its calls and
// compares the results.
//
// # Format
//
// A session is a text file with a JSON object on each line. The first line is
//
//	{"format":"purepjrt session","version":1,"api":[0,81]}
//
// Each call is written when it has returned, so the line with a handle as output precedes the lines
// with it as input:
//
//	{"call":7,"function":"PJRT_Buffer_ToHostBuffer","size":56,"in":{...},"out":{...},"ns":1200}
//	{"call":8,"function":"PJRT_Client_Compile","size":56,"in":{...},"error":{"code":3,"message":"...","handle":"PJRT_Error#4"},"ns":90}
//
// size is the caller's struct_size. in and out hold the fields by their C names. Numbers and
// enumerators are numbers. A handle is a string of its type and a unique number, and a null pointer
// is null. Lists are arrays, and structs are objects. Bytes are a string if they are text, and
// otherwise an object with their base64 and CRC-32 (IEEE), {"base64":"...","crc":"89abcdef"}.
// Addresses and callbacks have no meaning in another process, so true only says that they were not
// null.
//
// The result of a transfer is a separate line, at the point where the client could know that it had
// arrived:
//
//	{"data":7,"type":11,"bytes":{...}}
//
// The last line, {"end":1234}, has the number of lines before it. If it is missing, the process was
// killed.
//
// If the name of a file ends in .gz, it is read as a gzip file.
package recording
