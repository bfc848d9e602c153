// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package serve is the other side of PJRT's table: Go functions behind a
// PJRT_Api that clients written in C, in Go or in anything else can call.
//
// A [Plugin] has a Go func for each function of the API, and [Plugin.Serve] makes a live table from
// it, with the requested minor version. [Wrap] makes a table that forwards each call to another
// plugin, and lets hooks watch, change or answer calls.
//
// The type of the args already says which function a func stands for, and a hook of [Wrap] is found
// by it. A Plugin has a field for each function all the same. A list of funcs would be as long
// where it is written, but only the fields make it an error of the compiler to give two funcs for
// one function, or a func with an error for a function that cannot return one; they say which
// extensions the chain has, those without a func too, and an editor lists what is there to serve,
// each with its C name and age. What this costs is generated, and linked only into programs that
// serve a Plugin.
//
// # Entry points
//
// Each slot of each live table has its own entry point, from a pool that is part of the program.
// [Table.Close] returns them to the pool. If the pool is exhausted, making a table is an error;
// MaxTables says how many tables fit.
//
// # Memory
//
// The args that a func or a hook gets are the caller's memory, and valid only during the call. So
// is everything that their pointers lead to, unless the API says otherwise. Objects that a func
// returns, such as handles and strings, must stay alive at the same address as long as the API
// requires. Go heap objects never move, but they live only as long as Go code refers to them; a
// reference in C does not count.
package serve
