// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/purepjrt/purepjrt/pjrt/cache"
)

// A starter is a command that continues a text, and how much it prints until its first token is
// there.
type starter struct {
	*exec.Cmd
	first int
}

const prompt = "A quick"

// transformers returns the commands that continue a text with a model and a cache, by program, and
// their environments.
func (p *place) transformers(folder, compiled string, verbose bool) map[string]starter {
	args := []string{"-n", "1", "-plugin", p.plugin, folder, prompt}
	if verbose {
		args = append([]string{"-v"}, args...)
	}
	ours := exec.Command(filepath.Join(p.built, "transformer"), args...)
	ours.Env = append(append(os.Environ(), p.clientsShare()...), cache.DirVariable+"="+filepath.Join(compiled, "ours"))
	all := map[string]starter{viaPjrt: {ours, len(prompt) + 1}}
	if p.python != "" {
		jax := exec.Command(p.python, filepath.Join(p.built, "jax_jobs.py"), p.plugin, "start", folder)
		jax.Env = append(append(os.Environ(), p.environment()...), "JAX_COMPILATION_CACHE_DIR="+filepath.Join(compiled, "jax"))
		all[withJAX] = starter{jax, 1}
	}
	return all
}

// clientsShare returns the variables with which the examples' clients leave most of the memory of
// a GPU to those of other processes.
func (p *place) clientsShare() []string {
	if p.gpu {
		return []string{"XLA_PYTHON_CLIENT_PREALLOCATE=false"}
	}
	return nil
}

// startInC returns the command in C that makes the same calls as the example transformer. C compiles
// what its folder in compiled lacks.
func (p *place) startInC(folder, compiled string) (starter, error) {
	described := filepath.Join(compiled, "c.txt")
	text, err := describeStart(folder)
	if err != nil {
		return starter{}, err
	}
	programs := filepath.Join(compiled, "c")
	if err := errors.Join(os.MkdirAll(programs, 0o755), os.WriteFile(described, []byte(text), 0o644)); err != nil {
		return starter{}, err
	}
	c := exec.Command(filepath.Join(p.built, "c-start"), p.plugin, folder, described, programs)
	c.Env = append(os.Environ(), p.environment()...)
	return starter{c, 1}, nil
}

// describeStart says for the command in C what the folder of a model has: its files, where in them
// each array is and which argument of the programs, and the sizes.
func describeStart(folder string) (string, error) {
	var index struct {
		Places map[string]string `json:"weight_map"`
	}
	var sizes struct {
		Vocabulary int `json:"n_vocab"`
		Context    int `json:"n_positions"`
		Width      int `json:"n_embd"`
		Heads      int `json:"n_head"`
		Layers     int `json:"n_layer"`
		Chunk      int `json:"chunk"`
	}
	for name, into := range map[string]any{"model.safetensors.index.json": &index, "config.json": &sizes} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	arguments := []string{"wte.weight", "wpe.weight"}
	for i := range sizes.Layers {
		for _, part := range []string{"ln_1", "attn.c_attn", "attn.c_proj", "ln_2", "mlp.c_fc", "mlp.c_proj"} {
			arguments = append(arguments, fmt.Sprintf("h.%d.%s.weight", i, part), fmt.Sprintf("h.%d.%s.bias", i, part))
		}
	}
	arguments = append(arguments, "ln_f.weight", "ln_f.bias")
	var b strings.Builder
	for _, file := range slices.Compact(slices.Sorted(maps.Values(index.Places))) {
		fmt.Fprintf(&b, "file %s\n", file)
		arrays, begin, err := safetensorsHeader(filepath.Join(folder, file))
		if err != nil {
			return "", err
		}
		for i, name := range arguments {
			if a, ok := arrays[name]; ok {
				fmt.Fprintf(&b, "array %d %d %s %d\n", begin+a.Offsets[0], len(a.Shape), strings.Trim(fmt.Sprint(a.Shape), "[]"), i)
			}
		}
	}
	fmt.Fprintf(&b, "cache %d %d %d %d\nchunk %d\nvocabulary %d\n", sizes.Layers, sizes.Heads, sizes.Context,
		sizes.Width/sizes.Heads, sizes.Chunk, sizes.Vocabulary)
	return b.String(), nil
}

// described is an array in the header of a safetensors file.
type described struct {
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// safetensorsHeader returns the arrays of a file, and where their data begins.
func safetensorsHeader(file string) (arrays map[string]described, begin int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	var length uint64
	if err := binary.Read(f, binary.LittleEndian, &length); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	if err := json.NewDecoder(io.LimitReader(f, int64(length))).Decode(&arrays); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	return arrays, 8 + int64(length), nil
}

// untilFirst runs a command, and returns how long it took until its first token, and which it is.
func (s starter) untilFirst() (took time.Duration, token int, err error) {
	var said bytes.Buffer
	s.Stderr = &said
	out, err := s.StdoutPipe()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	if err := s.Start(); err != nil {
		return 0, 0, err
	}
	text := make([]byte, s.first)
	n, err := io.ReadFull(out, text)
	took = time.Since(start)
	rest, _ := io.ReadAll(out) // an error of the command is that of Wait
	text = append(text[:n], rest...)
	if err := cmp.Or(s.Wait(), err); err != nil {
		return 0, 0, fmt.Errorf("%w\n%s%s", err, text, said.String())
	}
	if after, ok := bytes.CutPrefix(text, []byte(prompt)); ok {
		r, _ := utf8.DecodeRune(after)
		return took, int(r), nil
	}
	token, err = strconv.Atoi(strings.TrimSpace(string(text)))
	return took, token, err
}

// startingAgain measures the example transformer from its start to the first token, when its cache has
// its programs, the same calls in C, and JAX with its own cache.
func startingAgain(m *measurer, r row) (*Row, error) {
	folder, err := m.place.modelFolder(r.job)
	if err != nil || folder == "" {
		return nil, err
	}
	compiled, err := os.MkdirTemp(m.place.programs, "cache")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(compiled)
	times, parts, memory := map[string][]float64{}, map[string][]float64{}, map[string]float64{}
	for round := range 1 + processRounds {
		commands := m.place.transformers(folder, compiled, false)
		if commands[inC], err = m.place.startInC(folder, compiled); err != nil {
			return nil, err
		}
		tokens := map[int]bool{}
		for _, program := range turns(commands, round) {
			took, token, err := commands[program].untilFirst()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", program, err)
			}
			if tokens[token] = true; len(tokens) > 1 {
				return nil, fmt.Errorf("the programs continue with different tokens: %v", tokens)
			}
			if round > 0 { // the first fills the caches
				times[program] = append(times[program], float64(took))
				memory[program] = max(memory[program], peakOfEnded(commands[program].Cmd))
			}
		}
		part, err := startParts(m.place.transformers(folder, compiled, true)[viaPjrt].Cmd)
		if err != nil {
			return nil, err
		}
		for name, took := range part {
			if round > 0 {
				parts[name] = append(parts[name], took)
			}
		}
	}
	result := apart(r, times, memory)
	result.Parts = map[string]float64{}
	for name, took := range parts {
		result.Parts[name] = quartilesOf(took).Median
	}
	return result, nil
}

// startParts runs the example transformer, and returns how its time is divided, from what it logs.
func startParts(cmd *exec.Cmd) (map[string]float64, error) {
	var log bytes.Buffer
	cmd.Stderr = &log
	start := time.Now()
	err := cmd.Run()
	end := time.Now()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, log.String())
	}
	return divided(log.String(), start, end)
}

// divided divides the time from start to end by what a log of operations says, between the lines of
// which the plugin's own may stand. The names begin with their place in the table.
func divided(log string, start, end time.Time) (map[string]float64, error) {
	parts, at := map[string]float64{}, start
	until := func(name string, t time.Time) {
		parts[name] += float64(t.Sub(at))
		at = t
	}
	var loaded []time.Time
	opened := false
	for text := range strings.Lines(log) {
		var line struct {
			Time     time.Time
			Msg      string
			Duration time.Duration
		}
		if !strings.HasPrefix(text, "{") {
			continue
		}
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			return nil, fmt.Errorf("%w: %s", err, text)
		}
		switch line.Msg {
		case "pjrt open":
			until("1 the process starts", line.Time.Add(-line.Duration))
			until("2 the plugin is opened", line.Time)
			opened = true
		case "pjrt client":
			until("3 the client is made", line.Time)
		case "pjrt load begins":
			if _, begun := parts["4 weights are mapped, and files read"]; !begun {
				until("4 weights are mapped, and files read", line.Time)
			}
		case "pjrt load":
			loaded = append(loaded, line.Time)
		case "pjrt execute":
			if parts["7 the first execution"] == 0 {
				begun := line.Time.Add(-line.Duration)
				for _, t := range loaded {
					if t.Before(begun) { // the other program may take longer
						until("5 its program comes from the cache", t)
					}
				}
				until("6 weights are bound, inputs made", begun)
				until("7 the first execution", line.Time)
			}
		}
	}
	if !opened {
		return nil, fmt.Errorf("the log does not say that the plugin was opened: %s", log)
	}
	until("8 the process ends, with its token", end)
	return parts, nil
}
