// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command plugintable tries the plugins that package plugins installs, and those of tests, and
// prints the table of pjrt/docs/plugins.md:
//
//	plugintable                   fails if what it finds is not what the page says
//	plugintable -write REPORT...  writes the page, with what reports of the conformance suite say
//
// It tries the plugins that are installed, each in processes of its own, by way of bin/pjrt. Of
// others the page keeps what it says. The last column is from the reports alone.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

const (
	page    = "pjrt/docs/plugins.md"
	command = "bin/pjrt"
	begin   = "<!-- make plugins-table writes what follows -->\n"
	end     = "\n<!-- until here -->"
)

func main() {
	write := flag.Bool("write", false, "write the page")
	flag.Parse()
	if err := run(*write, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "plugintable:", err)
		os.Exit(1)
	}
}

// row is one plugin. The columns after the name and the package are what was found.
type row struct {
	name, distribution                      string
	api, functions, client, executes, ahead string
	suite                                   string // not compared
}

func (r *row) cells() []string {
	return []string{r.name, r.distribution, r.api, r.functions, r.client, r.executes, r.ahead, r.suite}
}

var header = row{
	"name", "package", "API", "functions", "makes a client", "executes", "compiles ahead", "conformance, quick: passed, waived, failed",
}

func run(write bool, reports []string) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no place for the table", page)
	}
	said := make(map[string]*row)
	for line := range strings.Lines(table) {
		c := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(c) != len(header.cells()) {
			continue
		}
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		said[c[1]] = &row{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]}
	}
	judged, err := readReports(reports)
	if err != nil {
		return err
	}
	rows, err := tryAll(said, judged)
	if err != nil {
		return err
	}
	var b, different strings.Builder
	fmt.Fprintf(&b, "\n| %s |\n|%s\n", strings.Join(header.cells(), " | "), strings.Repeat("---|", len(header.cells())))
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells(), " | "))
		was := cmp.Or(said[r.distribution], &row{})
		if now := *r; was.suite != now.suite || *was != now {
			if now.suite = was.suite; *was != now {
				fmt.Fprintf(&different, "\n%s: %v, and the page says %v", r.distribution, now.cells(), was.cells())
			}
		}
	}
	fmt.Print(b.String())
	if write {
		return os.WriteFile(page, []byte(before+begin+b.String()+end+after), 0o644)
	}
	if different.Len() > 0 {
		return errors.New(page + " is out of date: run make plugins-table PLUGINS_TABLE=-write" + different.String())
	}
	return nil
}

// readReports returns the results of the reports, by the path of the plugin.
func readReports(files []string) (map[string]string, error) {
	judged := make(map[string]string)
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		r, err := report.Read(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		n := r.Summary.Checks
		judged[r.Plugin.Path] = fmt.Sprintf("%d, %d, %d", n.Pass, n.Waived, n.Fail)
	}
	return judged, nil
}

func tryAll(said map[string]*row, judged map[string]string) ([]*row, error) {
	all, err := plugins.Installed()
	if err != nil {
		return nil, err
	}
	var rows []*row
	add := func(name, distribution, path string) {
		r := &row{name: name, distribution: distribution}
		was := said[distribution]
		switch {
		case path != "":
			r.try(path)
			if r.suite = judged[path]; r.suite == "" && was != nil {
				r.suite = was.suite
			}
		case was != nil:
			*r = *was
			r.name = name
		}
		for _, cell := range []*string{&r.api, &r.functions, &r.client, &r.executes, &r.ahead, &r.suite} {
			*cell = cmp.Or(*cell, "-")
		}
		rows = append(rows, r)
	}
	for i := range all {
		if p := &all[i]; p.Available {
			add(p.Name, p.Project+" "+p.Version, p.Path)
		}
	}
	if err := os.Setenv("PJRT_TEST_CPU", "0.106"); err != nil {
		return nil, err
	}
	path, err := plugintest.Replacement()
	if err != nil {
		return nil, err
	}
	add("for tests", "fastatomstruct-xla-cpu 2026.6.23", path)
	return rows, nil
}

// try finds out what a plugin does.
func (r *row) try(path string) {
	var info struct {
		API       struct{ Major, Minor int }
		Functions []struct {
			Section string
			Present bool
		}
	}
	out, err := exec.Command(command, "info", path, "--json").Output()
	if err != nil || json.Unmarshal(out, &info) != nil {
		r.api = "does not load"
		if failed := new(exec.ExitError); errors.As(err, &failed) && bytes.Contains(failed.Stderr, []byte("the plugin is too old")) {
			r.api = "too old"
		}
		return
	}
	r.api = fmt.Sprintf("%d.%d", info.API.Major, info.API.Minor)
	present := 0
	for _, f := range info.Functions {
		if f.Present && f.Section == "core" {
			present++
		}
	}
	r.functions = fmt.Sprint(present)
	const program = `func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}`
	does := func(args ...string) string {
		c := exec.Command(command, args...)
		c.Stdin = strings.NewReader(program)
		if c.Run() == nil {
			return "yes"
		}
		return "no"
	}
	r.client = does("compile", "--plugin", path, "-")
	if r.executes = "no"; r.client == "yes" {
		r.executes = does("run", "--plugin", path, "-")
	}
	for _, topology := range [][]string{
		{"v5e:2x2"}, {"h100", "--option", "target_config=@conformance/topologies/h100.txtpb", "--option", "topology=1x1x1"},
	} {
		if r.ahead = does(append([]string{"compile", "--plugin", path, "-", "--topology"}, topology...)...); r.ahead != "no" {
			break
		}
	}
}
