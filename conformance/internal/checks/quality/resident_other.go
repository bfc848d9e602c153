// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package quality

import "errors"

func resident() (float64, error) {
	return 0, errors.New("the memory of the process is read on Linux only")
}

func held() (threads, files int) { return 0, 0 }
