package clienttest

// A Fault is what happens to one frame on its way to the client.
type Fault struct {
	Kind   FaultKind
	Code   int // with Close
	Reason string
}

// A FaultKind names a fault.
type FaultKind int

// The faults.
const (
	None      FaultKind = iota
	Drop                // the connection breaks before the frame
	Stall               // nothing is sent from here on
	Duplicate           // the frame comes twice
	Skip                // the frame never comes
	Late                // the frame comes after the one that follows it
	Close               // the connection is closed with Code and Reason
)

// A Plan says what happens to frame number frame (0 is session_state, or the
// error before it) of connection number conn, both counted from 0.
type Plan func(conn, frame int) Fault
