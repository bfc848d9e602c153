// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugintest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/cpu"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// ageVariable is the environment variable with the age of the CPU plugin that tests run on.
const ageVariable = "PJRT_TEST_CPU"

// A CPU is a published build of XLA's plugin for CPUs.
type CPU struct {
	// Age is the version of the PJRT API that the plugin has, such as "0.106".
	Age string
	// Path is the library.
	Path string
}

// build says where the build of one age comes from.
type build struct {
	age              string
	project, version string // of the Python distribution
	avx              bool   // executes AVX as soon as it is loaded

	// The rest is for a distribution that package plugins does not install.
	library, platform, sha256 string
}

// builds lists the ages, oldest first.
var builds = []build{
	{age: "0.81", project: "xla-cpu-pjrt", version: "0.0.1"},
	{
		age: "0.106", project: "fastatomstruct-xla-cpu", version: "2026.6.23", avx: true,
		library: "fastatomstruct_xla_cpu/libpjrt_cpu.so", platform: "manylinux_2_27_x86_64",
		sha256: "88b1c430b341b4bea40a37420311c9c75db6e22b46d2ff95b6986577bee6afe9",
	},
	{age: "0.115", project: "lammps-jax-pjrt-cpu", version: "0.11.2"},
}

// Executing returns the CPU plugins that execute programs on this machine, one of each age, oldest
// first. It fetches those that are missing; if one cannot be fetched, the test fails. Two of them
// should not be loaded into one process: see [Each].
func Executing(t testing.TB) []CPU {
	t.Helper()
	var list []CPU
	for i := range builds {
		b := &builds[i]
		if !b.runsHere() {
			continue
		}
		path, err := b.fetch()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, CPU{b.age, path})
	}
	if len(list) == 0 {
		t.Fatalf("no plugin is known that executes on %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	return list
}

// Each runs test once with each plugin of [Executing], as a subtest named after its age. Each
// subtest runs in a process of its own, in which the plugin is also the one that [Path] returns for
// "cpu". In the process of the caller, Each returns when all have passed, and test has not been
// called; in the others, it returns after test. The caller must not do what has to be done once.
func Each(t *testing.T, test func(t *testing.T, plugin CPU)) {
	t.Helper()
	for _, plugin := range Executing(t) {
		t.Run(plugin.Age, func(t *testing.T) {
			if os.Getenv(childVariable) == t.Name() {
				test(t, plugin)
				return
			}
			out, err := child(t, plugin.Age)
			if err != nil || !strings.Contains(out, "--- PASS: "+t.Name()) {
				t.Fatalf("on the plugin of API %s: %v\n%s", plugin.Age, err, out)
			}
			t.Log(out)
		})
	}
}

// childVariable is the environment variable with the subtest for a process of [Each] to run.
const childVariable = "PJRT_TEST_EACH"

// child runs the subtest t with the plugin of an age in a process of its own. It returns what the
// process wrote, and how it ended.
func child(t *testing.T, age string) (string, error) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(t.Name(), "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	args := []string{"-test.run=" + strings.Join(parts, "/"), "-test.v", "-test.timeout=5m"}
	if testing.Short() {
		args = append(args, "-test.short")
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), childVariable+"="+t.Name(), ageVariable+"="+age)
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Replacement returns the library that the environment variable PJRT_TEST_CPU puts in place of the
// plugin "cpu", or "" if the variable is not set. It is for what has no [testing.TB].
func Replacement() (string, error) {
	age := os.Getenv(ageVariable)
	if age == "" {
		return "", nil
	}
	var known []string
	for i := range builds {
		b := &builds[i]
		known = append(known, b.age)
		switch {
		case b.age != age:
		case !b.runsHere():
			return "", fmt.Errorf("the CPU plugin of API %s (%s %s) does not run on this machine", age, b.project, b.version)
		default:
			return b.fetch()
		}
	}
	return "", fmt.Errorf("%s: no CPU plugin of API %q is known, only of %s", ageVariable, age, strings.Join(known, ", "))
}

// runsHere reports whether this machine can execute with the plugin.
func (b *build) runsHere() bool {
	if p := b.published(); p != nil {
		return p.Size().Disk > 0
	}
	return runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && (!b.avx || cpu.X86.HasAVX)
}

// published returns the package of package plugins that is the same build, or nil.
func (b *build) published() *plugins.Package {
	for _, p := range plugins.Packages() {
		if p.Project == b.project && p.Version == b.version {
			return &p
		}
	}
	return nil
}

// fetch returns the library of the plugin, which it downloads if it is missing.
func (b *build) fetch() (path string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if p := b.published(); p != nil {
		kind, _, _ := strings.Cut(p.Name, "@")
		path, err = plugins.Install(ctx, kind+"@"+p.Version, plugins.InstallOptions{})
	} else {
		path, err = b.download(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("the CPU plugin of API %s (%s %s) is missing: %w", b.age, b.project, b.version, err)
	}
	return path, nil
}
