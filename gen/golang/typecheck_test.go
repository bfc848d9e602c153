// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

func TestCodeThatDoesNotCompileIsNoResult(t *testing.T) {
	t.Parallel()
	const head = "package acme\n\nimport (\n\t\"runtime\"\n\t\"unsafe\"\n\n\t\"github.com/purepjrt/purepjrt/capi\"\n)\n\n" +
		"var _ = unsafe.Sizeof(runtime.GOOS)\nvar _ capi.Table\n"
	for name, test := range map[string]struct{ text, want string }{
		"correct":                  {"type A struct { client *capi.Client; error capi.ErrorCode }\n", ""},
		"two methods":              {"type A struct{}\nfunc (A) Set() {}\nfunc (A) Set() {}\n", `, in "func (A) Set() {}"`},
		"a variable in the way":    {"func boolWord(bool) int { return 0 }\nfunc f(boolWord bool) int { return boolWord(boolWord) }\n", "cannot call boolWord (variable of type bool)"},
		"a name that is not there": {"type A B\n", "undefined: B"},
		"another size in C": {"func _(x capi.DoArgs, f func([48]byte)) { f([unsafe.Sizeof(x)]byte{}) }\n",
			"cannot use [unsafe.Sizeof(x)]byte{} (value of type [40]byte) as [48]byte value"},
		"a number that does not fit": {"type A int32\nconst X A = 1 << 31\n", "(overflows)"},
		"no Go":                      {"type A\x00\n", "illegal character NUL"},
		// What is hand-written in capi is not known here.
		"a field of a hand-written type": {"var f = capi.Function{Nobody: 1}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGenerator(func(*model.Header, string) int { return 0 })
			u, err := newUnit(core(nil))
			require.NoError(t, err)
			g.order = []*unit{u}
			require.NoError(t, g.declare())
			g.outside = outside{name: "acme", unit: &unit{given: acme(), header: acme(), pkg: packageOutside}}
			err = g.typeCheck([]File{{Path: "zz_extension.go", Content: []byte(head + test.text)}})
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "acme.h:1:1: the Go code for this header does not compile: zz_extension.go:1")
			assert.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// A parameter may be called like anything that the body of the method needs.
func TestNamesOfParametersAreNotInTheWay(t *testing.T) {
	t.Parallel()
	params := []model.Param{{Type: "Acme_Pair", Name: "s"}, {Type: "Acme_Bool", Name: "_1"}, {Type: "bool"}}
	for _, name := range []string{"f", "r1", "words", "result", "s_words", "boolWord", "bool_word", "capi", "ccall", "ffi", "unsafe", "runtime",
		"uintptr", "bool", "panic", "type", "range", "error", "err", "nil", "int32", "_", "arg1", "A", "a", "functions", "été", "q_words"} {
		params = append(params, model.Param{Type: "bool", Name: name})
	}
	params = append(params, model.Param{Type: "Acme_Pair", Name: "q"})
	h := acme()
	h.Aliases = []model.Alias{{Name: "Acme_Bool", Type: "bool"}, {Name: "Acme_Couple", Type: "Acme_Pair"}}
	h.Structs = append([]model.Struct{{Name: "Acme_Pair", Role: model.RoleStruct, Size: 16, Align: 8, Fields: []model.Field{
		{Name: "a", Kind: "pointer", Base: "void", Ptr: 1, Size: 8},
		{Name: "b", Kind: "int", Base: "size_t", Offset: 8, Size: 8},
	}}}, h.Structs...)
	h.Callbacks = []model.Func{{Name: "Acme_Call", Form: "pointer-to-function", Ret: "Acme_Couple", Params: params}}
	files, _, err := generateOutside(h)
	require.NoError(t, err)
	assert.Contains(t, string(files[0].Content), "func (f AcmeCall) Call(s AcmePair, arg1 AcmeBool, arg2 bool, f_ bool, r1_ bool, words_ bool, ")
	assert.Contains(t, string(files[0].Content), "boolWord(bool(arg1)), boolWord(arg2), ")
}
