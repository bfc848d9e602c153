// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package corpus

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/worker"
)

// In a process that a test started, TestMain is a second plugin: the program "deadly" ends the
// process, and "deadly in company" ends it if another program has run before.
func TestMain(m *testing.M) {
	if _, ok := worker.Asked(); !ok {
		os.Exit(m.Run())
	}
	ran := 0
	worker.Serve(func(task string, params json.RawMessage) (any, error) {
		if task == taskOpen {
			return "", nil
		}
		var p peerProgram
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, err
		}
		ran++
		if code := string(p.Code); code == "deadly" || code == "deadly in company" && ran > 1 {
			os.Exit(3)
		}
		return outcome{Skipped: string(p.Code)}, nil
	})
}

func TestAProgramIsTriedAloneAfterThePeerDied(t *testing.T) {
	t.Parallel()
	r := &remote{}
	t.Cleanup(func() { r.process.Kill() })
	for _, test := range []struct{ program, want string }{
		{"good", "good"},
		{"deadly in company", "deadly in company"},
		{"good", "good"},
		{"deadly", "its process died: the process was ended by exit(3)"},
		{"deadly", "its process died: the process was ended by exit(3)"},
		{"good", "good"},
	} {
		o, err := r.run(t.Context(), unit{Code: []byte(test.program)}, nil)
		require.NoError(t, err)
		assert.Equal(t, test.want, o.failure(), test.program)
	}
}
