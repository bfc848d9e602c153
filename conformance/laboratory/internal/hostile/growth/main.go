// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Growth writes how many steps each reader of package hostile takes on each of its inputs, and how
// many bytes it allocates, as the input grows.
package main

import (
	"github.com/purepjrt/purepjrt/conformance/laboratory/internal/hostile"
	"github.com/purepjrt/purepjrt/internal/growth"
)

func main() { growth.Main(hostile.Rows()) }
