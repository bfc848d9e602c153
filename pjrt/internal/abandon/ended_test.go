// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package abandon_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/pjrt/internal/abandon"
)

func TestWhatAPluginMakesOfTheEndOfAContextIsTheErrorOfTheContext(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	on := abandon.Name("main")
	for name, c := range map[string]struct {
		ctx  context.Context
		err  error
		want error // nil if the context has not caused the error
	}{
		"canceled":          {canceled, capi.ErrorCodeCancelled.Errorf("stopped"), context.Canceled},
		"deadline":          {late, capi.ErrorCodeDeadlineExceeded.Errorf("stopped"), context.DeadlineExceeded},
		"wrapped":           {late, fmt.Errorf("device 1: %w", capi.ErrorCodeDeadlineExceeded.Errorf("stopped")), context.DeadlineExceeded},
		"another code":      {late, capi.ErrorCodeInternal.Errorf("stopped"), nil},
		"the other's code":  {late, capi.ErrorCodeCancelled.Errorf("stopped"), nil},
		"no code":           {canceled, errors.New("stopped"), nil},
		"before the end":    {t.Context(), capi.ErrorCodeCancelled.Errorf("stopped"), nil},
		"without an end":    {context.Background(), capi.ErrorCodeDeadlineExceeded.Errorf("stopped"), nil},
		"no error":          {canceled, nil, nil},
		"no error, no code": {context.Background(), nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			err := abandon.Explain(c.ctx, c.err, &on)
			require.ErrorIs(t, err, c.err, "the plugin's error is in the chain")
			if c.want == nil {
				assert.Equal(t, c.err, err)
				return
			}
			require.ErrorIs(t, err, c.want)
			var ended *abandon.Ended
			require.ErrorAs(t, err, &ended)
			assert.Equal(t, "abandon.Explain of main: "+c.want.Error()+": "+c.err.Error(), err.Error())
			assert.Equal(t, err, abandon.Explain(c.ctx, err, &on), "it is said once")
		})
	}
}
