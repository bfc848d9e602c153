// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// A program that wants to run anywhere installs what it does not find.
func Example() {
	library, err := plugins.Find("cpu")
	if errors.Is(err, plugins.ErrNotFound) {
		library, err = plugins.Install(context.Background(), "cpu", plugins.InstallOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := plugins.Prepare(library); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(filepath.Base(library))
	// Output: xla_cpu_pjrt.so
}
