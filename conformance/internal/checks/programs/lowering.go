// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package programs

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/serve"
)

// lowering puts faults in front of XLA's CPU plugin 0.81 as it would be if it compiled what it
// refuses or compiles wrongly: it gets operations instead that it has.
func lowering(base *capi.Table, faults ...serve.Hook) (*serve.Table, error) {
	return serve.Wrap(base, append(faults, compileHooks(func(c *compilation) { c.with(c.format(), lowered(c.code())) })...)...)
}

// lowered replaces an addition of i1 by a logical or, a bounded argument by one of its largest
// size, and a collective that the plugin refuses: an asynchronous one by the operation itself, and
// broadcasts and bitwise reductions by exchanges.
func lowered(text string) string {
	text = strings.NewReplacer(
		"stablehlo.add %a, %a : tensor<4xi1>", "stablehlo.or %a, %a : tensor<4xi1>",
		"?xf32, #stablehlo.bounds<16>", "16xf32").Replace(text)
	if !strings.HasPrefix(text, "module @collective") {
		return text
	}
	if strings.Contains(text, "async_start") {
		text = inline(text)
	}
	if m := broadcastText.FindStringSubmatchIndex(text); m != nil {
		return text[:m[0]] + exchanged(text[m[2]:m[3]], text[m[4]:m[5]], "") + text[m[1]:]
	}
	if m := bitwiseText.FindStringSubmatchIndex(text); m != nil {
		return text[:m[0]] + exchanged(text[m[2]:m[3]], text[m[6]:m[7]], text[m[4]:m[5]]) + text[m[1]:]
	}
	return text
}

var (
	broadcastText = regexp.MustCompile(`%0 = "stablehlo\.collective_broadcast"\(%a\) <\{(.*?)\}> : \((.*?)\) -> .*`)
	bitwiseText   = regexp.MustCompile(`(?s)%0 = "stablehlo\.all_reduce"\(%a\) <\{([^\n]*?)\}> \(\{.*?stablehlo\.(and|or) %x, %y : tensor<u?i\d+>.*?\}\) : \((.*?)\) -> tensor<[^\n]*`)
)

// inline replaces an asynchronous operation by the one that it starts.
func inline(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		switch s := strings.TrimSpace(line); {
		case strings.Contains(s, "async_start"), strings.Contains(s, "async_done"), strings.HasPrefix(s, "^bb0(%b"),
			strings.HasPrefix(s, "stablehlo.return %c"), strings.Contains(s, "stablehlo.future"):
		default:
			lines = append(lines, strings.NewReplacer("(%b)", "(%a)", "%c = ", "%0 = ").Replace(line))
		}
	}
	return strings.Join(lines, "\n")
}

// exchanged gives every member of a group the arrays of all members, in the order of the
// group. It then takes the first of them, or folds them with an operation.
func exchanged(attributes, array, op string) string {
	n := len(readGroups(groupsText.FindStringSubmatch(attributes)[1])[0])
	var rows, columns int
	var of string
	_, _ = fmt.Sscanf(strings.TrimSuffix(strings.TrimPrefix(array, "tensor<"), ">"), "%dx%dx%s", &rows, &columns, &of)
	all := fmt.Sprintf("tensor<%dx%dx%s>", n*rows, columns, of)
	copies := strings.TrimSuffix(strings.Repeat("%a, ", n), ", ")
	types := strings.TrimSuffix(strings.Repeat(array+", ", n), ", ")
	lines := []string{
		fmt.Sprintf("%%all = stablehlo.concatenate %s, dim = 0 : (%s) -> %s", copies, types, all),
		fmt.Sprintf(`%%theirs = "stablehlo.all_to_all"(%%all) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = %d : i64, %s}> : (%s) -> %[3]s`, n, attributes, all),
	}
	part := func(name string, i int) string {
		return fmt.Sprintf("%s = stablehlo.slice %%theirs [%d:%d, 0:%d] : (%s) -> %s", name, i*rows, (i+1)*rows, columns, all, array)
	}
	if op == "" || n == 1 {
		return strings.Join(append(lines, part("%0", 0)), "\n    ")
	}
	lines = append(lines, part("%f0", 0))
	for i := 1; i < n; i++ {
		to := fmt.Sprintf("%%f%d", i)
		if i == n-1 {
			to = "%0"
		}
		lines = append(lines, part(fmt.Sprintf("%%p%d", i), i), fmt.Sprintf("%s = stablehlo.%s %%f%d, %%p%d : %s", to, op, i-1, i, array))
	}
	return strings.Join(lines, "\n    ")
}
