// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build proxy

package docs_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	main    = "github.com/purepjrt/purepjrt"
	version = "v0.1.0" // the version that the nested modules require
)

// published has the modules that others may import, by folder.
var published = map[string]string{
	main:                   "",
	main + "/pjrt/gomlx":   "pjrt/gomlx/",
	main + "/pjrt/otel":    "pjrt/otel/",
	main + "/pjrt/kv/etcd": "pjrt/kv/etcd/",
}

// offline returns an environment without go.work, in which only the proxy has our
// modules.
func offline(t *testing.T) []string {
	t.Helper()
	value := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	proxy := t.TempDir()
	for path, dir := range published {
		pack(t, proxy, path, dir)
	}
	cache := t.TempDir()
	// Neither files nor folders of the module cache are writable.
	t.Cleanup(func() {
		clean := exec.Command("go", "clean", "-modcache")
		clean.Env = append(os.Environ(), "GOMODCACHE="+cache, "GOWORK=off")
		assert.NoError(t, clean.Run())
	})
	// Modules of others that this machine already has need not be fetched again.
	proxies := []string{"file://" + proxy, "file://" + filepath.Join(value("GOMODCACHE"), "cache", "download"), value("GOPROXY")}
	return append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -trimpath "+os.Getenv("GOFLAGS"), "GOMODCACHE="+cache, "GOPROXY="+strings.Join(proxies, ","),
		"GONOSUMDB="+main+","+main+"/*", "GONOPROXY=", "GOPRIVATE=", "GOTOOLCHAIN=local", "CGO_ENABLED=0")
}

// tracked returns the files of the working tree that a commit would have.
func tracked(t *testing.T) []string {
	t.Helper()
	list := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = root
	out, err := list.Output()
	require.NoError(t, err)
	files := slices.DeleteFunc(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), func(name string) bool {
		info, err := os.Lstat(filepath.Join(root, name))
		return err != nil || !info.Mode().IsRegular() // removed, and not yet committed
	})
	slices.Sort(files)
	return slices.Compact(files)
}

// pack puts the module in a folder into a proxy, in the form of the GOPROXY
// protocol.
func pack(t *testing.T, proxy, path, dir string) {
	t.Helper()
	files := tracked(t)
	var nested []string // folders of other modules
	for _, name := range files {
		if d, isMod := strings.CutSuffix(name, "go.mod"); isMod && d != dir && strings.HasPrefix(d, dir) {
			nested = append(nested, d)
		}
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range files {
		inside, ok := strings.CutPrefix(name, dir)
		if !ok || slices.ContainsFunc(nested, func(d string) bool { return strings.HasPrefix(name, d) }) {
			continue
		}
		f, err := w.Create(path + "@" + version + "/" + inside)
		require.NoError(t, err)
		content, err := os.Open(filepath.Join(root, name))
		require.NoError(t, err)
		_, err = io.Copy(f, content)
		require.NoError(t, err)
		require.NoError(t, content.Close())
	}
	require.NoError(t, w.Close())
	mod, err := os.ReadFile(filepath.Join(root, dir, "go.mod"))
	require.NoError(t, err)
	versions := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	require.NoError(t, os.MkdirAll(versions, 0o777))
	for name, content := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": fmt.Appendf(nil, `{"Version": %q, "Time": "2026-01-02T03:04:05Z"}`, version),
		version + ".mod":  mod,
		version + ".zip":  b.Bytes(),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(versions, name), content, 0o666))
	}
}

// run runs the go command in a folder.
func run(t *testing.T, environment []string, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("go", args...)
	c.Dir, c.Env = dir, environment
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, "go %s: %s", strings.Join(args, " "), stderr.String())
	return string(out)
}

func TestProxyServesAProgramElsewhere(t *testing.T) {
	environment := offline(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/outside")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/program\n\ngo 1.26.0\n"), 0o666))
	// The checksums of what the modules require are known.
	var sums []byte
	for _, folder := range slices.Sorted(maps.Values(published)) {
		text, err := os.ReadFile(filepath.Join(root, folder, "go.sum"))
		require.NoError(t, err)
		sums = append(sums, text...)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o666))
	var get []string
	for path := range published {
		get = append(get, path+"@"+version)
	}
	run(t, environment, dir, append([]string{"get"}, get...)...)
	assert.Equal(t, "[2 4 6]\npjrt.execute\nthe etcd client is nil\n[pjrt]\n", run(t, environment, dir, "run", "."))
	for path := range published {
		var m struct {
			Version string
			Replace *struct{}
		}
		require.NoError(t, json.Unmarshal([]byte(run(t, environment, dir, "list", "-m", "-json", path)), &m))
		assert.Equal(t, version, m.Version, path)
		assert.Nil(t, m.Replace, path)
	}
	// A vendor makes the binding of their extension with nothing but the published module: the
	// headers of PJRT are in it.
	const extension = "extensions/testdata/outside/"
	header, err := os.ReadFile(filepath.Join(root, extension, "include", "scale_extension.h"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scale_extension.h"), header, 0o666))
	run(t, environment, dir, "run", main+"/tools/pjrtgen", "extension", "scale_extension.h", "--package", "scaleraw", "--out", "scaleraw")
	run(t, environment, dir, "vet", "./scaleraw")
	for _, name := range []string{"zz_extension.go", "zz_extension_layout.go"} {
		want, err := os.ReadFile(filepath.Join(root, extension, "scaleraw", name))
		require.NoError(t, err)
		got, err := os.ReadFile(filepath.Join(dir, "scaleraw", name))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got))
	}

	// The commands can be installed as README.md says, and one hands over to the other.
	bin := t.TempDir()
	run(t, append(environment, "GOBIN="+bin, "GOFLAGS=-trimpath "+os.Getenv("GOFLAGS")), dir, "install", main+"/tools/pjrt@latest", main+"/tools/pjrt-conformance@latest")
	for _, args := range [][]string{{"version"}, {"conformance", "version"}} {
		out, err := exec.Command(filepath.Join(bin, "pjrt"), args...).CombinedOutput()
		require.NoError(t, err, string(out))
		assert.Contains(t, string(out), version)
	}
}

// Once they are published, go mod tidy changes nothing in them except the sums of
// our own modules.
func TestProxyLeavesNestedModulesTidy(t *testing.T) {
	environment := offline(t)
	for _, name := range tracked(t) {
		folder, isMod := strings.CutSuffix(name, "/go.mod")
		if !isMod || strings.Contains(folder, "testdata/") {
			continue
		}
		t.Run(folder, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, folder))))
			want, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			require.NoError(t, err)
			assert.NotContains(t, string(want), "replace ")
			run(t, environment, dir, "mod", "tidy")
			got, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}
