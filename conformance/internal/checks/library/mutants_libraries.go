// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package library

import "github.com/purepjrt/purepjrt/conformance/internal/mutant"

// oneTable is what a library needs in addition to the code that fills the table.
const oneTable = `static struct api table; struct api *GetPjrtApi(void) { return &table; }`

// loads makes a mutant that does something when it is loaded.
func loads(check, fault, statement string) mutant.Mutant {
	return mutant.LibraryOf(check, fault, oneTable+`
__attribute__((constructor)) static void load(void) { fill(&table); `+statement+` }`)
}

// libraryMutants have faults of the file, and of what loading it does to the
// process.
func libraryMutants() []mutant.Mutant {
	return []mutant.Mutant{
		mutant.LibraryOf("LOAD-01", "the symbol is that of C++", `
static struct api table;
struct api *_Z10GetPjrtApiv(void) { return fill(&table); }`),
		mutant.LibraryOf("LOAD-01", "the symbol is hidden", `
static struct api table;
__attribute__((visibility("hidden"))) struct api *GetPjrtApi(void) { return fill(&table); }`),
		mutant.LibraryOf("LOAD-01", "there is no table", `struct api *GetPjrtApi(void) { return 0; }`),
		mutant.LibraryOf("LOAD-01", "falls over its own table", `struct api *GetPjrtApi(void) { return fill((struct api *)64); }`),
		mutant.LibraryOf("LOAD-02", "makes a table for each call", `struct api *GetPjrtApi(void) { return fill(calloc(1, sizeof(struct api))); }`),
		mutant.LibraryOf("LOAD-02", "makes the table twice when two threads ask at once", `
static struct api *volatile table;
struct api *GetPjrtApi(void) {
	if (!table) {
		struct api *mine = calloc(1, sizeof *mine);
		usleep(100000);
		table = fill(mine);
		return mine;
	}
	return table;
}`),
		mutant.LibraryOf("LOAD-02", "has a table for each thread", `
static __thread struct api table;
struct api *GetPjrtApi(void) { return fill(&table); }`),
		mutant.LibraryOf("LOAD-03", "looks for devices when it is asked for the table first", `
static struct api table;
struct api *GetPjrtApi(void) {
	if (!table.size) sleep(60);
	return fill(&table);
}`).Waiting(),
		loads("LOAD-03", "looks for devices when it is loaded", `sleep(60);`).Waiting(),
		loads("LOAD-05", "struct_size was never set", `table.size = 0;`),
		loads("LOAD-05", "struct_size is that of the whole address space", `table.size = -1;`),
		loads("LOAD-06", "major is 1", `table.version.major = 1;`),
		loads("LOAD-07", "the version's extension was never set", `table.version.extension = (void *)0x41414141;`),
		loads("XCH-01", "the first extension was never set", `table.extension = (void *)0x41414141;`),
		loads("XCH-01", "leads to where nothing is", `static struct { size_t size; int type; void *next; } x = {24, 5, (void *)0x41414140}; table.extension = &x;`),
		mutant.LibraryOf("LOAD-11", "needs functions of the program", `
struct api *function_of_the_program(struct api *);
struct api *GetPjrtApi(void) { return function_of_the_program(0); }`),
		loads("LOAD-12/after=load", "has a handler for SIGSEGV", `extern int signal(int, void *); signal(11, (void *)exit);`),
		loads("LOAD-12/after=load", "ignores SIGPIPE", `extern int signal(int, void *); signal(13, (void *)1);`),
		loads("LOAD-12/after=load", "blocks signals", `unsigned long set[16] = {1 << 14}; extern int pthread_sigmask(int, const void *, void *); pthread_sigmask(0, set, 0);`),
		loads("LOAD-12/after=load", "takes the locale of the environment", `extern char *setlocale(int, const char *); setlocale(6, "C.UTF-8");`),
		loads("LOAD-12/after=load", "goes to another folder", `chdir("/");`),
		loads("LOAD-12/after=load", "changes the file mode mask", `extern int umask(int); umask(0177);`),
		loads("LOAD-12/after=load", "closes standard output", `close(1);`),
		loads("LOAD-12/after=load", "writes standard error to a file of its own", `extern int creat(const char *, int); char name[] = "/tmp/plugin-log-XXXXXX"; int fd = mkstemp(name); unlink(name); dup2(fd, 2);`),
		loads("LOAD-12/after=load", "does without a buffer for standard output", `extern struct FILE *stdout; extern int setvbuf(struct FILE *, char *, int, size_t); setvbuf(stdout, 0, 2, 0);`),
		loads("LOAD-12/after=load", "rounds up", `extern int fesetround(int);
#if defined(__x86_64__) || defined(__i386__)
fesetround(0x800);
#else
fesetround(0x400000);
#endif
`),
		loads("LOAD-12/after=load", "flushes denormal numbers to zero", `
#if defined(__x86_64__)
unsigned mode; __asm__("stmxcsr %0" : "=m"(mode)); mode |= 0x8040; __asm__("ldmxcsr %0" : : "m"(mode));
#elif defined(__aarch64__)
unsigned long mode; __asm__("mrs %0, fpcr" : "=r"(mode)); mode |= 1 << 24; __asm__("msr fpcr, %0" : : "r"(mode));
#endif
`),
		mutant.LibraryOf("LOAD-12/after=load", "changes the locale when it is initialized", `
static struct api table;
extern char *setlocale(int, const char *);
static void *localize(void *args) { setlocale(6, "C.UTF-8"); return initialize(args); }
struct api *GetPjrtApi(void) { fill(&table)->slots[3] = localize; return &table; }`),
		mutant.LibraryOf("LOAD-14/closed", "leaves a function to be called at the exit", `
static struct api table;
static void end(int status, void *arg) {}
struct api *GetPjrtApi(void) { if (!table.size) on_exit(end, 0); return fill(&table); }`),
		loads("LOAD-14/closed", "leaves a thread behind", `extern void *spin(void *); pthread_t t; pthread_create(&t, 0, spin, 0);`+"\n}\nvoid *spin(void *arg) { for (;;) usleep(1000);"),
		mutant.LibraryOf("LOAD-14/with everything alive", "crashes at the exit of a process that did not clean up", `
static struct api table;
static void end(void) { *(volatile int *)8 = 1; }
struct api *GetPjrtApi(void) { if (!table.size) atexit(end); return fill(&table); }`),
		mutant.LibraryOf("LOAD-14/with everything alive", "changes the status of a process that did not clean up", `
static struct api table;
static void end(void) { _exit(3); }
struct api *GetPjrtApi(void) { if (!table.size) atexit(end); return fill(&table); }`),
		mutant.LibraryOf("LOAD-14/closed", "crashes when it is unloaded", oneTable+`
__attribute__((constructor)) static void load(void) { fill(&table); }
__attribute__((destructor)) static void unload(void) { *(volatile int *)8 = 1; }`),
		mutant.LibraryOf("LOAD-14/closed", "ends the process with another status", `
static struct api table;
static void end(void) { _exit(3); }
struct api *GetPjrtApi(void) { if (!table.size) atexit(end); return fill(&table); }`),
		mutant.LibraryOf("LOAD-14/closed", "waits for a thread when it is unloaded", oneTable+`
__attribute__((constructor)) static void load(void) { fill(&table); }
__attribute__((destructor)) static void unload(void) { pause(); }`).Waiting(),
	}
}
