// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
	"github.com/purepjrt/purepjrt/pjrt/plugins/plugintest"
)

// serverArguments is the environment variable that makes a process of the test the server.
const serverArguments = "SERVER_TEST_ARGUMENTS"

func TestMain(m *testing.M) {
	if arguments, ok := os.LookupEnv(serverArguments); ok {
		os.Args = append(os.Args[:1], strings.Fields(arguments)...)
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// begin starts the server on the plugin for CPUs, and returns where it listens. end interrupts it
// and expects it to shut down cleanly.
func begin(t *testing.T) (address string, end func()) {
	path := plugintest.Path(t, "cpu")
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), serverArguments+"=-listen localhost:0", plugins.NamesAndLibraryPaths+"=cpu:"+path)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(stdout)
	require.True(t, lines.Scan(), "the server prints where it listens")
	address, ok := strings.CutPrefix(lines.Text(), "listening on ")
	require.True(t, ok, lines.Text())
	return address, func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.True(t, lines.Scan())
		assert.Equal(t, "stopped", lines.Text())
		assert.NoError(t, cmd.Wait(), stderr.String())
	}
}

func TestTheServerAnswersAndCountsUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	address, end := begin(t)

	// No more requests than may wait, so that none is refused.
	var wg sync.WaitGroup
	for i := range 30 {
		wg.Go(func() {
			answer, err := http.Post(address+"/predict", "application/json", strings.NewReader(fmt.Sprintf("[%d, 1]", i)))
			if !assert.NoError(t, err) {
				return
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			assert.NoError(t, err)
			assert.Equal(t, fmt.Sprintln(2*i-2), string(body))
		})
	}
	wg.Wait()
	health, err := http.Get(address + "/healthz")
	require.NoError(t, err)
	require.NoError(t, health.Body.Close())
	assert.Equal(t, http.StatusOK, health.StatusCode)

	wrong, err := http.Post(address+"/predict", "application/json", strings.NewReader("[]"))
	require.NoError(t, err)
	require.NoError(t, wrong.Body.Close())
	assert.Equal(t, http.StatusBadRequest, wrong.StatusCode)

	var families map[string]*dto.MetricFamily
	// find returns the metric of a family with these labels.
	find := func(family string, labels map[string]string) *dto.Metric {
		for _, m := range families[family].GetMetric() {
			found := 0
			for _, l := range m.Label {
				if value, ok := labels[l.GetName()]; ok && value == l.GetValue() {
					found++
				}
			}
			if found == len(labels) {
				return m
			}
		}
		return &dto.Metric{}
	}
	requests := func(route, status string) uint64 {
		labels := map[string]string{"http_route": route, "http_response_status_code": status}
		return find("http_server_request_duration_seconds", labels).GetHistogram().GetSampleCount()
	}
	// A request is counted when it is over, which may be after its answer has arrived.
	require.EventuallyWithT(t, func(t *assert.CollectT) {
		families = scrape(t, address)
		assert.EqualValues(t, 30, requests("/predict", "200"))
		assert.EqualValues(t, 1, requests("/predict", "400"))
		assert.EqualValues(t, 1, requests("/healthz", "200"))
	}, patience, patience/1000)
	operations := func(kind string) uint64 {
		labels := map[string]string{"pjrt_operation": kind, "pjrt_platform": "cpu"}
		return find("pjrt_operation_duration_seconds", labels).GetHistogram().GetSampleCount()
	}
	batches := find("server_batch_rows", nil).GetHistogram()
	assert.EqualValues(t, 31, batches.GetSampleSum(), "rows, one of them to prove the server's health")
	assert.Equal(t, batches.GetSampleCount(), operations("execute"))
	assert.EqualValues(t, 1, operations("compile"))
	waiting := find("server_waiting", nil).Gauge
	require.NotNil(t, waiting)
	assert.Zero(t, waiting.GetValue())
	assert.EqualValues(t, 1, find("pjrt_object_count", map[string]string{"pjrt_object": "client"}).GetGauge().GetValue())
	end()
}

// scrape reads the metrics as Prometheus does.
func scrape(t require.TestingT, address string) map[string]*dto.MetricFamily {
	page, err := http.Get(address + "/metrics")
	require.NoError(t, err)
	defer page.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(page.Body)
	require.NoError(t, err)
	return families
}
