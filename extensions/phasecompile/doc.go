// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package phasecompile runs single phases of a plugin's compiler, so that a program can
// inspect or store the results of each phase. It uses the extension PhaseCompile, which
// came with API 0.70; libtpu has it.
//
// [Phases] names the phases, and [Compile] runs some of them. Each [Program] says which
// phase made it and which phases take it.
package phasecompile
