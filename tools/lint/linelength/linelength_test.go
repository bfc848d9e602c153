// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package linelength_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/purepjrt/purepjrt/tools/lint/linelength"
)

func TestLongLinesAreReported(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), linelength.Analyzer, "c")
}
