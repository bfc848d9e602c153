// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package session is the worker's side of the conformance suite: it opens one plugin,
// looks at what it can do, and runs checks on it. What the driver asks for and gets has
// the types of this package, as JSON.
package session

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/platform"
)

// The tasks. A task for a type or a function ends with its name.
const (
	TaskOpen       = "open"       // Setup -> Opened
	TaskInitialize = "initialize" // -> string, the error
	TaskAttributes = "attributes" // -> []report.Attribute
	TaskClient     = "client"     // -> Client
	TaskTopology   = "topology"   // -> string, the platform
	TaskText       = "text"       // -> string, see check.Env.NoText
	TaskType       = "type:"      // -> string, the error
	TaskFunction   = "function:"  // -> string, the error code
	TaskCheck      = "check"      // Check -> check.Result
	TaskStep       = "step"       // Step -> check.Result
	TaskClose      = "close"      // -> string, the error
	TaskExit       = "exit"       // no answer: the process ends as C programs do
)

// Setup is what a worker is told before anything else.
type Setup struct {
	Suite string `json:"suite,omitempty"` // which checks; empty: the contract's
	// Plugin is the path of the library; empty: the program makes the table.
	Plugin string `json:"plugin,omitempty"`
	// Fault names the fault that the program builds into the plugin.
	Fault           string        `json:"fault,omitempty"`
	Options         []Option      `json:"options,omitempty"`
	NoDevice        string        `json:"no_device,omitempty"`
	NoText          string        `json:"no_text,omitempty"` // see check.Env
	Topology        string        `json:"topology,omitempty"`
	TopologyOptions []Option      `json:"topology_options,omitempty"`
	Uninitialized   bool          `json:"uninitialized,omitempty"` // PJRT_Plugin_Initialize must not be called
	Unloaded        bool          `json:"unloaded,omitempty"`      // the library must not be loaded
	Factor          float64       `json:"factor"`                  // of every check's time limit
	Extra           time.Duration `json:"extra"`                   // added to every check's time limit
	Patience        time.Duration `json:"patience,omitempty"`      // see check.Env
	Pace            time.Duration `json:"pace,omitempty"`          // how long a call of a slow plugin takes; each adds as much to the limit
	Record          string        `json:"record,omitempty"`        // the file for a recording of the calls; empty: none
	Hangs           []check.Hang  `json:"hangs,omitempty"`         // what is not waited for
}

// Topology describes a topology by its name and create options.
type Topology struct {
	Name    string
	Options []Option
}

// Check asks for one check.
type Check struct {
	Name  string       `json:"name"`
	Hangs []check.Hang `json:"hangs,omitempty"` // replace those of the setup
	// Compiling is how long the programs of the check may take a slow compiler, beyond its limit.
	Compiling time.Duration `json:"compiling,omitempty"`
}

// Step asks for a step of a check's helper.
type Step struct {
	Check string `json:"check"`
	Step  string `json:"step"`
}

// Opened is what the table alone shows.
type Opened struct {
	// Problem says why there is no table. Rule is the rule that this breaks, if any.
	Problem string `json:"problem,omitempty"`
	Rule    string `json:"rule,omitempty"`

	Major      int                `json:"major"`
	Minor      int                `json:"minor"`
	Size       int                `json:"size"`
	Functions  int                `json:"functions"`
	Null       []string           `json:"null"`
	Missing    []string           `json:"missing"`
	Extensions []report.Extension `json:"extensions"`
	ChainError string             `json:"chain_error,omitempty"`
	Initialize string             `json:"initialize,omitempty"` // its error
}

// Client is what the first client says about itself.
type Client struct {
	Problem      string          `json:"problem,omitempty"` // why there is none
	Platform     string          `json:"platform"`
	Version      string          `json:"version"`
	ProcessIndex int             `json:"process_index"`
	Devices      []report.Device `json:"devices"`
	Memories     []string        `json:"memories"`
	Took         time.Duration   `json:"took"`
	Pace         time.Duration   `json:"pace"` // of a getter, which should take no time at all
}

// Option is a named value in a form that keeps its type.
type Option struct {
	Name  string
	Value any // string, int64, []int64, float32 or bool
}

type optionForm struct {
	Name   string   `json:"name"`
	String *string  `json:"string,omitempty"`
	Int    *int64   `json:"int,omitempty"`
	Ints   *[]int64 `json:"ints,omitempty"`
	Float  *float32 `json:"float,omitempty"`
	Bool   *bool    `json:"bool,omitempty"`
}

// MarshalJSON writes the value under the name of its type.
func (o Option) MarshalJSON() ([]byte, error) {
	f := optionForm{Name: o.Name}
	switch v := o.Value.(type) {
	case string:
		f.String = &v
	case int64:
		f.Int = &v
	case int:
		n := int64(v)
		f.Int = &n
	case []int64:
		f.Ints = &v
	case float32:
		f.Float = &v
	case bool:
		f.Bool = &v
	default:
		return nil, fmt.Errorf("option %q: a %T has no C form; use a string, int64, []int64, float32 or bool", o.Name, o.Value)
	}
	return json.Marshal(f)
}

// UnmarshalJSON is the reverse of MarshalJSON.
func (o *Option) UnmarshalJSON(text []byte) error {
	var f optionForm
	if err := json.Unmarshal(text, &f); err != nil {
		return err
	}
	*o = Option{Name: f.Name}
	switch {
	case f.String != nil:
		o.Value = *f.String
	case f.Int != nil:
		o.Value = *f.Int
	case f.Ints != nil:
		o.Value = *f.Ints
	case f.Float != nil:
		o.Value = *f.Float
	case f.Bool != nil:
		o.Value = *f.Bool
	default:
		return fmt.Errorf("option %q has no value", f.Name)
	}
	return nil
}

// String returns the option as on the command line, in the form that
// platform.ParseOption reads.
func (o Option) String() string {
	text := fmt.Sprint(o.Value)
	if strings.HasPrefix(text, "@") {
		return o.Name + ":" + typeName(o.Value) + "=" + text // so that no file of that name is read
	}
	if _, ok := o.Value.([]int64); ok {
		text = strings.Trim(strings.Join(strings.Fields(text), ","), "[]")
	}
	if got, err := platform.ParseOption(o.Name + "=" + text); err == nil && reflect.DeepEqual(Option(got), o) {
		return o.Name + "=" + text
	}
	return o.Name + ":" + typeName(o.Value) + "=" + text
}

func typeName(v any) string {
	switch v.(type) {
	case int64, int:
		return "int"
	case []int64:
		return "ints"
	case float32:
		return "float"
	case bool:
		return "bool"
	}
	return "string"
}

// Attributes returns the options in the form that capi takes.
func Attributes(options []Option) []capi.Attribute {
	var list []capi.Attribute
	for _, o := range options {
		list = append(list, capi.Attribute(o))
	}
	return list
}

// Options returns the options in the form that workers are told.
func Options(attributes []capi.Attribute) []Option {
	var list []Option
	for _, a := range attributes {
		list = append(list, Option(a))
	}
	return list
}
