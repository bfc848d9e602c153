// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/purepjrt/purepjrt/capi"
	"github.com/purepjrt/purepjrt/capi/shim"
	"github.com/purepjrt/purepjrt/conformance/internal/check"
	"github.com/purepjrt/purepjrt/conformance/internal/worker"
	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/pjrt/plugins"
)

// Program is what differs between programs that serve as workers.
type Program struct {
	// Check returns a check of a suite by its name.
	Check func(suite, name string) (*check.Check, error)
	// Open makes the table; nil opens Setup.Plugin. It is called again when a worker
	// changes to another plugin; the table that it returned before is then no longer
	// used.
	Open func(Setup) (*capi.Table, error)
}

// Serve makes this process a worker. It does not return.
func Serve(p Program) {
	token, _ := worker.Asked()
	s := &session{program: p, self: worker.Command{Args: os.Args[1:], Token: token}}
	worker.Serve(s.handle)
}

// session is the state of a worker.
type session struct {
	program Program
	self    worker.Command // starts another worker
	setup   Setup
	env     *check.Env
	subject *subject // made by TaskClient, for the functions' tasks
}

func (s *session) handle(task string, params json.RawMessage) (result any, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	worker.Note(taskNote)
	if task == TaskOpen {
		s.setup = Setup{}
		if err := json.Unmarshal(params, &s.setup); err != nil {
			return nil, err
		}
		return s.open()
	}
	if s.env == nil {
		return nil, fmt.Errorf("task %q before a plugin was opened", task)
	}
	name, isType := strings.CutPrefix(task, TaskType)
	function, isFunction := strings.CutPrefix(task, TaskFunction)
	switch {
	case isType:
		return s.upload(name)
	case isFunction:
		return s.call(function)
	}
	switch task {
	case TaskInitialize:
		return text(call(s.env.Table, &capi.PluginInitializeArgs{})), nil
	case TaskAttributes:
		return s.attributes()
	case TaskClient:
		return s.client(), nil
	case TaskTopology:
		return s.topology()
	case TaskText:
		return s.noText(), nil
	case TaskCheck:
		var c Check
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		return s.check(c)
	case TaskStep:
		var c Step
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		found, err := s.program.Check(s.setup.Suite, c.Check)
		if err != nil {
			return nil, err
		}
		return check.RunStep(context.Background(), found, s.env, c.Step), nil
	case TaskClose:
		return text(errors.Join(s.subject.close(), s.env.Close())), nil
	case TaskExit:
		check.Exit(0)
	}
	return nil, fmt.Errorf("there is no task %q", task)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// call is like check.Try, without a check.
func call[A any](t *capi.Table, args *A) error {
	c := &capi.Call[A]{Args: *args}
	err := c.Do(t)
	*args = c.Args
	return err
}

func (s *session) open() (*Opened, error) {
	if s.env != nil {
		_ = s.env.Close() // a faulty plugin may refuse
		s.env, s.subject = nil, nil
	}
	env := &check.Env{
		Path: s.setup.Plugin, Options: Attributes(s.setup.Options), NoDevice: s.setup.NoDevice,
		NoText:   s.setup.NoText,
		Topology: s.setup.Topology, TopologyOptions: Attributes(s.setup.TopologyOptions),
		Spawn: Spawner(s.self, s.setup), Patience: s.setup.Patience, Hangs: s.setup.Hangs,
	}
	if s.setup.Unloaded {
		s.env = env
		return &Opened{}, prepare(env.Path)
	}
	var table *capi.Table
	var err error
	switch {
	case s.program.Open != nil:
		table, err = s.program.Open(s.setup)
	case s.setup.Plugin == "":
		return nil, errors.New("no plugin was named, and the worker's program makes none itself")
	default:
		if err = prepare(env.Path); err == nil {
			table, err = capi.Open(s.setup.Plugin)
		}
	}
	if err != nil {
		o := &Opened{Problem: err.Error()}
		for broken, rule := range map[error]string{
			capi.ErrNoEntryPoint: "LOAD-01", capi.ErrNullTable: "LOAD-01", capi.ErrTableSize: "LOAD-05", capi.ErrMajorVersion: "LOAD-06",
		} {
			if errors.Is(err, broken) {
				o.Rule = rule
			}
		}
		return o, nil
	}
	if s.setup.Record != "" {
		if table, err = recorded(table, s.setup.Record); err != nil {
			return nil, err
		}
	}
	// What a faulty plugin says about its table may make that impossible.
	if env.Table, err = noted(table); err != nil {
		env.Table = table
	}
	s.env = env
	return describe(env.Table), nil
}

// recorded puts a recorder in front of a table.
func recorded(table *capi.Table, file string) (*capi.Table, error) {
	recorder, err := shim.New(shim.Config{Record: file, RecordBegun: true})
	if err != nil {
		return nil, err
	}
	wrapped, err := recorder.Wrap(table)
	if err != nil {
		return nil, err
	}
	return wrapped.Capi(), nil
}

// prepare sets the environment that a plugin's file needs, if there is one.
func prepare(path string) error {
	if path == "" {
		return nil
	}
	return plugins.Prepare(path)
}

// describe says what is in the table.
func describe(t *capi.Table) *Opened {
	o := &Opened{Size: int(t.API().StructSize), Null: []string{}, Missing: []string{}, Extensions: []report.Extension{}}
	o.Major, o.Minor = t.Version()
	for _, f := range capi.Functions(capi.SectionCore) {
		switch {
		case t.Has(f):
			o.Functions++
		case f.Since > o.Minor:
			o.Missing = append(o.Missing, f.Name)
		default:
			o.Null = append(o.Null, f.Name)
		}
	}
	for _, x := range t.Extensions() {
		o.Extensions = append(o.Extensions, report.Extension{Type: int(x.Type), Name: x.Type.String(), Size: int(x.Size)})
	}
	o.ChainError = text(t.ExtensionsErr())
	return o
}

func (s *session) attributes() ([]report.Attribute, error) {
	var args capi.PluginAttributesArgs
	if err := call(s.env.Table, &args); err != nil {
		return nil, err
	}
	list := []report.Attribute{}
	for _, a := range capi.Attributes(args.Attributes, args.NumAttributes) {
		list = append(list, report.Attribute{Name: a.Name, Value: fmt.Sprint(a.Value)})
	}
	return list, nil
}

func (s *session) topology() (string, error) {
	values, err := capi.NewNamedValues(s.env.TopologyOptions)
	if err != nil {
		return "", err
	}
	var args capi.TopologyDescriptionCreateArgs
	args.TopologyName, args.TopologyNameSize = capi.StringData(s.env.Topology)
	args.CreateOptions, args.NumOptions = values.Data()
	err = call(s.env.Table, &args)
	runtime.KeepAlive(values)
	if err != nil {
		return "", err
	}
	name := capi.TopologyDescriptionPlatformNameArgs{Topology: args.Topology}
	if err := call(s.env.Table, &name); err != nil {
		return "", err
	}
	return capi.String(name.PlatformName, name.PlatformNameSize), nil
}

// check runs one check. If it hangs, the result says where.
func (s *session) check(c Check) (*check.Result, error) {
	found, err := s.program.Check(s.setup.Suite, c.Name)
	if err != nil {
		return nil, err
	}
	if len(c.Hangs) > 0 {
		s.setup.Hangs, s.env.Hangs = c.Hangs, c.Hangs
		s.env.Spawn = Spawner(s.self, s.setup)
	}
	limited := *found
	limited.Timeout = Limit(found, s.setup.Factor, s.setup.Extra+c.Compiling)
	s.env.Earned = nil
	if s.setup.Pace > 0 {
		s.env.Earned = s.earned(limited.Timeout)
	}
	r := check.Run(context.Background(), &limited, s.env)
	if r.Verdict == check.Timeout {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for _, f := range worker.Frames(string(stacks), ChecksPath) {
			r.Failures = append(r.Failures, "the check was in "+f)
		}
		r.Calls = Calls(worker.Noted())
	}
	return &r, nil
}

// ChecksPath is the part of the import path that the checks' packages share.
const ChecksPath = "/conformance/internal/checks/"

// Limit returns how long a check may run in a worker.
func Limit(c *check.Check, factor float64, extra time.Duration) time.Duration {
	if factor <= 0 {
		factor = 1
	}
	return time.Duration(float64(c.Limit())*factor) + extra
}

// Longest returns how long a check may run in a worker at most, with all that it can
// earn, and with the time for its programs.
func Longest(c *check.Check, s *Setup, compiling time.Duration) time.Duration {
	limit := Limit(c, s.Factor, s.Extra+compiling)
	if s.Pace > 0 {
		limit *= 1 + mostEarned
	}
	return limit
}
