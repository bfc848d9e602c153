// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package hostile has inputs that somebody wrote to make their reader slow, large or deep, and
// the readers of bytes from outside that get them.
//
// It is for tests. The program in the folder growth counts the steps that each reader takes on each
// input, and the bytes that it allocates, as the input grows. What reads something new from outside
// gets a row in Readers, and what it may be attacked with a row in Inputs.
package hostile
