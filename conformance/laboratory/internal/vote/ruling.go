// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package vote

import "regexp"

// Ruling says who is right where StableHLO's interpreter differs from a check.
type Ruling struct {
	programs *regexp.Regexp
	// Contested says that both may be right: no binding rule may rest on the value.
	// Otherwise the interpreter is wrong, and NumPy must agree with the check.
	Contested bool
	Reason    string
}

var rulings = []Ruling{
	{regexp.MustCompile(`/(ceil|floor|round_nearest_afz|round_nearest_even)/(f8E3M4|f6E2M3FN)$`), false,
		"the interpreter makes NaN or 0 of numbers of this type when it rounds them to whole ones"},
	{regexp.MustCompile(`/f8E8M0FNU$`), false, "NaN of this type leaves the interpreter as an infinity"},
	{regexp.MustCompile(`^RUN-02/(edge/compare|sort/total order)/`), false, "the interpreter takes TOTALORDER for FLOAT"},
	{regexp.MustCompile(`/index=ui(8|16|32|64)(#\d+)?$`), false,
		"the interpreter takes an index without a sign whose highest bit is set for a negative one"},
	{regexp.MustCompile(`/logistic/f8E[45]M`), false, "an exponential overflows in the interpreter, whose result is NaN; that of the operation fits the type"},
	{regexp.MustCompile(`^DIFF-01/convolution/widened/`), true,
		"the interpreter widens the operands of dot_general, but sums a convolution in their type"},
}

// Rule returns the ruling on a program, or nil when there is none.
func Rule(id string) *Ruling {
	for i := range rulings {
		if rulings[i].programs.MatchString(id) {
			return &rulings[i]
		}
	}
	return nil
}
