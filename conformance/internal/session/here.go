// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"context"
	"errors"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// unhurried is a limit that nobody who uses a debugger reaches.
const unhurried = 24 * time.Hour

// Here runs one check in this process, which may die of it, without a time limit. It
// calls before ahead of each call of the plugin.
func Here(p Program, setup Setup, name string, before func(*capi.Function)) (*check.Result, error) {
	s := &session{program: p, setup: setup}
	opened, err := s.open()
	if err != nil {
		return nil, err
	}
	if opened.Problem != "" {
		return nil, errors.New(opened.Problem)
	}
	found, err := p.Check(setup.Suite, name)
	if err != nil {
		return nil, err
	}
	if s.env.Table, err = observed(s.env.Table, before); err != nil {
		return nil, err
	}
	if err := call(s.env.Table, &capi.PluginInitializeArgs{}); err != nil && !found.Library {
		return nil, err
	}
	patient := *found
	patient.Timeout = unhurried
	r := check.Run(context.Background(), &patient, s.env)
	if err := s.env.Close(); err != nil {
		r.Notes = append(r.Notes, "destroying the client: "+err.Error())
	}
	return &r, nil
}
