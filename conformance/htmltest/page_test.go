// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package htmltest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/report"
	"github.com/purepjrt/purepjrt/conformance/rules"
)

// verdictsOf cycles through the verdicts that the page tells apart.
var verdictsOf = []report.Verdict{report.Pass, report.Fail, report.Pass, report.Crash, report.Warn, report.SkipAbsent, report.Pass, report.Waived, report.Flaky, report.SkipEnv}

// sample has a result for every rule: more than any real plugin will show.
func sample() *report.Report {
	r := &report.Report{
		Schema: report.SchemaVersion, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Duration: 61 * time.Second,
		Plugin: report.Plugin{File: "a_plugin_with_a_rather_long_name_as_they_have.so", Minor: 114, Platform: "cpu", SHA256: strings.Repeat("ab", 32)},
		Run:    report.Run{Profile: "quick", TimeoutFactor: 1, Jobs: 2},
		Capabilities: report.Capabilities{
			NullSlots: []string{}, Missing: []string{"PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace"}, Unimplemented: []string{},
			Extensions: []report.Extension{}, Devices: []report.Device{}, Memories: []string{}, Types: []report.Type{{Name: "F32", Uploads: true}},
		},
	}
	for i := range 30 { // a struct that grew with every second version
		r.Skew = append(r.Skew, report.Skew{
			Struct: "PJRT_AsyncHostToDeviceTransferManager_TransferRawDataToSubBuffer", Size: 40 + 8*i, Since: 2 * i, Until: 2*i + 1,
			Callers: "some", Outcome: "works", OK: i%5 != 0, Check: "SKEW-02",
		})
	}
	for i, rule := range rules.All() {
		v := verdictsOf[i%len(verdictsOf)]
		x := report.Result{
			Check: rule.ID, Rule: rule.ID, Group: rule.Group(), Level: report.LevelOf(rule, false), Severity: rule.Severity, Basis: rule.Basis,
			Text: rule.Text, Subject: rule.Subject, Verdict: v, Duration: time.Millisecond,
		}
		if v == report.Waived {
			x.Waiver = &report.Waiver{Check: rule.ID, Verdicts: []report.Verdict{report.Fail}, Reason: "known", Link: "https://example.com/1"}
		}
		if v == report.Crash {
			x.Failures = []string{"expected an answer; the process died of SIGSEGV <script>document.title='owned'</script>"}
			x.Death = &report.Death{How: "x", Signal: "SIGSEGV", Output: []string{strings.Repeat("x", 400)}}
			x.Reproduce = "pjrt-conformance run /a/very/long/path/to/a/plugin/that/does/not/fit/a/phone/plugin.so --run '^" + rule.ID + "$'"
		}
		r.Results = append(r.Results, x)
	}
	r.Summarize()
	return r
}

// count returns how many results have one of the verdicts.
func count(r *report.Report, verdicts ...report.Verdict) int {
	n := 0
	for _, v := range verdicts {
		n += r.Summary.Verdicts[v]
	}
	return n
}

// chromium finds the browser. Without one the test fails: the page is for
// browsers.
func chromium(t *testing.T) string {
	t.Helper()
	names := []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "headless-shell", "chrome"}
	for _, name := range names {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Fatalf("no Chromium was found under the names %q: install the package chromium, or name it with CHROMIUM", names[1:])
	return ""
}

// browser opens a tab that has no network.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(time.Minute))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// problems are the page's exceptions and network requests.
type problems struct {
	mu   sync.Mutex
	list []string
	asks int
}

func (p *problems) add(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, text)
}

func (p *problems) asked(url, page string) {
	if strings.HasPrefix(url, "file://"+page) {
		p.mu.Lock()
		p.asks++
		p.mu.Unlock()
		return
	}
	p.add("it asked for " + url)
}

// check fails the test if the page had problems, or if more was loaded than the page.
func (p *problems) check(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Empty(t, p.list)
	assert.Equal(t, 1, p.asks)
}

// eval evaluates JavaScript in the page.
func eval[T any](t *testing.T, ctx context.Context, script string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	require.NoError(t, err, script)
	return v
}

func open(t *testing.T, r *report.Report) (context.Context, *problems) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, r.WriteFile(path, (*report.Report).WriteHTML))
	return openFile(t, path)
}

func openFile(t *testing.T, path string) (context.Context, *problems) {
	t.Helper()
	ctx := browser(t)
	p := new(problems)
	require.NoError(t, chromedp.Listen(ctx, func(e any) {
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			p.add(e.ExceptionDetails.Text)
		case *network.EventRequestWillBeSent:
			p.asked(e.Request.URL, path)
		}
	}))
	_, err := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	require.NoError(t, err)
	require.NoError(t, chromedp.Do(ctx, chromedp.Navigate("file://"+path), chromedp.WaitReady("#none")))
	return ctx, p
}

// shown returns the ids of the results that the page shows.
func shown(t *testing.T, ctx context.Context) []string {
	t.Helper()
	return eval[[]string](t, ctx, `[...document.querySelectorAll(".result")].filter(e => e.getClientRects().length).map(e => e.id)`)
}

func TestTheFiltersOfThePageWork(t *testing.T) {
	r := sample()
	ctx, p := open(t, r)
	do := func(steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		require.NoError(t, chromedp.Do(ctx, steps...))
	}
	set := func(id, value, event string) {
		t.Helper()
		eval[bool](t, ctx, fmt.Sprintf(`$(%q).value = %q, $(%q).dispatchEvent(new Event(%q))`, id, value, id, event))
	}
	failed, warned := r.Summary.Checks.Fail, r.Summary.Checks.Warn
	assert.Len(t, shown(t, ctx), failed+warned, "at first, what went wrong")

	do(chromedp.Click(`button[data-kind="fail"]`))
	assert.Len(t, shown(t, ctx), warned)
	do(chromedp.Click(`button[data-kind="pass"]`))
	assert.Len(t, shown(t, ctx), warned+count(r, report.Pass))
	for _, kind := range []string{"fail", "skip", "waived"} {
		do(chromedp.Click(`button[data-kind="` + kind + `"]`))
	}
	assert.Len(t, shown(t, ctx), len(r.Results))

	do(chromedp.SendKeys("#search", "evt-0"))
	ids := shown(t, ctx)
	require.Len(t, ids, 9)
	assert.Contains(t, ids, "EVT-01")
	at := slices.IndexFunc(r.Results, func(x report.Result) bool { return x.Check == ids[0] })
	assert.True(t, r.Results[at].Verdict.Failed(), "failures come first")
	do(chromedp.SendKeys("#search", " READY"))
	for _, id := range shown(t, ctx) {
		assert.Contains(t, strings.ToLower(rules.ByID(id).Text+rules.ByID(id).Subject), "ready")
	}
	set("search", "nothing has these words", "input")
	assert.Empty(t, shown(t, ctx))
	text, err := chromedp.Run(ctx, chromedp.Text("#none"))
	require.NoError(t, err)
	assert.Equal(t, "Nothing matches.", text)

	set("search", "", "input")
	set("severity", "SHOULD", "change")
	set("level", "L1", "change")
	for _, id := range shown(t, ctx) {
		assert.Equal(t, rules.Should, rules.ByID(id).Severity)
		assert.Equal(t, "L1", report.LevelOf(rules.ByID(id), false))
	}
	assert.NotEmpty(t, shown(t, ctx))

	set("severity", "", "change")
	set("level", "", "change")
	set("group", "DON", "change")
	assert.Len(t, shown(t, ctx), 15)
	do(chromedp.Click("#DON-01 summary"))
	assert.True(t, eval[bool](t, ctx, `document.getElementById("DON-01").open`))
	assert.Contains(t, eval[string](t, ctx, `document.title`), "PJRT conformance of", "no script of the plugin's ran")
	p.check(t)
}

func TestACauseShowsOnlyItsChecks(t *testing.T) {
	r := sample()
	for i := range r.Results {
		if r.Results[i].Verdict == report.Fail {
			r.Results[i].Failures = []string{"PJRT_Client_Compile: expected success, got PJRT_Client_Compile: UNIMPLEMENTED: not yet"}
		}
	}
	r.Summarize()
	require.NotEmpty(t, r.Causes)
	ctx, p := open(t, r)
	at := -1
	for i, c := range r.Causes {
		if c.Text == "PJRT_Client_Compile: UNIMPLEMENTED: not yet" {
			at = i
		}
	}
	button := fmt.Sprintf(`button[data-cause="%d"]`, at)
	before := shown(t, ctx)
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(button)))
	assert.Equal(t, r.Causes[at].Checks, shown(t, ctx))
	assert.Equal(t, "true", eval[string](t, ctx, `document.querySelector('`+button+`').getAttribute("aria-pressed")`))
	require.NoError(t, chromedp.Do(ctx, chromedp.Click(button)))
	assert.Equal(t, before, shown(t, ctx))
	p.check(t)
}

// WCAG requires a contrast of at least 4.5 for text at level AA.
func TestTextHasContrast(t *testing.T) {
	ctx, _ := open(t, sample())
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		require.NoError(t, err)
		assert.Empty(t, eval[[]string](t, ctx, lowContrast), scheme)
	}
}

// lowContrast lists the elements whose text is hard to read on its background.
const lowContrast = `(() => {
  const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgb = (colour, under) => {
    canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1);
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
  };
  const css = c => "rgb(" + c.join(",") + ")";
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => {
    const chain = [];
    for (; e; e = e.parentElement) chain.unshift(getComputedStyle(e).backgroundColor);
    return chain.reduce((under, c) => css(rgb(c, under)), "rgb(255,255,255)");
  };
  const bad = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (!e.getClientRects().length || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    const back = behind(e), a = light(rgb(back, "#fff")), b = light(rgb(getComputedStyle(e).color, back));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) bad.add(e.tagName + "." + e.className + " " + ratio.toFixed(2));
  }
  return [...bad];
})()`

func TestEveryControlHasAName(t *testing.T) {
	ctx, _ := open(t, sample())
	assert.Empty(t, eval[[]string](t, ctx, `[...document.querySelectorAll("button, input, select, summary, [role=region], [role=img]")]
		.filter(e => !(e.getAttribute("aria-label") || e.textContent.trim())).map(e => e.outerHTML)`))
	assert.Equal(t, 1, eval[int](t, ctx, `document.querySelectorAll("main").length`))
	assert.Equal(t, 1, eval[int](t, ctx, `document.querySelectorAll("h1").length`))
}

// The page searches many checks at each keystroke.
func TestSearchIsFastWithThousandsOfChecks(t *testing.T) {
	r := sample()
	for i := 0; len(r.Results) < 5000; i++ {
		x := r.Results[i]
		x.Check = fmt.Sprintf("%s/%d", x.Rule, len(r.Results))
		r.Results = append(r.Results, x)
	}
	r.Summarize()
	ctx, _ := open(t, r)
	took := eval[float64](t, ctx, `(() => {
		for (const b of document.querySelectorAll('button[aria-pressed="false"][data-kind]')) b.click();
		const start = performance.now();
		for (const text of ["e", "ev", "evt", "evt-0", ""]) { $("search").value = text; $("search").dispatchEvent(new Event("input")); document.body.offsetHeight; }
		return performance.now() - start;
	})()`)
	assert.Less(t, took, 5000., "milliseconds for five keys, on a busy machine")
}

func TestThePageFitsPhoneAndDesktopInLightAndDark(t *testing.T) {
	ctx, p := open(t, sample())
	for _, width := range []int64{390, 1280} {
		var background [2]string
		for i, scheme := range []string{"light", "dark"} {
			_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 844, DeviceScaleFactor: 1, Mobile: width < 600})
			require.NoError(t, err)
			_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			require.NoError(t, err)
			eval[chromedp.Void](t, ctx, `document.querySelectorAll(".result").forEach((e, i) => e.open = i % 3 == 0)`)
			overflow := eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`)
			assert.LessOrEqual(t, overflow, 0, "at %d pixels the page is too wide", width)
			background[i] = eval[string](t, ctx, `getComputedStyle(document.body).backgroundColor`)
			shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
			require.NoError(t, err)
			image, err := png.DecodeConfig(bytes.NewReader(shot))
			require.NoError(t, err)
			assert.EqualValues(t, width, image.Width)
			if dir := os.Getenv("SCREENSHOTS"); dir != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("report-%d-%s.png", width, scheme)), shot, 0o644))
			}
		}
		assert.NotEqual(t, background[0], background[1])
	}
	p.check(t)
}

func TestALinkToAResultOpensIt(t *testing.T) {
	ctx, _ := open(t, sample())
	eval[string](t, ctx, `location.hash = "#LOAD-01"`)
	assert.Eventually(t, func() bool { return eval[bool](t, ctx, `document.getElementById("LOAD-01").open`) }, time.Minute, 50*time.Millisecond,
		"although what passed is hidden")
}

func TestReportsKeepToTheirSchema(t *testing.T) {
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.Schema))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", schema))
	compiled, err := c.Compile("schema.json")
	require.NoError(t, err)
	for name, r := range map[string]*report.Report{"everything": sample(), "nothing checked": empty()} {
		var b bytes.Buffer
		require.NoError(t, r.WriteJSON(&b))
		instance, err := jsonschema.UnmarshalJSON(&b)
		require.NoError(t, err)
		assert.NoError(t, compiled.Validate(instance), name)
	}
	var broken map[string]any
	text, err := json.Marshal(sample())
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &broken))
	broken["verdict"] = "splendid"
	assert.Error(t, compiled.Validate(broken))
	if path := os.Getenv("REPORT"); path != "" {
		f, err := os.Open(path)
		require.NoError(t, err)
		defer f.Close()
		instance, err := jsonschema.UnmarshalJSON(f)
		require.NoError(t, err)
		assert.NoError(t, compiled.Validate(instance), path)
	}
}

// empty returns a report of a plugin that could not be opened.
func empty() *report.Report {
	r := sample()
	r.Results, r.Skew = nil, nil
	r.Summarize()
	return r
}

// The page of several reports can be searched and filtered, fits a phone, and is
// readable.
func TestThePageOfSeveralReports(t *testing.T) {
	one, other := sample(), sample()
	for i := range other.Results {
		if x := &other.Results[i]; i%4 == 0 && x.Verdict == report.Pass {
			x.Verdict, x.Failures = report.Fail, []string{"<script>document.title='owned'</script>"}
		}
	}
	other.Plugin.Minor = 90
	other.Summarize()
	path := filepath.Join(t.TempDir(), "page.html")
	require.NoError(t, report.WriteOverviewFile(path, []*report.Report{one, other, one}))
	ctx, p := openFile(t, path)
	rows := func() []string {
		return eval[[]string](t, ctx, `[...document.querySelectorAll(".signs tbody tr")].filter(e => e.getClientRects().length).map(e => e.id)`)
	}
	set := func(id, value, event string) {
		eval[bool](t, ctx, fmt.Sprintf(`$(%q).value = %q, $(%q).dispatchEvent(new Event(%q))`, id, value, id, event))
	}
	all := rows()
	assert.Len(t, all, count(other, report.Fail)-count(one, report.Fail))
	set("severity", "SHOULD", "change")
	for _, id := range rows() {
		assert.Equal(t, rules.Should, rules.ByID(id).Severity)
	}
	assert.Less(t, len(rows()), len(all))
	set("severity", "", "change")
	set("search", all[3], "input")
	assert.Equal(t, all[3:4], rows())
	set("search", "nothing has these words", "input")
	assert.Empty(t, rows())
	set("search", "", "input")
	eval[chromedp.Void](t, ctx, `$("fails").click()`)
	assert.Equal(t, all, rows(), "each is broken by one")
	assert.Equal(t, "PJRT conformance of 3 plugins", eval[string](t, ctx, `document.title`))
	for _, width := range []int64{390, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			_, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 844, DeviceScaleFactor: 1, Mobile: width < 600})
			require.NoError(t, err)
			_, err = chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			require.NoError(t, err)
			assert.LessOrEqual(t, eval[int](t, ctx, `document.documentElement.scrollWidth - innerWidth`), 0, "at %d pixels the page is too wide", width)
			assert.Empty(t, eval[[]string](t, ctx, lowContrast), scheme)
		}
	}
	p.check(t)
}
