// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pluginlog_test

import (
	"fmt"
	"log/slog"

	"github.com/purepjrt/purepjrt/pjrt/pluginlog"
)

func ExampleQuiet() {
	// Call this before the first plugin is loaded.
	if err := pluginlog.Quiet(slog.LevelError); err != nil {
		fmt.Println(err)
	}
	fmt.Println(pluginlog.Variables(slog.LevelError)[0])
	// Output: {TF_CPP_MIN_LOG_LEVEL 2}
}
