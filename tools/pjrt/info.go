// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/extensions"
	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/raw"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

func infoCommand() *cobra.Command {
	var asJSON, functions bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "info [PLUGIN]",
		Short: "Show the versions, devices, functions and extensions of a plugin",
		Long: `Info loads a plugin, given by name (cpu, tpu, ...) or by the path of its library,
and shows what it offers. The default is the preferred plugin of this machine.

Info also shows plugins whose devices are not on this machine. In place of the
devices it then says why there is no client.

A child process uses the plugin, since some plugins end the process when there is
no device for them. Info then shows what the plugin said last.

With --json it prints one object:

  path              the library
  api, binding      {"major", "minor"}: the PJRT API of the plugin, and that of pjrt
  attributes        object of the plugin's attributes: strings, numbers, booleans
                    and lists of integers; NaN and infinities are strings
  functions         list of {"name", "section", "since", "present"}: the C name, the
                    table it is in, the API minor that introduced it (0: as old as
                    the table), whether the plugin has it
  tables            list of {"section", "size", "known"}: the bytes of the plugin's
                    tables, and how many of them pjrt knows
  extensions        list of {"type", "name", "size", "known"} in the plugin's order
  extensions_error  why that list ends early; omitted if it is complete
  client            null if the plugin cannot make one, else {"platform_name",
                    "platform_version", "process_index", "devices", "memories"};
    devices         list of {"id", "kind", "description", "process_index",
                    "addressable", "attributes"}
    memories        list of {"id", "kind", "description"}
  client_error      why there is no client; omitted if there is one`,
		Example: "  pjrt info\n  pjrt info tpu --json\n  pjrt info ./my_plugin.so --functions",
		Args:    cli.Args(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			name := "" // the preferred one
			if len(args) == 1 {
				name = args[0]
			}
			r, err := explore(cmd, name, timeout)
			switch {
			case err != nil:
				return err
			case asJSON:
				return printJSON(cmd.OutOrStdout(), r)
			}
			return r.print(cmd.OutOrStdout(), functions)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&functions, "functions", false, "list every function, not only the missing ones")
	cmd.Flags().DurationVar(&timeout, "timeout", 2*time.Minute, "the `DURATION` that the plugin may take; 0 means any")
	return cmd
}

// opened is a plugin, and the name under which the user asked for it.
type opened struct {
	*pjrt.Plugin
	name string
}

// How all commands use plugins. Tests replace both.
var (
	loadPlugin = plugins.Load
	openClient = plugins.Open
)

// open finds, prepares and loads a plugin by name, or the preferred one of this machine if
// name is empty.
func open(ctx context.Context, name string) (opened, error) {
	plugin, err := loadPlugin(ctx, name)
	return opened{plugin, name}, err
}

// client makes a client of the plugin with the options from its configuration file and the
// environment.
func (p opened) client(ctx context.Context, opts *pjrt.ClientOptions) (*pjrt.Client, error) {
	return openClient(ctx, p.name, opts)
}

// explore lets a child find out what info shows of a plugin.
func explore(cmd *cobra.Command, name string, limit time.Duration) (*report, error) {
	c, err := plugins.Find(cmd.Context(), name)
	if err != nil {
		return nil, err
	}
	t, err := try(cmd.Context(), task{Plugin: located(c), Explore: true}, limit)
	if err != nil {
		return nil, err
	}
	err = t.err()
	if t.output != "" {
		if _, err := io.WriteString(cmd.ErrOrStderr(), cli.Printable(t.output)); err != nil {
			return nil, err
		}
	}
	switch {
	case !t.Loaded && t.ended != nil:
		return nil, fmt.Errorf("plugin %s: %w", c.Path, err)
	case !t.Loaded:
		return nil, err
	case err != nil:
		t.Report.Client, t.Report.ClientError = nil, cli.OneLine(err.Error())
	}
	t.Report.fill()
	return t.Report, nil
}

// fill makes lists that came as none empty ones.
func (r *report) fill() {
	r.Functions, r.Extensions = append([]functionReport{}, r.Functions...), append([]extensionReport{}, r.Extensions...)
	if c := r.Client; c != nil {
		c.Devices, c.Memories = append([]deviceReport{}, c.Devices...), append([]memoryReport{}, c.Memories...)
	}
}

// report holds what info shows. The command's help describes its JSON form.
type report struct {
	Path            string            `json:"path"`
	API             apiVersion        `json:"api"`
	Binding         apiVersion        `json:"binding"`
	Attributes      attributes        `json:"attributes"`
	Functions       []functionReport  `json:"functions"`
	Tables          []tableReport     `json:"tables"`
	Extensions      []extensionReport `json:"extensions"`
	ExtensionsError string            `json:"extensions_error,omitempty"`
	Client          *clientReport     `json:"client"`
	ClientError     string            `json:"client_error,omitempty"`
}

type apiVersion struct {
	Major int `json:"major"`
	Minor int `json:"minor"`
}

func (v apiVersion) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

type functionReport struct {
	Name    string `json:"name"`
	Section string `json:"section"`
	Since   int    `json:"since"`
	Present bool   `json:"present"`
}

type tableReport struct {
	Section string `json:"section"`
	Size    int    `json:"size"`
	Known   int    `json:"known"`
}

type extensionReport struct {
	Type  int    `json:"type"`
	Name  string `json:"name"`
	Size  int    `json:"size"`
	Known int    `json:"known"`
}

type clientReport struct {
	PlatformName    string         `json:"platform_name"`
	PlatformVersion string         `json:"platform_version"`
	ProcessIndex    int            `json:"process_index"`
	Devices         []deviceReport `json:"devices"`
	Memories        []memoryReport `json:"memories"`
}

type deviceReport struct {
	ID           int        `json:"id"`
	Kind         string     `json:"kind"`
	Description  string     `json:"description"`
	ProcessIndex int        `json:"process_index"`
	Addressable  bool       `json:"addressable"`
	Attributes   attributes `json:"attributes"`
}

type memoryReport struct {
	ID          int    `json:"id"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

// attributes are in the plugin's order, and in JSON an object.
type attributes []pjrt.Attribute

// MarshalJSON writes numbers that JSON cannot represent as strings.
func (list attributes) MarshalJSON() ([]byte, error) {
	values := make(map[string]any, len(list))
	for _, a := range list {
		values[a.Name] = a.Value
		if f, ok := a.Value.(float32); ok && (math.IsNaN(float64(f)) || math.IsInf(float64(f), 0)) {
			values[a.Name] = fmt.Sprint(f)
		}
	}
	return json.Marshal(values)
}

// describePlugin asks the plugin for everything in a report that does not need a client.
func describePlugin(plugin *pjrt.Plugin) *report {
	r := &report{
		Path:       plugin.Path(),
		Binding:    apiVersion{capi.APIMajor, capi.APIMinor},
		Attributes: plugin.Attributes(),
	}
	r.API.Major, r.API.Minor = plugin.Version()
	for _, f := range extensions.Functions(plugin) {
		r.Functions = append(r.Functions, functionReport(f))
	}
	for _, s := range []capi.Section{capi.SectionCore, capi.SectionProfiler} {
		if table := raw.Table(plugin); table.HasSection(s) {
			r.Tables = append(r.Tables, tableReport{s.String(), int(table.SectionSize(s)), int(capi.KnownSize(s))})
		}
	}
	chain, err := extensions.All(plugin)
	for _, x := range chain {
		r.Extensions = append(r.Extensions, extensionReport{int(x.Type), x.Name, x.Size, x.Known})
	}
	if err != nil {
		r.ExtensionsError = cli.OneLine(err.Error())
	}
	return r
}

func describeClient(client *pjrt.Client) *clientReport {
	r := &clientReport{
		PlatformName:    client.PlatformName(),
		PlatformVersion: client.PlatformVersion(),
		ProcessIndex:    client.ProcessIndex(),
	}
	for _, d := range client.Devices() {
		r.Devices = append(r.Devices, deviceReport{
			ID: d.ID(), Kind: d.Kind(), Description: d.String(), ProcessIndex: d.ProcessIndex(),
			Addressable: d.Addressable(), Attributes: d.Description().Attributes(),
		})
	}
	for _, m := range client.Memories() {
		r.Memories = append(r.Memories, memoryReport{m.ID(), m.Kind(), m.String()})
	}
	return r
}
