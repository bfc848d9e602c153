// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package isolate

// IdleProcesses returns the ids of the children that have nothing to do.
func (c *Compiler) IdleProcesses() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []int
	for _, child := range c.idle {
		list = append(list, child.Pid())
	}
	return list
}

// Answer is a message.
type Answer = answer

// Enter sets whether this process has called Main.
func Enter(on bool) { entered.Store(on) }

var (
	ChildEnvironment = childEnvironment
	EncodeMessage    = encodeMessage
	NewCrash         = newCrash
	CreateOptions    = createOptions
	ReadMessage      = readMessage
)
