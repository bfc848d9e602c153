// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build originals

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// wheel is a Python package that contains XLA's headers. Two wheels of one minor
// are two points in its history.
type wheel struct {
	project, version, sha256 string
	platform                 string
	minor                    int
	headers                  int      // of the C API
	later                    []string // values that came after the wheel, in the same minor
}

// wheels are wheels for Python 3.11, the oldest first.
var wheels = []wheel{
	{"tensorflow-cpu", "2.15.0", "f46c795177f6311c83562e05d38dc7d4618f8d3150e6902a4499b875f3f97270", "manylinux2014_x86_64", 34, 1, nil},
	{"tensorflow-cpu", "2.16.1", "8fde4a1a1515f3099119c2d71e1653aa6e7ae81ec58b7cb045cab5e5bb147b8b", "manylinux2014_x86_64", 40, 1, nil},
	{"tensorflow-cpu", "2.17.0", "e7f383ffe153d67de338b0fc26ab44546466ec016fe4dbff74bfd206d1894285", "manylinux2014_x86_64", 54, 6, nil},
	{"tensorflow-cpu", "2.18.0", "089e71746960ea581dca53401f84b3b99c8537313e337a9e5dbf97036a936f7e", "manylinux2014_x86_64", 54, 6, nil},
	{"tensorflow-cpu", "2.19.0", "9389305ae3012288a5e367081b6757bfb9d86d4048c69989c659830b257e1c51", "manylinux2014_x86_64", 67, 8, []string{"PJRT_Extension_Type.PJRT_Extension_Type_RawBuffer"}},
	{"tensorflow-cpu", "2.20.0", "cf756bbe2d256e942ab5d0ad2c858fb40017581494febdb4387c149b1afde780", "manylinux2014_x86_64", 72, 8, nil},
	{"tensorflow-cpu", "2.21.0", "2b847d217b02ee7731ed91431daf3250daa0196c3c94614d23be27232e6e5b6c", "manylinux_2_27_x86_64", 90, 13, nil},
	{"tf-nightly", "2.22.0.dev20260916", "710d8cd831f57091060c23a262e133a848cb60ce7359068526478393a8988a98", "manylinux_2_27_x86_64", 115, 25, nil},
	{"tf-nightly", "2.23.0.dev20261004", "100febb31cfdeb6f2a01e0dad5414426d8b5f970ff7c3cb37110ce0d8090181a", "manylinux_2_27_x86_64", 116, 25, nil},
	{"tf-nightly", "2.23.0.dev20261026", "f9b93b8c918283634315a750a1450dcbab1715304d085ec23543959a6e451a20", "manylinux_2_27_x86_64", 117, 25, nil},
}

func (w wheel) name() string { return w.project + "=" + w.version }

// root returns the include root with the wheel's headers. Only the headers are
// kept, in the user's cache, so they are fetched once.
func (w wheel) root(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	parent := filepath.Join(cache, "purepjrt", "originals")
	dir := filepath.Join(parent, fmt.Sprintf("%s-%s-%s", w.project, w.version, w.sha256[:12]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	require.NoError(t, os.MkdirAll(parent, 0o755))
	staging, err := os.MkdirTemp(parent, ".fetching-*")
	require.NoError(t, err)
	defer os.RemoveAll(staging)
	headers := filepath.Join(staging, "headers")
	require.NoError(t, unpackHeaders(w.download(t, staging), headers))
	if err := os.Rename(headers, dir); err != nil {
		_, other := os.Stat(dir) // another process was faster
		require.NoError(t, other, "%v", err)
	}
	return dir
}

// download lets pip fetch the wheel, because pip knows the user's index and proxy.
// It accepts only a file with the right hash.
func (w wheel) download(t *testing.T, staging string) string {
	t.Helper()
	requirements := filepath.Join(staging, "requirements.txt")
	line := fmt.Sprintf("%s==%s --hash=sha256:%s\n", w.project, w.version, w.sha256)
	require.NoError(t, os.WriteFile(requirements, []byte(line), 0o644))
	python := "python3"
	if p := os.Getenv("PYTHON"); p != "" {
		python = p
	}
	cmd := exec.CommandContext(t.Context(), python, "-m", "pip", "download",
		"--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--require-hashes", "--no-deps",
		"--only-binary=:all:", "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311", "--platform", w.platform,
		"--dest", filepath.Join(staging, "wheel"), "--requirement", requirements)
	cmd.Env = append(os.Environ(), "TMPDIR="+staging)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	files, err := filepath.Glob(filepath.Join(staging, "wheel", "*.whl"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	return files[0]
}
