// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package megascale is about programs that run on several slices of TPUs, which the network of the
// data center connects. It uses the extension Megascale, which came with API 0.90; libtpu has it.
//
// [AOTConfig] makes the configuration of a program that is compiled ahead of time. A job that runs
// has a [Context] in each process: [Context.Config] makes the configuration for its executions, and
// [Context.Collectives] exchanges arrays between the processes. [OnError] tells of errors of the
// network, and an [Aggregator] finds the one among those of all workers that matters.
//
// Several arguments are serialized messages of the runtime (EndpointAddresses, DCNTopology and the
// errors), which come from one function or process and go to another as they are.
package megascale
