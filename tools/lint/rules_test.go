// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"
)

func TestEachRuleReportsWhatBreaksIt(t *testing.T) {
	for _, rule := range []*analysis.Analyzer{unsafeFile, exportedDoc, lineLength} {
		t.Run(rule.Name, func(t *testing.T) { analysistest.Run(t, analysistest.TestData(), rule, rule.Name) })
	}
}
