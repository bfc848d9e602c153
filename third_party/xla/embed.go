// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package xla

import "embed"

// Headers are the headers under xla/, and since.json, for programs that have no
// checkout of this repository.
//
//go:embed xla since.json
var Headers embed.FS
