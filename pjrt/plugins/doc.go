// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package plugins finds, installs and prepares PJRT plugins: the shared
// libraries that contain a compiler and a runtime for one kind of device.
//
// [Install] fetches a plugin that this package knows, pinned to one wheel by its
// SHA-256, into the user's cache directory. [Find] turns a name or a path into
// the path of a library. [Prepare] sets the environment variables that a library
// needs before it is loaded. None of them loads a library.
//
//	library, err := plugins.Find("cpu")
//	if errors.Is(err, plugins.ErrNotFound) {
//		library, err = plugins.Install(ctx, "cpu", plugins.InstallOptions{})
//	}
//
// # Where plugins are looked for
//
// A name is looked up in PJRT_NAMES_AND_LIBRARY_PATHS (name:path pairs separated
// by commas), then in the directories of PJRT_PLUGIN_LIBRARY_PATH (as files called
// pjrt_c_api_NAME_plugin or pjrt_plugin_NAME with the system's suffix for
// libraries), then in the cache. See [Find].
//
// All functions may be called from several goroutines and several processes at
// once, except for [Prepare], which changes the environment of the process.
package plugins
