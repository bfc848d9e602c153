// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package callers

import "strings"

// traits are what distinguishes a client from others, apart from the calls that it makes.
type traits struct {
	sends string // what programs are: Text or Artifacts
	// byName says that a plugin's buffers are taken to be in the host's memory if the path of its
	// library contains "cpu", whatever PJRT_Buffer_IsOnCpu says.
	byName bool
	words  map[string]string // what the actions do
}

// What a client sends a plugin. A function that fails for one only is Function+" of "+Text, or
// Artifacts, in Plugin.Wrong.
const (
	Text      = "text"
	Artifacts = "artifacts"
)

var clients = map[string]traits{
	"jax": {sends: Artifacts, words: map[string]string{
		"start":          "jax.devices()",
		"describe":       "repr, kind and ids of a device",
		"transfer":       "device_put, arrays to NumPy, delete",
		"jit":            "jit and run",
		"pending":        "20 runs in a row, is_ready, copy_to_host_async",
		"grad":           "grad, random numbers, loops",
		"copy":           "device_put from device to device",
		"donate":         "donate_argnums",
		"shard":          "arrays and programs over 4 devices",
		"infer":          "output shardings that the compiler chooses",
		"export":         "jax.export, saved and loaded",
		"compile":        "lower, compile, cost_analysis",
		"inspect":        "as_text, memory_analysis, shardings of a program",
		"serialize":      "serialize_executable, saved and loaded",
		"cache":          "the compilation cache on disk",
		"memories":       "memories of a device",
		"offload":        "arrays in pinned_host memory",
		"memory_stats":   "memory_stats of a device",
		"memory_profile": "device_memory_profile, live_arrays",
		"profile":        "jax.profiler.trace",
		"layouts":        "layouts of arrays and programs",
		"callback":       "pure_callback, debug.callback",
		"share":          "DLPack, unsafe_buffer_pointer",
		"mistake":        "the exception for a wrong compile option",
		"too_large":      "the exception for an array that is too large",
		"exit":           "the end of the process, without cleaning up",
	}},
	"gomlx": {sends: Text, byName: true, words: map[string]string{
		"start":     "xla.New",
		"describe":  "descriptions of the backend and its devices",
		"transfer":  "tensors to two devices and back",
		"shared":    "ToDevice, in shared memory if the plugin's name has \"cpu\" in it",
		"graph":     "an Exec with two results, run twice",
		"train":     "a Trainer, eight steps",
		"donate":    "DonateTensorBuffer",
		"copy":      "MaterializeOnDevice from device to device",
		"device":    "CallOnDevice",
		"spmd":      "a Graph over 4 devices, AllReduce",
		"shard":     "a Graph with sharded parameters over 4 devices",
		"too_large": "the error for an array that is too large",
		"close":     "a second backend, and Finalize",
		"exit":      "the end of the process, without cleaning up",
	}},
}

func (p *Profile) traits() traits {
	name, _, _ := strings.Cut(p.Client, "@")
	return clients[name]
}

// Words says what an action does.
func (p *Profile) Words(action string) string { return p.traits().words[action] }

// offHost reports whether the client takes a plugin's buffers to be elsewhere than in the host's
// memory.
func (p *Profile) offHost(plugin Plugin) bool {
	if p.traits().byName {
		return !strings.Contains(strings.ToLower(plugin.Path), "cpu")
	}
	return plugin.OffHost
}
