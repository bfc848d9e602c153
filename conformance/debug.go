// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package conformance

import (
	"fmt"
	"io"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/driver"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// Debug runs the one check that the options choose, for debuggers and sanitizers. It
// runs in this process, which loads the plugin and may die of it, and without a time
// limit. Debug writes each call of the plugin to trace before it is made.
func Debug(o Options, trace io.Writer) (*report.Result, error) {
	if o.Profile == "" {
		o.Profile = Full
	}
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	chosen := driver.Choose(c)
	if len(chosen) != 1 {
		return nil, fmt.Errorf("exactly one check can be debugged at a time, but %s chosen: choose one with a pattern such as ^EVT-03$", several(chosen))
	}
	r, err := session.Here(session.Program{Check: checkOf}, c.Setup, chosen[0].Name(), func(f *capi.Function) {
		fmt.Fprintln(trace, f.Name)
	})
	if err != nil {
		return nil, err
	}
	return driver.Found(chosen[0], *r), nil
}

func several(list []*check.Check) string {
	const most = 3
	if len(list) == 0 {
		return "none is"
	}
	var names []string
	for _, c := range list[:min(len(list), most)] {
		names = append(names, c.Name())
	}
	if n := len(list) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ") + " are"
}
