// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cgo && linux

package trainbench

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// childVariable is the environment variable with the model and the backend of a process of
// BenchmarkMemory.
const childVariable = "TRAINBENCH_MEMORY"

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// memoryRounds is how many processes BenchmarkMemory starts for each number. The C library's
// allocator keeps what the plugin's compiler has freed for the thread that freed it, and which
// threads compile differs from process to process: their peaks differ by 20 %, and medians of
// eleven still by 10 %.
const memoryRounds = 11

// BenchmarkMemory measures the peak memory of processes that train a model for a while, and predict
// with it: the median, the least and the most of several.
func BenchmarkMemory(b *testing.B) {
	for _, k := range tasks {
		b.Run(k.name, func(b *testing.B) {
			exe, err := os.Executable()
			require.NoError(b, err)
			peaks := make(map[string][]float64)
			for i := range memoryRounds * len(names) {
				name := names[i%len(names)]
				c := exec.CommandContext(b.Context(), exe, "-test.run=^TestTrainingInAProcess$", "-test.v")
				c.Env = append(os.Environ(), childVariable+"="+k.name+"/"+name)
				out, err := c.CombinedOutput()
				require.NoError(b, err, string(out))
				m := peakLine.FindSubmatch(out)
				require.NotNil(b, m, string(out))
				kilobytes, err := strconv.ParseFloat(string(m[1]), 64)
				require.NoError(b, err)
				peaks[name] = append(peaks[name], kilobytes/1024)
			}
			for name, list := range peaks {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], name+"-MiB")
				b.ReportMetric(list[0], name+"-least-MiB")
				b.ReportMetric(list[len(list)-1], name+"-most-MiB")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestTrainingInAProcess trains the model that BenchmarkMemory asks for; without it, the first one
// with the backend in pure Go.
func TestTrainingInAProcess(t *testing.T) {
	asked := os.Getenv(childVariable)
	if asked == "" {
		asked = tasks[0].name + "/" + names[2]
	}
	for _, k := range tasks {
		for i, name := range names {
			if k.name+"/"+name != asked {
				continue
			}
			s := newSession(backendsOf(t, i)[0], k)
			s.train(50)
			s.predict(50)
			status, err := os.ReadFile("/proc/self/status")
			require.NoError(t, err)
			fmt.Println(string(peakLine.Find(status)))
			return
		}
	}
	t.Fatalf("there is no model and backend %q, only %v", asked, slices.Clone(names))
}
