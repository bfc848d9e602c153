// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugins finds, installs and prepares PJRT plugins: the shared
// libraries that contain a compiler and a runtime for one kind of device.
//
// [Open] makes a client of a plugin, and [Load] loads one for a program that only compiles:
//
//	client, err := plugins.Open(ctx, "cpu", nil)
//
// Both are built from the other functions, none of which loads a plugin. [List] finds all plugins on the machine,
// [Lookup] and [Find] find the plugin with a given name, and [Default] finds the one to use if no name is given.
// [Install] downloads a plugin that this package knows into the user's cache directory; each is pinned to one wheel by
// its SHA-256. [Prepare] sets the environment variables that a library needs before it is loaded.
//
// # Names
//
// Ask for a plugin by the path of its library, by the path of a configuration file (see [ReadConfig]), by its name
// (cpu, cuda13, tpu@0.0.2), by its platform (cuda) or by an alias: gpu for cuda, rocm and oneapi, host for cpu. See
// [Platforms]. [Lookup] lists the places that are searched, in order.
//
// # Checks without loading
//
// The package reads the headers of a library to check that it exports GetPjrtApi, that it is for this system and
// processor, that it is not truncated, and that the dynamic linker will find the libraries that it needs, with the
// right symbol versions. Problems in the library's own code show only when it is loaded. A [Candidate] has the results
// of these checks, and says whether the machine has devices and a driver for the plugin.
//
// The checks do not see libraries in the subdirectories that the GNU C library has for processor variants
// (glibc-hwcaps), nor libraries that only the linker's cache lists.
//
// # Goroutines and processes
//
// Several goroutines and several processes may call all functions at once, except [Prepare] and those that
// call it, [Open] and [Load], which change the environment of the process.
package plugins
