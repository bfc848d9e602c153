/* SPDX-License-Identifier: Apache-2.0 */
/* SPDX-FileCopyrightText: 2026 The purepjrt Authors */

/*
 * The one function of Windows' bcryptprimitives.dll that Go's runtime needs, for versions of
 * Wine that come without the library.
 */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG); /* RtlGenRandom */

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T n)
{
	while (n > 0) {
		ULONG part = n > 1 << 20 ? 1 << 20 : (ULONG)n;
		if (!SystemFunction036(data, part))
			return FALSE;
		data += part;
		n -= part;
	}
	return TRUE;
}
