// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build plugins

package docs_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

var writePlugins = flag.Bool("write", false, "write the table of plugins, with what the reports say that are the arguments")

// pluginRow is one plugin. The columns after the name and the package are what was found.
type pluginRow struct {
	name, distribution                      string
	api, functions, client, executes, ahead string
	suite                                   string // from reports alone, and not compared
}

func (r *pluginRow) cells() []string {
	return []string{r.name, r.distribution, r.api, r.functions, r.client, r.executes, r.ahead, r.suite}
}

// This tries the plugins that are installed, each in processes of its own, and that of tests. Of
// others, and of those that lack libraries of their vendors, the page keeps what it says. Plugins
// for AMD's GPUs get empty libraries.
func TestThePluginsDoWhatThePageSays(t *testing.T) {
	out, err := build()
	require.NoError(t, err, out)
	text, err := os.ReadFile(pluginsPage)
	require.NoError(t, err)
	const begin, end = "<!-- make plugins-table writes what follows -->\n", "\n<!-- until here -->"
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok, begin)
	table, after, ok := strings.Cut(rest, end)
	require.True(t, ok, end)
	said := make(map[string]*pluginRow)
	for line := range strings.Lines(table) {
		c := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(c) != len((&pluginRow{}).cells()) {
			continue
		}
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		said[c[1]] = &pluginRow{c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]}
	}
	rows := append([]*pluginRow{{
		"name", "package", "API", "functions", "makes a client", "executes", "compiles ahead", "conformance, quick: passed, waived, failed",
	}}, tryPlugins(t, said, judgedPlugins(t, flag.Args()))...)
	var b strings.Builder
	b.WriteByte('\n')
	for i, r := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(r.cells(), " | "))
		if i == 0 {
			fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", len(r.cells())))
		}
		was, now := cmp.Or(said[r.distribution], &pluginRow{}), *r
		now.suite = was.suite
		if !*writePlugins {
			assert.Equal(t, was, &now, "run make plugins-table PLUGINS_TABLE=-write if this is right")
		}
	}
	fmt.Print(b.String())
	if *writePlugins {
		require.NoError(t, os.WriteFile(pluginsPage, []byte(before+begin+b.String()+end+after), 0o644))
	}
}

// judgedPlugins returns the results of reports, by the path of the plugin. Their names are those in
// the root of the repository, where make runs.
func judgedPlugins(t *testing.T, files []string) map[string]string {
	judged := make(map[string]string)
	for _, name := range files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		r, err := report.ReadFile(name)
		require.NoError(t, err)
		n := r.Summary.Checks
		judged[r.Plugin.Path] = fmt.Sprintf("%d, %d, %d", n.Pass, n.Waived, n.Fail)
	}
	return judged
}

func tryPlugins(t *testing.T, said map[string]*pluginRow, judged map[string]string) (rows []*pluginRow) {
	all, err := plugins.Installed()
	require.NoError(t, err)
	add := func(name, distribution, path string) {
		r := &pluginRow{name: name, distribution: distribution}
		was := said[distribution]
		switch {
		case path != "" && r.try(t, path):
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
	t.Setenv("PJRT_TEST_CPU", "0.106")
	path, err := plugintest.Replacement()
	require.NoError(t, err)
	add("for tests", "fastatomstruct-xla-cpu 2026.6.23", path)
	return rows
}

// try finds out what a plugin does, and reports whether its libraries are there.
func (r *pluginRow) try(t *testing.T, path string) bool {
	const program = `func.func @main() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}`
	hollow := ""
	if strings.Contains(path, "rocm") {
		hollow = t.TempDir()
		out, err := exec.Command(filepath.Join(root, "tools", "hollow.sh"), path, hollow).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	pjrt := func(args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(built, "pjrt"), args...)
		c.Dir, c.Env = root, os.Environ()
		if hollow != "" {
			c.Env = append(c.Env, "LD_LIBRARY_PATH="+hollow)
		}
		c.Stdin = strings.NewReader(program)
		return c
	}
	var info struct {
		API       struct{ Major, Minor int }
		Functions []struct {
			Section string
			Present bool
		}
	}
	out, err := pjrt("info", path, "--json").Output()
	if err != nil || json.Unmarshal(out, &info) != nil {
		r.api = "does not load"
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			switch {
			case bytes.Contains(failed.Stderr, []byte("a library that the plugin needs is missing")):
				return false
			case bytes.Contains(failed.Stderr, []byte("the plugin is too old")):
				r.api = "too old"
			}
		}
		return true
	}
	r.api = fmt.Sprintf("%d.%d", info.API.Major, info.API.Minor)
	present := 0
	for _, f := range info.Functions {
		if f.Present && f.Section == "core" {
			present++
		}
	}
	r.functions = fmt.Sprint(present)
	does := func(args ...string) string {
		if pjrt(args...).Run() == nil {
			return "yes"
		}
		return "no"
	}
	r.client = does("compile", "--plugin", path, "-")
	if r.executes = "no"; r.client == "yes" {
		r.executes = does("run", "--plugin", path, "-")
	}
	for _, name := range []string{"v5e:2x2", "h100", "mi300x", "max1550"} {
		topology := []string{"compile", "--plugin", path, "-", "--topology", name}
		if !strings.Contains(name, ":") {
			topology = append(topology, "--option", "target_config=@conformance/topologies/"+name+".txtpb", "--option", "topology=1x1x1")
		}
		if r.ahead = does(topology...); r.ahead != "no" {
			break
		}
	}
	return true
}
