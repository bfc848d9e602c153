// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build !linux

package check

func threadID() int { return 0 }

// asleep says that the system does not tell what threads do.
func asleep(int, bool) (now sleep, known bool) { return sleep{}, false }
