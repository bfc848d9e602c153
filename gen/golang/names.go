// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package golang

import (
	"strings"
	"unicode"
)

// initialisms are the words that Go writes in one case, by their lower case
// form.
var initialisms = map[string]string{
	"abi":  "ABI",
	"aot":  "AOT",
	"api":  "API",
	"cpp":  "CPP",
	"cpu":  "CPU",
	"dma":  "DMA",
	"d2d":  "D2D",
	"ffi":  "FFI",
	"gpu":  "GPU",
	"hlo":  "HLO",
	"ici":  "ICI",
	"id":   "ID",
	"ids":  "IDs",
	"jax":  "JAX",
	"kv":   "KV",
	"ml":   "ML",
	"mlir": "MLIR",
	"ok":   "OK",
	"pjrt": "PJRT",
	"ptx":  "PTX",
	"tpu":  "TPU",
	"xla":  "XLA",
}

// irregular are names that the rules would make unreadable or that would clash
// with hand-written ones, by package and C name.
var irregular = map[string]map[string]string{
	packageCAPI: {
		"PJRT_Error":            "ErrorHandle",
		"PLUGIN_Profiler_Error": "ProfilerErrorHandle",
		"PjRtCApiTpuInitType":   "TPUInitType",
	},
	packageFFI: {
		"XLA_FFI_Error": "ErrorHandle",
	},
}

// reserved are the identifiers of the hand-written parts, by package.
var reserved = map[string][]string{
	packageCAPI: {
		"Arguments", "Call", "CallN", "EnumText", "EnumValue", "Error", "ErrorKind", "Extension", "Function", "Gate", "Nest",
		"Section", "Span", "Table",
	},
	packageFFI:   {"Error"},
	packageServe: {"Hook", "Invocation", "Memory", "Plugin", "Table"},
	// These are generated for each extension.
	packageOutside: {"ExtensionType", "Functions", "Table"},
}

// reservedFields are field names that a method of the struct needs.
var reservedFields = map[string]string{
	"Function": "FunctionField",
}

// goName returns the exported Go name of a C declaration in a package: the
// prefixes of the C libraries are left out, the words joined in camel case.
func goName(pkg, c string) string {
	if n, ok := irregular[pkg][c]; ok {
		return n
	}
	s := c
	if pkg == packageFFI {
		s = strings.TrimPrefix(s, "XLA_FFI_")
	}
	for _, prefix := range []string{"_PJRT_", "PJRT_", "PLUGIN_"} {
		s = strings.TrimPrefix(s, prefix)
	}
	s = strings.ReplaceAll(s, "_PJRT_", "_")
	return camel(s)
}

// camel joins the words of an identifier, each with a capital in front.
func camel(s string) string {
	// A capital T ends no word here.
	s = strings.ReplaceAll(s, "AoT", "Aot")
	var b strings.Builder
	for _, part := range strings.Split(s, "_") {
		for _, word := range words(part) {
			b.WriteString(title(word))
		}
	}
	return b.String()
}

// lowerCamel is camel with the first word in lower case, for parameters and
// unexported names.
func lowerCamel(s string) string {
	var b strings.Builder
	for _, part := range strings.Split(s, "_") {
		for _, word := range words(part) {
			if b.Len() == 0 {
				b.WriteString(strings.ToLower(word))
			} else {
				b.WriteString(title(word))
			}
		}
	}
	return b.String()
}

// unexported returns an exported Go name with its first word in lower case.
func unexported(goName string) string { return lowerCamel(goName) }

// words splits mixed case: KeyValueGet is Key, Value, Get, and HLOModule is HLO,
// Module. A word of capitals alone, such as INVALID, is one word.
func words(s string) []string {
	r := []rune(s)
	var out []string
	start := 0
	for i := 1; i < len(r); i++ {
		lowerToUpper := !unicode.IsUpper(r[i-1]) && !unicode.IsDigit(r[i-1]) && unicode.IsUpper(r[i])
		lastOfCapitals := unicode.IsUpper(r[i-1]) && unicode.IsUpper(r[i]) && i+1 < len(r) && unicode.IsLower(r[i+1]) && !pluralAt(r, i)
		if lowerToUpper || lastOfCapitals {
			out = append(out, string(r[start:i]))
			start = i
		}
	}
	if start < len(r) {
		out = append(out, string(r[start:]))
	}
	return out
}

// pluralAt reports whether r[i] is the D of IDs.
func pluralAt(r []rune, i int) bool {
	return r[i] == 'D' && r[i-1] == 'I' && i+1 < len(r) && r[i+1] == 's' && (i+2 == len(r) || unicode.IsUpper(r[i+2]))
}

// title writes one word the Go way. Capitals with digits among them, such as
// F8E4M3FN, are names of formats and stay as they are.
func title(word string) string {
	if word == "" {
		return ""
	}
	if s, ok := initialisms[strings.ToLower(word)]; ok {
		return s
	}
	r := []rune(word)
	if word == strings.ToUpper(word) && !strings.ContainsFunc(word, unicode.IsDigit) {
		word = strings.ToLower(word)
		r = []rune(word)
	}
	r[0] = unicode.ToUpper(r[0])
	return string(r)
}

// enumNames returns, for the values of an enum, the Go names and the short
// texts that String gives.
func enumNames(pkg, enum string, values []string) (goNames, texts []string) {
	prefix, ok := valuePrefixes[enum]
	if !ok {
		prefix = commonPrefix(enum, values)
	}
	// A prefix in capitals, or one without the library's name, says less than
	// the enum's own name.
	lead := goName(pkg, enum)
	if prefix != "" && prefix != strings.ToUpper(prefix) && strings.Contains(enum+"_", strings.TrimSuffix(prefix, "_")) {
		if l := goName(pkg, strings.TrimSuffix(prefix, "_")); strings.HasPrefix(lead, l) {
			lead = l
		}
	}
	for _, v := range values {
		rest := trimK(strings.TrimPrefix(v, prefix))
		texts = append(texts, rest)
		goNames = append(goNames, lead+camel(rest))
	}
	return goNames, texts
}

// commonPrefix returns what all values begin with, up to a boundary between
// words.
func commonPrefix(enum string, values []string) string {
	p := ""
	if len(values) > 1 {
		p = values[0]
		for _, v := range values[1:] {
			for !strings.HasPrefix(v, p) {
				p = p[:len(p)-1]
			}
		}
	}
	if all := enum + "_"; allHavePrefix(values, all) {
		// Values may share the beginning of a word by chance.
		return all
	}
	return p[:strings.LastIndex(p, "_")+1]
}

func allHavePrefix(values []string, p string) bool {
	for _, v := range values {
		if !strings.HasPrefix(v, p) {
			return false
		}
	}
	return true
}

// trimK drops the k that C++ puts in front of constants.
func trimK(s string) string {
	if len(s) > 1 && s[0] == 'k' && unicode.IsUpper(rune(s[1])) {
		return s[1:]
	}
	return s
}
