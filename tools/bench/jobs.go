// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purepjrt/purepjrt/pjrt"
	"github.com/purepjrt/purepjrt/pjrt/safetensors"
)

// jobs is the group of the rows of whole jobs, which have a table, a plot and a plugin of their own.
const jobs = "jobs"

// The programs of the jobs, in the order of the columns.
var jobColumns = []string{inC, inONNX, withJAX, viaPjrt}

// jobRows are the rows of whole jobs. Those of one model at several sizes, of several streams, and of
// several devices say how costs grow.
func jobRows() []row {
	all := []row{
		loading("load", 64*mib, "weights of 64 MiB"), loading("load", 256*mib, "weights of 256 MiB"),
		loading("load", gib, "weights of 1 GiB"),
		loading("load-mapped", gib, "weights of 1 GiB, mapped"),
		starting("small", "second start of the transformer, 3 x 32, to its first token"),
		starting("medium", "the same, 6 x 384"), starting("gpt2", "the same, 12 x 768"),
		generated("small", "3 x 32", 1), generated("medium", "6 x 384", 1), generated("gpt2", "12 x 768", 1),
		generated("medium", "6 x 384", 2), generated("medium", "6 x 384", 8), generated("gpt2", "12 x 768", 8),
		requested("", "all", "requests to the server, 8 streams", perSecond("requests", 1)),
		requested("-p50", "p50", "latency of the median request", nil),
		requested("-p99", "p99", "latency that 1 % of the requests exceed", nil),
	}
	for _, batch := range []int{32, 128, 512} {
		all = append(all, whole(fmt.Sprintf("step-mlp-%d", batch), fmt.Sprintf("step of training an MLP, batch of %d", batch)))
	}
	all = append(all, whole("step-transformer", "step of training the transformer, 3 x 32"))
	for _, job := range []struct{ name, title string }{{"product", "matrix product"}, {"sum", "matrix product and all-reduce"}} {
		for _, devices := range spreads {
			r := whole("devices-"+job.name, fmt.Sprintf("%s, %d devices", job.title, devices))
			r.name, r.job, r.param = fmt.Sprintf("jobs/devices-%s-%d", job.name, devices), "devices-"+job.name, devices
			all = append(all, r)
		}
	}
	together := whole("compile-together", "compile four programs at once")
	together.job, together.param, together.rounds = "compile-together", 4, 2
	return append(all, together,
		flagged(generated("medium", "6 x 384", 1), "fast-math"),
		row{
			name: "jobs/cache", title: "8 processes start at once with an empty cache", job: "small", own: sharingCache,
			goal: &goal{ofJAX: 0.5, allocs: -1},
		})
}

// jobStarts is how many sets of processes do a job: which memory and processors one has makes a tenth
// of the difference between two, and more on some machines.
const jobStarts = 3

// spreads are the numbers of devices.
var spreads = []int{2, 4, 8}

// whole returns the row of a job that C, JAX and pjrt do with the same program.
func whole(job, title string) row {
	return row{
		name: "jobs/" + job, title: title, job: "model:" + job, only: jobColumns, noise: 0.25, starts: jobStarts,
		goal: &goal{ratio: 1.05, ofJAX: 1, allocs: -1},
	}
}

// starting returns the row of the second start of the example transformer with a model.
func starting(model, title string) row {
	return row{name: "jobs/start-" + model, title: title, job: model, own: startingAgain, goal: &goal{ofJAX: 0.1, allocs: -1}}
}

// requested returns a row of what serving measures.
func requested(suffix, what, title string, shown func(float64) string) row {
	return row{
		name: "jobs/requests" + suffix, title: title, job: what, own: serving, shown: shown, goal: &goal{ofJAX: 1, allocs: -1},
	}
}

// flagged returns a row for what flags of XLA change: C does the job without them.
func flagged(r row, flags string) row {
	r.jobs = map[string]string{inC: r.job}
	r.name, r.title, r.job = r.name+"-"+flags, r.title+", with "+flags+"; C without", r.job+"+"+flags
	r.only, r.goal = []string{inC, viaPjrt}, nil
	return r
}

// generated returns the row of a step in which some streams get a token each.
func generated(model, size string, streams int) row {
	job, title := "tokens-"+model, "tokens, "+size+", one stream"
	if streams > 1 {
		job, title = fmt.Sprintf("%s-%d", job, streams), fmt.Sprintf("tokens, %s, %d streams", size, streams)
	}
	r := whole(job, title)
	r.shown = perSecond("tokens", streams)
	return r
}

// loading returns the row of a file of weights that goes to the device. C only reads the file.
func loading(job string, bytes int, title string) row {
	r := whole(fmt.Sprintf("%s-%d", job, bytes/mib), title)
	r.job, r.param, r.rounds = job, bytes, 9/jobStarts
	if job == "load" { // into fresh memory, which the file alone does not need
		r.goal.ratio = 0
	}
	r.shown = func(ns float64) string { return fmt.Sprintf("%.3g GB/s", float64(bytes)/ns) }
	return r
}

// perSecond formats the time of an operation that makes several things as how many come in a second.
func perSecond(things string, several int) func(ns float64) string {
	return func(ns float64) string {
		return fmt.Sprintf("%s %s/s", threeDigits(float64(several)*1e9/ns), things)
	}
}

func threeDigits(x float64) string {
	if x >= 1000 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// split returns the rows that are jobs, and the others.
func split(chosen []row) (whole, others []row) {
	for _, r := range chosen {
		if group(r.name) == jobs {
			whole = append(whole, r)
		} else {
			others = append(others, r)
		}
	}
	return whole, others
}

// bundleModels adds the programs of the models, which JAX makes, to a bundle.
func (o *options) bundleModels(root string) error {
	python := filepath.Join(root, "bin/jobs/bin/python")
	if _, err := os.Stat(filepath.Join(root, "bin/jobs/ready")); err != nil {
		fmt.Fprintln(os.Stderr, "bench: the bundle has no models: make bin/jobs/ready")
		return nil
	}
	dir := filepath.Join(o.bundle, "models")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	_, err := timed("", python, filepath.Join(o.bundle, "models.py"), dir)
	return err
}

// writeJobs writes what the programs need for their jobs. The models come from JAX or from a bundle;
// without both, their rows are left out.
func (p *place) writeJobs(chosen []row) error {
	bundled := filepath.Join(p.built, "models")
	if _, err := os.Stat(bundled); err == nil {
		if err := os.CopyFS(p.programs, os.DirFS(bundled)); err != nil {
			return err
		}
	} else if p.python != "" {
		if _, err := timed("", p.python, filepath.Join(p.built, "models.py"), p.programs); err != nil {
			return err
		}
	}
	for _, r := range chosen {
		switch {
		case strings.HasPrefix(r.job, "load"):
			if err := writeWeights(p.programs, r.param); err != nil {
				return err
			}
		case strings.HasPrefix(r.job, "devices-"):
			name := filepath.Join(p.programs, fmt.Sprintf("%s-%d", r.job, r.param))
			text, job := product(strings.TrimPrefix(r.job, "devices-"), r.param)
			if err := os.WriteFile(name+".mlir", []byte(text), 0o644); err != nil {
				return err
			}
			if err := os.WriteFile(name+".job", []byte(job), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// can reports whether a row can be measured here: some need a model, or several devices.
func (p *place) can(r row) bool {
	name, isModel := strings.CutPrefix(r.job, "model:")
	name, _, _ = strings.Cut(name, "+")
	switch {
	case name == "compile-together":
		name = "step-mlp-128"
	case strings.HasPrefix(r.job, "devices-"):
		return !p.gpu
	case !isModel:
		return true
	}
	_, err := os.Stat(filepath.Join(p.programs, name+".mlir"))
	return err == nil
}

// writeWeights writes a file of some bytes in arrays of 8 MiB.
func writeWeights(dir string, bytes int) error {
	name := filepath.Join(dir, fmt.Sprintf("load-%d.safetensors", bytes))
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	data := make([]float32, 8*mib/4)
	for i := range data {
		data[i] = float32(i)
	}
	arrays := map[string]pjrt.HostArray{}
	for i := range bytes / (8 * mib) {
		arrays[fmt.Sprintf("h.%d.weight", i)] = pjrt.ArrayOf(data, 1024, int64(len(data)/1024))
	}
	return safetensors.WriteFile(name, arrays, nil)
}

// product returns a program in which each device multiplies its rows of a matrix, and with sum adds
// the products of all, and its description.
func product(job string, devices int) (text, description string) {
	const size = 512
	rows := size / devices
	var replicas []string
	for d := range devices {
		replicas = append(replicas, fmt.Sprint(d))
	}
	part := fmt.Sprintf("tensor<%dx%dxf32>", rows, size)
	reduce := ""
	result := "%0"
	if job == "sum" {
		reduce = fmt.Sprintf(`    %%1 = "stablehlo.all_reduce"(%%0) ({
    ^bb0(%%a: tensor<f32>, %%b: tensor<f32>):
      %%2 = stablehlo.add %%a, %%b : tensor<f32>
      stablehlo.return %%2 : tensor<f32>
    }) {replica_groups = dense<[[%s]]> : tensor<1x%dxi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>} : (%s) -> %s
`, strings.Join(replicas, ", "), devices, part, part)
		result = "%1"
	}
	text = fmt.Sprintf(`module @program attributes {mhlo.num_replicas = %d : i32} {
  func.func @main(%%x: %s, %%w: tensor<%dx%dxf32>) -> %s {
    %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (%s, tensor<%dx%dxf32>) -> %s
%s    return %s : %s
  }
}
`, devices, part, size, size, part, part, size, size, part, reduce, result, part)
	return text, fmt.Sprintf("arg f32 numbers 2 %d %d\narg f32 numbers 2 %d %d\nread 0\nresults 1\n", rows, size, size, size)
}

// jobsTable returns the table of the jobs, with times or rates of each program, and where each start
// spends its time.
func jobsTable(results *Results, quartiles bool) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, p := range jobColumns {
		b.WriteString(" " + titles[p] + " |")
	}
	b.WriteString(" of C | of JAX | MB: C/ONNX/JAX/`pjrt` |\n|---|" + strings.Repeat("---|", len(jobColumns)+3) + "\n")
	any := false
	for _, r := range rows {
		measured := results.row(r.name)
		if measured == nil || group(r.name) != jobs {
			continue
		}
		any = true
		fmt.Fprintf(&b, "| %s |", r.title)
		add := func(text string) { b.WriteString(strings.TrimRight(" "+text, " ") + " |") }
		number := func(q *Quartiles, say func(float64) string, limit float64) {
			text := ""
			if q != nil {
				text = say(q.Median)
				if quartiles {
					text = spread(*q, say)
				}
				switch within(*q, limit) {
				case near:
					text += " ≈ " + say(limit)
				case missed:
					text += " > " + say(limit)
				}
			}
			add(text)
		}
		var memory []string
		measuredAny := false
		for _, p := range jobColumns {
			c := measured.Cells[p]
			if c != nil {
				number(&c.Nanoseconds, r.say, 0)
			} else {
				add("")
			}
			if c != nil && c.Memory > 0 {
				memory, measuredAny = append(memory, fmt.Sprintf("%.0f", c.Memory/1e6)), true
			} else {
				memory = append(memory, "–")
			}
		}
		ours, to := cmp.Or(measured.Cells[viaPjrt], new(Cell)), cmp.Or(r.goal, new(goal))
		number(ours.Ratio, ratio, to.ratio)
		number(ours.OfJAX, ratio, to.ofJAX)
		if measuredAny {
			add(strings.Join(memory, "/"))
		} else {
			add("")
		}
		b.WriteString("\n")
	}
	if !any {
		return ""
	}
	return b.String() + startTable(results)
}

// startTable returns where the time of each second start goes.
func startTable(results *Results) string {
	var names, headers []string
	var shown []*Row
	for _, r := range rows {
		if measured := results.row(r.name); measured != nil && strings.HasPrefix(r.name, "jobs/start-") && len(measured.Parts) > 0 {
			shown = append(shown, measured)
			headers = append(headers, strings.TrimPrefix(r.name, "jobs/start-"))
			for name := range measured.Parts {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	if len(shown) == 0 {
		return ""
	}
	slices.Sort(names) // they begin with their number
	var b strings.Builder
	fmt.Fprintf(&b, "\n| of a second start | %s |\n|---|%s\n", strings.Join(headers, " | "), strings.Repeat("---|", len(headers)))
	for _, name := range names {
		_, title, _ := strings.Cut(name, " ")
		fmt.Fprintf(&b, "| %s |", title)
		for _, s := range shown {
			b.WriteString(" " + duration(s.Parts[name]) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// jobsSection returns the text of performance.md about jobs.
func jobsSection(results *Results) string {
	m := results.Jobs
	text := fmt.Sprintf("Medians on %s (%d cores); plugin for CPUs, API %s; %s; JAX %s on the same plugin; ONNX Runtime %s.\n\n%s",
		m.Processor, m.Cores, m.Versions["api"], m.Versions["go"], m.Versions[withJAX], m.Versions[inONNX], jobsTable(results, false))
	var short []string
	for _, r := range rows {
		if measured := results.row(r.name); measured != nil && group(r.name) == jobs {
			if v, _ := judge(r, measured); v == missed {
				short = append(short, r.title)
			}
		}
	}
	if len(short) == 0 {
		return text + "\nJobs that miss what they should reach: none.\n"
	}
	return text + "\nJobs that miss what they should reach:\n\n- " + strings.Join(short, "\n- ") + "\n"
}
