// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build originals

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/facts"
	"github.com/purepjrt/purepjrt/gen/golang"
	"github.com/purepjrt/purepjrt/gen/header"
	"github.com/purepjrt/purepjrt/gen/model"
)

const restatedRoot = "../../third_party/xla"

// forEachWheel runs a test for each wheel, the newest first.
func forEachWheel(t *testing.T, f func(t *testing.T, w wheel, root string)) {
	for _, w := range slices.Backward(wheels) {
		t.Run(w.name(), func(t *testing.T) { f(t, w, w.root(t)) })
	}
}

// originals reads all headers of the C API under root, by path.
func originals(t *testing.T, root string) map[string]*model.Header {
	t.Helper()
	set, err := readSide(root, true, nil)
	require.NoError(t, err)
	out := make(map[string]*model.Header)
	for _, h := range set.Headers() {
		out[h.Path] = h
	}
	return out
}

// measured returns the facts of a header at a minor, or nil if there are none.
func measured(t *testing.T, minor int, path string) map[string]any {
	t.Helper()
	docs, err := facts.Read(filepath.Join(restatedRoot, "facts"), minor)
	require.NoError(t, err)
	return docs[path]
}

func itemName(v any) string {
	m, _ := v.(map[string]any)
	for _, key := range []string{"name", "struct"} {
		if s, ok := m[key].(string); ok {
			return s
		}
	}
	return ""
}

// sameOrder undoes the ways in which the measurement differs: it lists handles in an order
// other than the header's, took the C++ branch of an enum that both languages have, and did
// not look for tables in the FFI's header.
func sameOrder(got, want map[string]any) {
	for _, doc := range []map[string]any{got, want} {
		if list, ok := doc["opaque"].([]any); ok {
			slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		for _, e := range doc["enums"].([]any) {
			if itemName(e) == "PJRT_Callback_Tpu_SliceFailureType" {
				delete(e.(map[string]any), "scoped")
			}
		}
	}
	if want["path"] != "xla/ffi/api/c_api.h" {
		return
	}
	for _, s := range got["structs"].([]any) {
		if itemName(s) == "XLA_FFI_Api" {
			s.(map[string]any)["role"] = "struct"
		}
	}
	delete(want, "tables")
}

// Every header of every wheel is read, and the result is what was measured.
func TestOriginalsAreReadAsCompilersMeasuredThem(t *testing.T) {
	text := read(t, filepath.Join(restatedRoot, "facts", "history.json"))
	var past pastCore
	require.NoError(t, json.Unmarshal([]byte(text), &past))
	forEachWheel(t, func(t *testing.T, w wheel, root string) {
		headers := originals(t, root)
		assert.Len(t, headers, w.headers)
		core := headers[coreHeader]
		require.NotNil(t, core)
		assert.Equal(t, &model.Version{Minor: w.minor}, core.APIVersion)
		if w.minor <= 114 {
			agreesWithHistory(t, core, past, w.minor, w.later...)
			return
		}
		for _, path := range slices.Sorted(maps.Keys(headers)) {
			want := measured(t, w.minor, path)
			if !assert.NotNil(t, want, "%s was never measured", path) {
				continue
			}
			printed, err := json.Marshal(headers[path])
			require.NoError(t, err)
			var got map[string]any
			require.NoError(t, json.Unmarshal(printed, &got))
			sameOrder(got, want)
			for _, d := range facts.Missing(got, want) {
				t.Errorf("%s%s", path, d)
			}
		}
	})
}

// An original gives the same Go code as its restatement of the same ABI, except for
// comments.
func TestOriginalsGiveTheSameGoCode(t *testing.T) {
	set, err := readSide(restatedRoot, true, nil)
	require.NoError(t, err)
	since, err := golang.ReadSince(strings.NewReader(read(t, filepath.Join(restatedRoot, "since.json"))))
	require.NoError(t, err)
	generated := func(t *testing.T, replace map[string]*model.Header) map[string]string {
		t.Helper()
		var list []*model.Header
		for _, h := range set.Headers() {
			if o := replace[h.Path]; o != nil {
				h = o
			}
			list = append(list, h)
		}
		files, err := golang.Generate(golang.Input{Headers: list, Since: since.Lookup})
		require.NoError(t, err)
		out := make(map[string]string)
		for _, f := range files {
			out[f.Path] = code(t, string(f.Content))
		}
		return out
	}
	ours := generated(t, nil)
	forEachWheel(t, func(t *testing.T, w wheel, root string) {
		same := make(map[string]*model.Header)
		for path, h := range originals(t, root) {
			now, then := measured(t, set.Version().Minor, path), measured(t, w.minor, path)
			if w.minor >= 114 && now != nil && assert.ObjectsAreEqual(now, then) {
				same[path] = h
			}
		}
		if w.minor < 114 {
			assert.Empty(t, same)
			return
		}
		// The headers that changed since are those that differ.
		assert.GreaterOrEqual(t, len(same), 20)
		theirs := generated(t, same)
		assert.Equal(t, slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(theirs)))
		for path, text := range ours {
			assert.True(t, text == theirs[path], "%s: ours has %s", path, firstDifference([]byte(theirs[path]), []byte(text)))
		}
	})
}

// Two whole checkouts are compared, including the C++ that lies between the headers.
func TestOriginalsOfTwoMinorsAreCompared(t *testing.T) {
	for i := range wheels[1:] {
		from, to := wheels[i], wheels[i+1]
		t.Run(from.name()+","+to.name(), func(t *testing.T) {
			out, err := runDiffCommand(from.root(t), to.root(t))
			if from.minor >= 114 {
				require.NoError(t, err)
				assert.Contains(t, out, "Nothing breaks the ABI.")
				return
			}
			// Before 0.57 functions moved, and a wheel before 0.90 lacks many headers.
			var status *exitError
			if err != nil {
				require.ErrorAs(t, err, &status, out)
				assert.Equal(t, breaksABI, status.code)
			}
			assert.Contains(t, out, fmt.Sprintf("0.%d", to.minor))
		})
	}
}

// A fault in one header of a checkout is reported in one line.
func TestEveryHeaderOfAnOriginalCheckoutIsReadOrRefused(t *testing.T) {
	forEachWheel(t, func(t *testing.T, w wheel, root string) {
		files, err := header.Tree(root)
		require.NoError(t, err)
		read := 0
		for _, file := range files {
			if !strings.Contains(file, "c_api") && !strings.Contains(file, "/ffi/") && !strings.Contains(file, "/tpu/") {
				continue
			}
			_, err := header.Parse(file, header.Options{IncludeDirs: []string{root}})
			if err == nil {
				read++
				continue
			}
			assert.NotContains(t, err.Error(), "\n", file)
			assert.True(t, strings.HasPrefix(err.Error(), root), "no position: %v", err)
		}
		assert.GreaterOrEqual(t, read, w.headers)
	})
}

// Our headers, updated from wheel to wheel, declare what each wheel's originals do, and
// have none of their comments. What the wheels of 0.115 to 0.117 added was measured.
func TestOriginalsAreRestated(t *testing.T) {
	ours := t.TempDir()
	past(t, ours, 114)
	comment := regexp.MustCompile(`//.*`)
	added := make(map[int]int)
	for _, w := range wheels {
		if w.minor <= 114 {
			continue
		}
		before := read(t, filepath.Join(ours, coreName))
		out, err := pjrtgen("restate", "--headers", ours, "--take", "xla/ffi/api/record_c_api.h", "--take", "xla/ffi/api/collectives_c_api.h", w.root(t))
		require.NoError(t, err)
		assert.Contains(t, out, fmt.Sprintf("to 0.%d\n", w.minor))
		for _, line := range strings.Split(out, "\n") {
			if strings.HasPrefix(line, "  describe") && strings.Contains(line, "PJRT_") {
				added[w.minor]++
			}
		}
		for _, c := range comment.FindAllString(read(t, filepath.Join(ours, coreName)), -1) {
			mark := slices.Contains([]string{"// Deprecated.", "// in", "// out", "// in/out"}, c)
			assert.True(t, mark || strings.Contains(before, c), "%q is not ours", c)
		}
	}
	assert.Equal(t, map[int]int{116: 3, 117: 7}, added)
	_, err := readHeaders(ours)
	assert.NoError(t, err)
}

// From 0.114 on, each wheel's originals update headers, facts, history, since.json and the
// generated code to what is committed, without manual edits.
func TestOriginalsAreTakenByUpdate(t *testing.T) {
	s := &site{t: t, ours: filepath.Join(t.TempDir(), "ours"), out: filepath.Join(t.TempDir(), "out")}
	past(t, s.ours, 114)
	for _, w := range wheels {
		if w.minor <= 114 || w.minor > pinnedMinor {
			continue
		}
		s.from = w.root(t)
		out, err := pjrtgen("update", "--headers", s.ours, "--out", s.out, "--build=false", "--source", w.project+" "+w.version, s.from)
		require.NoError(t, err)
		assert.Contains(t, out, fmt.Sprintf(" to 0.%d\n\n- 0.%d: %s %s\n", w.minor, w.minor, w.project, w.version))
		before := contents(t, s.ours)
		_, err = s.update()
		require.NoError(t, err)
		assert.Equal(t, before, contents(t, s.ours), "from the same originals once more")
	}
	all := slices.Collect(maps.Keys(atPinned(t)))
	isAsCommitted(t, s, slices.DeleteFunc(all, func(p string) bool { return !strings.HasPrefix(p, "xla/") }))
	version, err := readOrigins(s.ours)
	require.NoError(t, err)
	committed, err := readOrigins(restatedRoot)
	require.NoError(t, err)
	for path, o := range committed.Headers {
		if o.Minor == pinnedMinor {
			assert.Equal(t, o, version.Headers[path], path)
		} else {
			assert.Equal(t, 114, version.Headers[path].Minor, path)
		}
	}
}
