// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/inspect"
)

// writeReport writes a page about an executable to file, unless that is empty.
func writeReport(ctx context.Context, file string, exe *pjrt.Executable) error {
	if file == "" {
		return nil
	}
	r, err := inspect.New(ctx, exe)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	if err := writeWhole(file, page.Bytes()); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}
