// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// print writes r as text: first the plugin, then its devices, then the parts of the API that it
// has.
func (r *report) print(out io.Writer, allFunctions bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	cell := cli.Cell
	fmt.Fprintf(w, "library\t%s\n", cell(r.Path))
	fmt.Fprintf(w, "PJRT API\t%s (%s)\n", r.API, r.knowledge())
	if c := r.Client; c != nil {
		fmt.Fprintf(w, "platform\t%s\n", cell(c.PlatformName))
		version := strings.Split(strings.TrimSpace(c.PlatformVersion), "\n")
		for i := range version {
			version[i] = cell(version[i])
		}
		fmt.Fprintf(w, "platform version\t%s\n", strings.Join(version, "\n\t"))
		fmt.Fprintf(w, "process\t%d\n", c.ProcessIndex)
	} else {
		fmt.Fprintf(w, "client\tnone: %s\n", r.ClientError)
	}

	printAttributes(w, "\nattributes", "  ", r.Attributes)
	if c := r.Client; c != nil {
		c.print(w)
	}
	r.printExtensions(w)
	r.printFunctions(w, allFunctions)
	return w.Flush()
}

// knowledge compares the versions of the API.
func (r *report) knowledge() string {
	if r.API.Major == r.Binding.Major && r.API.Minor > r.Binding.Minor {
		return fmt.Sprintf("newer than %s, which pjrt knows", r.Binding)
	}
	return fmt.Sprintf("pjrt knows %s", r.Binding)
}

// beyond says how many bytes of a struct pjrt does not know, and how many functions they hold. It
// returns "" if it knows them all.
func (r *report) beyond(size, known int) string {
	more := size - known
	if more <= 0 || known == 0 {
		return ""
	}
	text := fmt.Sprintf(", %s more than API %s knows", number(more, "byte"), r.Binding)
	if more%8 == 0 {
		text += ": " + number(more/8, "function")
	}
	return text
}

func printAttributes(w io.Writer, title, indent string, list attributes) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, a := range list {
		fmt.Fprintf(w, "%s%s\t%s\n", indent, cli.Cell(a.Name), cli.Cell(fmt.Sprint(a.Value)))
	}
}

func (c *clientReport) print(w io.Writer) {
	fmt.Fprintf(w, "\ndevices (%d)\n", len(c.Devices))
	if len(c.Devices) > 0 {
		fmt.Fprintln(w, "  ID\tKIND\tPROCESS\tADDRESSABLE\tDESCRIPTION")
	}
	for _, d := range c.Devices {
		fmt.Fprintf(w, "  %d\t%s\t%d\t%s\t%s\n",
			d.ID, cli.Cell(d.Kind), d.ProcessIndex, yesNo(d.Addressable), cli.Cell(d.Description))
	}
	for _, d := range c.Devices {
		printAttributes(w, fmt.Sprintf("  attributes of device %d", d.ID), "    ", d.Attributes)
	}
	fmt.Fprintf(w, "\nmemories (%d)\n", len(c.Memories))
	if len(c.Memories) > 0 {
		fmt.Fprintln(w, "  ID\tKIND\tDESCRIPTION")
	}
	for _, m := range c.Memories {
		fmt.Fprintf(w, "  %d\t%s\t%s\n", m.ID, cli.Cell(m.Kind), cli.Cell(m.Description))
	}
}

func (r *report) printExtensions(w io.Writer) {
	fmt.Fprintf(w, "\nextensions (%d)\n", len(r.Extensions))
	if len(r.Extensions) > 0 {
		fmt.Fprintln(w, "  TYPE\tNAME\tBYTES")
	}
	for _, x := range r.Extensions {
		more := r.beyond(x.Size, x.Known)
		if x.Known == 0 {
			more = "; API " + r.Binding.String() + " does not know it"
		}
		fmt.Fprintf(w, "  %d\t%s\t%d%s\n", x.Type, x.Name, x.Size, more)
	}
	if r.ExtensionsError != "" {
		fmt.Fprintf(w, "  the list ends early: %s\n", r.ExtensionsError)
	}
}

// printFunctions prints counts by section, and lists the missing functions, or all.
func (r *report) printFunctions(w io.Writer, all bool) {
	var sections []string
	present, total := map[string]int{}, map[string]int{}
	missing := 0
	for _, f := range r.Functions {
		if total[f.Section] == 0 {
			sections = append(sections, f.Section)
		}
		total[f.Section]++
		if f.Present {
			present[f.Section]++
		} else {
			missing++
		}
	}
	fmt.Fprintln(w, "\nfunctions")
	for _, s := range sections {
		more := ""
		for _, t := range r.Tables {
			if t.Section == s {
				more = r.beyond(t.Size, t.Known)
			}
		}
		fmt.Fprintf(w, "  %s\t%d of %d%s\n", s, present[s], total[s], more)
	}
	switch {
	case all:
		fmt.Fprintln(w, "\nall functions\n  NAME\tSECTION\tSINCE\tPRESENT")
		for _, f := range r.Functions {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", f.Name, f.Section, since(f), yesNo(f.Present))
		}
	case missing > 0:
		fmt.Fprintf(w, "\nmissing functions (%d)\n  NAME\tSECTION\tSINCE\n", missing)
		for _, f := range r.Functions {
			if !f.Present {
				fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Name, f.Section, since(f))
			}
		}
	}
}

// since returns the API version that introduced f, or a dash if f is as old as its table.
func since(f functionReport) string {
	if f.Since == 0 {
		return "-"
	}
	return fmt.Sprintf("0.%d", f.Since)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
