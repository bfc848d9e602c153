// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/purepjrt/purepjrt/pjrt/otel"
)

// metrics are what the server, net/http and package pjrt count, for Prometheus. A program that
// pushes its metrics elsewhere needs another reader here, and no other change.
type metrics struct {
	provider *sdkmetric.MeterProvider
	page     http.Handler
	stop     func() error
}

// newMetrics starts counting, which stop ends.
func newMetrics() (*metrics, error) {
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	m := &metrics{
		provider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
		page:     promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
	m.stop, err = otel.Start(&otel.Options{MeterProvider: m.provider})
	return m, err
}

func (m *metrics) meter() metric.Meter { return m.provider.Meter("server") }

// around counts the requests of a handler, and adds the page of metrics. The page does not wait
// in the queue, so it works on a busy server too.
func (m *metrics) around(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.page)
	mux.Handle("/", otelhttp.NewHandler(h, "server", otelhttp.WithMeterProvider(m.provider)))
	return mux
}
