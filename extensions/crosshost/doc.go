// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package crosshost moves buffers between the devices of different processes without
// running a program on the devices. It uses the extension CrossHostTransfers, which came
// with API 0.74; libtpu and XLA's plugins for GPUs have it.
//
// There are two ways. Processes that agree on a number, the key of a transfer, use [Send]
// and [Receive] (API 0.81). Without such an agreement, the receiving process makes a
// [Receiver] and brings its descriptors to the sender by any means, and the sender calls
// [CopyToRemoteDevice] (API 0.104).
//
// Programs can be tested without hardware: the plugins of package pjrttest have the extension
// if they share a pjrttest.Network.
package crosshost
