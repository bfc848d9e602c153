// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/lint"
	"github.com/purepjrt/purepjrt/third_party/xla"
)

func TestLintFindsEachFault(t *testing.T) {
	t.Parallel()
	const (
		grow  = "make size_t struct_size its first field, or it can never grow (no-struct-size)"
		hole  = "order the fields by size, or give the bytes a field of their own that callers set to 0: nothing clears padding (hole)"
		older = "give it back its older number; a new enumerator must take one that was never used (renumbered)"
	)
	// Each of these is clean.h with some text replaced.
	edits := map[string][]string{
		"renumbered":     {"ACME_FAST = 0, ACME_EXACT = 1", "ACME_EXACT = 0, ACME_FAST = 1"},
		"reused":         {"ACME_FAST = 0, ACME_EXACT = 1", "ACME_BEST = 0, ACME_FAST = 2, ACME_EXACT = 1"},
		"inserted_field": {"  Acme_Options* options;\n", "  PJRT_Client* client;\n  Acme_Options* options;\n"},
		"inserted_slot":  {"  Acme_Run* run;\n", "  void (*first)(void);\n  Acme_Run* run;\n"},
		"moved_field": {
			"  Acme_Options* options;\n  PJRT_Event* done;  // out\n", "  PJRT_Event* done;  // out\n  Acme_Options* options;\n",
			"(Acme_Run_Args, done)", "(Acme_Run_Args, options)",
		},
		"moved_slot": {
			"  Acme_Run* run;\n  Acme_Stop* stop;\n", "  Acme_Stop* stop;\n  Acme_Run* run;\n",
			"(Acme_Extension, stop)", "(Acme_Extension, run)",
		},
		"removed": {"  int64_t limit;\n", "  double limit;\n", "  Acme_Run* run;\n", ""},
		"grown": {
			"ACME_EXACT = 1", "ACME_EXACT = 1, ACME_BEST = 2", "  int64_t limit;\n", "  int64_t limit;\n  int64_t more;\n",
			"(Acme_Options, limit)", "(Acme_Options, more)", "  Acme_Stop* stop;\n", "  Acme_Stop* stop;\n  Acme_Run* again;\n",
			"(Acme_Extension, stop)", "(Acme_Extension, again)",
		},
	}
	clean := filepath.Join("testdata", "lint", "clean.h")
	for _, test := range []struct {
		file  string
		older bool // compare with clean.h
		want  []string
	}{
		{"clean", false, nil},
		{"clean", true, nil},
		{"grown", true, nil},
		{"struct_size", false, []string{
			"6:9: struct Acme_Options has no struct_size: " + grow,
			"10:8: struct Acme_Run_Args has no struct_size: " + grow,
			"17:10: struct_size of Acme_Late_Args comes after client: make it the first field, because readers look for it at offset 0 (struct-size-late)",
			"22:7: struct_size of Acme_Narrow_Args is of type int: make it a size_t, as in every other struct (struct-size-late)",
			"26:8: no constant Acme_Unsaid_Args_STRUCT_SIZE says what to put into struct_size: " +
				"write PJRT_DEFINE_STRUCT_TRAITS(Acme_Unsaid_Args, client) after the struct (no-size-constant)",
			"31:9: the extension Acme_Extension has no struct_size: " +
				"make PJRT_Extension_Base base its first field, or readers cannot tell which functions it has (no-struct-size)",
			"33:9: Acme_Extension has 4 bytes of padding before run: " + hole,
		}},
		{"size_constant", false, []string{
			"11:1: Acme_Stale_Args_STRUCT_SIZE ends with client, but the last field of Acme_Stale_Args is added_later: " +
				"name added_later in it, or callers report that they lack that field (stale-size)",
			"17:8: Acme_Number_Args_STRUCT_SIZE is 24, but the last field of Acme_Number_Args, client, ends at 16: " +
				"compute it: PJRT_STRUCT_SIZE(Acme_Number_Args, client) (stale-size)",
			"23:1: a constant names the field clients, which its struct does not have: name the last field of the struct (missing-field)",
			"30:9: a macro hides the constant Acme_Hidden_Args_STRUCT_SIZE: " +
				"remove the macro: PJRT_DEFINE_STRUCT_TRAITS makes the constant (hidden-size)",
		}},
		{"hole", false, []string{
			"9:16: Acme_Run_Args has 7 bytes of padding before client: " + hole,
			"14:11: Acme_Run_Args has 4 bytes of padding before limit: " + hole,
		}},
		{"renumbered", true, []string{
			"6:18: enumerator ACME_EXACT was 1 and is 0: the older side still uses 1 for it: " + older,
			"6:34: enumerator ACME_FAST was 0 and is 1: the older side still uses 0 for it: " + older,
		}},
		{"reused", true, []string{
			"6:18: enumerator ACME_BEST takes a number that is in use: the older side reads 0 as ACME_FAST: " +
				"give it a number that was never used (renumbered)",
			"6:33: enumerator ACME_FAST was 0 and is 2: the older side still uses 0 for it: " + older,
		}},
		{"inserted_field", true, []string{
			"16:16: field Acme_Run_Args.client was inserted at offset 8, which moves 2 later members: " +
				"it lies where the older side has options: add it at the end of the struct (inserted)",
		}},
		{"inserted_slot", true, []string{
			"31:10: slot Acme_Extension.first was inserted at offset 24, which moves 2 later members: " +
				"it lies in the slot where the older side has run: add it at the end of the table (inserted)",
		}},
		{"moved_field", true, []string{
			"16:15: field Acme_Run_Args.done moved from offset 16 to 8: the older side looks for it at offset 16: put it back to where it was (moved)",
			"17:17: field Acme_Run_Args.options moved from offset 8 to 16: the older side looks for it at offset 8: put it back to where it was (moved)",
		}},
		{"moved_slot", true, []string{
			"31:14: slot Acme_Extension.stop moved from offset 32 to 24: programs built on the older header would reach run: " +
				"put it back to where it was (moved)",
			"32:13: slot Acme_Extension.run moved from offset 24 to 32: programs built on the older header would reach stop: " +
				"put it back to where it was (moved)",
		}},
		{"removed", true, []string{
			"10:10: field Acme_Options.limit has another type: the two sides take the same bytes for different things: " +
				"keep the older declaration, and give a new one another name (broken)",
			"29:16: slot Acme_Extension.run is gone, which moves 1 later member: programs built on the older header still call it and would reach stop: " +
				"keep the function; it may return an error (broken)",
		}},
	} {
		t.Run(fmt.Sprint(test.file, " ", test.older), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", "lint", test.file+".h")
			if pairs := edits[test.file]; pairs != nil {
				text := read(t, clean)
				for i := 0; i < len(pairs); i += 2 {
					require.Equal(t, 1, strings.Count(text, pairs[i]), pairs[i])
					text = strings.Replace(text, pairs[i], pairs[i+1], 1)
				}
				file = filepath.Join(t.TempDir(), test.file+".h")
				writeFile(t, file, text)
			}
			args := []string{"lint", file}
			if test.older {
				args = append(args, "--against", clean)
			}
			out, err := pjrtgen(args...)
			var want strings.Builder
			for _, line := range test.want {
				want.WriteString(file + ":" + line + "\n")
			}
			assert.Equal(t, want.String(), out)
			if len(test.want) == 0 {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, count(len(test.want), "fault")+" in "+file)
			}
		})
	}
}

// The faults that lint finds in XLA's headers are real: testdata/lint/upstream.txt lists them.
// PJRTGEN_UPDATE=1 rewrites the file.
func TestLintOfTheHeadersOfThisRepository(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all headers: make test-all")
	}
	paths, err := header.Tree("../../third_party/xla")
	require.NoError(t, err)
	var list strings.Builder
	for _, p := range paths {
		text, err := header.Read(p)
		require.NoError(t, err)
		h, found, err := lint.Text(p, text, header.Options{Fallback: xla.Headers})
		require.NoError(t, err)
		again, err := lint.Against(h, h)
		require.NoError(t, err)
		assert.Empty(t, again, "against itself: %s", p)
		for _, f := range found {
			assert.Greater(t, f.Pos.Col+f.Pos.Line, 2, "%s: %s has no position", p, f.Item)
			fmt.Fprintf(&list, "%s %s %s\n", h.Path, f.Rule, f.Item)
		}
	}
	const golden = "testdata/lint/upstream.txt"
	if os.Getenv("PJRTGEN_UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(list.String()), 0o644))
	}
	assert.Equal(t, read(t, golden), list.String())
}

func TestLintSaysWhyItCannotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.h")
	require.NoError(t, os.WriteFile(broken, []byte("struct A {\n  Nobody x;\n};\n"), 0o644))
	clean := filepath.Join("testdata", "lint", "clean.h")
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no such file":     {[]string{filepath.Join(dir, "none.h")}, "cannot read header " + filepath.Join(dir, "none.h") + ": no such file"},
		"a directory":      {[]string{dir}, "cannot read header " + dir + ": it is a directory"},
		"not C":            {[]string{broken}, broken + ":2:3: "},
		"no older header":  {[]string{clean, "--against", filepath.Join(dir, "old.h")}, "cannot read header " + filepath.Join(dir, "old.h")},
		"older is not C":   {[]string{clean, "--against", broken}, broken + ":2:3: "},
		"no include there": {[]string{clean, "-I", broken}, "cannot use include directory " + broken},
		"no header":        {nil, "accepts 1 arg(s), received 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := pjrtgen(append([]string{"lint"}, test.args...)...)
			require.Error(t, err)
			assert.True(t, strings.HasPrefix(err.Error(), test.want), "%s\nwant %s", err, test.want)
			assert.NotContains(t, err.Error(), "\n")
			assert.Empty(t, out)
		})
	}
}

// Editors and scripts read the findings, not only the status.
func TestLintExitStatus(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	assert.Equal(t, 0, run([]string{"lint", "testdata/lint/clean.h"}, &out, &errs))
	assert.Empty(t, out.String()+errs.String())
	assert.Equal(t, 1, run([]string{"lint", "testdata/lint/hole.h"}, &out, &errs))
	assert.Equal(t, 2, strings.Count(out.String(), "\n"))
	assert.Equal(t, "pjrtgen: 2 faults in testdata/lint/hole.h\n", errs.String())
}
