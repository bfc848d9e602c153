// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package inspect shows what a compiler made of a program: the arguments and results with
// their layouts and shardings, the memory and what uses it when, the cost, the kernels, and
// the optimized program.
//
// [New] asks the plugin for all of it, and leaves out what the plugin does not report.
// [Report.WriteHTML] writes one page that needs no network and no other file. The package
// works for executables of any client and for those compiled ahead of time.
package inspect
