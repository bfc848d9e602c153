// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrt

// LimitInFlight makes Execute and Start wait while n executions of this program that began after
// LimitInFlight are under way. 0 removes the limit. A limit keeps a fast producer from filling
// device memory with pending results.
func (e *LoadedExecutable) LimitInFlight(n int) {
	if e != nil {
		e.executions.limit.set(n)
	}
}

// LimitInFlight is LoadedExecutable.LimitInFlight for all programs of the client together.
// An execution on several devices counts as one.
func (c *Client) LimitInFlight(n int) {
	if c != nil {
		c.traffic.limit.set(n)
	}
}

// InFlight returns how many executions of the client's programs are under way. One on
// several devices counts as one until all are done.
func (c *Client) InFlight() int {
	if c == nil {
		return 0
	}
	return int(c.traffic.underWay())
}
