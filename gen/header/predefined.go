// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package header

import (
	"fmt"
	"strconv"
	"strings"
)

// gccMacros are what gcc 12 defines without options when it compiles C for x86-64 Linux: the
// facts are those of that compiler. The function-like ones, those with strings, those of types
// that no header may use, and those in unsure are left out.
const gccMacros = `
	_LP64 1; _STDC_PREDEF_H 1; __ATOMIC_ACQUIRE 2; __ATOMIC_ACQ_REL 4; __ATOMIC_CONSUME 1;
	__ATOMIC_HLE_ACQUIRE 65536; __ATOMIC_HLE_RELEASE 131072; __ATOMIC_RELAXED 0; __ATOMIC_RELEASE 3;
	__ATOMIC_SEQ_CST 5; __BIGGEST_ALIGNMENT__ 16; __BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__;
	__CHAR16_TYPE__ short unsigned int; __CHAR32_TYPE__ unsigned int; __CHAR_BIT__ 8; __DBL_DECIMAL_DIG__ 17;
	__DBL_DENORM_MIN__ ((double)4.94065645841246544176568792868221372e-324L); __DBL_DIG__ 15;
	__DBL_EPSILON__ ((double)2.22044604925031308084726333618164062e-16L); __DBL_HAS_DENORM__ 1;
	__DBL_HAS_INFINITY__ 1; __DBL_HAS_QUIET_NAN__ 1; __DBL_IS_IEC_60559__ 2; __DBL_MANT_DIG__ 53;
	__DBL_MAX_10_EXP__ 308; __DBL_MAX_EXP__ 1024;
	__DBL_MAX__ ((double)1.79769313486231570814527423731704357e+308L); __DBL_MIN_10_EXP__ (-307);
	__DBL_MIN_EXP__ (-1021); __DBL_MIN__ ((double)2.22507385850720138309023271733240406e-308L);
	__DBL_NORM_MAX__ ((double)1.79769313486231570814527423731704357e+308L); __DECIMAL_BID_FORMAT__ 1;
	__DECIMAL_DIG__ 21; __DEC_EVAL_METHOD__ 2; __ELF__ 1; __FINITE_MATH_ONLY__ 0;
	__FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__; __FLT_DECIMAL_DIG__ 9;
	__FLT_DENORM_MIN__ 1.40129846432481707092372958328991613e-45F; __FLT_DIG__ 6;
	__FLT_EPSILON__ 1.19209289550781250000000000000000000e-7F; __FLT_EVAL_METHOD_TS_18661_3__ 0;
	__FLT_EVAL_METHOD__ 0; __FLT_HAS_DENORM__ 1; __FLT_HAS_INFINITY__ 1; __FLT_HAS_QUIET_NAN__ 1;
	__FLT_IS_IEC_60559__ 2; __FLT_MANT_DIG__ 24; __FLT_MAX_10_EXP__ 38; __FLT_MAX_EXP__ 128;
	__FLT_MAX__ 3.40282346638528859811704183484516925e+38F; __FLT_MIN_10_EXP__ (-37); __FLT_MIN_EXP__ (-125);
	__FLT_MIN__ 1.17549435082228750796873653722224568e-38F;
	__FLT_NORM_MAX__ 3.40282346638528859811704183484516925e+38F; __FLT_RADIX__ 2; __FXSR__ 1;
	__GCC_ASM_FLAG_OUTPUTS__ 1; __GCC_ATOMIC_BOOL_LOCK_FREE 2; __GCC_ATOMIC_CHAR16_T_LOCK_FREE 2;
	__GCC_ATOMIC_CHAR32_T_LOCK_FREE 2; __GCC_ATOMIC_CHAR_LOCK_FREE 2; __GCC_ATOMIC_INT_LOCK_FREE 2;
	__GCC_ATOMIC_LLONG_LOCK_FREE 2; __GCC_ATOMIC_LONG_LOCK_FREE 2; __GCC_ATOMIC_POINTER_LOCK_FREE 2;
	__GCC_ATOMIC_SHORT_LOCK_FREE 2; __GCC_ATOMIC_TEST_AND_SET_TRUEVAL 1; __GCC_ATOMIC_WCHAR_T_LOCK_FREE 2;
	__GCC_CONSTRUCTIVE_SIZE 64; __GCC_DESTRUCTIVE_SIZE 64; __GCC_HAVE_DWARF2_CFI_ASM 1;
	__GCC_HAVE_SYNC_COMPARE_AND_SWAP_1 1; __GCC_HAVE_SYNC_COMPARE_AND_SWAP_2 1;
	__GCC_HAVE_SYNC_COMPARE_AND_SWAP_4 1; __GCC_HAVE_SYNC_COMPARE_AND_SWAP_8 1; __GCC_IEC_559 2;
	__GCC_IEC_559_COMPLEX 2; __GNUC_MINOR__ 2; __GNUC_PATCHLEVEL__ 0; __GNUC_STDC_INLINE__ 1; __GNUC__ 12;
	__GXX_ABI_VERSION 1017; __HAVE_SPECULATION_SAFE_VALUE 1; __INT16_MAX__ 0x7fff; __INT16_TYPE__ short int;
	__INT32_MAX__ 0x7fffffff; __INT32_TYPE__ int; __INT64_MAX__ 0x7fffffffffffffffL; __INT64_TYPE__ long int;
	__INT8_MAX__ 0x7f; __INT8_TYPE__ signed char; __INTMAX_MAX__ 0x7fffffffffffffffL; __INTMAX_TYPE__ long int;
	__INTMAX_WIDTH__ 64; __INTPTR_MAX__ 0x7fffffffffffffffL; __INTPTR_TYPE__ long int; __INTPTR_WIDTH__ 64;
	__INT_FAST16_MAX__ 0x7fffffffffffffffL; __INT_FAST16_TYPE__ long int; __INT_FAST16_WIDTH__ 64;
	__INT_FAST32_MAX__ 0x7fffffffffffffffL; __INT_FAST32_TYPE__ long int; __INT_FAST32_WIDTH__ 64;
	__INT_FAST64_MAX__ 0x7fffffffffffffffL; __INT_FAST64_TYPE__ long int; __INT_FAST64_WIDTH__ 64;
	__INT_FAST8_MAX__ 0x7f; __INT_FAST8_TYPE__ signed char; __INT_FAST8_WIDTH__ 8; __INT_LEAST16_MAX__ 0x7fff;
	__INT_LEAST16_TYPE__ short int; __INT_LEAST16_WIDTH__ 16; __INT_LEAST32_MAX__ 0x7fffffff;
	__INT_LEAST32_TYPE__ int; __INT_LEAST32_WIDTH__ 32; __INT_LEAST64_MAX__ 0x7fffffffffffffffL;
	__INT_LEAST64_TYPE__ long int; __INT_LEAST64_WIDTH__ 64; __INT_LEAST8_MAX__ 0x7f;
	__INT_LEAST8_TYPE__ signed char; __INT_LEAST8_WIDTH__ 8; __INT_MAX__ 0x7fffffff; __INT_WIDTH__ 32;
	__LDBL_DECIMAL_DIG__ 21; __LDBL_DENORM_MIN__ 3.64519953188247460252840593361941982e-4951L; __LDBL_DIG__ 18;
	__LDBL_EPSILON__ 1.08420217248550443400745280086994171e-19L; __LDBL_HAS_DENORM__ 1;
	__LDBL_HAS_INFINITY__ 1; __LDBL_HAS_QUIET_NAN__ 1; __LDBL_IS_IEC_60559__ 2; __LDBL_MANT_DIG__ 64;
	__LDBL_MAX_10_EXP__ 4932; __LDBL_MAX_EXP__ 16384;
	__LDBL_MAX__ 1.18973149535723176502126385303097021e+4932L; __LDBL_MIN_10_EXP__ (-4931);
	__LDBL_MIN_EXP__ (-16381); __LDBL_MIN__ 3.36210314311209350626267781732175260e-4932L;
	__LDBL_NORM_MAX__ 1.18973149535723176502126385303097021e+4932L; __LONG_LONG_MAX__ 0x7fffffffffffffffLL;
	__LONG_LONG_WIDTH__ 64; __LONG_MAX__ 0x7fffffffffffffffL; __LONG_WIDTH__ 64; __LP64__ 1;
	__MMX_WITH_SSE__ 1; __MMX__ 1; __NO_INLINE__ 1; __ORDER_BIG_ENDIAN__ 4321; __ORDER_LITTLE_ENDIAN__ 1234;
	__ORDER_PDP_ENDIAN__ 3412; __PRAGMA_REDEFINE_EXTNAME 1; __PTRDIFF_MAX__ 0x7fffffffffffffffL;
	__PTRDIFF_TYPE__ long int; __PTRDIFF_WIDTH__ 64; __REGISTER_PREFIX__; __SCHAR_MAX__ 0x7f;
	__SCHAR_WIDTH__ 8; __SEG_FS 1; __SEG_GS 1; __SHRT_MAX__ 0x7fff; __SHRT_WIDTH__ 16;
	__SIG_ATOMIC_MAX__ 0x7fffffff; __SIG_ATOMIC_MIN__ (-__SIG_ATOMIC_MAX__ - 1); __SIG_ATOMIC_TYPE__ int;
	__SIG_ATOMIC_WIDTH__ 32; __SIZEOF_DOUBLE__ 8; __SIZEOF_FLOAT128__ 16; __SIZEOF_FLOAT80__ 16;
	__SIZEOF_FLOAT__ 4; __SIZEOF_INT128__ 16; __SIZEOF_INT__ 4; __SIZEOF_LONG_DOUBLE__ 16;
	__SIZEOF_LONG_LONG__ 8; __SIZEOF_LONG__ 8; __SIZEOF_POINTER__ 8; __SIZEOF_PTRDIFF_T__ 8;
	__SIZEOF_SHORT__ 2; __SIZEOF_SIZE_T__ 8; __SIZEOF_WCHAR_T__ 4; __SIZEOF_WINT_T__ 4;
	__SIZE_MAX__ 0xffffffffffffffffUL; __SIZE_TYPE__ long unsigned int; __SIZE_WIDTH__ 64; __SSE2_MATH__ 1;
	__SSE2__ 1; __SSE_MATH__ 1; __SSE__ 1; __STDC_HOSTED__ 1; __STDC_IEC_559_COMPLEX__ 1; __STDC_IEC_559__ 1;
	__STDC_IEC_60559_BFP__ 201404L; __STDC_IEC_60559_COMPLEX__ 201404L; __STDC_ISO_10646__ 201706L;
	__STDC_UTF_16__ 1; __STDC_UTF_32__ 1; __STDC_VERSION__ 201710L; __STDC__ 1; __UINT16_MAX__ 0xffff;
	__UINT16_TYPE__ short unsigned int; __UINT32_MAX__ 0xffffffffU; __UINT32_TYPE__ unsigned int;
	__UINT64_MAX__ 0xffffffffffffffffUL; __UINT64_TYPE__ long unsigned int; __UINT8_MAX__ 0xff;
	__UINT8_TYPE__ unsigned char; __UINTMAX_MAX__ 0xffffffffffffffffUL; __UINTMAX_TYPE__ long unsigned int;
	__UINTPTR_MAX__ 0xffffffffffffffffUL; __UINTPTR_TYPE__ long unsigned int;
	__UINT_FAST16_MAX__ 0xffffffffffffffffUL; __UINT_FAST16_TYPE__ long unsigned int;
	__UINT_FAST32_MAX__ 0xffffffffffffffffUL; __UINT_FAST32_TYPE__ long unsigned int;
	__UINT_FAST64_MAX__ 0xffffffffffffffffUL; __UINT_FAST64_TYPE__ long unsigned int; __UINT_FAST8_MAX__ 0xff;
	__UINT_FAST8_TYPE__ unsigned char; __UINT_LEAST16_MAX__ 0xffff; __UINT_LEAST16_TYPE__ short unsigned int;
	__UINT_LEAST32_MAX__ 0xffffffffU; __UINT_LEAST32_TYPE__ unsigned int;
	__UINT_LEAST64_MAX__ 0xffffffffffffffffUL; __UINT_LEAST64_TYPE__ long unsigned int;
	__UINT_LEAST8_MAX__ 0xff; __UINT_LEAST8_TYPE__ unsigned char; __USER_LABEL_PREFIX__;
	__WCHAR_MAX__ 0x7fffffff; __WCHAR_MIN__ (-__WCHAR_MAX__ - 1); __WCHAR_TYPE__ int; __WCHAR_WIDTH__ 32;
	__WINT_MAX__ 0xffffffffU; __WINT_MIN__ 0U; __WINT_TYPE__ unsigned int; __WINT_WIDTH__ 32; __amd64 1;
	__amd64__ 1; __code_model_small__ 1; __gnu_linux__ 1; __k8 1; __k8__ 1; __linux 1; __linux__ 1; __unix 1;
	__unix__ 1; __x86_64 1; __x86_64__ 1;`

// predefined maps the names of gccMacros to their values.
var predefined = func() map[string]string {
	m := map[string]string{}
	for d := range strings.SplitSeq(gccMacros, ";") {
		if name, value, _ := strings.Cut(strings.TrimSpace(d), " "); name != "" {
			m[name] = value
		}
	}
	return m
}()

// operators are names that gcc reports as defined, and that are called in conditions.
var operators = wordSet("__has_attribute __has_builtin __has_include __has_include_next")

// isPredefined reports whether the compiler defines the macro or the operator.
func isPredefined(name string) bool {
	_, ok := predefined[name]
	return ok || operators[name]
}

// predefinedValue returns the value of a macro of the compiler in a condition.
func predefinedValue(name string) operand {
	for range len(predefined) {
		value, ok := predefined[name]
		if !ok {
			break
		}
		if n, err := strconv.ParseInt(strings.TrimRight(value, "uUlL"), 0, 64); err == nil {
			return known(n)
		}
		name = value // __BYTE_ORDER__
	}
	return operand{}
}

// definitions returns the macros of the compiler as C text.
func definitions() string {
	var b strings.Builder
	for _, name := range sortedKeys(predefined) {
		fmt.Fprintf(&b, "#define %s %s\n", name, predefined[name])
	}
	b.WriteString("#define __has_builtin(x) 1\n#define __has_attribute(x) __has_attribute_ ## x\n")
	for _, name := range sortedKeys(gccAttributes) {
		fmt.Fprintf(&b, "#define __has_attribute_%s 1\n#define __has_attribute___%s__ 1\n", name, name)
	}
	return b.String()
}

// gccAttributes are attributes of gcc for which headers ask.
var gccAttributes = wordSet(`access alias aligned alloc_align alloc_size always_inline artificial assume_aligned cleanup cold
	const constructor copy deprecated designated_init destructor error externally_visible fallthrough flatten format format_arg
	gnu_inline hot ifunc leaf malloc may_alias mode ms_abi ms_struct naked no_icf no_instrument_function no_reorder
	no_sanitize no_sanitize_address no_sanitize_thread no_sanitize_undefined noclone noinline noipa nonnull nonstring noplt
	noreturn nothrow optimize packed patchable_function_entry pure retain returns_nonnull returns_twice
	scalar_storage_order section sentinel simd symver sysv_abi target target_clones tls_model transparent_union
	unavailable uninitialized unused used vector_size visibility warn_if_not_aligned warn_unused_result warning weak weakref`)

// foreign are macros that other languages, compilers, systems and processors define, or gcc
// with options such as -O2 and -mavx. The last two would make gcc use attributes in double
// brackets, which the front end does not know, and which change no layout.
var foreign = wordSet(`__cplusplus __OBJC__ SWIG __ASSEMBLER__ __STRICT_ANSI__ __GNUG__ __EXCEPTIONS __GXX_RTTI __GXX_EXPERIMENTAL_CXX0X__
	_WIN32 _WIN64 WIN32 WIN64 _MSC_VER _MSC_FULL_VER _MSC_EXTENSIONS _MSVC_LANG __MINGW32__ __MINGW64__ __CYGWIN__ _M_X64 _M_AMD64
	_M_IX86 _M_ARM _M_ARM64 _DEBUG _DLL _MT
	__APPLE__ __MACH__ __ANDROID__ __ANDROID_API__ __FreeBSD__ __NetBSD__ __OpenBSD__ __DragonFly__ __sun __sun__ __SVR4 _AIX __hpux
	__HAIKU__ __Fuchsia__ __QNX__ __EMSCRIPTEN__ __wasm__ __wasm32__ __wasi__ __ENVIRONMENT_MAC_OS_X_VERSION_MIN_REQUIRED__
	__clang__ __clang_major__ __clang_minor__ __clang_patchlevel__ __INTEL_COMPILER __INTEL_LLVM_COMPILER __ICC __PGI __NVCOMPILER
	__SUNPRO_C __SUNPRO_CC __IBMC__ __IBMCPP__ __xlC__ __TINYC__ __LCC__ __CC_ARM __ARMCC_VERSION __IAR_SYSTEMS_ICC__ __BORLANDC__
	__WATCOMC__ __CUDACC__ __CUDA_ARCH__ __CUDA__ __CUDACC_RTC__ __NVCC__ __HIPCC__ __HIP__ __HIP_DEVICE_COMPILE__
	__HIP_PLATFORM_AMD__ __HIP_PLATFORM_NVIDIA__ __SYCL_DEVICE_ONLY__ __OPENCL_VERSION__
	__i386 __i386__ __ILP32__ _ILP32 __arm __arm__ __ARM_ARCH __ARM_EABI__ __aarch64__ __arm64__ __riscv __riscv_xlen __powerpc __powerpc__
	__powerpc64__ __ppc__ __ppc64__ __PPC__ __PPC64__ __s390__ __s390x__ __mips __mips__ __mips64 __sparc __sparc__ __alpha__ __ia64__
	__loongarch__ __loongarch64 __hexagon__ __m68k__ __BIG_ENDIAN__ __LITTLE_ENDIAN__ __ARMEB__ __AARCH64EB__ __MIPSEB__ __s390
	__SSE3__ __SSSE3__ __SSE4_1__ __SSE4_2__ __AVX__ __AVX2__ __AVX512F__ __AVX512BW__ __AVX512VL__ __FMA__ __F16C__ __BMI__ __BMI2__
	__POPCNT__ __AES__ __PCLMUL__ __ARM_NEON __ARM_NEON__ __ARM_FEATURE_SVE __OPTIMIZE__ __OPTIMIZE_SIZE__ __FAST_MATH__
	__CHAR_UNSIGNED__ __WCHAR_UNSIGNED__ __SANITIZE_ADDRESS__ __SANITIZE_THREAD__ __SSP__ __SSP_STRONG__ __SSP_ALL__ __CET__ _FORTIFY_SOURCE
	_OPENMP _OPENACC
	_REENTRANT __STDC_NO_ATOMICS__ __STDC_NO_THREADS__ __STDC_NO_VLA__ __STDC_NO_COMPLEX__ __STDC_LIB_EXT1__ __STDC_ANALYZABLE__
	__SIZEOF_BFLOAT16__
	__has_feature __has_extension __has_warning __has_declspec_attribute __is_identifier __has_embed
	__has_c_attribute __has_cpp_attribute`)

// unsure are macros for which gcc has no single answer, with what to do about them.
var unsure = map[string]string{
	"linux":   "gcc defines it only without -std=c11 and the like: test __linux__",
	"unix":    "gcc defines it only without -std=c11 and the like: test __unix__",
	"i386":    "gcc defines it only without -std=c11 and the like: test __i386__",
	"__PIC__": options, "__pic__": options, "__PIE__": options, "__pie__": options,
	"__GLIBC__": library, "__GLIBC_MINOR__": library, "__GLIBC_PREREQ": library, "__GLIBC_USE": library,
	"_POSIX_VERSION": library, "_XOPEN_VERSION": library, "__DATE__": moment, "__TIME__": moment, "__TIMESTAMP__": moment,
	"__COUNTER__": moment,
}

const (
	options = "it depends on the options of the compiler, and a layout must not: test another macro"
	library = "it depends on the C library, and a layout must not: test another macro"
	moment  = "it is different each time, and a layout must not be: test another macro"
)

// mayBePredefined reports whether a macro has the kind of name that compilers and C libraries
// give to theirs.
func mayBePredefined(name string) bool {
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") && len(name) > 4 {
		return true
	}
	for _, p := range []string{"__has_", "__cpp_", "__STDC_", "__GNUC_", "__GCC_", "__SIZEOF_", "__USE_", "_POSIX_", "_XOPEN_"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}
