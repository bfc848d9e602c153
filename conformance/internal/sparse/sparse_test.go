// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package sparse_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/sparse"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// large takes 96 bytes, so that its text must have 24.
type large struct {
	Name string `json:"name"`
	inner
	Other [4]string `json:"-"`
}

type inner struct {
	Text string `json:"text"`
}

type document struct {
	List    []large          `json:"list"`
	Lists   [][]large        `json:"lists"`
	Map     map[string]large `json:"map"`
	Pointer *large           `json:"pointer"`
	Value   struct {
		List []*large `json:"list"`
	} `json:"value"`
	Texts    []string  `json:"texts"`
	Started  time.Time `json:"started"`
	Any      any       `json:"any"`
	Untagged []large
}

func TestEntriesMustSayEnough(t *testing.T) {
	t.Parallel()
	require.EqualValues(t, 24*sparse.Ratio, reflect.TypeFor[large]().Size())
	const enough = `{"name":"a","text":"abc"}`
	for text, want := range map[string]string{
		`{"list":[` + enough + `,` + enough + `]}`:                               "",
		` { "list" : [ ` + enough + ` , {} ] } `:                                 "list[1] has only 2 bytes",
		`{"list":[` + enough + `,{"name":"a","text":"a"}]}`:                      "list[1] has only 23 bytes",
		`{"LI\u0053T":[{}]}`:                                                     "LIST[0] has only 2 bytes",
		`{"untagged":[{}]}`:                                                      "untagged[0] has only 2 bytes",
		`{"lists":[[],[` + enough + `],[{}]]}`:                                   "lists[2][0] has only 2 bytes",
		`{"map":{"\"]":` + enough + `,"b":{ }}}`:                                 "map.b has only 3 bytes",
		`{"pointer":{}}`:                                                         "pointer has only 2 bytes",
		`{"pointer":null,"list":null,"map":null,"value":{"list":[null]}}`:        "",
		`{"value":{"list":[{}]}}`:                                                "value.list[0] has only 2 bytes",
		`{"value":{}}`:                                                           "",
		`{"texts":["","}","]","\\",""],"started":"2026-01-01T00:00:00Z"}`:        "",
		`{"any":[{},{}],"unknown":{"list":[{},[]]},"list":[{}]}`:                 "list[0] has only 2 bytes",
		`{"list":[{"name":"\"]},{","text":"\\"},{"n":[1,2.5e3,true,false]},{}]}`: "list[2] has only 2 bytes",
		`{"list":[{}]`:         "", // not JSON
		`{"list":{},"map":[]}`: "", // of another type
		`[{}]`:                 "",
		``:                     "",
	} {
		assert.NoError(t, sparse.Check([]byte(text), new(document)), "%s: it is short", text)
		err := sparse.Check([]byte(strings.Repeat(" ", sparse.Little)+text), new(document))
		if want == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, want, text)
		}
	}
}

// What the suite writes is never refused: even a struct in which nothing is set has enough text.
func TestWhatTheSuiteWritesSaysEnough(t *testing.T) {
	t.Parallel()
	seen := make(map[reflect.Type]bool)
	var visit func(of reflect.Type, apart bool)
	visit = func(of reflect.Type, apart bool) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			visit(of.Elem(), true)
		case reflect.Struct:
			if apart && !seen[of] {
				seen[of] = true
				text, err := json.Marshal(reflect.Zero(of).Interface())
				require.NoError(t, err)
				assert.LessOrEqual(t, int(of.Size()), sparse.Ratio*len(text), "%s: %s", of, text)
			}
			for i := range of.NumField() {
				if f := of.Field(i); f.IsExported() && of != reflect.TypeFor[time.Time]() {
					visit(f.Type, false)
				}
			}
		}
	}
	visit(reflect.TypeFor[report.Report](), false)
	visit(reflect.TypeFor[report.WaiverFile](), false)
	assert.Greater(t, len(seen), 15)
}
