// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
)

func TestVariablesSetTheConfig(t *testing.T) {
	t.Parallel()
	c, err := shim.Environment("PJRT_SHIM_", []string{
		"PATH=/bin", "PJRT_TRACE=elsewhere", "PJRT_SHIM_PLUGIN=x.so", "PJRT_SHIM_TRACE=t.txt", "PJRT_SHIM_TRACE_FORMAT=JSON", "PJRT_SHIM_TRACE_BEGIN=1",
		"PJRT_SHIM_TRACE_ONLY=Client_*,-Client_Devices", "PJRT_SHIM_TRACE_TEXT=200", "PJRT_SHIM_SUMMARY=1", "PJRT_SHIM_VALIDATE=on",
		"PJRT_SHIM_VALIDATE_REFUSE=yes", "PJRT_SHIM_FAULTS=Event_Await:delay=1s", "PJRT_SHIM_RECORD=s.jsonl",
		"PJRT_SHIM_ABSENT=Client_Lookup*,Layouts", "PJRT_SHIM_MINOR=70", "PJRT_SHIM_GROW=1", "PJRT_SHIM_OFF_HOST=1", "PJRT_SHIM_ODD=stdout,short-table",
	}, "PJRT_SHIM_PLUGIN")
	require.NoError(t, err)
	assert.Equal(t, shim.Config{
		Trace: "t.txt", TraceFormat: shim.FormatJSON, TraceBegin: true, TraceOnly: []string{"Client_*", "-Client_Devices"}, TraceText: 200,
		Summary: "stderr", Validate: "stderr", Refuse: true, Record: "s.jsonl",
		Absent: []string{"Client_Lookup*", "Layouts"}, Minor: 70, Grow: true, OffHost: true, Odd: []shim.Oddity{shim.Stdout, shim.ShortTable},
		Faults: shim.Faults{Rules: []shim.FaultRule{{Function: "Event_Await", Delay: time.Second}}},
	}, c)
	assert.True(t, c.Active())

	none, err := shim.Environment("PJRT_SHIM_", []string{"PJRT_SHIM_TRACE=", "PJRT_SHIM_VALIDATE=0", "PJRT_SHIM_VALIDATE_REFUSE=0"})
	require.NoError(t, err)
	assert.False(t, none.Active())

	refuse, err := shim.Environment("P_", []string{"P_VALIDATE_REFUSE=1"})
	require.NoError(t, err)
	assert.Equal(t, "stderr", refuse.Validate, "refused calls are reported")
}

func TestInvalidVariablesAreErrors(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"S_TRACE_FORMAT=xml":                            `S_TRACE_FORMAT: "xml" is not a format: use text, json or chrome`,
		"S_TRACE_BEGIN=maybe":                           "neither 1 nor 0",
		"S_TRACE_ONLY=PJRT_Clent_Create":                `"PJRT_Clent_Create" is not a PJRT function`,
		"S_TRACE_ONLY=[":                                "is not a pattern",
		"S_ABSENT=Laoyuts":                              "or use the name of an extension, such as Layouts",
		"S_MINOR=0.70":                                  `"0.70" is not a minor version of the API: use 57 or more`,
		"S_MINOR=56":                                    "use 57 or more",
		"S_GROW=maybe":                                  "neither 1 nor 0",
		"S_ODD=stdout,odd":                              `"odd" is not an oddity: use some of zero-sizes, no-complete-events,`,
		"S_TRACE_TEXT=0":                                "use 1 or more",
		"S_TRACE_TEXT=many":                             "use 1 or more",
		"S_RECORD=1":                                    "give the name of a file",
		"S_TRCE=x":                                      "S_TRCE: there is no such variable: the variables are S_ABSENT, S_FAULTS, S_GROW, S_MINOR, S_ODD, S_OFF_HOST, S_PLUGIN,",
		"S_FAULTS=PJRT_Client_Create":                   "does not say what to do",
		"S_FAULTS=PJRT_Client_Create:":                  "does not say what to do",
		"S_FAULTS=PJRT_Nothing:fail=INTERNAL":           "is not a PJRT function",
		"S_FAULTS=PJRT_Client_Create:fail=OOPS":         "no such code: use one of CANCELLED, ",
		"S_FAULTS=PJRT_Client_Create:fail=OK":           "no such code",
		"S_FAULTS=PJRT_Client_Create:fail":              `"fail" has no =`,
		"S_FAULTS=PJRT_Client_Create:times=1":           "nothing would happen",
		"S_FAULTS=PJRT_Client_Create:delay=-1s":         "use a duration",
		"S_FAULTS=PJRT_Client_Create:delay=fast":        "use a duration",
		"S_FAULTS=Client_Create:delay=1s,after=-1":      "use a whole number",
		"S_FAULTS=Client_Create:delay=1s,times=0":       "never applies",
		"S_FAULTS=Client_Create:delay=1s,probability=2": "above 0",
		"S_FAULTS=Client_Create:delay=1s,probability=0": "above 0",
		"S_FAULTS=Client_Create:delay=1s,odds=3":        "there is no odds",
		"S_FAULTS=seed=x":                               "use a whole number",
	} {
		_, err := shim.Environment("S_", []string{variable}, "S_PLUGIN")
		assert.ErrorContains(t, err, want, variable)
	}
	_, err := shim.Environment("S_", []string{"S_TRACE_TEXT=0", "S_RECORD=1"})
	assert.ErrorContains(t, err, "S_RECORD: ")
	assert.ErrorContains(t, err, "S_TRACE_TEXT: ")
}

func TestAFullDiskIsAnErrorOfCloseOnly(t *testing.T) {
	t.Parallel()
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		return // only Linux has /dev/full
	}
	f := &fake{}
	s, table := watch(t, shim.Config{Trace: full, Record: full}, serveFake(t, f))
	session(t, f, table)
	assert.ErrorIs(t, s.Close(), syscall.ENOSPC)
}

func TestFilesThatCannotBeWrittenAreErrors(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "no", "file")
	for name, c := range map[string]shim.Config{
		"trace": {Trace: missing}, "summary": {Summary: missing}, "findings": {Validate: missing},
	} {
		_, err := shim.New(c)
		assert.ErrorContains(t, err, "there is no directory", name)
	}
	s, err := shim.New(shim.Config{Record: missing})
	require.NoError(t, err)
	_, err = s.Wrap(serveFake(t, &fake{}))
	assert.ErrorContains(t, err, "there is no directory")
	s, err = shim.New(shim.Config{Record: filepath.Join(t.TempDir(), "x.gz")})
	require.NoError(t, err)
	_, err = s.Wrap(serveFake(t, &fake{}))
	assert.ErrorContains(t, err, "compress the file when")
	_, err = s.Wrap(nil)
	assert.ErrorContains(t, err, "the table is nil")
	_, err = shim.New(shim.Config{Faults: shim.Faults{Rules: []shim.FaultRule{{Function: "Nothing", Fail: capi.ErrorCodeAborted}}}})
	assert.ErrorContains(t, err, "is not a PJRT function")
	_, err = shim.New(shim.Config{TraceOnly: []string{"Nothing"}})
	assert.ErrorContains(t, err, "is not a PJRT function")
}
