// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

import (
	"reflect"
	"slices"
	"time"

	"github.com/purepjrt/purepjrt/pjrt/compile"
	"github.com/purepjrt/purepjrt/pjrt/internal/createoptions"
	"github.com/purepjrt/purepjrt/pjrt/kv"
)

// ClientOptions are the options of NewClient. Zero values mean the plugin's defaults.
type ClientOptions struct {
	Platform PlatformOptions // such as a platform.GPU; nil means the plugin's defaults
	// Create has more options under the plugin's own names, such as cpu_device_count
	// (int64). A value of the wrong type makes a plugin end the process, so NewClient
	// checks the options of XLA's plugins.
	Create []Attribute
	// AllowUnknown passes on options that plugins of this kind are not known to have.
	// Without it they are an error. Plugins of an unknown kind get any option.
	AllowUnknown bool
	// SlowStart is how long NewClient may take before it logs a warning, see SetLogger.
	// 0 means 20 seconds, and a negative time means no warning.
	SlowStart time.Duration

	// KeyValueStore is where the processes of one program find each other; nil is for a
	// single process. The plugin uses it, from several threads, until the client is destroyed,
	// and sets how long a Get waits; a TryGet or Put has two minutes. An error or panic in the
	// store fails the operation that met it. Each run needs its own keys: see kv.Prefix.
	KeyValueStore kv.Store
	// NumNodes is the number of processes, 0 for the plugin's default, and NodeID the number of
	// this one, from 0. Several nodes need a KeyValueStore. They are create options of XLA's GPU
	// plugins; its CPU plugin numbers every process 0, so NewClient fails on all but the first.
	NodeID, NumNodes int

	// Compiler compiles all programs of the client in place of the plugin in this process,
	// such as an isolate.Compiler. Nil means the plugin itself.
	Compiler compile.Compiler
}

// PlatformOptions are options of a family of plugins: see package platform.
type PlatformOptions interface {
	// Family returns the family of plugins that the options are for: "CPU", "GPU" or
	// "TPU". NewClient refuses them for a plugin of another known family.
	Family() string
	// CreateOptions returns the options that differ from the plugin's defaults.
	CreateOptions() ([]Attribute, error)
}

// encode checks the options for a plugin and returns the create options.
func (o *ClientOptions) encode(p *Plugin) ([]Attribute, error) {
	var list []Attribute
	if o.Platform != nil {
		if v := reflect.ValueOf(o.Platform); v.Kind() == reflect.Pointer && v.IsNil() {
			return nil, invalid("the platform options are a nil %T", o.Platform)
		}
		family := createoptions.Family(p.Kind())
		if want := o.Platform.Family(); family != "" && family != want {
			return nil, invalid("the options are for %s plugins; this is the %s plugin", want, p.Kind())
		}
		var err error
		if list, err = o.Platform.CreateOptions(); err != nil {
			return nil, err
		}
	}
	more, err := o.withNodes()
	if err != nil {
		return nil, err
	}
	list = append(list, more...)
	if err := createoptions.Check(p.Kind(), list, o.AllowUnknown); err != nil {
		return nil, invalid("%v", err)
	}
	return list, nil
}

const (
	nodeIDOption   = createoptions.NodeID
	numNodesOption = createoptions.NumNodes
)

// withNodes returns the create options with those of NodeID and NumNodes.
func (o *ClientOptions) withNodes() ([]Attribute, error) {
	switch {
	case o.NumNodes < 0:
		return nil, invalid("NumNodes is %d; it cannot be negative", o.NumNodes)
	case o.NumNodes == 0 && o.NodeID == 0:
		return o.Create, nil
	case o.NumNodes == 0:
		return nil, invalid("NodeID is %d without NumNodes; set both", o.NodeID)
	case o.NodeID < 0 || o.NodeID >= o.NumNodes:
		return nil, invalid("NodeID is %d; with %d nodes it is between 0 and %d", o.NodeID, o.NumNodes, o.NumNodes-1)
	case o.NumNodes > 1 && o.KeyValueStore == nil:
		return nil, invalid("%d nodes cannot find each other without a KeyValueStore", o.NumNodes)
	}
	for _, a := range o.Create {
		if a.Name == nodeIDOption || a.Name == numNodesOption {
			return nil, invalid("create option %s is set twice: in Create, and by NodeID and NumNodes; remove one of them", a.Name)
		}
	}
	if o.NumNodes == 1 {
		return o.Create, nil // as by default; newer plugins for CPUs refuse the very name of the option
	}
	return append(slices.Clip(o.Create),
		Attribute{Name: nodeIDOption, Value: int64(o.NodeID)},
		Attribute{Name: numNodesOption, Value: int64(o.NumNodes)}), nil
}
