// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// processRounds is how often the programs of a job with processes of its own take turns.
const processRounds = 7

// sizesOf are the arguments of the exporter for the models that the repository does not have.
var sizesOf = map[string]string{
	"medium": "--layers 6 --width 384 --heads 6 --vocabulary 8192 --context 256 --chunk 32",
	"gpt2":   "--layers 12 --width 768 --heads 12 --vocabulary 8192 --context 256 --chunk 32",
}

// modelFolder returns the folder of a model for the example transformer, or "" if it cannot be made
// here.
func (p *place) modelFolder(name string) (string, error) {
	folder := filepath.Join(p.built, "model-"+name)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if p.python == "" {
		return "", nil
	}
	folder = filepath.Join(p.programs, "model-"+name)
	args := append([]string{p.python, filepath.Join(p.built, "transformer.py"), folder}, strings.Fields(sizesOf[name])...)
	_, err := timed("", args...)
	return folder, err
}

// turns returns the programs in the order of a round.
func turns[T any](commands map[string]T, round int) []string {
	all := slices.Sorted(maps.Keys(commands))
	return append(all[round%len(all):], all[:round%len(all)]...)
}

// apart returns a row of programs that took turns, and the memory that each had.
func apart(r row, times map[string][]float64, memory map[string]float64) *Row {
	result := &Row{Name: r.name, Cells: map[string]*Cell{}}
	for program, t := range times {
		c := &Cell{Nanoseconds: quartilesOf(t), Memory: memory[program]}
		if floor := times[baseline]; floor != nil {
			ratio := quartilesOf(ratiosOf(t, floor))
			c.Ratio = &ratio
		}
		if jax := times[withJAX]; jax != nil {
			ratio := quartilesOf(ratiosOf(t, jax))
			c.OfJAX = &ratio
		}
		result.Cells[program] = c
	}
	return result
}

// sharingCache measures how long processes take that start at once with an empty cache, each until
// its first token. Each of the two programs may be compiled only once.
func sharingCache(m *measurer, r row) (*Row, error) {
	const processes, programs, rounds, most = 8, 2, 3, 30 * time.Second
	folder, err := m.place.modelFolder(r.job)
	if err != nil || folder == "" {
		return nil, err
	}
	times := map[string][]float64{}
	begin := time.Now()
	for round := range rounds {
		if round > 0 && time.Since(begin) > most {
			break
		}
		for _, program := range turns(m.place.transformers(folder, "", false), round) {
			took, compilations, err := m.place.together(folder, program, processes)
			if err != nil {
				return nil, err
			}
			if program == viaPjrt && compilations != programs {
				return nil, fmt.Errorf("%d processes compiled %d programs, not %d", processes, compilations, programs)
			}
			times[program] = append(times[program], float64(took))
		}
	}
	return apart(r, times, nil), nil
}

// together runs several processes of a program at once with an empty cache, and counts the
// compilations that ours log.
func (p *place) together(folder, program string, processes int) (took time.Duration, compilations int, err error) {
	compiled, err := os.MkdirTemp(p.programs, "cache")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(compiled)
	errs, counts := make([]error, processes), make([]int, processes)
	var all sync.WaitGroup
	start := time.Now()
	for i := range processes {
		all.Go(func() {
			out, err := p.transformers(folder, compiled, true)[program].CombinedOutput()
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w\n%s", program, err, out)
			}
			counts[i] = strings.Count(string(out), `"msg":"pjrt compile"`)
		})
	}
	all.Wait()
	for _, n := range counts {
		compilations += n
	}
	return time.Since(start), compilations, errors.Join(errs...)
}

// server is a server of the linear model of the example.
type server struct {
	cmd *exec.Cmd
	url string
}

// serve starts a server, and waits until it listens.
func serve(cmd *exec.Cmd) (*server, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{cmd: cmd}
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, scanErr := fmt.Sscanf(line, "listening on %s", &s.url); err != nil || scanErr != nil {
		s.Close()
		return nil, fmt.Errorf("%s does not listen: %q, %s", cmd.Path, line, said.String())
	}
	return s, nil
}

func (s *server) Close() error {
	s.cmd.Process.Kill()
	s.cmd.Wait() // killed
	return nil
}

// load sends requests in several streams, each of which waits for its answers, for a while. Each
// sends one at least.
func (s *server) load(streams int, while time.Duration) (took time.Duration, latencies []time.Duration, err error) {
	perStream, errs := make([][]time.Duration, streams), make([]error, streams)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
	defer client.CloseIdleConnections()
	var all sync.WaitGroup
	start := time.Now()
	for i := range streams {
		all.Go(func() {
			for first := true; first || time.Since(start) < while; first = false {
				begin := time.Now()
				if errs[i] = predict(client, s.url); errs[i] != nil {
					return
				}
				perStream[i] = append(perStream[i], time.Since(begin))
			}
		})
	}
	all.Wait()
	return time.Since(start), slices.Concat(perStream...), errors.Join(errs...)
}

// predict asks for 2*1 - 3*2 + 1.
func predict(client *http.Client, url string) error {
	answer, err := client.Post(url+"/predict", "application/json", strings.NewReader("[1, 2]"))
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	var value float64
	if err := json.Unmarshal(body, &value); err != nil || value != -3 {
		return fmt.Errorf("the server answers %s: %q", answer.Status, body)
	}
	return nil
}

// serving measures requests to the example server, and to one that does the same in Python with JAX.
// One measurement makes the rows of all, p50 and p99.
func serving(m *measurer, r row) (*Row, error) {
	if m.served == nil {
		var err error
		if m.served, m.servers, err = m.serve(); err != nil {
			return nil, err
		}
	}
	return apart(r, m.served[r.job], m.servers), nil
}

// serve lets the servers take turns, and returns the times by job and program, and the memory that
// each server had.
func (m *measurer) serve() (times map[string]map[string][]float64, memory map[string]float64, err error) {
	const streams = 8
	p := m.place
	ours := exec.Command(filepath.Join(p.built, "server"), "-listen", "localhost:0", "-plugin", p.plugin)
	ours.Env = append(os.Environ(), p.clientsShare()...)
	commands := map[string]*exec.Cmd{viaPjrt: ours}
	if p.python != "" {
		commands[withJAX] = exec.Command(p.python, filepath.Join(p.built, "jax_server.py"), p.plugin)
		commands[withJAX].Env = append(os.Environ(), p.environment()...)
	}
	servers := map[string]*server{}
	for program, cmd := range commands {
		s, err := serve(cmd)
		if err != nil {
			return nil, nil, err
		}
		defer s.Close()
		servers[program] = s
	}
	times = map[string]map[string][]float64{"all": {}, "p50": {}, "p99": {}}
	for round := range 1 + processRounds {
		for _, program := range turns(servers, round) {
			took, latencies, err := servers[program].load(streams, time.Second)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", program, err)
			}
			if round == 0 { // connections, caches and heaps settle
				continue
			}
			slices.SortFunc(latencies, func(a, b time.Duration) int { return cmp.Compare(a, b) })
			n := len(latencies)
			for job, t := range map[string]time.Duration{"all": took / time.Duration(n), "p50": latencies[n/2], "p99": latencies[n*99/100]} {
				times[job][program] = append(times[job][program], float64(t))
			}
		}
	}
	memory = map[string]float64{}
	for program, s := range servers {
		memory[program] = peak(s.cmd.Process)
	}
	return times, memory, nil
}
