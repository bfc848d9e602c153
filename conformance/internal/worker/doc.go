// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package worker runs tasks in processes of their own, which may die.
//
// Start starts a program that calls Serve. Requests and answers go through pipes that
// nothing else writes to, so the plugin may print anything; the last 64 KiB of its output
// are kept. If the process dies or does not answer in time, Do returns how it ended and
// the end of its output.
package worker
