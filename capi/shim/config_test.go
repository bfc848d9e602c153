// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package shim_test

import (
	"fmt"
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
	want, err := shim.Environment("PJRT_SHIM_", nil)
	require.NoError(t, err)
	assert.False(t, want.Active())
	want.Trace, want.TraceFormat, want.TraceBegin, want.TraceText = "t.txt", shim.FormatJSON, true, 200
	want.TraceOnly = []string{"Client_*", "-Client_Devices"}
	want.Summary, want.Validate, want.Refuse, want.Record = "stderr", "stderr", true, "s.jsonl"
	want.Absent, want.Minor, want.Grow, want.OffHost = []string{"Client_Lookup*", "Layouts"}, 70, true, true
	want.Odd = []shim.Oddity{shim.Stdout, shim.ShortTable}
	want.Faults = shim.Faults{Rules: []shim.FaultRule{{Function: "Event_Await", Delay: time.Second}}}
	assert.Equal(t, want, c)
	assert.True(t, c.Active())

	none, err := shim.Environment("PJRT_SHIM_", []string{"PJRT_SHIM_TRACE=", "PJRT_SHIM_VALIDATE=0", "PJRT_SHIM_VALIDATE_REFUSE=0"})
	require.NoError(t, err)
	assert.False(t, none.Active())

	refuse, err := shim.Environment("P_", []string{"P_VALIDATE_REFUSE=1"})
	require.NoError(t, err)
	assert.Equal(t, "stderr", refuse.Validate, "refused calls are reported")
}

func TestOutputsHaveNamesOrAreOnOrOff(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"1": "stderr", "true": "stderr", "Yes": "stderr", "on": "stderr", "STDERR": "stderr", "stdout": "stdout",
		"0": "", "false": "", "no": "", "OFF": "",
		"zz": "zz", "./y": "./y", "./1": "./1", "/tmp/trace": "/tmp/trace", "1.txt": "1.txt", "%p": "%p",
	} {
		c, err := shim.Environment("S_", []string{"S_TRACE=" + value, "S_SUMMARY=" + value, "S_VALIDATE=" + value})
		require.NoError(t, err, value)
		assert.Equal(t, [3]string{want, want, want}, [3]string{c.Trace, c.Summary, c.Validate}, value)
	}
	for _, value := range []string{"y", "N", "t", "F", "enable", "Enabled", "disabled", "none", "-", "3", "10", "-1", " "} {
		for _, variable := range []string{"S_TRACE", "S_SUMMARY", "S_VALIDATE", "S_RECORD"} {
			_, err := shim.Environment("S_", []string{variable + "=" + value})
			assert.ErrorContains(t, err, fmt.Sprintf("%s: %q is neither 1, 0, stderr nor stdout: put ./ before it if it is a file", variable, value))
		}
	}
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

// use makes a Shim and wraps a plugin, and returns the first error.
func use(t *testing.T, c shim.Config) error {
	t.Helper()
	s, err := shim.New(c)
	if err == nil {
		_, err = s.Wrap(serveFake(t, &fake{}))
	}
	return err
}

func TestFilesThatCannotBeWrittenAreErrors(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "no", "file")
	zipped := filepath.Join(t.TempDir(), "x.gz")
	for _, x := range []struct{ field, variable, value, want string }{
		{"Trace", "S_TRACE", missing, "cannot write to " + missing + ": there is no directory " + filepath.Dir(missing)},
		{"Summary", "S_SUMMARY", missing, "there is no directory"},
		{"Validate", "S_VALIDATE", missing, "there is no directory"},
		{"Record", "S_RECORD", missing, "there is no directory"},
		{"Trace", "S_TRACE", filepath.Dir(zipped), filepath.Dir(zipped)},
		{"Record", "S_RECORD", zipped, "compress the file when"},
	} {
		c, err := shim.Environment("S_", []string{x.variable + "=" + x.value})
		require.NoError(t, err)
		for name, c := range map[string]shim.Config{x.variable: c, x.field: {
			Trace: c.Trace, Summary: c.Summary, Validate: c.Validate, Record: c.Record,
		}} {
			err := use(t, c)
			require.ErrorContains(t, err, "shim: "+name+": ")
			require.ErrorContains(t, err, x.want)
		}
	}
	s, err := shim.New(shim.Config{Trace: os.DevNull})
	require.NoError(t, err)
	_, err = s.Wrap(nil)
	assert.ErrorContains(t, err, "the table is nil")
	_, err = shim.New(shim.Config{Faults: shim.Faults{Rules: []shim.FaultRule{{Function: "Nothing", Fail: capi.ErrorCodeAborted}}}})
	assert.ErrorContains(t, err, "is not a PJRT function")
	_, err = shim.New(shim.Config{TraceOnly: []string{"Nothing"}})
	assert.ErrorContains(t, err, "is not a PJRT function")
}
