// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/suite"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// ageless matches the rules about what programs say and compute, about random arguments, and
// about speed, which are the same at every age and take most of the time.
var ageless = regexp.MustCompile(`^(RUN-02|CMP-08|CMP-11|DIFF-.*|FUZZ-.*|PERF-.*)$`)

// allChecks is the environment variable that makes every check run on every plugin made from
// another one, as make conformance-varied does.
const allChecks = "PJRT_CONFORMANCE_ALL"

// A plugin does not fail for what it is too old for: with an older API, the CPU plugin of API 0.81
// fails the checks that it fails today, and no others. Each age runs every third check, to save
// time.
func TestNoCheckFailsForTheAgeOfThePlugin(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of checks run on plugins of several ages: make test-all")
	}
	var checks []string
	for _, c := range suite.Checks() {
		if !ageless.MatchString(c.Rule) {
			checks = append(checks, c.Name())
		}
	}
	ages := []int{60, 70, 75}
	for i, minor := range ages {
		t.Run(fmt.Sprintf("0.%d", minor), func(t *testing.T) {
			Test(t, func(t testing.TB) *capi.API { return older(t, minor) }, With(func(o *Options) {
				o.CreateOptions = []capi.Attribute{{Name: "cpu_device_count", Value: int64(4)}}
				o.Waivers = []*report.WaiverFile{ofAnyAge(t)}
				o.Only = checks
				if os.Getenv(allChecks) == "" {
					o.Shard, o.Shards = i+1, len(ages)
				}
			}))
		})
	}
}

// ofAnyAge returns the CPU plugin's waivers, made to fit all versions of its API: what an older
// one lacks may pass, and digests are left out because messages name the sizes of each age.
func ofAnyAge(t *testing.T) *report.WaiverFile {
	t.Helper()
	all := KnownWaivers()
	// The plugin of the tests with an older API is the one of API 0.81.
	i := slices.IndexFunc(all, func(f *report.WaiverFile) bool { return f.Plugin.Platform == "cpu" && f.Plugin.API == "0.81" })
	if i < 0 {
		t.Fatal("there are no waivers for XLA's plugin for CPUs")
	}
	f := *all[i]
	f.Plugin = report.PluginMatch{Name: "XLA's plugin for CPUs with an older API"}
	f.Waivers = slices.Clone(f.Waivers)
	for i := range f.Waivers {
		w := &f.Waivers[i]
		w.Verdicts, w.Digests = append(slices.Clone(w.Verdicts), report.Pass), nil
	}
	return &f
}
