// Package client talks to a clew server.
//
// Dial connects to one session. Follow then yields what happens in it, in
// order, without gaps and without repeats, however often the connection breaks
// in between; Send and Do give commands. NewAPI is the plain REST side: make,
// list and read sessions. The examples show each of them.
//
// Ask is the short way: it gives the agent something to do and yields its words, tool
// calls, questions and the result, until the work ends.
//
// # Reconnecting
//
// A connection that breaks, stays silent for 60 s, or is closed with a code
// that says so is opened again after 1, 2, 4, 8 and 16 s, each delay times a
// random factor between 0.5 and 1 so that the clients of a restarted server do
// not all come at once. The count starts over once the client is in sync
// again. The client asks for the records after the last one it has, and checks
// that they follow it: a gap is a fault of the connection and never reaches
// the caller.
//
// # The state
//
// With Options.View clew.ViewState the server sends what changed of the state
// instead of the records that it follows from. A Replica puts it in its place and
// is the session's state at any moment: its messages, tasks, questions, plan.
//
// # Slow readers
//
// The client holds a bounded number of envelopes for Follow. When they are not
// taken it stops reading, so the server sees a slow reader and may close the
// connection; the client comes back where it left off.
package client
