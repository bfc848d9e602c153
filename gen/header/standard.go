// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"path"
	"strings"
)

// standardTexts are what is read in place of standard headers beyond the prelude. These come
// only where they are included, since a condition on a macro of theirs depends on that.
var standardTexts = map[string]string{
	"limits.h": limits, "climits": limits,
	"float.h": floats, "cfloat": floats,
	"endian.h":    endianness,
	"sys/types.h": systemTypes,
	"time.h":      times, "ctime": times,
}

const limits = `
#define CHAR_BIT 8
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#define MB_LEN_MAX 16
#define SHRT_MIN (-32768)
#define SHRT_MAX 32767
#define USHRT_MAX 65535
#define INT_MIN (-INT_MAX - 1)
#define INT_MAX 2147483647
#define UINT_MAX 4294967295U
#define LONG_MIN (-LONG_MAX - 1L)
#define LONG_MAX 9223372036854775807L
#define ULONG_MAX 18446744073709551615UL
#define LLONG_MIN (-LLONG_MAX - 1LL)
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ULL
#define SSIZE_MAX LONG_MAX
#define PATH_MAX 4096
#define NAME_MAX 255
#define PIPE_BUF 4096
#define HOST_NAME_MAX 64
#define LOGIN_NAME_MAX 256
#define TTY_NAME_MAX 32
`

const floats = `
#define FLT_RADIX __FLT_RADIX__
#define FLT_EVAL_METHOD __FLT_EVAL_METHOD__
#define FLT_ROUNDS 1
#define DECIMAL_DIG __DECIMAL_DIG__
#define FLT_DECIMAL_DIG __FLT_DECIMAL_DIG__
#define FLT_DIG __FLT_DIG__
#define FLT_EPSILON __FLT_EPSILON__
#define FLT_HAS_SUBNORM __FLT_HAS_DENORM__
#define FLT_MANT_DIG __FLT_MANT_DIG__
#define FLT_MAX __FLT_MAX__
#define FLT_MAX_10_EXP __FLT_MAX_10_EXP__
#define FLT_MAX_EXP __FLT_MAX_EXP__
#define FLT_MIN __FLT_MIN__
#define FLT_MIN_10_EXP __FLT_MIN_10_EXP__
#define FLT_MIN_EXP __FLT_MIN_EXP__
#define FLT_TRUE_MIN __FLT_DENORM_MIN__
#define DBL_DECIMAL_DIG __DBL_DECIMAL_DIG__
#define DBL_DIG __DBL_DIG__
#define DBL_EPSILON __DBL_EPSILON__
#define DBL_HAS_SUBNORM __DBL_HAS_DENORM__
#define DBL_MANT_DIG __DBL_MANT_DIG__
#define DBL_MAX __DBL_MAX__
#define DBL_MAX_10_EXP __DBL_MAX_10_EXP__
#define DBL_MAX_EXP __DBL_MAX_EXP__
#define DBL_MIN __DBL_MIN__
#define DBL_MIN_10_EXP __DBL_MIN_10_EXP__
#define DBL_MIN_EXP __DBL_MIN_EXP__
#define DBL_TRUE_MIN __DBL_DENORM_MIN__
#define LDBL_DECIMAL_DIG __LDBL_DECIMAL_DIG__
#define LDBL_DIG __LDBL_DIG__
#define LDBL_EPSILON __LDBL_EPSILON__
#define LDBL_HAS_SUBNORM __LDBL_HAS_DENORM__
#define LDBL_MANT_DIG __LDBL_MANT_DIG__
#define LDBL_MAX __LDBL_MAX__
#define LDBL_MAX_10_EXP __LDBL_MAX_10_EXP__
#define LDBL_MAX_EXP __LDBL_MAX_EXP__
#define LDBL_MIN __LDBL_MIN__
#define LDBL_MIN_10_EXP __LDBL_MIN_10_EXP__
#define LDBL_MIN_EXP __LDBL_MIN_EXP__
#define LDBL_TRUE_MIN __LDBL_DENORM_MIN__
`

const endianness = `
#define __LITTLE_ENDIAN 1234
#define __BIG_ENDIAN 4321
#define __PDP_ENDIAN 3412
#define __BYTE_ORDER __LITTLE_ENDIAN
#define __FLOAT_WORD_ORDER __BYTE_ORDER
#define LITTLE_ENDIAN __LITTLE_ENDIAN
#define BIG_ENDIAN __BIG_ENDIAN
#define PDP_ENDIAN __PDP_ENDIAN
#define BYTE_ORDER __BYTE_ORDER
`

const systemTypes = endianness + `
typedef long off_t, time_t, clock_t, blkcnt_t, blksize_t, suseconds_t;
typedef int pid_t, clockid_t, key_t;
typedef unsigned int uid_t, gid_t, mode_t, id_t, useconds_t;
typedef unsigned long dev_t, ino_t, nlink_t;
`

const times = `
typedef long time_t, clock_t;
typedef int clockid_t;
#ifndef __timespec_defined
#define __timespec_defined 1
struct timespec { time_t tv_sec; long tv_nsec; };
#endif
`

// standardMacros maps the macros of standardTexts to the header that defines them.
var standardMacros = func() map[string]string {
	m := map[string]string{}
	for _, name := range []string{"limits.h", "float.h", "endian.h"} {
		for line := range strings.Lines(standardTexts[name]) {
			if words := strings.Fields(line); len(words) > 1 {
				m[words[1]] = name
			}
		}
	}
	return m
}()

// preludeMacros are the names that the prelude defines.
var preludeMacros = func() map[string]bool {
	m := map[string]bool{}
	for line := range strings.Lines(prelude) {
		if rest, ok := strings.CutPrefix(line, "#define "); ok {
			name, _, _ := strings.Cut(strings.Fields(rest)[0], "(")
			m[name] = true
		}
	}
	return m
}()

// isStandard reports whether a compiler finds the header without options: it belongs to C, to
// C++ or to a Unix system.
func isStandard(name string) bool {
	return isStandardC(name) || path.Ext(name) == "" && !strings.Contains(name, "/")
}

func isStandardC(name string) bool {
	dir, _, nested := strings.Cut(name, "/")
	return systemHeaders[name] || nested && systemFolders[dir]
}

var systemHeaders = wordSet(`assert.h complex.h ctype.h errno.h fenv.h float.h inttypes.h iso646.h limits.h locale.h math.h
	setjmp.h signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h string.h
	tgmath.h threads.h time.h uchar.h wchar.h wctype.h
	alloca.h byteswap.h dirent.h dlfcn.h elf.h endian.h err.h execinfo.h fcntl.h features.h fnmatch.h getopt.h glob.h grp.h
	ifaddrs.h langinfo.h libgen.h link.h malloc.h memory.h mqueue.h netdb.h nl_types.h poll.h pthread.h pwd.h regex.h sched.h
	search.h semaphore.h spawn.h strings.h syslog.h termios.h ucontext.h unistd.h utime.h values.h wordexp.h
	cpuid.h emmintrin.h immintrin.h xmmintrin.h x86intrin.h unwind.h`)

var systemFolders = wordSet("sys linux asm asm-generic bits net netinet arpa")
