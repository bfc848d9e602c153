// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import "maps"

// quirk is a behaviour of one plugin that this package works around. All of them are in
// quirkTable, so that removing the workaround for a fixed plugin changes one line.
//
// A test looks for each on all plugins that execute programs, so the ages are what was seen, and
// a plugin between one that has a quirk and one that does not counts as one that has it.
type quirk struct {
	name     string           // of the quirk, for the test that looks for it
	kind     string           // of the plugins that have the quirk
	since    int              // the first API minor on which it was seen
	began    bool             // older plugins were seen without it; others may have it
	until    int              // the last API minor that may have it; 0 if the newest known still does
	evidence string           // what was observed
	rule     string           // the conformance rule whose check shows it, or ""
	apply    func(*behaviour) // sets what the quirk changes
}

// of reports whether a plugin of the kind and API minor is expected to have the quirk.
func (q *quirk) of(kind string, minor int) bool {
	return q.kind == kind && (!q.began || minor >= q.since) && (q.until == 0 || minor <= q.until)
}

// behaviour is what this package expects of a plugin.
type behaviour struct {
	// executionsInFlight is how many executions may run on a device before the plugin
	// blocks the thread of the next call.
	executionsInFlight int
	// serializesWithoutCode says that an executable that was loaded from bytes serializes
	// to bytes that cannot be loaded.
	serializesWithoutCode bool
	// copiesKept says that an execution of a program that donates arguments copies those
	// that it must keep, and that copying a failed one ends the process.
	copiesKept bool
	// copiesAfterKept says that it also copies the arguments after them that it may donate.
	copiesAfterKept bool
	// flags are XLA flags that programs are compiled with unless the caller sets them.
	flags map[string]any
	// deviceless are more such flags, for compilations ahead of time without a client.
	deviceless map[string]any
	// uncompiled says that the compiler ends the process over what compilers put into some HLO
	// modules, so that it gets these without it.
	uncompiled bool
	// inOrder says that an execution may wait for the end of all that began on the same device
	// before it, unless it runs within the call.
	inOrder bool
}

// usualExecutionsInFlight is the documented default of the option
// max_inflight_computations of XLA's GPU and TPU clients. Plugins without a quirk are
// expected to have the same bound.
const usualExecutionsInFlight = 32

var quirkTable = []quirk{
	{
		name: "bounded queue", kind: kindCPU, since: 81,
		evidence: "the plugins of API 0.81, 0.106 and 0.115 block the 33rd execution on a device within PJRT_LoadedExecutable_Execute",
		rule:     "RUN-28", // its variant "waiting" notes how many run at once
		apply:    func(b *behaviour) { b.executionsInFlight = 32 },
	},
	{
		name: "serialized without code", kind: kindCPU, since: 81,
		evidence: "the plugins of API 0.81, 0.106 and 0.115 leave out the machine code when they serialize an executable that they deserialized",
		rule:     "SER-05",
		apply:    func(b *behaviour) { b.serializesWithoutCode = true },
	},
	{
		name: "copies of kept arguments", kind: kindCPU, since: 81,
		evidence: "the plugins of API 0.81, 0.106 and 0.115 check src_buffers[i].IsConcrete() when they copy a failed argument in place of donating it",
		apply:    func(b *behaviour) { b.copiesKept = true },
	},
	{
		name: "copies after a kept argument", kind: kindCPU, since: 81, until: 105,
		evidence: "the plugin of API 0.81 copies the arguments after a kept one, too; those of API 0.106 and 0.115 donate them",
		apply:    func(b *behaviour) { b.copiesAfterKept = true },
	},
	{
		name: "stale products", kind: kindCPU, since: 81,
		evidence: "xla-cpu-pjrt 0.0.1 (API 0.81) computes a product of f32 matrices with the second one's old contents, when new contents " +
			"lie at the same address: XNNPACK, which XLA chooses for some processors, packs the matrix once for each address",
		until: 105, // those of API 0.106 and 0.115 pack it anew
		rule:  "RUN-02",
		apply: func(b *behaviour) { b.flags["xla_cpu_use_xnnpack"] = false },
	},
	{
		name: "in order on a device", kind: kindCPU, since: 81,
		evidence: "the plugins of API 0.81, 0.106 and 0.115 begin an execution that does not run within PJRT_LoadedExecutable_Execute only " +
			"when the previous one on the same device is over; those on other devices do not wait",
		apply: func(b *behaviour) { b.inOrder = true },
	},
	{
		name: "order of instructions", kind: kindCPU, since: 81,
		evidence: "the plugins of API 0.81, 0.106 and 0.115 end the process (parent_ != nullptr) when they compile an HLO module with a schedule " +
			"and add or remove copies in it, as in many of their own optimized programs",
		apply: func(b *behaviour) { b.uncompiled = true },
	},
	{
		name: "fusions", kind: kindCPU, since: 81,
		evidence: "the plugins of API 0.81, 0.106 and 0.115 end the process (has_layout()) when they compile an HLO module with a fusion of a " +
			"transposition and other operations, as in many of their own optimized programs",
		apply: func(b *behaviour) { b.uncompiled = true },
	},
	{
		name: "convolutions without a device", kind: kindROCm, since: 116, began: true,
		evidence: "jax-rocm10-pjrt and jax-rocm7-pjrt 0.12.0 (API 0.116) end the process (T::ClassOf(instr)) when they compile a convolution " +
			"that a library computes and can measure on no device; those of API 0.112, 0.114 and 0.115 do not",
		apply: func(b *behaviour) { b.deviceless["xla_gpu_experimental_disable_binary_libraries"] = true },
	},
	{
		name: "products without a device", kind: kindOneAPI, since: 115,
		evidence: "jax-oneapi-pjrt 0.11.2 (API 0.115) ends the process (dnnl::error) when oneDNN shall compute a product of matrices and there " +
			"is no device",
		apply: func(b *behaviour) { b.deviceless["xla_disable_hlo_passes"] = "cublas-gemm-rewriter" },
	},
}

// quirks returns the behaviour that this package expects of the plugin.
func (p *Plugin) quirks() behaviour {
	b := behaviour{executionsInFlight: usualExecutionsInFlight, flags: make(map[string]any), deviceless: make(map[string]any)}
	if p == nil {
		return b
	}
	kind := p.Kind()
	maps.Copy(b.flags, flagsLikeJAX[kind])
	_, minor := p.Version()
	for _, q := range quirkTable {
		if q.of(kind, minor) {
			q.apply(&b)
		}
	}
	return b
}

// flagsLikeJAX are the XLA flags that JAX sets for every compilation, by the kind of the
// plugin, where XLA's own defaults may give other numbers: XLA's compilers may take the other
// operand of a minimum or maximum in place of a NaN, and those for CPUs do by default.
var flagsLikeJAX = map[string]map[string]any{
	kindCPU:    {"xla_cpu_enable_fast_min_max": false},
	kindCUDA:   {"xla_gpu_enable_fast_min_max": false},
	kindROCm:   {"xla_gpu_enable_fast_min_max": false},
	kindOneAPI: {"xla_gpu_enable_fast_min_max": false},
}
