// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package pjrttest

import "github.com/purepjrt/purepjrt/capi"

func (p *Plugin) getStream(a *capi.GetStreamForExternalReadyEventsArgs) error {
	d, err := find[*device](p, a.Device)
	if err != nil {
		return err
	}
	if err := d.reachable(); err != nil {
		return err
	}
	a.Stream = d.id + 1 // 0 is no stream
	return nil
}

// waitStream takes any stream, because a program may have streams of another library.
// Nothing runs on a stream, so there is nothing to hold up.
func (p *Plugin) waitStream(a *capi.WaitUntilBufferReadyOnStreamArgs) error {
	b, err := find[*buffer](p, a.Buffer)
	if err != nil {
		return err
	}
	c, err := b.use()
	if err == nil {
		c.release()
	}
	return err
}
