// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package vote

import (
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/expect"
	"github.com/purepjrt/purepjrt/conformance/rules"
	"github.com/purepjrt/purepjrt/pjrt/array"
	"github.com/purepjrt/purepjrt/pjrt/dtype"
)

// eachProgram calls f with the programs of every check, several at a time. Unless all is
// true, it leaves out the checks whose programs take long to make, and returns their names.
func eachProgram(all bool, f func(expect.Program)) (left []string) {
	work := make(chan expect.Check)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for c := range work {
				for _, p := range c.Programs() {
					f(p)
				}
			}
		})
	}
	for _, c := range Checks() {
		if c.Seldom && !all {
			left = append(left, c.Name)
			continue
		}
		work <- c
	}
	close(work)
	wg.Wait()
	return left
}

func TestEveryProgramHasACurrentVote(t *testing.T) {
	t.Parallel()
	table, err := Votes()
	require.NoError(t, err)
	var mu sync.Mutex
	seen := make(map[string]bool)
	stale := 0
	left := eachProgram(!testing.Short(), func(p expect.Program) {
		digest := p.Digest()
		mu.Lock()
		defer mu.Unlock()
		assert.False(t, seen[p.ID], "%s occurs twice", p.ID)
		seen[p.ID] = true
		if table[p.ID].Digest == digest {
			return
		}
		if stale++; stale < 10 {
			t.Errorf("%s: expected a vote on the program %s, got one on %q: run make votes", p.ID, digest, table[p.ID].Digest)
		}
	})
	for id := range table {
		name, _, _ := strings.Cut(id, "#")
		known := seen[id]
		for _, l := range left {
			known = known || l == name
		}
		assert.True(t, known, "there is no program %s: run make votes", id)
	}
	assert.Zero(t, stale)
}

func TestNoBindingRuleRestsOnAContestedValue(t *testing.T) {
	t.Parallel()
	table, err := Votes()
	require.NoError(t, err)
	contested := 0
	for _, r := range table {
		if r.Witness != Contested {
			continue
		}
		contested++
		rule, _, _ := strings.Cut(r.ID, "/")
		require.NotNil(t, rules.ByID(rule), r.ID)
		assert.Equal(t, rules.Should, rules.ByID(rule).Severity, r.ID)
		assert.NotEmpty(t, r.Why, r.ID)
	}
	assert.Positive(t, contested)
}

// A value that only the suite computes may be the suite's mistake. A check must say so
// before it may have one.
func TestEveryValueHasTwoWitnesses(t *testing.T) {
	t.Parallel()
	table, err := Votes()
	require.NoError(t, err)
	assert.NotEmpty(t, table)
	for _, r := range table {
		assert.NotEqual(t, One, r.Witness, r.ID)
	}
}

func TestEveryRulingIsOnProgramsThatTheInterpreterContradicts(t *testing.T) {
	t.Parallel()
	table, err := Votes()
	require.NoError(t, err)
	for _, ruling := range rulings {
		n := 0
		for _, r := range table {
			if ruling.programs.MatchString(r.ID) && r.Why == ruling.Reason {
				n++
				assert.Equal(t, ruling.Contested, r.Witness == Contested, r.ID)
			}
		}
		assert.Positive(t, n, ruling.programs.String())
	}
}

func TestATableIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	table := Table{
		"A-01/x":   {"A-01/x", "00ff", Interpreter, ""},
		"A-01/y#1": {"A-01/y#1", "1234", One, "nobody knows it"},
	}
	got, err := Parse(table.String())
	require.NoError(t, err)
	assert.Equal(t, table, got)
	for why, text := range map[string]string{
		"columns":         "A-01\t00ff\tnumpy\n",
		"two rows":        "A-01\t0\tnumpy\t\nA-01\t1\tnumpy\t\n",
		"unknown witness": "A-01\t0\tgood\t\n",
	} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, why)
	}
}

func TestADigestChangesWithTheProgramAndWhatIsExpected(t *testing.T) {
	t.Parallel()
	base := func() expect.Program {
		v := func(b byte) expect.Value {
			return expect.Value{Array: &array.Array{Type: dtype.U8, Dims: []int64{1}, Data: []byte{b}}, Type: "tensor<1xui8>"}
		}
		return expect.Program{ID: "A-01", Text: "text", Inputs: []expect.Input{{Value: v(1)}}, Want: []expect.Value{v(2)}, Tolerance: "exact"}
	}
	seen := make(map[string]string)
	for name, change := range map[string]func(*expect.Program){
		"nothing":   func(*expect.Program) {},
		"text":      func(p *expect.Program) { p.Text = "other" },
		"plain":     func(p *expect.Program) { p.Plain = "text" },
		"inputs":    func(p *expect.Program) { p.Inputs[0].Data[0] = 3 },
		"results":   func(p *expect.Program) { p.Want[0].Data[0] = 3 },
		"types":     func(p *expect.Program) { p.Want[0].Type = "tensor<1xi8>" },
		"tolerance": func(p *expect.Program) { p.Tolerance = "any" },
	} {
		p := base()
		change(&p)
		d := p.Digest()
		assert.Empty(t, seen[d], name)
		seen[d] = name
	}
	same := base()
	same.ID = "A-02"
	first := base()
	assert.Equal(t, first.Digest(), same.Digest())
}

func TestABallotReturnsTypesThatNumPyHas(t *testing.T) {
	t.Parallel()
	value := func(of dtype.Type, typ string, data ...byte) expect.Value {
		return expect.Value{Array: &array.Array{Type: of, Dims: []int64{int64(len(data) / of.Size())}, Data: data}, Type: typ}
	}
	for name, c := range map[string]struct {
		want    expect.Value
		results [][]byte
		line    string
	}{
		"i1":      {value(dtype.Pred, "tensor<2xi1>", 1, 0), [][]byte{{1, 0}}, "convert %r#0 : (tensor<2xi1>) -> tensor<2xui8>"},
		"i4":      {value(dtype.S4, "tensor<2xi4>", 15, 1), [][]byte{{255, 1}}, "convert %r#0 : (tensor<2xi4>) -> tensor<2xi8>"},
		"bf16":    {value(dtype.BF16, "tensor<1xbf16>", 0x80, 0x3f), [][]byte{{0, 0, 0x80, 0x3f}}, "-> tensor<1xf32>"},
		"complex": {value(dtype.C64, "tensor<1xcomplex<f32>>", 1, 2, 3, 4, 5, 6, 7, 8), [][]byte{{1, 2, 3, 4}, {5, 6, 7, 8}}, "stablehlo.imag %r#0"},
		"f64":     {value(dtype.F64, "tensor<1xf64>", 1, 2, 3, 4, 5, 6, 7, 8), [][]byte{{1, 2, 3, 4, 5, 6, 7, 8}}, "return %r#0 : tensor<1xf64>"},
	} {
		p := expect.Program{Text: "module @m {\nfunc.func @main() -> (x) {\n}\n}\n", Want: []expect.Value{c.want}}
		text := Ballot(&p, p.Text)
		assert.Contains(t, text, c.line, name)
		assert.Contains(t, text, "func.func private @program(", name)
		got, err := Count(&p, c.results)
		require.NoError(t, err, name)
		assert.Equal(t, c.want.Data, got[0].Data, name)
		_, err = Count(&p, nil)
		assert.ErrorContains(t, err, "too few", name)
	}
	p := expect.Program{Want: []expect.Value{value(dtype.BF16, "tensor<1xbf16>", 0x80, 0x3f)}}
	_, err := Count(&p, [][]byte{{1, 0, 0x80, 0x3f}})
	assert.ErrorContains(t, err, "is not a value of bf16")
}
