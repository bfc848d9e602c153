// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package transfer moves data to and from running programs, and data that does not exist
// yet when a call is made.
//
// # While a program runs
//
// [Hosts] and [Outputs] extend an execution; they go into ExecuteOptions.Extensions. A
// [Host] takes the data that the send operations of a program send, and supplies the data
// that its recv operations receive, through a [Stream]. An [Output] gets the values that
// an output operation emits.
//
// # Data that comes later
//
// A [Manager] makes buffers that are filled in pieces, in any order. Other functions
// return a promise: [NewAlias] makes a buffer that stands for one to come, [DonateAfter]
// makes a buffer that is ready once the program says so, and [PrepareCopyRaw] prepares a
// copy to memory that is chosen later. Fulfill keeps a promise, Fail breaks it, and Close
// gives it up: whatever waits for the promise then fails with pjrt.ErrCancelled. Only the
// first of the three counts. If the program forgets a promise, the garbage collector
// gives it up.
//
// # Bytes
//
// [CopyRaw] and [StartCopyRaw] copy bytes of a buffer as they lie on the device. [MapDMA]
// lets devices transfer from and to memory of the host without a copy in between.
package transfer
