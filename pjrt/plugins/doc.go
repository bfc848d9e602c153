// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugins finds, installs and prepares PJRT plugins: the shared
// libraries that contain a compiler and a runtime for one kind of device.
//
// [Open] makes a client of a plugin, which is all that most programs need:
//
//	client, err := plugins.Open(ctx, "cpu", nil)
//
// [Load] does without the client, for programs that only compile, and [Find] without loading: it
// returns the [Candidate] that the other two use. Each takes the name of a plugin, or the best one
// on the machine if the name is empty. [List] has all candidates, and what is wrong with each.
// [Install] downloads a plugin that this package knows into the user's cache directory; each is
// pinned to one wheel by its SHA-256. Programs that load a library in another way call [Prepare]
// before.
//
// # Names
//
// Ask for a plugin by the path of its library or of a configuration file, by its name (cpu, cuda13,
// tpu@0.0.2), by its platform (cuda) or by an alias: gpu for cuda, rocm and oneapi, host for cpu.
// [Find] lists the places that are searched, in order.
//
// # Configuration files
//
// A configuration file describes a plugin. It is a JSON object with the keys that JAX reads:
//
//	library_path    the path of the library, which may be relative to the file; required
//	create_options  options for the client: an object whose values are strings, numbers,
//	                booleans and lists of integers (create_option means the same)
//
// and with keys of this package:
//
//	priority        integer; replaces the priority of the platform
//	experimental    boolean; the plugin is not used by default
//	fail_quietly    boolean; the plugin is skipped if it is not usable
//
// A number with a fraction or an exponent becomes a float, any other number an integer. Every
// mistake is an error that names the file and the place in it.
//
// # Checks without loading
//
// The package reads the headers of a library to check that it exports GetPjrtApi, that it is for
// this system and processor, that it is not truncated, and that the dynamic linker will find the
// libraries that it needs, with the right symbol versions. Problems in the library's own code show
// only when it is loaded. A [Candidate] has the results of these checks, and says whether the
// machine has devices and a driver for the plugin.
//
// The checks do not see libraries in the subdirectories that the GNU C library has for processor
// variants (glibc-hwcaps), nor libraries that only the linker's cache lists.
//
// # Goroutines and processes
//
// Several goroutines and several processes may call all functions at once, except [Prepare] and
// those that call it, [Open], [Share] and [Load], which change the environment of the process.
package plugins
