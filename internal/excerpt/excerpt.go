// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package excerpt cuts texts that come from outside, such as a name in a program or a value in a
// file, before they become part of an error: they may have any length.
package excerpt

import "strings"

// Limit is the most bytes of a text that an error shows.
const Limit = 200

// Of returns a text, or its beginning and dots.
func Of(text string) string { return cut(text, Limit) }

// OfName is Of for a name in a listing, such as that of a module of HLO, which can refer to the
// same long name at every place.
func OfName(name string) string { return cut(name, 64) }

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "?") + "..."
}

// OfList returns the first elements of a list that an error shows.
func OfList[T any](list []T) []T {
	const most = 16
	return list[:min(len(list), most)]
}
