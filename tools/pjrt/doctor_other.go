// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux && !darwin

package main

import "errors"

func mayWrite(string) error { return errors.ErrUnsupported }

func freeBytes(string) (int64, bool) { return 0, false }

func (d *doctor) limits() {}
