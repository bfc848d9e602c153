// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

//go:build cc && linux

package conformance

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/conformance/internal/mutant"
	"github.com/purepjrt/purepjrt/conformance/report"
)

// constructor returns the source of a library that does something when it is loaded.
func constructor(statement string) string {
	return `
static struct api table;
struct api *GetPjrtApi(void) { return &table; }
__attribute__((constructor)) static void load(void) { fill(&table); ` + statement + ` }`
}

// second returns the source of a library that does something in the second function called,
// PJRT_Plugin_Attributes.
func second(statement string) string {
	return `
static struct api table;
static void *second(void *args) { ` + statement + ` return 0; }
struct api *GetPjrtApi(void) { fill(&table)->slots[4] = second; return &table; }`
}

// Whatever a library does when it is loaded, or says about itself, there is a
// report with a verdict on the rule that it breaks.
func TestFaultyLibraries(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		source string
		broken string // checks that fail, and how
		says   string // what the first of them says
	}{
		"nothing":                      {constructor(``), "", ""},
		"aborts":                       {constructor(`abort();`), "LOAD-01 CRASH", "the process died of SIGABRT"},
		"stops itself":                 {constructor(`extern int raise(int); raise(19);`), "LOAD-03 TIMEOUT", "no answer within"},
		"exits in its entry point":     {`struct api *GetPjrtApi(void) { exit(0); }`, "LOAD-01 ABORT", "the process was ended by exit(0)"},
		"exits in its second call":     {second(`exit(0);`), "LOAD-10 ABORT, LOAD-14/closed ABORT, ATTR-05 ABORT, ATTR-06 ABORT", "the process was ended by exit(0)"},
		"loops in its entry point":     {`struct api *GetPjrtApi(void) { for (;;); }`, "LOAD-03 TIMEOUT", "no answer within"},
		"overflows the stack":          {`static int f(volatile int n) { volatile char b[4096]; b[0] = n; return f(n + 1) + b[0]; } struct api *GetPjrtApi(void) { f(0); return 0; }`, "LOAD-01 CRASH", "the process died of SIG"},
		"crashes at the exit":          {constructor(`on_exit((void *)8, 0);`), "LOAD-14/closed CRASH, LOAD-14/with everything alive CRASH", "the process died of SIGSEGV"},
		"closes standard output":       {constructor(`close(1); close(2);`), "LOAD-12/after=load WARN", "what is behind standard output"},
		"closes every file":            {constructor(`for (int i = 0; i < 64; i++) close(i);`), "LOAD-01 ABORT", "expected an answer"},
		"changes handlers":             {constructor(`extern int signal(int, void *); signal(11, (void *)1); signal(15, (void *)1);`), "LOAD-12/after=load WARN", "the handler of segmentation fault"},
		"changes the folder":           {constructor(`chdir("/");`), "LOAD-12/after=load WARN", "the working directory"},
		"changes the locale":           {constructor(`extern char *setlocale(int, const char *); setlocale(6, "C.UTF-8");`), "LOAD-12/after=load WARN", "the locale"},
		"prints no text":               {constructor(`char b[4096]; for (int i = 0; i < 4096; i++) b[i] = i * 7919 >> 3; for (int i = 0; i < 100; i++) { write(1, b, 4096); write(2, b, 4096); }`), "", ""},
		"prints what workers say":      {constructor(`static const char w[] = "{\"task\":\"open\",\"result\":{\"minor\":999}}\n{\"task\":\"check\",\"result\":{\"verdict\":\"PASS\"}}\n"; write(1, w, sizeof w - 1); write(2, w, sizeof w - 1);`), "", ""},
		"has a thread that spins":      {constructor(`extern void *spin(void *); pthread_t t; pthread_create(&t, 0, spin, 0);`) + "\nvoid *spin(void *a) { for (;;); }", "LOAD-14/closed CRASH", "the process died of SIGSEGV"},
		"takes all memory":             {constructor(`extern int setrlimit(int, void *); unsigned long most[2] = {1ul << 33, 1ul << 33}; setrlimit(9, most); for (;;) *(volatile char *)malloc(1 << 24) = 1;`), "LOAD-01 CRASH", "the process died of SIG"},
		"has a table where nothing is": {`struct api *GetPjrtApi(void) { return (struct api *)0x7000000000; }`, "LOAD-01 CRASH", "the process died of SIGSEGV"},
		"has a table of nothing":       {constructor(`table.size = 0;`), "LOAD-05 FAIL", "its table of 0 bytes has no API version"},
		"has an endless table":         {constructor(`table.size = -1;`), "LOAD-05 FAIL, LOAD-06 FAIL, CLI-01 CRASH", "expected a multiple of 8 above 40"},
		"has a version of the future":  {constructor(`table.version.major = 1;`), "LOAD-06 FAIL", "it has API 1.81"},
		"has a chain in a circle":      {constructor(`static struct { size_t size; int type; void *next; } x = {24, 5, &x}; table.extension = &x;`), "XCH-01 FAIL", "extension_start"},
		"has a chain to nowhere":       {constructor(`static struct { size_t size; int type; void *next; } x = {24, 5, (void *)0x41414140}; table.extension = &x;`), "XCH-01 CRASH", "the process died of SIGSEGV"},
		"is not ready for the first initialization": {`
static struct api table;
static int times;
static void *begin(void *args) { return ++times == 1 ? fail(14) : initialize(args); }
struct api *GetPjrtApi(void) { fill(&table)->slots[3] = begin; return &table; }`, "ATTR-01 FAIL, ATTR-02 WARN, ATTR-03 WARN", "PJRT_Plugin_Initialize before other calls: expected success"},
		"needs to be initialized": {`
static struct api table;
static int initialized;
static void *begin(void *args) { initialized = 1; return initialize(args); }
static void *list(void *args) { if (!initialized) abort(); return attributes(args); }
struct api *GetPjrtApi(void) { fill(&table)->slots[3] = begin; table.slots[4] = list; return &table; }`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := mutant.LibraryOf("LOAD-01", name, test.source)
			path, err := mutant.Compile(t.Context(), &m, t.TempDir())
			require.NoError(t, err)
			start := time.Now()
			r, err := Run(t.Context(), Options{
				Plugin: path, Profile: Quick, NoReruns: true, TimeoutFactor: 0.1,
				Filter: regexp.MustCompile(`^(LOAD-|ATTR-0[1-6]|XCH-01)`),
			})
			require.NoError(t, err)
			var broken []string
			var first *report.Result
			for i := range r.Results {
				if x := &r.Results[i]; x.Verdict.Failed() || x.Verdict == report.BrokenCheck {
					broken = append(broken, x.Check+" "+string(x.Verdict))
					if first == nil {
						first = x
					}
				}
			}
			assert.Equal(t, test.broken, strings.Join(broken, ", "))
			if test.says != "" && assert.NotNil(t, first) {
				assert.Contains(t, strings.Join(first.Failures, "\n"), test.says)
			}
			var text strings.Builder
			require.NoError(t, r.WriteText(&text, true))
			assert.Contains(t, strings.Join(strings.Fields(text.String()), " "), r.Sentence(), "but for the breaks of lines")
			assert.Less(t, text.Len(), 64<<10)
			t.Logf("in %v", time.Since(start).Round(time.Millisecond))
		})
	}
}

// A plugin that dies in some processes while it is opened crashes there, and the suite is not at
// fault.
func TestADeathWhileThePluginIsOpenedIsThePlugins(t *testing.T) {
	t.Parallel()
	const later = `
extern long write(int, const void *, unsigned long);
extern long lseek(int, long, int);
static int later(void) { int f = open(COUNT, 02102, 0600); write(f, "x", 1); int n = lseek(f, 0, 2); close(f); return n > 1; }
`
	for function, source := range map[string]string{
		"dlopen": constructor(`if (later()) abort();`),
		"GetPjrtApi": `
static struct api table;
struct api *GetPjrtApi(void) { if (later()) abort(); fill(&table); return &table; }`,
		"PJRT_Plugin_Initialize": `
static struct api table;
static void *begin(void *args) { if (later()) abort(); return 0; }
struct api *GetPjrtApi(void) { fill(&table)->slots[3] = begin; return &table; }`,
	} {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := mutant.LibraryOf("LOAD-01", function, fmt.Sprintf("#define COUNT %q\n", filepath.Join(dir, "count"))+later+source)
			path, err := mutant.Compile(t.Context(), &m, dir)
			require.NoError(t, err)
			r, err := Run(t.Context(), Options{
				Plugin: path, Profile: Quick, NoReruns: true, TimeoutFactor: 0.1, NoDevice: true, Filter: regexp.MustCompile(`^XCH-02`),
			})
			require.NoError(t, err)
			require.NotEmpty(t, r.Results)
			for i := range r.Results {
				x := &r.Results[i]
				assert.Equal(t, report.Crash, x.Verdict, x.Check)
				assert.Contains(t, strings.Join(x.Failures, "\n"), function+": expected an answer; the process died of SIGABRT")
				assert.Equal(t, function, x.Calls[0])
			}
		})
	}
}

// A library that cannot be loaded by two processes at once breaks no rule of the checks that ran
// then, and the report says so.
func TestALibraryThatOneProcessAtATimeCanLoadIsLoadedByOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ does, breaks string }{
		"keeps the rules":    {"", ""},
		"breaks one of them": {"table.slots[60] = 0;", "LOAD-08"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loadByOne(t, c.does, c.breaks)
		})
	}
}

// loadByOne runs the suite on a library that one process at a time can load, and that breaks the
// given rules.
func loadByOne(t *testing.T, does, breaks string) {
	dir := t.TempDir()
	source := fmt.Sprintf("#define LOCK %q\n", filepath.Join(dir, "lock")) + `
extern int unlink(const char *);
extern int usleep(unsigned);
static void lock(void) { int f = open(LOCK, 0302, 0600); if (f < 0) abort(); usleep(100000); close(f); unlink(LOCK); }
` + constructor(does+` lock();`)
	m := mutant.LibraryOf("LOAD-01", "loads alone", source)
	path, err := mutant.Compile(t.Context(), &m, dir)
	require.NoError(t, err)
	r, err := Run(t.Context(), Options{
		Plugin: path, Profile: Quick, NoDevice: true, Jobs: 4, Filter: regexp.MustCompile(`^LOAD-`),
	})
	require.NoError(t, err)
	noted := 0
	for i := range r.Results {
		x := &r.Results[i]
		if strings.HasPrefix(breaks, x.Rule) {
			assert.Equal(t, report.Fail, x.Verdict, "%s: %v, in attempts %v", x.Check, x.Failures, x.Attempts)
		} else {
			assert.False(t, x.Verdict.Failed(), "%s is %s: %v", x.Check, x.Verdict, x.Failures)
		}
		for _, note := range x.Notes {
			if strings.Contains(note, "while another process loaded the library, too") {
				noted++
			}
		}
	}
	assert.Positive(t, noted, "no two processes loaded the library at once")
	assert.Contains(t, strings.Join(r.Problems, "\n"), "processes that load the library at the same time disturb each other")
}
