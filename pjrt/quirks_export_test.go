// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// QuirkAge says which plugins are expected to have a quirk.
type QuirkAge struct {
	Name  string
	Since int
	Rule  string
	Of    func(kind string, minor int) bool
}

// QuirkAges returns the quirks.
func QuirkAges() []QuirkAge {
	var list []QuirkAge
	for i := range quirkTable {
		q := &quirkTable[i]
		list = append(list, QuirkAge{q.name, q.since, q.rule, q.of})
	}
	return list
}
