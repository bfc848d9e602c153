// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package worker runs tasks in processes of their own, which may die of them.
//
// Start starts a program that calls Serve. Requests and answers go through
// pipes that nothing else writes to, so a worker whose code prints a gigabyte
// does no harm: the last 64 KiB of what it prints are kept. When the process
// dies, or does not answer in time, Do says how it ended and what it had to say.
package worker
