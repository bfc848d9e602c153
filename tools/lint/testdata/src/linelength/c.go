// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

// Package c has lines of all lengths.
package c

// The comment before this one may be long where it has no place to break: see
// https://example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

// A line of prose that has nothing but a comment ends earlier than code, at a hundred columns // want "the line of [a-z]+ has [0-9]+ columns, of at most 100"

// Code in a comment may be as long as other code:
//
//	short(1000000000000000000, 2000000000000000000, 3000000000000000000) + short(1, 2, 3) + short(4, 5, 6)

func short(a, b, c int) int { return a + b + c }

func long() int {
	return short(1000000000000000000, 2000000000000000000, 3000000000000000000) + short(1000000000000000000, 2000000000000000000, 3000000000000000000) // want "the line of [a-z]+ has [0-9]+ columns, of at most 140"
}

func text() string {
	return "a string that is long makes a line long, and may stay in one piece, as long as it is: one finds it by searching for it, " + "in one line"
}

func pieces() string {
	return "strings that are short do not have to be in one line:" + "they can be put into several lines, one after the other, and" + "read there" // want "the line of [a-z]+ has [0-9]+ columns, of at most 140"
}

var table = []struct{ a, b string }{
	{"a row of a table is easier to read on one line, and it may be as long as it is; nobody would read it in two lines any better", "than in one"},
}

var raw = `
the lines of a raw string are what they are, and cannot be broken; so they may be as long as they have to be, even when that is more than 140 columns
`

var _, _, _, _, _, _ = long, text, pieces, table, raw, short
