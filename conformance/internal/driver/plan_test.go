// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

func TestAPlanCountsThePrograms(t *testing.T) {
	t.Parallel()
	for rule, mean := range compiles() {
		assert.NotNil(t, rules.ByID(rule), rule)
		assert.GreaterOrEqual(t, mean, 0.0, rule)
	}
	d := newDriver(Config{Jobs: 2})
	d.firstCompile = time.Second
	list := []*check.Check{{Rule: "CMP-01"}, {Rule: "CMP-01", Variant: "b"}, {Rule: "LOAD-01"}}
	p := d.plan(list)
	assert.Equal(t, 3, p.Checks)
	assert.Equal(t, int(2*compiles()["CMP-01"]+0.5), p.Compiles)
	assert.Equal(t, time.Duration(p.Compiles)*time.Second/2, p.Compile, "two processes share the work")

	d.Setup.Suite = "programs"
	assert.Zero(t, d.plan(list).Compiles, "nothing is known about users' programs")
}

func TestLimitsGrowWithTheTimeOfACompilation(t *testing.T) {
	t.Parallel()
	d := newDriver(Config{})
	few, many := &check.Check{Rule: "LOAD-01"}, &check.Check{Rule: "EVT-28"}
	d.firstCompile = 100 * time.Millisecond
	assert.Zero(t, d.compiling(many), "a usual compiler")
	d.firstCompile = 10 * time.Second
	assert.Equal(t, 30*time.Second, d.compiling(few))
	assert.Greater(t, compiles()[many.Rule], 1.0)
	assert.Greater(t, d.compiling(many), 30*time.Second)
}
