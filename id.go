package clew

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// A SessionID names a session. It becomes part of paths and subjects, so its
// alphabet is strict: see ValidID.
type SessionID string

// A UserID names a person or program that holds credentials.
type UserID string

// A ClientID tells apart the connections of one session.
type ClientID string

// A MessageID names one record of a session: "msg_" and its zero-padded seq.
type MessageID string

// A ClientMessageID is what a client calls its own message; it only serves to
// recognise a repeat.
type ClientMessageID string

// A TaskID names a node of the task tree.
type TaskID string

// A RequestID names a question.
type RequestID string

// An AgentID is an agent's canonical name, stable over turns.
type AgentID string

// A MonitorID names a virtual desktop of a session.
type MonitorID string

// MainMonitor always exists and cannot be removed.
const MainMonitor MonitorID = "monitor-0"

// Valid reports whether a monitor can have this name: monitor- and a number of at
// most two digits, without a zero in front.
func (id MonitorID) Valid() bool {
	number, ok := strings.CutPrefix(string(id), "monitor-")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n >= 0 && n < 100 && strconv.Itoa(n) == number
}

// Name is what people call the monitor. They count from 1, as the pages do.
func (id MonitorID) Name() string {
	n, err := strconv.Atoi(strings.TrimPrefix(string(id), "monitor-"))
	if err != nil || !id.Valid() {
		return "another monitor"
	}
	return "monitor " + strconv.Itoa(n+1)
}

const maxIDLen = 128

// ValidID reports whether s may serve as an identifier: 1 to 128 characters of
// letters, digits, underscore and hyphen.
func ValidID(s string) bool {
	if len(s) == 0 || len(s) > maxIDLen {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// Valid reports whether the id has the form of an identifier.
func (id SessionID) Valid() bool { return ValidID(string(id)) }

// NewSessionID makes a fresh session id with 128 random bits.
func NewSessionID() SessionID { return SessionID("sess_" + randomHex(16)) }

// SessionIDFor gives the id of the session that a command makes. The same command
// of the same caller gives the same id, so that one that is sent again makes no
// second session.
func SessionIDFor(caller string, id ClientMessageID) SessionID {
	sum := sha256.Sum256([]byte("session\x00" + caller + "\x00" + string(id)))
	return SessionID("sess_" + hex.EncodeToString(sum[:16]))
}

// NewClientMessageID names a command whose sender gave it no name.
func NewClientMessageID() ClientMessageID { return ClientMessageID("cmd_" + randomHex(12)) }

// NewClientID makes a client id of twelve hex digits.
func NewClientID() ClientID { return ClientID(randomHex(6)) }

func randomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return hex.EncodeToString(b)
}

const (
	messagePrefix = "msg_"
	messageDigits = 12
)

// MessageIDOf gives the message id of the record with this seq.
func MessageIDOf(seq uint64) MessageID {
	return MessageID(appendMessageID(make([]byte, 0, 24), seq))
}

func appendMessageID(b []byte, seq uint64) []byte {
	b = append(b, messagePrefix...)
	for limit := uint64(100_000_000_000); limit > 1 && seq < limit; limit /= 10 { // pad to messageDigits
		b = append(b, '0')
	}
	return strconv.AppendUint(b, seq, 10)
}

// Seq gives the sequence number that the id stands for. Only the exact form
// that MessageIDOf makes is accepted, so that a cursor has one spelling.
func (id MessageID) Seq() (uint64, error) {
	digits, ok := strings.CutPrefix(string(id), messagePrefix)
	if !ok || len(digits) < messageDigits {
		return 0, Errorf(InvalidMessage, "%q is not a message id", id)
	}
	seq, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || MessageIDOf(seq) != id {
		return 0, Errorf(InvalidMessage, "%q is not a message id", id)
	}
	return seq, nil
}
