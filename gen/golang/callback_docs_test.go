// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/gen/model"
)

func TestFunctionsWithFurtherArgumentsAreNotCalled(t *testing.T) {
	t.Parallel()
	const spelled = "void (*)(const char *, ...)"
	format := []model.Param{{Type: "const char *", Name: "format"}}
	files, err := generate(core(func(h *model.Header) {
		h.Callbacks = []model.Func{
			{Name: "PJRT_Log", Form: "pointer-to-function", Ret: "void", Params: format, Variadic: true},
			{Name: "PJRT_Take", Form: "pointer-to-function", Ret: "void", Params: []model.Param{
				{Name: "log", Type: spelled, Sig: &model.Signature{Ret: "void", Params: format, Variadic: true}}}},
		}
		h.Structs = append(h.Structs, model.Struct{Name: "PJRT_Logs", Role: model.RoleStruct, Size: 16, Align: 8, Fields: []model.Field{
			{Name: "log", Type: "PJRT_Log", Canon: spelled, Kind: "fnptr", Fn: "PJRT_Log", Size: 8},
			{Name: "print", Type: spelled, Kind: "fnptr", Offset: 8, Size: 8, Sig: &model.Signature{Ret: "void", Params: format, Variadic: true}},
		}})
	}))
	require.NoError(t, err)
	text := files["zz_core_callbacks.go"]
	for _, name := range []string{"Log", "TakeLog", "LogsPrint"} {
		assert.Regexp(t, regexp.QuoteMeta("//\tvoid (const char *format, ...)\n//\n// It takes further arguments after those, so it cannot be called from here.\n")+
			"type "+name+" uintptr\n", text)
		assert.NotContains(t, text, "func (f "+name+") Call")
	}
	assert.Contains(t, text, "//\tvoid (void (*log)(const char *format, ...))\n")
	assert.Contains(t, text, "func (f Take) Call(log TakeLog) {")
}

func TestTheCommentOfACallbackSaysHowAGoFunctionBecomesOne(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fn   model.Func
		want string // empty if none does
	}{
		"a handle": {model.Func{Ret: "bool", Params: []model.Param{{Type: "void *", Name: "user_arg"}, {Type: "const PJRT_Client *", Name: "client"}, {Type: "int8_t", Name: "error"}}},
			"let userArg, a capi.Handle, say what it works on.\n//\n" +
				"//\tAcmeBack(purego.NewCallback(func(userArg uintptr, client *capi.Client, err int8) uintptr { ... }))\n//\n" +
				"// It may run on any thread, and must not panic.\ntype AcmeBack uintptr\n"},
		"no handle": {model.Func{Ret: "void", Params: []model.Param{{Type: "Acme_Do_Args *", Name: "args"}}},
			"make one of each kind.\n//\n//\tAcmeBack(purego.NewCallback(func(args *AcmeDoArgs) uintptr { ... }))\n"},
		"a float": {model.Func{Ret: "void", Params: []model.Param{{Type: "float", Name: "part"}}},
			" Windows passes no floating-point numbers to it.\n//\n//\tAcmeBack(purego.NewCallback(func(part float32) uintptr { ... }))\n"},
		"a struct":          {model.Func{Ret: "void", Params: []model.Param{{Type: "PJRT_Extension_Base", Name: "base"}}}, ""},
		"a float as result": {model.Func{Ret: "double"}, ""},
		"no prototype":      {model.Func{Ret: "void", NoPrototype: true}, ""},
	} {
		h := acme()
		test.fn.Name, test.fn.Form = "Acme_Back", "pointer-to-function"
		h.Callbacks = []model.Func{test.fn}
		files, _, err := generateOutside(h)
		require.NoError(t, err)
		if test.want == "" {
			assert.NotContains(t, string(files[0].Content), "purego", name)
			continue
		}
		assert.Contains(t, regexp.MustCompile(`([^/])\n// (\w)`).ReplaceAllString(string(files[0].Content), "$1 $2"), test.want, name)
	}
}
