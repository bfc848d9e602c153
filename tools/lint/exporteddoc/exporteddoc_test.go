// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package exporteddoc_test

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/purepjrt/purepjrt/tools/lint/exporteddoc"
)

func TestExportedNamesWithoutDocAreReported(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), exporteddoc.Analyzer, "b")
}
