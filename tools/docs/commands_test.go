// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/isolate"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// patience bounds the time that the commands of a block take, even on a busy machine.
const patience = 5 * time.Minute

// Words after console say what the commands of a block need. clone means that they run in the
// root of the repository, plugin that build/my_plugin.so is a plugin, and fails that the last
// one fails. The tests with the build tags jax and aot run the blocks with these two words.
var (
	manner = []string{"clone", "plugin", "fails"}
	needs  = []string{"jax", "aot", "cc", "gpu", "tpu", "docker", "network", "long"}
)

// runnable reports whether the commands of a block need nothing but what is provided.
func runnable(b block, provided ...string) bool {
	return b.kind == "console" && !slices.ContainsFunc(b.words, func(w string) bool {
		return !slices.Contains(manner, w) && !slices.Contains(provided, w)
	})
}

var built string // the folder with the commands pjrt and pjrt-conformance

func TestMain(m *testing.M) {
	isolate.Main() // for the example of a compiler in a child process
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "docs-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(built)
		return m.Run()
	}())
}

var build = sync.OnceValues(func() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", built+string(filepath.Separator), "./tools/pjrt", "./tools/pjrt-conformance")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	return string(out), err
})

// A command is a line after a dollar sign, and the output that the document shows for it.
type command struct {
	text string
	want []string
}

func commands(b block) []command {
	var list []command
	for _, line := range b.lines {
		text, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok:
			list = append(list, command{text: text})
		case len(list) > 0 && strings.HasSuffix(list[len(list)-1].text, "\\"):
			list[len(list)-1].text += "\n" + line
		case len(list) > 0:
			list[len(list)-1].want = append(list[len(list)-1].want, line)
		}
	}
	return list
}

// A scene is a folder in which the commands of one document run one after another.
type scene struct {
	dir     string // with the files that the document shows
	clone   string // the root of the repository: dir has a link to it, and commands name it ../purepjrt
	env     []string
	address string // in place of 127.0.0.1:8080
}

func newScene(t *testing.T, folders ...string) *scene {
	t.Helper()
	out, err := build()
	require.NoError(t, err, out)
	path := plugintest.Path(t, "cpu")
	require.NotEmpty(t, path)
	s := &scene{dir: t.TempDir()}
	clone, err := filepath.Abs(root)
	require.NoError(t, err)
	s.clone = clone
	require.NoError(t, os.Symlink(clone, filepath.Join(s.dir, "purepjrt")))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.address = fmt.Sprintf("127.0.0.1:%d", listener.Addr().(*net.TCPAddr).Port)
	require.NoError(t, listener.Close())
	s.env = append(os.Environ(), "PATH="+strings.Join(append(folders, built, os.Getenv("PATH")), string(filepath.ListSeparator)))
	return s
}

// fileOf returns the name in the first line of a block that shows a file: a comment with
// nothing but a path. It returns "" for other blocks.
func fileOf(b block) string {
	if b.kind == "console" || len(b.lines) == 0 {
		return ""
	}
	m := regexp.MustCompile(`^(?://|#|;) ([\w./-]+\.\w+|Dockerfile)$`).FindStringSubmatch(b.lines[0])
	if m == nil {
		return ""
	}
	return m[1]
}

func (s *scene) write(t *testing.T, b block) {
	t.Helper()
	file := filepath.Join(s.dir, filepath.FromSlash(fileOf(b)))
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
	require.NoError(t, os.WriteFile(file, []byte(strings.Join(b.lines, "\n")+"\n"), 0o666))
}

// providePlugin puts the CPU plugin where the documents have the reader's plugin.
func (s *scene) providePlugin(t *testing.T) {
	t.Helper()
	build := filepath.Join(s.dir, "build")
	require.NoError(t, os.MkdirAll(build, 0o755))
	if err := os.Symlink(plugintest.Path(t, "cpu"), filepath.Join(build, "my_plugin.so")); err != nil {
		require.ErrorIs(t, err, fs.ErrExist)
	}
}

const mark = "@@ end of command "

// run runs the commands of a block in one shell, and compares what they write with what the
// document shows.
func (s *scene) run(t *testing.T, name string, b block) {
	t.Helper()
	list := commands(b)
	require.NotEmpty(t, list, "%s:%d: no line begins with a dollar sign", name, b.line)
	var script strings.Builder
	// Through a link in a temporary folder, go would compile all packages anew.
	here := strings.NewReplacer("127.0.0.1:8080", s.address, "../purepjrt", s.clone)
	for i, c := range list {
		fmt.Fprintf(&script, "%s\necho \"%s%d $?\"\n", here.Replace(c.text), mark, i)
	}
	script.WriteString("kill $! 2>/dev/null; wait\n")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script.String())
	cmd.WaitDelay = 10 * time.Second
	cmd.Env, cmd.Dir = s.env, s.dir
	if b.has("plugin") {
		s.providePlugin(t)
	}
	if b.has("clone") {
		cmd.Dir = s.clone
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	require.NoError(t, ctx.Err(), "%s:%d: %s", name, b.line, out.String())
	if err != nil && !strings.Contains(out.String(), mark) {
		require.NoError(t, err, out.String())
	}
	rest := strings.ReplaceAll(out.String(), s.address, "127.0.0.1:8080")
	for i, c := range list {
		said, after, ok := strings.Cut(rest, fmt.Sprintf("%s%d ", mark, i))
		require.True(t, ok, "%s:%d: %s: the shell ended: %s", name, b.line, c.text, rest)
		status, after, _ := strings.Cut(after, "\n")
		rest = after
		if b.has("fails") && i == len(list)-1 {
			assert.NotEqual(t, "0", status, "%s:%d: %s did not fail:\n%s", name, b.line, c.text, said)
		} else {
			assert.Equal(t, "0", status, "%s:%d: %s failed:\n%s", name, b.line, c.text, said)
		}
		if c.want != nil {
			have := strings.Split(strings.TrimRight(downloads.ReplaceAllString(said, ""), "\n"), "\n")
			assert.True(t, alike(have, c.want), "%s:%d: %s wrote\n%s", name, b.line, c.text, said)
		}
	}
}

// downloads is what the go command says about modules that it does not have yet.
var downloads = regexp.MustCompile(`(?m)^go: downloading .*\n`)

// alike compares output with what a document shows. A line of three dots stands for any
// lines, and three dots within a line for any text.
func alike(have, want []string) bool {
	if len(want) == 0 {
		return len(have) == 0
	}
	if want[0] == "..." {
		for i := 0; i <= len(have); i++ {
			if alike(have[i:], want[1:]) {
				return true
			}
		}
		return false
	}
	if len(have) == 0 {
		return false
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimRight(want[0], " ")), regexp.QuoteMeta("..."), ".*")
	ok, err := regexp.MatchString("^"+pattern+"$", strings.TrimRight(have[0], " "))
	return err == nil && ok && alike(have[1:], want[1:])
}

// follow does what a document says: it writes the files that the document shows, and runs the
// commands that need nothing but what is provided. It searches the folders first for programs.
func follow(t *testing.T, d document, provided string, folders ...string) {
	t.Helper()
	s := newScene(t, folders...)
	for _, b := range d.blocks {
		switch {
		case b.kind == "go" && !strings.HasPrefix(d.name, guides):
		case fileOf(b) != "":
			s.write(t, b)
		case runnable(b, provided):
			s.run(t, d.name, b)
		}
	}
}

func TestTheCommandsOfTheDocumentsWork(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			for _, w := range b.words {
				if b.kind == "console" {
					assert.Contains(t, slices.Concat(manner, needs), w, "%s:%d", d.name, b.line)
				}
			}
			if runnable(b) {
				seen++
			}
		}
		if testing.Short() && d.name != "README.md" {
			continue
		}
		if slices.ContainsFunc(d.blocks, func(b block) bool { return runnable(b) }) {
			t.Run(path.Base(d.name), func(t *testing.T) {
				t.Parallel()
				follow(t, d, "")
			})
		}
	}
	assert.Greater(t, seen, 7)
}

// A checker checks that commands, flags and targets of make exist, without running anything.
type checker struct {
	t       *testing.T
	help    map[string]string // of command lines
	targets string            // Makefile
	seen    int
}

func newChecker(t *testing.T) *checker {
	t.Helper()
	out, err := build()
	require.NoError(t, err, out)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	return &checker{t, make(map[string]string), string(makefile), 0}
}

// helpOf returns the help of a command: words are pjrt or pjrt-conformance, and the command below
// it, if there is one.
func (c *checker) helpOf(where string, words ...string) string {
	key := strings.Join(words, " ")
	if c.help[key] == "" {
		out, err := exec.Command(filepath.Join(built, words[0]), append(words[1:], "--help")...).CombinedOutput()
		assert.NoError(c.t, err, "%s: %s: %s", where, key, out)
		c.help[key] = string(out)
	}
	return c.help[key]
}

var (
	separators = regexp.MustCompile(`[;&|]+`)
	word       = regexp.MustCompile(`^[a-z][a-z-]*$`)
)

// check checks a line of a shell.
func (c *checker) check(where, text string) {
	for _, part := range separators.Split(text, -1) {
		words := strings.Fields(part)
		if i := slices.Index(words, "--args"); i >= 0 {
			words = words[i+1:] // a debugger's
		}
		for len(words) > 0 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
		if len(words) < 2 {
			continue
		}
		switch words[0] {
		case "make":
			if word.MatchString(words[1]) {
				assert.Regexp(c.t, `(?m)^`+words[1]+`:`, c.targets, "%s: %s", where, text)
				c.seen++
			}
		case "pjrt", "bin/pjrt", "pjrt-conformance", "bin/pjrt-conformance":
			if !word.MatchString(words[1]) {
				continue
			}
			words[0] = path.Base(words[0])
			sub := words[:2:2]
			if len(words) > 2 && word.MatchString(words[2]) && strings.Contains(c.helpOf(where, sub...), "\n  "+words[2]+" ") {
				sub = words[:3:3]
			}
			help := c.helpOf(where, sub...)
			for _, w := range words[2:] {
				if flag, _, _ := strings.Cut(w, "="); strings.HasPrefix(flag, "--") {
					assert.Contains(c.t, help, flag+" ", "%s: %s", where, text)
				}
			}
			c.seen++
		}
	}
}

// Commands that tests cannot run here name commands, flags and targets that exist.
func TestCommandsThatAreNotRunHaveFlagsThatExist(t *testing.T) {
	t.Parallel()
	c := newChecker(t)
	for _, d := range documents(t) {
		for _, b := range d.blocks {
			where := fmt.Sprintf("%s:%d", d.name, b.line)
			switch b.kind {
			case "console":
				if !runnable(b) {
					for _, command := range commands(b) {
						c.check(where, command.text)
					}
				}
			case "yaml":
				for _, line := range b.lines {
					if _, command, ok := strings.Cut(line, "run: "); ok {
						c.check(where, command)
					}
				}
			}
		}
	}
	assert.Greater(t, c.seen, 12)
}

// So do those in sentences. A flag without a command belongs to the command that the document is
// about.
func TestCommandsInSentencesHaveFlagsThatExist(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("asks many commands for their help: make test-all")
	}
	c := newChecker(t)
	about := map[string][]string{"conformance/README.md": {
		"pjrt-conformance run", "pjrt-conformance list", "pjrt-conformance programs", "pjrt-conformance compare", "pjrt-conformance predict",
	}}
	for _, d := range documents(t) {
		text := regexp.MustCompile("(?s)```.*?\n *```").ReplaceAllString(d.text, "")
		for _, m := range span.FindAllStringSubmatch(text, -1) {
			command := strings.Join(strings.Fields(m[1]), " ")
			c.check(d.name, command)
			if flag, _, _ := strings.Cut(command, " "); strings.HasPrefix(flag, "--") && about[d.name] != nil {
				assert.True(t, slices.ContainsFunc(about[d.name], func(sub string) bool {
					return strings.Contains(c.helpOf(d.name, strings.Fields(sub)...), flag+" ")
				}), "%s: %s", d.name, command)
				c.seen++
			}
		}
	}
	assert.Greater(t, c.seen, 60)
}

func TestOutputIsComparedWithWhatADocumentShows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		have, want string
		alike      bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"a\nb\nc", "a\n...\nc", true},
		{"a\nc", "a\n...\nc", true},
		{"a\nb", "a\n...", true},
		{"x is 17 (a+b)", "x is ... (a+b)", true},
		{"x is 17", "x was ...", false},
		{"", "", true},
	} {
		assert.Equal(t, c.alike, alike(strings.Split(c.have, "\n"), strings.Split(c.want, "\n")), "%q %q", c.have, c.want)
	}
}
