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

// A Candidate is a plugin that [List] found, whether or not it is usable.
type Candidate struct {
	// Name is the name that [Find] takes: cpu, cuda13, tpu@0.0.2. It is empty if the Candidate
	// stands for a place that could not be searched, such as an unreadable directory.
	Name string
	// Platform is the kind of device: cpu, cuda, rocm, oneapi, tpu, neuron, or Name if this package
	// does not know the plugin.
	Platform string
	// Path is the library, or the file or directory that could not be read.
	Path string
	// Origin is the place where the plugin was found, and Detail says where in it: an entry of a
	// variable, a directory, or a Python distribution.
	Origin Origin
	Detail string
	// Priority orders the platforms: the default is the usable plugin with the highest priority.
	Priority int
	// Experimental plugins are used only when asked for, never by default.
	Experimental bool
	// FailQuietly says that [Find] without a name skips the plugin if it is not usable. If
	// FailQuietly is false, an unusable plugin is an error, because the user configured it.
	FailQuietly bool
	// Options are the create options from the plugin's configuration file, sorted by name. Pass
	// them on in the options of the client.
	Options []capi.Attribute
	// Version is the version of the Python distribution that contains the library, if known.
	Version string
	// API is the version of the PJRT API that the library was built with, such as 0.81. It is known
	// from a header beside the library, or from its distribution.
	API string
	// Needs lists the missing libraries: the dynamic linker would not find them, or they lack a
	// symbol version that the plugin needs.
	Needs []string
	// Problem says why the library cannot be loaded. It is nil if nothing prevents that, as far as
	// can be told without loading it.
	Problem error
	// Hardware says why the plugin will find no devices: no device of its kind, no driver, or a
	// driver that is too old. Such a plugin can still be loaded, and most can compile ahead of
	// time.
	Hardware error

	remedy      string   // see Remedy
	variable    string   // the variable that names this very plugin, if Origin is not its name
	otherNames  []string // other names that Find accepts
	alternative bool     // answers to its platform in spite of the version in its name
}

// Usable reports whether the plugin can be loaded and finds devices.
func (c Candidate) Usable() bool { return c.Problem == nil && c.Hardware == nil }

// Err returns Problem, or Hardware if Problem is nil.
func (c Candidate) Err() error { return cmp.Or(c.Problem, c.Hardware) }

// Remedy says what to do about Problem, whose text ends with it. It is empty if the Problem itself
// says enough.
func (c Candidate) Remedy() string { return c.remedy }

// Exclusive reports whether the devices of c are of a kind, such as GPUs and TPUs, that a program
// may need for itself. A client can keep other programs from such devices, or from their memory.
func (c Candidate) Exclusive() bool { return c.Platform != "cpu" && knows(c.Platform) }

// An Origin is a place where plugins are found.
type Origin string

// The places, in the order in which [Find] searches them. [List] keeps this order among plugins of
// the same platform.
const (
	OriginNames       Origin = NamesAndLibraryPaths
	OriginLibraryPath Origin = PluginLibraryPath
	OriginPluginPath  Origin = PluginPath
	OriginLoaderPath  Origin = "LD_LIBRARY_PATH" // DYLD_LIBRARY_PATH on macOS, PATH on Windows
	OriginCache       Origin = "cache"
	OriginPython      Origin = "python"
	OriginNeuron      Origin = "neuron"
	OriginSystem      Origin = "system" // the directories of ld.so.conf, and the linker's defaults
	OriginPath        Origin = "path"   // given as a path
)

// ErrUnusable is wrapped by the Problem of every candidate whose library cannot be loaded, and by
// every error of [Find], [Load], [Open] and [Share] that such a library causes, whether a name or a
// path led to it. If nothing is there, the error is [ErrNotFound]. If a search passed unusable
// libraries over and found no other, it is both.
var ErrUnusable = errors.New("not usable as a plugin")

// problem is why a library cannot be loaded.
type problem struct{ reason error }

func problemf(format string, args ...any) error { return problem{fmt.Errorf(format, args...)} }

func (p problem) Error() string        { return p.reason.Error() }
func (p problem) Unwrap() error        { return p.reason }
func (p problem) Is(target error) bool { return target == ErrUnusable }

// byPreference orders candidates by priority. Candidates of equal priority stay in the order of
// places.
func byPreference(list []Candidate) {
	slices.SortStableFunc(list, func(a, b Candidate) int { return cmp.Compare(b.Priority, a.Priority) })
}
