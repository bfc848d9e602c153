// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/internal/python"
	"github.com/purepjrt/purepjrt/pjrt/cache"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/xlaflags"
	"github.com/purepjrt/purepjrt/tools/internal/cli"
)

// finding is one thing that doctor found. The command's help describes its JSON form.
type finding struct {
	Subject string `json:"subject"`
	State   string `json:"state"`
	Finding string `json:"finding"`
	Remedy  string `json:"remedy,omitempty"`
}

// The states of findings.
const (
	fine    = "ok"
	warning = "warning"
	wrong   = "error"
)

func doctorCommand() *cobra.Command {
	var asJSON bool
	trials := trialOptions{which: tryAll}
	cmd := &cobra.Command{
		Use:   "doctor [PLUGIN...]",
		Short: "Find out what keeps plugins from working, and what to do about it",
		Long: `Doctor looks at the plugins on this machine, their libraries, devices and drivers,
at CUDA, at Python and pip, at directories, locks and limits, and at environment
variables. Of the plugins it looks only at those given by name (cuda13), platform
(cuda), alias (gpu) or path, if any are. It changes nothing.

A child process makes a client of each plugin that is given by name or path, or that
seems usable. --try=shared leaves out those whose devices a program may need for
itself, such as GPUs, and --try=none loads no plugin.

With --json it prints a list of objects:

  subject  what was looked at
  state    ok, warning or error
  finding  what there is
  remedy   what to do; omitted if there is nothing to do

The exit status is 1 if there is an error.`,
		Example: "  pjrt doctor\n  pjrt doctor ./my_plugin.so",
		RunE: func(cmd *cobra.Command, names []string) error {
			list, err := examine(cmd, names, &trials)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), list)
			} else {
				err = printFindings(cmd.OutOrStdout(), list)
			}
			if err == nil && slices.ContainsFunc(list, func(f finding) bool { return f.State == wrong }) {
				return cli.ExitStatus(1)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON list")
	trials.addTo(cmd)
	return cmd
}

func printFindings(w io.Writer, list []finding) error {
	var b strings.Builder
	width := 0
	for _, f := range list {
		width = max(width, len(f.Subject))
	}
	marks := map[string]string{fine: "ok   ", warning: "warn ", wrong: "ERROR"}
	if cli.Coloured(w) {
		marks = map[string]string{fine: "\x1b[32mok   \x1b[0m", warning: "\x1b[33mwarn \x1b[0m", wrong: "\x1b[31mERROR\x1b[0m"}
	}
	// Findings go into the third column if that leaves them half of the terminal.
	const second = 6
	hang := second + width + 2
	if cli.TerminalOf(w) != nil && hang > cli.Columns(w)/2 {
		hang, width = second, 0
	}
	add := func(line string, hang int) {
		if cli.TerminalOf(w) != nil {
			line = cli.WrapAt(line, cli.Columns(w), hang)
		}
		b.WriteString(line + "\n")
	}
	counts := map[string]int{}
	for _, f := range list {
		counts[f.State]++
		add(fmt.Sprintf("%s %-*s  %s", marks[f.State], width, f.Subject, cli.OneLine(f.Finding)), hang)
		if f.Remedy != "" {
			add(fmt.Sprintf("%*s-> %s", hang, "", cli.OneLine(f.Remedy)), hang+3)
		}
	}
	fmt.Fprintf(&b, "\n%s, %s\n", number(counts[wrong], "error"), number(counts[warning], "warning"))
	_, err := io.WriteString(w, b.String())
	return err
}

// number returns a count of things as text, such as 1 error or 2 errors.
func number(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// doctor collects findings.
type doctor struct{ list []finding }

func (d *doctor) add(subject, state, remedy, format string, args ...any) {
	d.list = append(d.list, finding{subject, state, fmt.Sprintf(format, args...), remedy})
}

// examine looks at everything or, of the plugins, at those that names select. The error is that of
// the context, or of a name that selects none.
func examine(cmd *cobra.Command, names []string, trials *trialOptions) ([]finding, error) {
	d, ctx := &doctor{}, cmd.Context()
	d.add("pjrt", fine, "", "%s, PJRT API %d.%d, %s %s/%s", cli.Version(), capi.APIMajor, capi.APIMinor,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
	list, err := selectedPlugins(cmd, names, plugins.ListOptions{})
	if err != nil {
		return nil, err
	}
	tried, err := trials.tryAll(ctx, list, len(names) > 0)
	var none *childError
	if errors.As(err, &none) {
		d.add("child process", wrong, none.remedy(), "plugins cannot be tried: %v", none.err)
		tried, err = (&trialOptions{which: tryNone}).tryAll(ctx, list, len(names) > 0)
	}
	if err != nil {
		return nil, err
	}
	d.plugins(ctx, tried, len(names) > 0)
	if len(names) == 0 {
		d.devices(ctx, list, tried)
		d.python(ctx)
		d.directories()
	}
	d.locks()
	d.limits()
	d.variables()
	return d.list, ctx.Err()
}

// plugins looks at each plugin, and at what its platform needs. What is wrong with a plugin that
// the user named or configured is an error, and so is one that cannot even be loaded.
func (d *doctor) plugins(ctx context.Context, list []triedPlugin, named bool) {
	for _, c := range list {
		d.plugin(ctx, &c, named)
		if c.Platform == "cuda" && c.Problem == nil && !strings.Contains(c.Name, "@") {
			d.cuda(c.Candidate)
		}
		d.faults(&c, named)
	}
}

func (d *doctor) plugin(ctx context.Context, c *triedPlugin, named bool) {
	subject := "plugin " + dash(c.Name)
	state := warning
	if named || !c.FailQuietly {
		state = wrong
	}
	damage := c.Verify(ctx)
	switch {
	case c.Problem != nil && c.Remedy() != "":
		if c.Origin == plugins.OriginCache && len(c.Needs) == 0 {
			state = wrong // nobody but pjrt install put it there
		}
		d.add(subject, state, strings.TrimPrefix(c.Remedy(), "run: "), "%s",
			strings.TrimRight(strings.TrimSuffix(c.Problem.Error(), c.Remedy()), ":; "))
	case c.Problem != nil && state == wrong:
		d.add(subject, wrong, "repair or remove it; it comes from "+string(c.Origin), "%v", c.Problem)
	case c.Problem != nil:
		d.add(subject, warning, "remove it if you do not need it", "%v", c.Problem)
	case damage != nil:
		what, remedy, _ := strings.Cut(damage.Error(), "; run: ")
		d.add(subject, wrong, remedy, "%s", strings.TrimPrefix(what, subject+": "))
	case c.usable() && c.trial == nil:
		d.add(subject, fine, "", "usable: API %s, %s", dash(c.API), c.Path)
	case c.usable():
		d.add(subject, fine, "", "usable: API %s, makes a client, %s", dash(c.API), c.Path)
	case c.trial == nil:
		d.add(subject, fine, "", "can compile for devices elsewhere: %v (%s)", c.Hardware, c.Path)
	case c.diesLoading():
		d.add(subject, wrong, c.cure(), "%v (%s)", c.trial.ended, c.Path)
	case c.Hardware != nil:
		d.add(subject, warning, "", "%v; %v (%s)", c.Hardware, c.trial.err(), c.Path)
	default:
		d.add(subject, state, c.cure(), "%v (%s)", c.trial.err(), c.Path)
	}
}

// diesLoading reports whether the plugin ends the process that loads it.
func (c *triedPlugin) diesLoading() bool {
	return c.trial != nil && c.trial.ended != nil && !c.trial.Loaded
}

// cure says what to do about a plugin that was tried in vain, as far as that is known.
func (c *triedPlugin) cure() string {
	switch {
	case c.diesLoading() && c.Origin == plugins.OriginCache:
		return "pjrt install --force " + c.Name
	case c.trial.ended != nil:
		return "see what else it says: pjrt info " + c.Path
	}
	return ""
}

// faults lists what a plugin is known to compute wrongly, or to end the process over. All of them
// are told of a plugin that the user named, and their number of others.
func (d *doctor) faults(c *triedPlugin, named bool) {
	if c.Problem != nil || c.trial == nil || c.trial.Kind != "cpu" {
		return
	}
	list := faultsOf(c.trial.Minor)
	subject := "faults of " + dash(c.Name)
	if !named {
		refused := 0
		for _, f := range list {
			if f.refused {
				refused++
			}
		}
		d.add(subject, fine, "", "%s in valid programs, of which package pjrt refuses %d; pjrt doctor %s lists them",
			number(len(list), "known fault"), refused, c.Name)
		return
	}
	for _, f := range list {
		refused := ""
		if f.refused {
			refused = " Package pjrt refuses such programs."
		}
		d.add(subject, fine, "", "%s%s %s", strings.ReplaceAll(f.what, "`", ""), refused, strings.ReplaceAll(f.avoid, "`", ""))
	}
}

// devices looks for devices without a plugin, and for the plugin that is used by default.
func (d *doctor) devices(ctx context.Context, list []plugins.Candidate, tried []triedPlugin) {
	for _, hint := range plugins.Hints(list) {
		what, remedy, _ := strings.Cut(hint, "; run: ")
		d.add("devices", wrong, remedy, "%s", what)
	}
	best, err := plugins.Find(ctx, "")
	if err != nil {
		d.add("default", wrong, "pjrt install cpu", "no plugin is usable: %v", err)
		return
	}
	d.byDefault(best, tried)
}

// byDefault says what becomes of the plugin that is used by default.
func (d *doctor) byDefault(best plugins.Candidate, tried []triedPlugin) {
	i := slices.IndexFunc(tried, func(c triedPlugin) bool { return c.Name == best.Name && c.Path == best.Path })
	if i < 0 || tried[i].usable() || tried[i].trial == nil {
		d.add("default", fine, "", "%s is used when no plugin is named", best.Name)
		return
	}
	c := &tried[i]
	another := slices.ContainsFunc(tried, func(c triedPlugin) bool { return c.usable() && !c.Experimental })
	switch {
	case c.trial.ended != nil: // no other is reached
		d.add("default", wrong, c.cure(), "%s is used when no plugin is named, and %v", best.Name, c.trial.ended)
	case another:
		d.add("default", warning, "", "%s is tried first when no plugin is named, and does not work; then others are", best.Name)
	default:
		d.add("default", wrong, "", "%s is used when no plugin is named, and does not work: %v", best.Name, c.trial.err())
	}
}

func (d *doctor) cuda(c plugins.Candidate) {
	found, missing := plugins.FindCUDA(c.Path)
	var parts []string
	if found.Driver != "" {
		parts = append(parts, "driver "+found.Driver)
	}
	for _, l := range []struct{ name, path string }{{"runtime", found.Runtime}, {"cuDNN", found.CUDNN}} {
		if l.path != "" {
			parts = append(parts, strings.TrimSpace(l.name+" "+plugins.LibraryVersion(l.path))+" ("+l.path+")")
		}
	}
	for _, path := range found.Libraries {
		stem, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "lib"), ".")
		parts = append(parts, strings.TrimSpace(stem+" "+plugins.LibraryVersion(path)))
	}
	if found.Compiler != "" {
		parts = append(parts, "ptxas and libdevice in "+found.Compiler)
	}
	subject := "CUDA of " + c.Name
	if len(parts) > 0 {
		d.add(subject, fine, "", "%s", strings.Join(parts, ", "))
	}
	for _, err := range missing {
		what, remedy, _ := strings.Cut(err.Error(), ": run: ")
		state := wrong
		if c.Hardware != nil {
			state = warning // nothing runs on this machine anyway
		}
		d.add(subject, state, remedy, "%s", what)
	}
}

// python looks for what pjrt install needs. Installed plugins work without it.
func (d *doctor) python(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	command := python.Default()
	path, err := python.Find(command)
	if err != nil {
		d.add("python", warning, "install Python 3 with pip, to install plugins", "%v", err)
		return
	}
	out, said, err := python.Run(python.Module(ctx, path, nil, "pip", "--version"))
	if err != nil {
		remedy, reason := command+" -I -m ensurepip, or your system's python3-pip, to install plugins", python.Reason(said)
		if reason != "" && !strings.Contains(reason, "No module named") {
			remedy = "repair Python and the configuration of pip, to install plugins"
		}
		d.add("python", warning, remedy, "%s has no pip that works: %s", path, cmp.Or(reason, err.Error()))
		return
	}
	version, _, _ := strings.Cut(strings.TrimSpace(out), " from ")
	d.add("python", fine, "", "%s, %s", path, version)
	if value := os.Getenv("PIP_NO_INDEX"); value != "" && value != "0" {
		d.add("pip", warning, "unset it, or put wheels into PIP_FIND_LINKS", "PIP_NO_INDEX=%s: pip does not use a package index", value)
	}
}

// roomOfPlugin is how much space the largest plugin needs, as a wheel and unpacked.
const roomOfPlugin = 1 << 30

// directories looks at the directories of plugins and compiled programs.
func (d *doctor) directories() {
	for _, place := range []struct {
		subject string
		dir     func() (string, error)
	}{{"plugins", plugins.Dir}, {"compiled programs", cache.DefaultDir}} {
		dir, err := place.dir()
		if err != nil {
			d.add(place.subject, warning, "set HOME or XDG_CACHE_HOME", "%v", err)
			continue
		}
		existing := dir
		for existing != filepath.Dir(existing) {
			if _, err := os.Stat(existing); err == nil {
				break
			}
			existing = filepath.Dir(existing)
		}
		free, state, remedy := "", fine, ""
		if n, ok := freeBytes(existing); ok {
			if free = ", " + size(n) + " free"; n < roomOfPlugin {
				state, remedy = warning, "make room, or set XDG_CACHE_HOME to a directory on another disk"
			}
		}
		switch {
		case !writable(existing):
			d.add(place.subject, warning, "to install plugins or keep programs, set XDG_CACHE_HOME to a directory that you may write to",
				"%s cannot be written to; its contents keep working", existing)
		case existing != dir:
			d.add(place.subject, state, remedy, "%s does not exist yet%s", dir, free)
		default:
			d.add(place.subject, state, remedy, "%s: %s%s", dir, size(bytesBelow(dir)), free)
		}
	}
}

// bytesBelow returns the size of the files below dir that can be seen.
func bytesBelow(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}

// locks looks for locks that other processes hold, and for what killed processes left.
func (d *doctor) locks() {
	if dir, err := plugins.Dir(); err == nil {
		files, _ := fs.Glob(os.DirFS(dir), "*.lock")
		for _, file := range files {
			l := flock.New(filepath.Join(dir, file), flock.SetFlag(os.O_RDONLY))
			if held, err := l.TryRLock(); err == nil && !held {
				d.add("lock", warning, "wait for the other pjrt install",
					"another process is installing %s", strings.TrimSuffix(file, ".lock"))
			}
			_ = l.Close()
		}
		left, _ := fs.Glob(os.DirFS(dir), ".*.part-*")
		for _, part := range left {
			part = filepath.Join(dir, part)
			d.add("leftover", warning, "the next pjrt install or uninstall removes it, unless one is at work there",
				"%s has %s of an unfinished installation", part, size(bytesBelow(part)))
		}
	}
	const libtpu = "/tmp/libtpu_lockfile"
	if _, err := os.Stat(libtpu); err == nil && os.Getenv("ALLOW_MULTIPLE_LIBTPU_LOAD") == "" {
		d.add("lock", warning, "if no process uses the TPU: rm "+libtpu,
			"%s: libtpu cannot be loaded while another process holds this lock", libtpu)
	}
}

// telling has the prefixes of variables that change what plugins and pip do.
var telling = []string{
	"PJRT_", "JAX_", "XLA_", "TPU_", "LIBTPU_", "CUDA_", "ROCR_", "HIP_", "NEURON_", "NCCL_", "PIP_", "LD_LIBRARY_PATH",
}

// variables looks at the environment variables that change what plugins do.
func (d *doctor) variables() {
	var set []string
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		if slices.ContainsFunc(telling, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			set = append(set, name)
		}
		if name == "XLA_FLAGS" {
			if err := xlaflags.Check(value); err != nil {
				d.add("XLA_FLAGS", warning, "remove it: an unknown flag makes plugins end the process", "%v", err)
			}
		}
	}
	slices.Sort(set)
	if len(set) > 0 {
		d.add("variables", fine, "", "set: %s", strings.Join(set, ", "))
	}
	if _, err := os.UserHomeDir(); err != nil {
		d.add("HOME", warning, "set it, or set XDG_CACHE_HOME", "%v", err)
	}
}

// writable reports whether this process may make files in dir, and makes none.
func writable(dir string) bool {
	err := mayWrite(dir)
	return err == nil || errors.Is(err, errors.ErrUnsupported)
}
