// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package buffers checks the rules of events, of buffers, and of everything that
// brings data into a buffer and out of it: the groups EVT, H2D, STR, BUF, D2H,
// RAW, COPY, REF, VIEW, UNI, AH2D and DMA.
package buffers

import (
	"slices"

	"github.com/purepjrt/purepjrt/conformance/internal/check"
)

// Checks are the checks of this package, group by group.
var Checks = slices.Concat(
	eventChecks, eventCreateChecks, callbackChecks, uploadChecks, uploadSemanticsChecks, downloadChecks,
	metadataChecks, unreadyChecks, lifecycleChecks, stridesChecks, viewsOfHostChecks,
	asyncChecks, literalChecks, copyChecks, referenceChecks, rawChecks,
	viewChecks, placeholderChecks, dmaChecks, madeBuffers(),
)

// Unobservable are the rules of these groups that no client can observe, with
// the reason.
var Unobservable = map[string]string{}

// rule is a check of a rule that has one check.
func rule(id string, run func(*check.T)) check.Check { return check.Check{Rule: id, Run: run} }

// hostile is a check that a faulty plugin may well not survive.
func hostile(id string, run func(*check.T)) check.Check {
	return check.Check{Rule: id, Run: run, Hostile: true}
}
