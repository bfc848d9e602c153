// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// triedPlugin is a candidate of which a client was made, if trial is not nil.
type triedPlugin struct {
	plugins.Candidate
	trial *trial
}

func (c *triedPlugin) usable() bool {
	if c.trial != nil {
		return c.Problem == nil && c.trial.err() == nil
	}
	return c.Usable()
}

func (c *triedPlugin) state() string {
	switch {
	case c.Problem != nil, c.trial != nil && !c.trial.Loaded:
		return "broken"
	case c.usable() && c.Experimental:
		return "usable, not by default"
	case c.usable():
		return "usable"
	case c.Hardware != nil:
		return "no device"
	}
	return "no client"
}

// reasons says why the plugin is not usable.
func (c *triedPlugin) reasons() (list []error) {
	if c.usable() {
		return nil
	}
	if err := c.Err(); err != nil {
		list = append(list, err)
	}
	if c.trial != nil && c.trial.err() != nil {
		list = append(list, c.trial.err())
	}
	return list
}

// The values of --try.
const (
	tryNone   = "none"
	tryShared = "shared"
	tryAll    = "all"
)

// trialOptions say of which plugins clients are made. It is a value of flags.
type trialOptions struct {
	which   string
	timeout time.Duration // for each
}

func (o *trialOptions) addTo(cmd *cobra.Command) {
	cmd.Flags().Var((*whichFlag)(&o.which), "try", "make clients of `WHICH` plugins: none, shared or all")
	cmd.Flags().DurationVar(&o.timeout, "timeout", time.Minute, "the `DURATION` that a plugin may take to make a client; 0 means any")
}

// whichFlag is the value of --try.
type whichFlag string

func (f *whichFlag) String() string { return string(*f) }
func (f *whichFlag) Type() string   { return "WHICH" }

func (f *whichFlag) Set(value string) error {
	known := []string{tryNone, tryShared, tryAll}
	if !slices.Contains(known, value) {
		return fmt.Errorf("want %s", strings.Join(known, ", "))
	}
	*f = whichFlag(value)
	return nil
}

// atOnce is how many children make clients at the same time.
const atOnce = 2

// tryAll makes a client of each plugin that the options say, in children. If the user named the
// plugins, a reason to expect no device is none not to try.
func (o *trialOptions) tryAll(ctx context.Context, list []plugins.Candidate, named bool) ([]triedPlugin, error) {
	tried := make([]triedPlugin, len(list))
	errs := make([]error, len(list))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, c := range list {
		tried[i].Candidate = c
		if o.which == tryNone || c.Problem != nil || !named && (c.Hardware != nil || o.which == tryShared && c.Exclusive()) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			t, err := try(ctx, task{Plugin: located(c), Gently: true}, o.timeout)
			if err == nil && c.API == "" && t.Loaded {
				tried[i].API = fmt.Sprintf("%d.%d", capi.APIMajor, t.Minor)
			}
			tried[i].trial, errs[i] = t, err
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return tried, nil
}
