// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package capi

//go:generate go run ../tools/pjrtgen generate --headers ../third_party/xla --out .
