// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package megascale runs programs on several slices of TPUs, which are connected by the data
// center's network, and exchanges arrays between their processes. It uses the extensions Megascale,
// which came with API 0.90, Collectives (0.94) and MultiSlice (0.96); libtpu has them all.
//
// # Programs
//
// [AOTConfig] makes the configuration of a program that is compiled ahead of time. A job that runs
// has a [Context] in each process: [Context.Config] makes the configuration for its executions.
// [OnError] reports errors of the network, and an [Aggregator] finds, among the errors of all
// workers, the ones that matter.
//
// Several arguments are serialized messages of the runtime (EndpointAddresses, DCNTopology and the
// errors). They pass unchanged from one function or process to another.
//
// # Collectives
//
// [Collectives] sum, gather and exchange arrays between processes, outside programs. The processes
// of a [Clique] agree on its ids and on the rank of each member:
//
//	x, err := context.Collectives(processes, nil)
//	...
//	list, err := x.Join(ctx, megascale.Clique{Devices: []int{0, 1}, IDs: ids, Ranks: []int{0}})
//	...
//	done, err := megascale.AllReduce(list[0], sums, values, megascale.Sum, nil)
//	...
//	err = done.Wait(ctx) // sums is valid from here on
//
// When libtpu is loaded, it reads the port to listen on from the environment variable
// LIBTPU_INIT_ARGS, such as --megascale_port=8471. On machines without a data center network the
// variable must also contain --megascale_transport_type=grpc. The ranks of one process were tested
// that way, without TPUs; the ranks of several processes need whatever starts a job of several
// slices.
package megascale
