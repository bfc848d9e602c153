// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Pjrtshim is a shared library that sits between a client of PJRT, such as JAX, and a plugin, and
// watches the calls: it can trace them, find misuse, make them fail, and record them. Clients need
// no changes.
//
// Build it with
//
//	CGO_ENABLED=1 go build -buildmode=c-shared -o libpjrt_shim.so ./tools/pjrtshim
//
// It is a plugin itself and forwards calls to the one that PJRT_SHIM_PLUGIN names: a path,
// name:path, or the name of a plugin that pjrt install installed. Use it in JAX with
//
//	PJRT_NAMES_AND_LIBRARY_PATHS=watched:/path/to/libpjrt_shim.so \
//	JAX_PLATFORMS=watched PJRT_SHIM_PLUGIN=cpu PJRT_SHIM_TRACE=stderr python program.py
//
// Other variables control what it does. Package capi/shim lists them, and README.md in this folder
// shows their output. If something is wrong with them, or with the plugin, the library prints the
// reason, and also returns it as the error of the client's first calls.
//
// The summary and the leaks are written when the process exits normally. Everything else is written
// at once.
package main
