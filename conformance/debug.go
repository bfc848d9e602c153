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

// Debug runs the check called name, for debuggers and sanitizers, whatever checks the options
// choose. It runs in this process, which loads the plugin and may die of it, and without a time
// limit. Debug writes the name of each function of the plugin to trace before it calls it.
func Debug(o Options, name string, trace io.Writer) (*report.Result, error) {
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	found, err := check.Find(c.Checks, name)
	if err != nil {
		return nil, fmt.Errorf("%w%s", err, similar(c.Checks, name))
	}
	r, err := session.Here(session.Program{Check: o.find}, c.Setup, name, func(f *capi.Function) {
		fmt.Fprintln(trace, f.Name)
	})
	if err != nil {
		return nil, err
	}
	return driver.Found(found, *r), nil
}

// similar returns advice for a name that no check has: the checks whose names begin with it.
func similar(checks []check.Check, name string) string {
	const most = 3
	var names []string
	for _, c := range checks {
		if strings.HasPrefix(c.Name(), name) {
			names = append(names, c.Name())
		}
	}
	if len(names) == 0 {
		return ""
	}
	if n := len(names) - most; n > 0 {
		names = append(names[:most], fmt.Sprintf("%d more", n))
	}
	return "; these begin so: " + strings.Join(names, ", ")
}
