// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withCompiler gives the toy plugin a compiler, which pip serves from now on, and returns
// the directory it is installed in.
func (b *bench) withCompiler(content []byte) (dir string) {
	b.t.Helper()
	hash := sha256.Sum256(content)
	b.pip.Wheel = filepath.Join(b.t.TempDir(), "toy_compiler-4.5-py3-none-any.whl")
	require.NoError(b.t, os.WriteFile(b.pip.Wheel, content, 0o666))
	b.pkg.compiler = []Package{{
		Name: "toy", Project: "toy-compiler", Version: "4.5", files: []string{"nvidia/toy/bin/ptxas", "nvidia/toy/lib/device.bc"},
		wheels: map[string]wheel{runtime.GOOS + "/" + runtime.GOARCH: {abi: "none", tag: "toyland_1_0", sha256: hex.EncodeToString(hash[:])}},
	}}
	b.installer.table = []Package{b.pkg}
	b.installer.compiler = func(library string) string {
		dir := filepath.Join(filepath.Dir(library), "nvidia", "toy")
		for _, file := range []string{"bin/ptxas", "lib/device.bc"} {
			if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err != nil {
				return ""
			}
		}
		return dir
	}
	return filepath.Join(b.dir, b.pkg.id(b.pkg.wheels[b.installer.platform]), "nvidia", "toy")
}

func (b *bench) installCompiler(ctx context.Context) (string, error) {
	b.installer.env = append(os.Environ(), actAsPip+"="+marshal(b.t, b.pip))
	return b.installer.installCompiler(ctx, b.pkg.Name)
}

func compilerWheel(t *testing.T) []byte {
	t.Helper()
	return makeWheel(t,
		entry{name: "nvidia/toy/bin/ptxas", content: "assembler", mode: 0o100},
		entry{name: "nvidia/toy/bin/other", content: "large", mode: 0o100},
		entry{name: "nvidia/toy/lib/device.bc", content: "bitcode"},
		entry{name: "toy_compiler-4.5.dist-info/licenses/License.txt", content: "as you like"},
	)
}

func TestACompilerIsInstalledBesideItsPlugin(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	library, err := b.install(t.Context())
	require.NoError(t, err)
	want := b.withCompiler(compilerWheel(t))
	dir, err := b.installCompiler(t.Context())
	require.NoError(t, err)
	assert.Equal(t, want, dir)
	b.requireInstalled(library)
	for name, content := range map[string]string{
		"toy/bin/ptxas": "assembler", "toy/lib/device.bc": "bitcode", "LICENSE-toy-compiler.txt": "as you like",
	} {
		got, err := os.ReadFile(filepath.Join(filepath.Dir(want), filepath.FromSlash(name)))
		require.NoError(t, err)
		assert.Equal(t, content, string(got))
	}
	assert.NoFileExists(t, filepath.Join(want, "bin", "other"), "what a plugin does not use")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(want, "bin", "ptxas"))
		require.NoError(t, err)
		assert.NotZero(t, info.Mode()&0o100)
		info, err = os.Stat(filepath.Join(want, "lib", "device.bc"))
		require.NoError(t, err)
		assert.Zero(t, info.Mode()&0o111)
	}

	require.Len(t, b.runs(), 2)
	_, err = b.installCompiler(t.Context())
	require.NoError(t, err)
	assert.Len(t, b.runs(), 2, "a compiler that is there needs no pip")
	require.NoError(t, os.Remove(filepath.Join(want, "bin", "ptxas")))
	_, err = b.installCompiler(t.Context())
	require.NoError(t, err)
	assert.FileExists(t, filepath.Join(want, "bin", "ptxas"), "what somebody deleted comes back")

	_, err = b.installer.uninstall(t.Context(), "toy")
	require.NoError(t, err)
	b.requireNothingLeft()
}

func TestInstallBringsTheCompilerIfAsked(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	_, err := b.install(t.Context())
	require.NoError(t, err)
	want := b.withCompiler(compilerWheel(t))
	_, err = b.install(t.Context())
	require.NoError(t, err)
	assert.NoDirExists(t, want, "nobody asked")

	b.installer.Compiler = true
	wheel := b.pip.Wheel
	b.pip.Wheel = filepath.Join(t.TempDir(), "gone")
	library, err := b.install(t.Context())
	require.ErrorContains(t, err, "cannot install what toy compiles with")
	b.requireInstalled(library)

	b.pip.Wheel = wheel
	library, err = b.install(t.Context())
	require.NoError(t, err)
	b.requireInstalled(library)
	assert.FileExists(t, filepath.Join(want, "bin", "ptxas"))
}

func TestACompilerOnTheMachineIsEnough(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	_, err := b.install(t.Context())
	require.NoError(t, err)
	b.withCompiler(compilerWheel(t))
	b.installer.compiler = func(string) string { return "/usr/local/cuda" }
	dir, err := b.installCompiler(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "/usr/local/cuda", dir)
	assert.Len(t, b.runs(), 1)
}

func TestAPluginWithoutACompilerStaysAsItIs(t *testing.T) {
	t.Parallel()
	got := "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\n"
	for name, c := range map[string]struct {
		wheel        []byte
		stderr, want string
	}{
		"no room":         {compilerWheel(t), got, "cannot install what toy compiles with: the disk is full"},
		"half a compiler": {makeWheel(t, entry{name: "nvidia/toy/bin/ptxas", content: "x"}), "", "contains no nvidia/toy/lib/device.bc"},
		"a link": {makeWheel(t, entry{name: "nvidia/toy/bin/ptxas", content: "/bin/sh", mode: os.ModeSymlink},
			entry{name: "nvidia/toy/lib/device.bc"}), "", `"nvidia/toy/bin/ptxas" is not a regular file`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, toyWheel(t))
			library, err := b.install(t.Context())
			require.NoError(t, err)
			dir := b.withCompiler(c.wheel)
			b.pip.Stderr = c.stderr
			_, err = b.installCompiler(t.Context())
			require.ErrorContains(t, err, c.want)
			assertOneLine(t, err)
			b.requireInstalled(library)
			assert.NoDirExists(t, filepath.Dir(dir))
			parts, err := filepath.Glob(filepath.Join(b.dir, ".toy-*"))
			require.NoError(t, err)
			assert.Empty(t, parts)
		})
	}
}

func TestACompilerNeedsItsPlugin(t *testing.T) {
	t.Parallel()
	b := newBench(t, toyWheel(t))
	dir, err := b.installCompiler(t.Context())
	require.NoError(t, err)
	assert.Empty(t, dir, "most plugins need none")
	b.withCompiler(compilerWheel(t))
	_, err = b.installCompiler(t.Context())
	require.ErrorIs(t, err, ErrNotInstalled)
	b.installer.platform = "plan9/mips"
	_, err = b.installCompiler(t.Context())
	require.ErrorContains(t, err, "has no wheel for plan9/mips")
	assert.Empty(t, b.runs())
}

func TestTheAdviceForAnInstalledPluginIsToInstallItsCompiler(t *testing.T) {
	t.Parallel()
	f := testFinder(t, map[string]string{})
	f.table = packages
	dir, err := f.dir()
	require.NoError(t, err)
	p, err := known(packages, "cuda13")
	require.NoError(t, err)
	library := filepath.Join(dir, p.id(p.wheels[linuxAMD64]), p.fileName())
	put(t, elfLibrary{}.bytes(), library)
	_, missing := f.cuda(library)
	require.Len(t, missing, 1)
	assert.ErrorContains(t, missing[0], "run: pjrt install cuda13")
	cuda(t, filepath.Dir(library), "nvidia", "cu13")
	found, missing := f.cuda(library)
	assert.Empty(t, missing)
	assert.Equal(t, filepath.Join(filepath.Dir(library), "nvidia", "cu13"), found.Compiler)
}

func TestEveryWheelHasASize(t *testing.T) {
	t.Parallel()
	check := func(p *Package) {
		for platform, w := range p.wheels {
			assert.Positive(t, w.size, "%s for %s", p.Project, platform)
			assert.Positive(t, w.unpacked, "%s for %s", p.Project, platform)
		}
	}
	for i := range packages {
		p := &packages[i]
		check(p)
		for k := range p.compiler {
			check(&p.compiler[k])
			assert.Equal(t, p.Platforms(), p.compiler[k].Platforms(), "%s has a compiler wherever it runs", p.Name)
		}
	}
	cpu, err := known(packages, "cpu")
	require.NoError(t, err)
	w, ok := cpu.wheels[runtime.GOOS+"/"+runtime.GOARCH]
	assert.Equal(t, ok, cpu.Size() == Size{w.size, w.unpacked} && w.size > 0)
	assert.Zero(t, cpu.CompilerSize())
}
