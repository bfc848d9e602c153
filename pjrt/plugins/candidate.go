// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/purepjrt/purepjrt/capi"
)

// A Candidate is a plugin that [List] found, usable or not.
type Candidate struct {
	// Name is what [Find] takes: cpu, cuda13, tpu@0.0.2. It is empty for a place
	// that could not be searched, such as a directory that may not be read.
	Name string
	// Platform is the kind of device: cpu, cuda, rocm, oneapi, tpu, neuron, or the
	// name again where this package does not know the plugin.
	Platform string
	// Path is the library, or what could not be read.
	Path string
	// Origin says which of the places it was found in, and Detail where in there:
	// an entry of a variable, a directory, a Python distribution.
	Origin Origin
	Detail string
	// Priority orders the platforms: of several usable plugins the one of the
	// highest is the default.
	Priority int
	// Experimental plugins are used when they are asked for, not by default.
	Experimental bool
	// FailQuietly says that [Default] passes over the plugin when it is not usable.
	// Without it that is an error: somebody configured this plugin.
	FailQuietly bool
	// Options are the create options that a configuration file has for the plugin,
	// sorted by name. They go to the client's options.
	Options []capi.Attribute
	// Version is that of the Python distribution that the library is from, where it
	// is known.
	Version string
	// API is the version of the PJRT API that the library was built with, such as
	// 0.81, where a header beside it or its distribution tells.
	API string
	// Needs are the libraries that are missing: the dynamic linker would not find
	// them, or they lack a version of their symbols that the plugin needs.
	Needs []string
	// Problem says why the library cannot be loaded; nil if it can, as far as one
	// can tell without loading it.
	Problem error
	// Hardware says why the plugin will find no devices: no device of its kind, or
	// no driver. Such a plugin can be loaded, and most can compile ahead of time.
	Hardware error

	otherNames []string // that Find accepts for it
}

// Usable reports whether the plugin can be loaded and finds devices.
func (c Candidate) Usable() bool { return c.Problem == nil && c.Hardware == nil }

// Err returns Problem, or else Hardware.
func (c Candidate) Err() error { return cmp.Or(c.Problem, c.Hardware) }

// An Origin is one of the places that plugins are found in.
type Origin string

// The places, in the order in which [Find] looks into them. [List] keeps it
// between plugins of the same platform.
const (
	OriginNames       Origin = NamesAndLibraryPaths
	OriginLibraryPath Origin = PluginLibraryPath
	OriginPluginPath  Origin = PluginPath
	OriginLoaderPath  Origin = "LD_LIBRARY_PATH" // DYLD_LIBRARY_PATH on macOS, PATH on Windows
	OriginCache       Origin = "cache"
	OriginPython      Origin = "python"
	OriginNeuron      Origin = "neuron"
	OriginSystem      Origin = "system" // the directories of ld.so.conf, and the linker's own
	OriginPath        Origin = "path"   // given as a path
)

// ErrUnusable is in the chain of the Problem of every candidate whose library
// cannot be loaded.
var ErrUnusable = errors.New("not usable as a plugin")

// problem is why a library cannot be loaded.
type problem struct{ reason error }

func problemf(format string, args ...any) error { return problem{fmt.Errorf(format, args...)} }

func (p problem) Error() string        { return p.reason.Error() }
func (p problem) Unwrap() error        { return p.reason }
func (p problem) Is(target error) bool { return target == ErrUnusable }

// byPreference orders candidates by priority. The order of places decides between
// equals.
func byPreference(list []Candidate) {
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Priority, a.Priority) })
}
