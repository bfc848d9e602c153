// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/internal/python"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/npy"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// fetch downloads the model, which the Python package contains.
func fetch(t *testing.T) string {
	t.Helper()
	interpreter, err := python.Find(python.Default())
	require.NoError(t, err)
	dir := t.TempDir()
	out, err := python.Module(t.Context(), interpreter, os.Environ(), "pip", "download", "--quiet", "--no-input",
		"--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", dir, "silero-vad==6.2.3").CombinedOutput()
	require.NoError(t, err, string(out))
	wheels, err := filepath.Glob(filepath.Join(dir, "*.whl"))
	require.NoError(t, err)
	require.Len(t, wheels, 1)
	wheel, err := zip.OpenReader(wheels[0])
	require.NoError(t, err)
	defer wheel.Close()
	file, err := wheel.Open("silero_vad/data/silero_vad_op18_ifless.onnx")
	require.NoError(t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	require.NoError(t, err)
	path := filepath.Join(dir, "model.onnx")
	require.NoError(t, os.WriteFile(path, content, 0o666))
	return path
}

// samples are those of testdata/reference.py.
func samples() []float32 {
	list := make([]float32, rate)
	for i := range list {
		t := float64(i) / rate
		if t <= 0.2 || t >= 0.8 {
			continue
		}
		pitch := 2 * math.Pi * (130*t - 2*math.Cos(2*math.Pi*3*t))
		voice := 0.0
		for k := 1; k < 30; k++ {
			bell := func(center float64) float64 { return math.Exp(-math.Pow((130*float64(k)-center)/300, 2)) }
			voice += (bell(700) + 0.6*bell(1200)) * math.Sin(float64(k)*pitch)
		}
		list[i] = float32(0.2 * math.Abs(math.Sin(2*math.Pi*4*t)) * voice)
	}
	return list
}

func TestTheModelHearsWhatONNXRuntimeHears(t *testing.T) {
	t.Parallel()
	sound := filepath.Join(t.TempDir(), "samples.npy")
	require.NoError(t, npy.WriteFile(sound, array.Of(samples())))
	c := exec.Command("go", "run", ".", fetch(t), sound)
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOMLX_BACKEND=pjrt:"+plugintest.Path(t, "cpu"))
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	require.NoError(t, err, stderr.String())
	reference, err := os.ReadFile("testdata/reference.txt")
	require.NoError(t, err)
	lines, want := strings.Split(string(out), "\n"), strings.Split(string(reference), "\n")
	require.Equal(t, len(want), len(lines), string(out))
	for i, line := range want[:len(want)-1] {
		var wantTime, gotTime string
		var wantValue, gotValue float64
		_, err := fmt.Sscan(line, &wantTime, &wantValue)
		require.NoError(t, err, line)
		_, err = fmt.Sscan(lines[i], &gotTime, &gotValue)
		require.NoError(t, err, lines[i])
		assert.Equal(t, wantTime, gotTime)
		assert.InDelta(t, wantValue, gotValue, 1e-4, line)
	}
}

func TestAModelThatIsNoneIsAnError(t *testing.T) {
	t.Parallel()
	sound := filepath.Join(t.TempDir(), "samples.npy")
	require.NoError(t, npy.WriteFile(sound, array.Of([]float32{0})))
	assert.Error(t, run("go.mod", sound))
	assert.Error(t, run("missing.onnx", sound))
	assert.Error(t, run("go.mod", "missing.npy"))
}
