// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package driver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/session"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// maxProbeDeaths limits how often a plugin may die during questions. A hang takes longer,
// and counts as hangCounts deaths.
const (
	maxProbeDeaths = 8
	hangCounts     = 3
)

// errExhausted says that the prober no longer asks a plugin.
var errExhausted = errors.New("not asked: the plugin died or hung too often during earlier questions")

// slowPace is how long a getter takes on a plugin that is slow by nature: a simulator, or a
// device behind a network. A busy machine does not slow getters that much.
const slowPace = 2 * time.Millisecond

// prober finds out what a plugin can do. It asks one question at a time; if the plugin dies
// during one, the prober notes that and asks the others in a new process.
type prober struct {
	*driver
	process *worker.Process
	made    []string // tasks that made what later tasks use
	deaths  int
}

// probe fills in what the report says about the plugin. An error means that there is
// nothing to check.
func (d *driver) probe(ctx context.Context) error {
	d.Progress(d.timed(Progress{Phase: "probe"}))
	r := d.report
	r.Plugin.Path, r.Plugin.File = d.Setup.Plugin, filepath.Base(d.Setup.Plugin)
	if d.Setup.Plugin == "" {
		r.Plugin.File = "(made by the program)"
	}
	r.Capabilities = report.Capabilities{NullSlots: []string{}, Missing: []string{}, Unimplemented: []string{},
		Extensions: []report.Extension{}, Devices: []report.Device{}, Memories: []string{}, Types: []report.Type{}}
	var hash sync.WaitGroup
	hash.Go(func() { r.Plugin.Size, r.Plugin.SHA256 = fileHash(ctx, d.Setup.Plugin) })
	defer hash.Wait()

	p := &prober{driver: d}
	defer p.end()
	if d.Setup.NoDevice == "" && d.Hardware != "" {
		d.Setup.NoDevice = d.Hardware
	}
	opened, err := p.open(ctx)
	switch {
	case err != nil:
		return err
	case opened == nil: // a rule is broken, and nothing else can be asked
		return nil
	}
	r.Plugin.Major, r.Plugin.Minor = opened.Major, opened.Minor
	c := &r.Capabilities
	c.TableSize, c.Functions, c.NullSlots, c.Missing = opened.Size, opened.Functions, opened.Null, opened.Missing
	c.Extensions, c.ChainError = opened.Extensions, opened.ChainError
	return p.ask(ctx)
}

// open opens the plugin for the first time. If it returns no result there is a forced one:
// a plugin that cannot be opened breaks a rule.
func (p *prober) open(ctx context.Context) (*session.Opened, error) {
	process, opened, err := p.driver.open(ctx, check.Initialized)
	var de *deathError
	switch {
	case err == nil:
		p.process = process
		return opened, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &de) && de.doing == "PJRT_Plugin_Initialize":
		// The table is fine; the checks of initialization report the rest.
		p.force("ATTR-01", "PJRT_Plugin_Initialize", de.death)
		p.Setup.Uninitialized = true
		if p.process, opened, err = p.driver.open(ctx, check.Initialized); err != nil {
			return nil, err
		}
		return opened, nil
	case errors.As(err, &de):
		p.force(brokenBy(de.death), de.doing, de.death)
	case opened != nil && opened.Rule != "":
		p.forced = append(p.forced, p.forcedResult(opened.Rule, check.Result{Verdict: check.Fail, Failures: []string{opened.Problem}}))
	case opened != nil && opened.Problem != "":
		return nil, &OpenError{opened.Problem}
	default:
		return nil, err
	}
	p.Checks = nil // nothing can be asked of it
	return nil, nil
}

// brokenBy returns the rule that a plugin breaks if it dies when it is opened.
func brokenBy(death *worker.Death) string {
	for _, f := range death.Frames("/purepjrt/capi.") {
		if strings.HasPrefix(f, "(*Table).walk ") {
			return "XCH-01" // a node of the chain is in unreadable memory
		}
	}
	if death.Kind == worker.Silent {
		return "LOAD-03"
	}
	return "LOAD-01"
}

// force makes a plugin's death the result for a rule.
func (d *driver) force(rule, doing string, death *worker.Death) {
	r := d.forcedResult(rule, check.Result{Verdict: verdictOf(death),
		Failures: []string{doing + ": expected an answer; " + death.String()}})
	r.Death, r.Calls = deathOf(death), session.Calls(death.Notes)
	d.forced = append(d.forced, r)
}

func (d *driver) forcedResult(rule string, found check.Result) *report.Result {
	c := &check.Check{Rule: rule, Library: strings.HasPrefix(rule, "LOAD-") || strings.HasPrefix(rule, "ATTR-")}
	r := d.result(c, found)
	r.Unlisted = false // the list has the rule's checks under other names
	return r
}

// ask asks everything that an open plugin can be asked.
func (p *prober) ask(ctx context.Context) error {
	r := p.report
	_, _ = p.do(ctx, session.TaskAttributes, stepLimit, &r.Plugin.Attributes)
	if p.Setup.NoDevice == "" {
		p.askClient(ctx)
	}
	r.Run.NoDevice = p.Setup.NoDevice
	if p.Setup.NoDevice == "" {
		p.askDetails(ctx)
	} else {
		p.chooseTopology()
		p.askTopology(ctx)
	}
	return ctx.Err()
}

// do does a task of the probe, in a new process if necessary. The first result is the death
// that it caused.
func (p *prober) do(ctx context.Context, task string, limit time.Duration, result any) (*worker.Death, error) {
	if p.process == nil {
		if p.deaths > maxProbeDeaths {
			return nil, errExhausted
		}
		process, _, err := p.driver.open(ctx, check.Initialized)
		if err != nil {
			return nil, err
		}
		p.process = process
		for _, t := range p.made {
			if death, err := p.do(ctx, t, p.limit(t), new(any)); death != nil || err != nil {
				return nil, fmt.Errorf("%s does not work in every process", t)
			}
		}
	}
	death, err := p.process.Do(ctx, task, nil, p.scale(limit), result)
	if death != nil {
		p.process = nil
		p.deaths++
		if death.Kind == worker.Silent {
			p.deaths += hangCounts - 1
			p.hungOutside(silentIn(death))
		}
	}
	return death, err
}

func (p *prober) limit(task string) time.Duration {
	switch task {
	case session.TaskClient:
		return clientLimit
	case session.TaskText:
		return compileLimit
	}
	return stepLimit
}

func (p *prober) askClient(ctx context.Context) {
	var c session.Client
	death, err := p.do(ctx, session.TaskClient, clientLimit, &c)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		p.Setup.NoDevice = "no client: " + err.Error()
	case death != nil:
		p.Setup.NoDevice = "PJRT_Client_Create: " + death.String()
		if death.Kind == worker.Silent {
			p.force("CLI-03", "PJRT_Client_Create", death)
		} else {
			p.force("CLI-01", "PJRT_Client_Create", death)
		}
	case c.Problem != "":
		p.Setup.NoDevice = "there is no client: " + c.Problem
	default:
		p.made = append(p.made, session.TaskClient)
		p.Setup.Extra = (2 * c.Took).Round(10 * time.Millisecond)
		if c.Pace >= slowPace {
			p.Setup.Pace = 2 * c.Pace // other calls do more than getters
		}
		r := p.report
		r.Plugin.Platform, r.Plugin.PlatformVersion = c.Platform, c.Version
		k := &r.Capabilities
		k.ProcessIndex, k.Devices, k.Memories, k.ClientTime = c.ProcessIndex, c.Devices, c.Memories, c.Took
		p.askAnother(ctx)
	}
}

// askAnother asks for a client in another process while this one has one: some plugins'
// devices belong to one process at a time.
func (p *prober) askAnother(ctx context.Context) {
	if p.jobs() == 1 {
		return
	}
	other := &prober{driver: p.driver}
	defer other.end()
	var c session.Client
	death, err := other.do(ctx, session.TaskClient, clientLimit, &c)
	if ctx.Err() == nil {
		p.report.Capabilities.Exclusive = problemOf(c.Problem, death, err)
	}
}

// problemOf says why a task was not done, or returns "" if it was. said is what the worker
// said about it, if it got that far.
func problemOf(said string, death *worker.Death, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case death != nil:
		return death.String()
	}
	return said
}

func (p *prober) askDetails(ctx context.Context) {
	k := &p.report.Capabilities
	for _, name := range session.Types(p.report.Plugin.Minor) {
		task := session.TaskType + name
		var problem string
		death, err := p.do(ctx, task, stepLimit, &problem)
		if ctx.Err() != nil {
			return
		}
		problem = problemOf(problem, death, err)
		if problem == "" && name == capi.BufferTypeF32.String() {
			p.made = append(p.made, task)
		}
		k.Types = append(k.Types, report.Type{Name: name, Uploads: problem == "", Problem: problem})
	}
	for _, name := range session.Functions() {
		task := session.TaskFunction + name
		var code string
		began := time.Now()
		limit := stepLimit
		if name == "PJRT_Client_Compile" {
			limit = compileLimit
		}
		death, err := p.do(ctx, task, limit, &code)
		if name == "PJRT_Client_Compile" && death == nil && err == nil {
			if code != "" && p.takesArtifacts(ctx) {
				began, task, code = time.Now(), session.TaskText, ""
			}
			if code == "" {
				p.firstCompile = time.Since(began)
			}
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errExhausted):
			p.problem(fmt.Sprintf("a first call of %s and of the functions behind it: %v", name, err))
			return
		case err != nil:
			p.problem(fmt.Sprintf("a first call of %s: %v", name, err))
		case death != nil:
			p.problem(fmt.Sprintf("a first call of %s: %s", name, death))
		case code == capi.ErrorCodeUnimplemented.String():
			k.Unimplemented = append(k.Unimplemented, name)
		case code != "":
			p.problem(fmt.Sprintf("a first call of %s with good arguments: %s", name, code))
		case name == "PJRT_Client_TopologyDescription" || name == "PJRT_Client_Compile":
			p.made = append(p.made, task)
		}
	}
}

// takesArtifacts asks a plugin that refused a text whether it takes artifacts alone. A plugin that
// dies of that question, or is not asked, is not excused from taking text.
func (p *prober) takesArtifacts(ctx context.Context) bool {
	var why string
	if death, err := p.do(ctx, session.TaskText, compileLimit, &why); death == nil && err == nil {
		p.Setup.NoText, p.report.Run.Artifacts = why, why
	}
	return p.Setup.NoText != ""
}

// chooseTopology takes the usual topology if the options name none. Workers that start
// after this know it.
func (p *prober) chooseTopology() {
	s := &p.Setup
	if p.Usual == nil || s.Topology != "" || len(s.TopologyOptions) > 0 {
		return
	}
	s.Topology, s.TopologyOptions = p.Usual.Name, p.Usual.Options
	run := &p.report.Run
	run.Topology, run.TopologyOptions, run.UsualTopology = s.Topology, texts(s.TopologyOptions), true
	p.end()
	p.process = nil
}

// askTopology asks for the topology that stands in for devices.
func (p *prober) askTopology(ctx context.Context) {
	var platform string
	death, err := p.do(ctx, session.TaskTopology, clientLimit, &platform)
	switch {
	case ctx.Err() != nil:
	case death != nil:
		p.problem("PJRT_TopologyDescription_Create: " + death.String())
	case err != nil:
		p.problem("no topology without devices: " + err.Error())
	default:
		p.report.Capabilities.Topology = platform
	}
}

func (p *prober) end() {
	if p.process == nil {
		return
	}
	s := &slot{driver: p.driver, process: p.process}
	s.end(context.Background())
}

// unimplemented returns the functions that returned UNIMPLEMENTED to the probe or in checks.
func (d *driver) unimplemented() []string {
	list := slices.Clone(d.report.Capabilities.Unimplemented)
	for _, r := range d.results {
		if r == nil || r.Verdict != check.SkipUnimpl {
			continue
		}
		f, _, _ := strings.Cut(r.Skip, ":")
		if core()[f] && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return list
}

// core has the names of the functions of the core API.
var core = sync.OnceValue(func() map[string]bool {
	names := make(map[string]bool)
	for _, f := range capi.Functions(capi.SectionCore) {
		names[f.Name] = true
	}
	return names
})

// places returns the place of each rule in the contract.
var places = sync.OnceValue(func() map[string]int {
	order := make(map[string]int)
	for i, r := range rules.All() {
		order[r.ID] = i
	}
	return order
})
