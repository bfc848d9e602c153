// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package isolate

import "errors"

const canLimitMemory = false

func limitMemory(int64) error { return errors.ErrUnsupported }
