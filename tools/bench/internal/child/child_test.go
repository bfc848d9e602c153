// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package child

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var sink []byte

// converse sends lines to a child and returns its answers.
func converse(prepare func(string, int) (*Job, error), lines ...string) ([]string, error) {
	var out strings.Builder
	err := Serve(strings.NewReader(strings.Join(lines, "\n")), &out, Ready{Open: 5, Client: 7, Minor: 81}, prepare)
	return strings.Split(strings.TrimSpace(out.String()), "\n"), err
}

func TestAChildDoesWhatItsParentAsks(t *testing.T) {
	t.Parallel()
	var done, closed int
	prepare := func(job string, param int) (*Job, error) {
		if job != "work" {
			return nil, nil
		}
		return &Job{
			Run:   func(n int) (time.Duration, error) { done += n; return time.Duration(n * param), nil },
			Close: func() error { closed++; return nil },
		}, nil
	}
	answers, err := converse(prepare, "prepare other 1", "prepare work 10", "run 3 2", "run 4 0", "finish")
	require.NoError(t, err)
	assert.Equal(t, []string{"ready 5 7 0.81", "absent", "ok", "ok 30", "ok 40", "ok"}, answers)
	assert.Equal(t, 9, done, "including the runs that are not timed")
	assert.Equal(t, 1, closed)
}

func TestAChildCountsWhatAnOperationAllocates(t *testing.T) {
	prepare := func(string, int) (*Job, error) {
		return Loop(func() error { sink = make([]byte, 64); return nil }, nil), nil
	}
	answers, err := converse(prepare, "prepare work 0", "allocs 1000")
	require.NoError(t, err)
	words := strings.Fields(answers[2])
	require.Len(t, words, 3)
	assert.Regexp(t, `^10\d\d$`, words[1], "1000 objects, and few others")
}

func TestAChildSaysWhatFailedAndEnds(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	prepare := func(job string, _ int) (*Job, error) {
		if job == "none" {
			return nil, broken
		}
		return Loop(func() error { return broken }, func() error { return broken }), nil
	}
	for name, lines := range map[string][]string{
		"preparing":         {"prepare none 0"},
		"running":           {"prepare work 0", "run 1 0"},
		"warming up":        {"prepare work 0", "run 1 1"},
		"counting":          {"prepare work 0", "allocs 1"},
		"finishing":         {"prepare work 0", "finish"},
		"nothing prepared":  {"run 1 0"},
		"an unknown phrase": {"prepare work 0", "sing 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answers, err := converse(prepare, append(lines, "finish")...)
			require.Error(t, err)
			assert.Contains(t, answers[len(answers)-1], "error ")
		})
	}
}
