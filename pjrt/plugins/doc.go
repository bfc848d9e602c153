// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugins finds, installs and prepares PJRT plugins: the shared
// libraries that contain a compiler and a runtime for one kind of device.
//
// [List] finds all plugins of a machine, [Lookup] and [Find] the one of a name,
// [Default] the one to use when none is named. [Install] fetches a plugin that this
// package knows, pinned to one wheel by its SHA-256, into the user's cache
// directory. [Prepare] sets the environment variables that a library needs before
// it is loaded. None of them loads a library.
//
//	library, err := plugins.Find("cpu")
//	if errors.Is(err, plugins.ErrNotFound) {
//		library, err = plugins.Install(ctx, "cpu", plugins.InstallOptions{})
//	}
//
// # Names
//
// A plugin is asked for by the path of its library, by the path of a configuration
// file (see [ReadConfig]), by its name (cpu, cuda13, tpu@0.0.2), by its platform
// (cuda) or by an alias: gpu for cuda, rocm and oneapi, host for cpu. See
// [Platforms]. Where it is looked for, and in which order, is said at [Lookup].
//
// # What is found out without loading
//
// A library is opened as a file. That it exports GetPjrtApi, that it is for this
// system and processor and not truncated, which libraries it needs, and that the
// dynamic linker will find them with the versions of symbols that the plugin wants:
// all that stands in its headers. What goes wrong later, in the library's own code,
// cannot be known. A [Candidate] says what was found, and whether there are
// devices and a driver for it.
//
// Libraries of the GNU C library's subdirectories for kinds of processors
// (glibc-hwcaps), and those that only the linker's cache knows, are not seen.
//
// # Goroutines and processes
//
// All functions may be called from several goroutines and several processes at
// once, except for [Prepare], which changes the environment of the process.
package plugins
