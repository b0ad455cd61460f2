package wire

import "github.com/clew-run/clew"

// A CloseCode is a WebSocket close code. The close reason is a string: an
// error code, or one of the reasons below.
type CloseCode int

// The close codes.
const (
	CloseNormal   CloseCode = 1000
	CloseGoing    CloseCode = 1001
	CloseProtocol CloseCode = 1002
	CloseNotText  CloseCode = 1003
	CloseNotUTF8  CloseCode = 1007
	ClosePolicy   CloseCode = 1008
	CloseTooLarge CloseCode = 1009
	CloseInternal CloseCode = 1011
	CloseTooSlow  CloseCode = 1013
)

// Close reasons that are not error codes.
const (
	ReasonBye       = "BYE"        // the client left
	ReasonTakenOver = "TAKEN_OVER" // another connection has the same client_id
	ReasonStopping  = "STOPPING"   // the server stops or the session moves
	ReasonTooSlow   = "TOO_SLOW"   // the client did not read in time
)

// A CloseInfo says what a close code means to a client.
type CloseInfo struct {
	Code      CloseCode
	Reasons   []string
	Reconnect string // what a client does about it
	Doc       string
}

// Closes lists the close codes.
var Closes = []CloseInfo{
	{CloseNormal, []string{ReasonBye, ReasonTakenOver}, "no", "The client left, or a newer connection has the same client_id."},
	{CloseGoing, []string{ReasonStopping, string(clew.ConnectionTimeout)}, "yes", "The server stops, the session moves, or nothing was heard for too long."},
	{CloseProtocol, []string{string(clew.InvalidMessage)}, "no", "A frame that breaks the rules of WebSocket."},
	{CloseNotText, []string{string(clew.InvalidMessage)}, "no", "A binary frame; clew speaks text."},
	{CloseNotUTF8, []string{string(clew.InvalidMessage)}, "no", "A text frame that is not UTF-8."},
	{ClosePolicy, []string{string(clew.AuthRequired), string(clew.AuthFailed), string(clew.TokenExpired), string(clew.Forbidden), string(clew.SessionNotFound), string(clew.RateLimited)}, "only after RATE_LIMITED, or with new credentials after TOKEN_EXPIRED", "Credentials, rights or rate."},
	{CloseTooLarge, []string{string(clew.MessageTooLarge)}, "no", "A frame over the size limit."},
	{CloseInternal, []string{string(clew.Internal), string(clew.Unavailable), string(clew.StorageFailed), string(clew.CursorLost), string(clew.SessionTooNew), string(clew.SessionDamaged)}, "yes, except after SESSION_DAMAGED", "A fault of the server, or the session was restored under the client."},
	{CloseTooSlow, []string{ReasonTooSlow}, "yes, at once", "The client read too slowly; it resumes without loss."},
}

// CloseFor gives the code to close with because of err.
func CloseFor(err error) CloseCode {
	switch clew.CodeOf(err) {
	case "":
		return CloseNormal
	case clew.MessageTooLarge:
		return CloseTooLarge
	case clew.ConnectionTimeout:
		return CloseGoing
	case clew.AuthRequired, clew.AuthFailed, clew.TokenExpired, clew.Forbidden,
		clew.SessionNotFound, clew.SessionExpired, clew.RateLimited:
		return ClosePolicy
	}
	return CloseInternal
}

// Reconnect reports whether a client that was closed this way should connect
// again by itself. A code that is not in Closes (1006: the line broke) says
// nothing against it.
func Reconnect(code CloseCode, reason string) bool {
	switch code {
	case CloseNormal, CloseTooLarge, CloseProtocol, CloseNotText, CloseNotUTF8:
		return false
	case ClosePolicy:
		return reason == string(clew.RateLimited)
	case CloseInternal:
		return reason != string(clew.SessionDamaged)
	}
	return true
}
