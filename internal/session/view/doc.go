// Package view is what is read of a session beside its state now: pages of the
// transcript, the timeline, single tool calls, earlier states, and what a batch
// of records changed.
package view
