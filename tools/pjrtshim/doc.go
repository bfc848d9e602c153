// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Pjrtshim is a shared library that stands between a client of PJRT, such as JAX,
// and a plugin, and watches the calls: it traces them, finds misuse, lets them
// fail, and records them. No client has to be changed for it.
//
// It is built by
//
//	CGO_ENABLED=1 go build -buildmode=c-shared -o libpjrt_shim.so ./tools/pjrtshim
//
// and is a plugin itself, which forwards to the one that PJRT_SHIM_PLUGIN names: a
// path, a name and a path with a colon between, or the name of a plugin that
// pjrt install installed. JAX takes it by
//
//	PJRT_NAMES_AND_LIBRARY_PATHS=watched:/path/to/libpjrt_shim.so \
//	JAX_PLATFORMS=watched PJRT_SHIM_PLUGIN=cpu PJRT_SHIM_TRACE=stderr python program.py
//
// Further variables say what it does; package capi/shim lists them, and the file
// README.md beside this one shows what comes of them. When something is wrong
// with them, or with the plugin, the library prints the reason, and answers a
// client's first calls with it.
//
// The summary and the leaks are written when the process ends in an orderly way.
// Everything else is written at once.
package main
