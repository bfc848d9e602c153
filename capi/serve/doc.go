// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package serve is the other side of PJRT's table: Go functions behind a
// PJRT_Api that clients written in C, in Go or in anything else can call.
//
// A [Plugin] has a Go func for each function of the API; [Plugin.Serve] makes a
// live table of it, of whatever minor version is asked for. [Wrap] makes a table
// in front of another plugin's, forwards each call, and lets hooks see and
// change calls or answer them instead.
//
// # Entry points
//
// Each slot of each live table has an entry point of its own, taken from a pool
// that is part of the program. [Table.Close] gives them back. When the pool is
// exhausted, making a table is an error; MaxTables says how many fit.
//
// # Memory
//
// The args that a func or a hook gets are the caller's memory and end with the
// call; so does everything their pointers lead to, unless the API says
// otherwise. What a func hands out, such as handles and strings, must stay
// where it is and alive until the API allows it to go: objects on the Go heap
// never move, and live as long as Go code refers to them, which C does not.
package serve
