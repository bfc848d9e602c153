// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package megascale runs programs on several slices of TPUs, which are connected by the data
// center's network. It uses the extension Megascale, which came with API 0.90; libtpu has it.
//
// [AOTConfig] makes the configuration of a program that is compiled ahead of time. A job that runs
// has a [Context] in each process: [Context.Config] makes the configuration for its executions, and
// [Context.Collectives] exchanges arrays between the processes. [OnError] reports errors of the
// network, and an [Aggregator] finds, among the errors of all workers, the ones that matter.
//
// Several arguments are serialized messages of the runtime (EndpointAddresses, DCNTopology and the
// errors). They pass unchanged from one function or process to another.
package megascale
