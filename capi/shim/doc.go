// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package shim watches and disturbs the calls that a client makes to a PJRT
// plugin. It stands between the two, as a table of functions that forwards each
// call, and can
//
//   - trace: write down every call with its arguments, results, error, duration
//     and thread, as text, as JSON, or as a trace for Perfetto and
//     chrome://tracing, and sum up at the end;
//   - validate: find what a correct client never does, such as the use of a
//     handle after it was destroyed, and name the handle and the call that made
//     it;
//   - inject faults: let chosen calls fail or take longer;
//   - record: write a session to a file, from which package recording, and the
//     command pjrt replay, run it again on another plugin.
//
// [Environment] reads what to do from variables, [New] prepares it, and
// [Shim.Wrap] puts it in front of a plugin. The library tools/pjrtshim does that
// for clients in any language, and package pjrt/trace for programs that use
// package pjrt.
//
// # Variables
//
// The names here are those of the library. Package pjrt/trace has the same with
// PJRT_ in place of PJRT_SHIM_. In names of files, %p stands for the number of the
// process.
//
//	PJRT_SHIM_TRACE=FILE          trace to a file, or to stderr or stdout
//	PJRT_SHIM_TRACE_FORMAT=FORMAT text, json (an object on each line) or chrome;
//	                              by default what the name of the file says:
//	                              .jsonl, .ndjson: json; .json, .perfetto: chrome
//	PJRT_SHIM_TRACE_BEGIN=1       also a line when a call begins: the last one
//	                              tells where a process crashed or hangs
//	PJRT_SHIM_TRACE_ONLY=NAMES    only these functions, with commas between, and
//	                              * for any characters; -NAME leaves one out. The
//	                              others run at full speed, and no sum has them
//	PJRT_SHIM_TRACE_TEXT=BYTES    how much of a text is shown, 80 by default
//	PJRT_SHIM_SUMMARY=FILE        only the summary, by itself
//	PJRT_SHIM_VALIDATE=FILE       validate, and write what is found to a file, or
//	                              to stderr; 1 means stderr
//	PJRT_SHIM_VALIDATE_REFUSE=1   calls that would use a dead handle are answered
//	                              with an error in place of the plugin
//	PJRT_SHIM_FAULTS=RULES        see ParseFaults
//	PJRT_SHIM_RECORD=FILE         record the session
package shim
