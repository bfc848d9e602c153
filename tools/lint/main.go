// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Command lint checks the rules of this repository that the compiler and vet do
// not know. `make lint` runs it over every package. What nobody uses is found by
// tools/lint/unused.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/purepjrt/purepjrt/tools/lint/exporteddoc"
	"github.com/purepjrt/purepjrt/tools/lint/linelength"
	"github.com/purepjrt/purepjrt/tools/lint/unsafefile"
)

func main() {
	multichecker.Main(unsafefile.Analyzer, exporteddoc.Analyzer, linelength.Analyzer)
}
