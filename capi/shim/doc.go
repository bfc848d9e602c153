// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package shim watches and disturbs the calls from a client to a PJRT plugin. It sits between the
// two, as a table of functions that forwards each call, and can
//
//   - trace: log every call with its arguments, results, error, duration and thread, as text, as
//     JSON, or as a trace for Perfetto and chrome://tracing, and write a summary at the end;
//   - validate: report mistakes of the client, such as the use of a handle after it was destroyed,
//     with the handle and the call that made it;
//   - inject faults: make chosen calls fail or take longer;
//   - take away: hide chosen functions and extensions of the plugin, or make it as old as an API
//     minor;
//   - accept clients that are older than the plugin accepts, or say that buffers are not in the
//     host's memory;
//   - do what plugins in the field do though clients do not expect it;
//   - record: write a session to a file, which package recording, and the command pjrt replay, can
//     repeat on another plugin.
//
// [Environment] reads a [Config] from environment variables, [New] makes a [Shim], and [Shim.Wrap]
// puts it in front of a plugin. The library tools/pjrtshim does that for clients in any language,
// and package pjrt/trace for programs that use package pjrt.
//
// # Variables
//
// These are the names for the library. Package pjrt/trace has the same with PJRT_ instead of
// PJRT_SHIM_. In names of files, %p stands for the process id. In place of the name of an output,
// 1 means stderr, and 0 none. An output may be a pipe, whose reader must be there first.
//
//	PJRT_SHIM_TRACE=FILE          trace to a file, or to stderr or stdout
//	PJRT_SHIM_TRACE_FORMAT=FORMAT text, json (an object on each line) or chrome;
//	                              by default the name of the file decides:
//	                              .jsonl, .ndjson: json; .json, .perfetto: chrome
//	PJRT_SHIM_TRACE_BEGIN=1       also write a line when a call begins: the last
//	                              one shows where a process crashed or hangs
//	PJRT_SHIM_TRACE_ONLY=NAMES    only these functions, separated by commas, with
//	                              * for any characters; -NAME excludes one. Other
//	                              functions run at full speed and are not counted
//	PJRT_SHIM_TRACE_TEXT=BYTES    how much of a text to show, 80 by default
//	PJRT_SHIM_SUMMARY=FILE        write only the summary
//	PJRT_SHIM_VALIDATE=FILE       validate, and write the findings to a file, or
//	                              to stderr
//	PJRT_SHIM_VALIDATE_REFUSE=1   make calls fail that would use a destroyed
//	                              handle, without calling the plugin
//	PJRT_SHIM_FAULTS=RULES        see ParseFaults
//	PJRT_SHIM_ABSENT=NAMES        functions whose slots are null, and extensions that
//	                              are not in the chain
//	PJRT_SHIM_MINOR=N             minor version, older than the plugin's own, that the
//	                              plugin reports and with which its table ends
//	PJRT_SHIM_GROW=1              accept clients that are too old for the plugin
//	PJRT_SHIM_OFF_HOST=1          say that no buffer is in the host's memory, as
//	                              plugins for accelerators do
//	PJRT_SHIM_ODD=NAMES           do what some plugins in the field do: see Oddity
//	PJRT_SHIM_RECORD=FILE         record the session
package shim
