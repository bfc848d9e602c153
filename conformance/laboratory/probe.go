// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package laboratory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/laboratory/callers"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// probeRequest says what to probe.
type probeRequest struct {
	Plugin  string           `json:"plugin"`
	Options []session.Option `json:"options,omitempty"` // of the client
	Skip    []string         `json:"skip,omitempty"`    // functions that are not called
}

// probeAnswer is what a process found.
type probeAnswer struct {
	Problem string         `json:"problem,omitempty"` // why the plugin cannot be opened
	Found   callers.Plugin `json:"found"`
}

const (
	probeStartLimit = time.Minute
	probeLimit      = 2 * time.Minute
	mostDeaths      = 10
)

// runProbe probes a plugin in processes that command starts, which call serveProbe. A function in
// which the process dies, or that does not return, is not called again, and the next process goes
// on without it.
func runProbe(ctx context.Context, command worker.Command, r probeRequest) (*callers.Plugin, error) {
	dead := make(map[string]string)
	for len(dead) <= mostDeaths {
		p, err := worker.Start(ctx, command, probeStartLimit)
		if err != nil {
			return nil, err
		}
		var a probeAnswer
		death, err := p.Do(ctx, "probe", r, probeLimit, &a)
		if err != nil || death == nil {
			p.Kill()
		}
		switch {
		case err != nil:
			return nil, err
		case death == nil && a.Problem != "":
			return nil, errors.New(a.Problem)
		case death == nil:
			for f, how := range dead {
				a.Found.Wrong[f], a.Found.Details[f] = callers.Dies, how
			}
			return &a.Found, nil
		}
		name := ""
		if len(death.Notes) > 0 {
			name = numbered().names[death.Notes[0]]
		}
		if _, again := dead[name]; name == "" || again {
			return nil, fmt.Errorf("the plugin ends the process outside of any call: %s", death)
		}
		dead[name] = death.String()
		r.Skip = append(r.Skip, name)
	}
	return nil, fmt.Errorf("more than %d functions end the process, so the plugin cannot be probed", mostDeaths)
}

// serveProbe makes this process one that probes plugins. It does not return. open makes the
// table of a plugin; nil loads the library.
func serveProbe(open func(path string) (*capi.Table, error)) {
	if open == nil {
		open = loadTable
	}
	worker.Serve(func(_ string, params json.RawMessage) (any, error) {
		var r probeRequest
		if err := json.Unmarshal(params, &r); err != nil {
			return nil, err
		}
		table, err := open(r.Plugin)
		if err != nil {
			return probeAnswer{Problem: err.Error()}, nil
		}
		found, err := probeTable(table, session.Attributes(r.Options), r.Skip)
		if err != nil {
			return nil, err
		}
		return probeAnswer{Found: *found}, nil
	})
}

func loadTable(path string) (*capi.Table, error) {
	if err := plugins.Prepare(path); err != nil {
		return nil, err
	}
	return capi.Open(path)
}

// probeTable probes a plugin in this process, and leaves out the functions of skip. What it calls
// is noted for worker.Death.
func probeTable(t *capi.Table, options []capi.Attribute, skip []string) (*callers.Plugin, error) {
	n := numbered()
	noted := []capi.TableOption{capi.Before(func(f *capi.Function) { worker.Note(n.numbers[f]) })}
	if t.Reentrant() {
		noted = append(noted, capi.Reentrant())
	}
	t, err := capi.NewTable(t.API(), noted...)
	if err != nil {
		return nil, err
	}
	c := &caller{table: t, options: options, skip: make(map[string]bool)}
	c.wrong, c.details = make(map[string]callers.Mode), make(map[string]string)
	for _, f := range skip {
		c.skip[f] = true
	}
	_, minor := t.Version()
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			if t.HasSection(s) && !t.Has(f) && f.Since <= minor {
				c.wrong[f.Name] = callers.Null
			}
		}
	}
	c.run()
	found := &callers.Plugin{Minor: minor, Extensions: []string{}, OffHost: c.offHost, Wrong: c.wrong, Details: c.details}
	for _, x := range t.Extensions() {
		found.Extensions = append(found.Extensions, x.Type.String())
	}
	return found, nil
}

// numbers maps numbers to functions and back. 0 is no function.
type numbers struct {
	names   map[uint16]string
	numbers map[*capi.Function]uint16
}

var numbered = sync.OnceValue(func() numbers {
	n := numbers{make(map[uint16]string), make(map[*capi.Function]uint16)}
	for _, s := range capi.Sections() {
		for _, f := range capi.Functions(s) {
			i := uint16(len(n.names) + 1)
			n.names[i], n.numbers[f] = f.Name, i
		}
	}
	return n
})
