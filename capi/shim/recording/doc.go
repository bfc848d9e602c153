// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package recording keeps what a client did with a PJRT plugin, and does it
// again on another.
//
// A [Recorder] writes a session to a file, [Open] reads it, and [Replay] makes
// its calls again and compares what they give.
//
// # Format
//
// A session is a text file with a JSON object on each line. The first line is
//
//	{"format":"purepjrt session","version":1,"api":[0,81]}
//
// Each call follows when it returned, so a handle comes out of one line before it
// goes into another:
//
//	{"call":7,"function":"PJRT_Buffer_ToHostBuffer","size":56,"in":{...},"out":{...},"ns":1200}
//	{"call":8,"function":"PJRT_Client_Compile","size":56,"in":{...},"error":{"code":3,"message":"...","handle":"PJRT_Error#4"},"ns":90}
//
// size is the caller's struct_size. in and out hold the fields by their C names:
// numbers and enumerators as numbers, handles as texts of their type and a number
// that no other object has, null for a null pointer, lists and structs as such.
// Bytes are a text where they are one, else an object with their base64 and their
// CRC-32 (IEEE), {"base64":"...","crc":"89abcdef"}. Addresses and callbacks mean
// nothing in another process; what is kept is that they were not null, as true.
//
// What a transfer brought is a line of its own, which stands where the client
// could know that it had arrived:
//
//	{"data":7,"type":11,"bytes":{...}}
//
// The last line counts the lines before it, {"end":1234}. A session without it
// ends where the process was killed.
//
// A file whose name ends in .gz is read as one that gzip made.
package recording
