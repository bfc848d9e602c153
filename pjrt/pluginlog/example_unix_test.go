// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build linux || darwin

package pluginlog_test

import (
	"fmt"
	"log/slog"
	"os"
	"syscall"

	"github.com/purepjrt/purepjrt/pjrt/pluginlog"
)

func ExampleCapture() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		Level: slog.LevelWarn,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				a.Value = slog.TimeValue(a.Value.Time().UTC())
			}
			return a
		},
	}))
	restore, err := pluginlog.Capture(logger)
	if err != nil {
		fmt.Println(err)
		return
	}
	// A plugin writes to file descriptor 2, as here. os.Stderr can be another
	// file: `go test -json` replaces it.
	_, _ = syscall.Write(syscall.Stderr, []byte(`I0000 00:00:1795224986.790253 5361 cpu_client.cc:311] PjRtCpuClient created.
W0000 00:00:1795224986.790253 5361 cpu_client.cc:322] Little memory.
`))
	if err := restore(); err != nil {
		fmt.Println(err)
	}
	// Output: time=2026-11-21T01:36:26.790Z level=WARN msg="Little memory." file=cpu_client.cc line=322 thread=5361
}
