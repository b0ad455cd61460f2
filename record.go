package clew

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// A Hash is the SHA-256 of a record's stored line; records are chained by it.
type Hash [sha256.Size]byte

func (h Hash) String() string { return base64.RawURLEncoding.EncodeToString(h[:]) }

// ParseHash reads what String wrote.
func ParseHash(s string) (h Hash, err error) {
	if len(s) != base64.RawURLEncoding.EncodedLen(len(h)) {
		return h, errors.New("not a hash")
	}
	_, err = base64.RawURLEncoding.Strict().Decode(h[:], []byte(s))
	return h, err
}

// A Record is one entry of a session's journal.
//
// Its stored form is one line of two JSON objects: what only the journal needs
// (seq, the owner's term, ts, who caused it, the hash of the record before),
// a tab, and the envelope exactly as clients get it. A replayed envelope is
// therefore the original one byte for byte, and sending it needs no encoding.
//
// A Record is immutable and may be shared between goroutines.
type Record struct {
	Seq  uint64
	Term uint64 // term of the owner that appended it
	TS   int64  // Unix ms, strictly increasing within a session
	By   UserID // who caused it: a user, or an agent
	// Cause is the client's own id of the command that led to it, if it gave
	// one. The envelope carries it, so that the client knows its command was
	// taken, and a repeat of the command is recognised by it.
	Cause ClientMessageID
	Prev  Hash // hash of the record before; zero for the first
	Type  EventType

	line     []byte
	envelope int // offset of the envelope in line
	data     int // offset of data in line
}

// Head is the end of a journal: what the next record must follow.
type Head struct {
	Seq  uint64
	TS   int64
	Hash Hash
}

// A Draft is a record before it has its place.
type Draft struct {
	By    UserID
	Cause ClientMessageID
	Type  EventType
	Data  json.RawMessage
}

// Next makes the record that follows head. now is the wall clock in ms; ts is
// pushed past the former record's if the clock stands still or goes back.
func (h Head) Next(session SessionID, term uint64, now int64, by UserID, typ EventType, data json.RawMessage) Record {
	return h.Write(session, term, now, Draft{By: by, Type: typ, Data: data})
}

// Write is Next for a draft.
func (h Head) Write(session SessionID, term uint64, now int64, d Draft) Record {
	r := Record{Seq: h.Seq + 1, Term: term, TS: max(now, h.TS+1), By: d.By, Cause: d.Cause, Prev: h.Hash, Type: d.Type}
	data := d.Data
	b := make([]byte, 0, 320+len(data))
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, r.Seq, 10)
	b = append(b, `,"term":`...)
	b = strconv.AppendUint(b, r.Term, 10)
	b = append(b, `,"ts":`...)
	b = strconv.AppendInt(b, r.TS, 10)
	b = append(b, `,"by":`...)
	b = appendString(b, string(d.By))
	b = append(b, `,"prev":"`...)
	b = base64.RawURLEncoding.AppendEncode(b, r.Prev[:])
	b = append(b, '"', '}', '\t')
	r.envelope = len(b)
	b = append(b, `{"type":"`...)
	b = append(b, d.Type...)
	b = append(b, `","session_id":"`...)
	b = append(b, session...)
	b = append(b, `","message_id":"`...)
	b = appendMessageID(b, r.Seq)
	b = append(b, `","timestamp":"`...)
	b = AppendTimestamp(b, r.TS)
	b = append(b, '"')
	if d.Cause != "" {
		b = append(b, `,"client_message_id":`...)
		b = appendString(b, string(d.Cause))
	}
	b = append(b, `,"data":`...)
	r.data = len(b)
	switch {
	case len(data) == 0:
		b = append(b, "{}"...)
	case bytes.IndexByte(data, '\n') >= 0: // a record is one line
		var flat bytes.Buffer
		if err := json.Compact(&flat, data); err != nil {
			panic("record data is not JSON: " + err.Error())
		}
		b = append(b, flat.Bytes()...)
	default:
		b = append(b, data...)
	}
	b = append(b, '}')
	r.line = b
	return r
}

// After gives the head that follows once r is appended.
func (r Record) After() Head { return Head{Seq: r.Seq, TS: r.TS, Hash: r.Hash()} }

// Line is the stored form, without a line end. It must not be changed.
func (r Record) Line() []byte { return r.line }

// Envelope is what clients get. It must not be changed.
func (r Record) Envelope() []byte { return r.line[r.envelope:] }

// Data is the envelope's data. It must not be changed.
func (r Record) Data() json.RawMessage { return json.RawMessage(r.line[r.data : len(r.line)-1]) }

// In gives the record as clients of a session get it. It is the record itself
// but for those that a fork shares with its parent: they are about the fork, as
// far as its clients can tell.
func (r Record) In(session SessionID) Record {
	const before = `","session_id":"`
	start := r.envelope + len(`{"type":"`) + len(r.Type) + len(before)
	if rest := r.line[start:]; len(rest) > len(session) && string(rest[:len(session)]) == string(session) && rest[len(session)] == '"' {
		return r
	}
	end := start + bytes.IndexByte(r.line[start:], '"')
	line := make([]byte, 0, len(r.line)+len(session))
	line = append(append(append(line, r.line[:start]...), session...), r.line[end:]...)
	r.data += len(line) - len(r.line)
	r.line = line
	return r
}

// MessageID is the record's name on the wire.
func (r Record) MessageID() MessageID { return MessageIDOf(r.Seq) }

// Hash is the hash that the next record carries.
func (r Record) Hash() Hash { return sha256.Sum256(r.line) }

// ErrChain says that a record does not follow the one before it.
var ErrChain = errors.New("record does not follow the one before it")

// Follows checks that r is the record right after head.
func (r Record) Follows(head Head) error {
	if r.Seq != head.Seq+1 || r.Prev != head.Hash {
		return fmt.Errorf("%w: seq %d after %d", ErrChain, r.Seq, head.Seq)
	}
	return nil
}

// ParseRecord reads a stored line. The line has one spelling; anything else is
// damage and is refused. The record keeps a reference to line.
func ParseRecord(line []byte) (Record, error) {
	r := Record{line: line}
	p := lineParser{rest: line}
	p.expect(`{"seq":`)
	r.Seq = p.uint()
	p.expect(`,"term":`)
	r.Term = p.uint()
	p.expect(`,"ts":`)
	r.TS = int64(p.uint())
	p.expect(`,"by":`)
	r.By = UserID(p.str())
	p.expect(`,"prev":`)
	prev := p.token()
	p.expect("}\t")
	r.envelope = len(line) - len(p.rest)
	p.expect(`{"type":`)
	r.Type = EventType(p.token())
	p.expect(`,"session_id":`)
	p.token()
	p.expect(`,"message_id":`)
	id := p.token()
	p.expect(`,"timestamp":`)
	p.token()
	if p.has(`,"client_message_id":`) {
		p.expect(`,"client_message_id":`)
		r.Cause = ClientMessageID(p.str())
	}
	p.expect(`,"data":`)
	r.data = len(line) - len(p.rest)
	if p.failed || len(p.rest) < 2 || line[len(line)-1] != '}' {
		return Record{}, fmt.Errorf("malformed record at byte %d", len(line)-len(p.rest))
	}
	var err error
	if r.Prev, err = ParseHash(string(prev)); err != nil {
		return Record{}, errors.New("malformed record: prev is not a hash")
	}
	if r.Seq == 0 || MessageID(id) != r.MessageID() {
		return Record{}, fmt.Errorf("malformed record: seq %d has message_id %q", r.Seq, id)
	}
	return r, nil
}

// lineParser walks a line's fixed spelling; the first mismatch is final.
type lineParser struct {
	rest   []byte
	failed bool
}

func (p *lineParser) expect(s string) {
	if !p.has(s) {
		p.failed = true
		return
	}
	p.rest = p.rest[len(s):]
}

func (p *lineParser) has(s string) bool {
	return !p.failed && len(p.rest) >= len(s) && string(p.rest[:len(s)]) == s
}

func (p *lineParser) uint() uint64 {
	n := 0
	for n < len(p.rest) && '0' <= p.rest[n] && p.rest[n] <= '9' {
		n++
	}
	v, err := strconv.ParseUint(string(p.rest[:n]), 10, 63)
	if err != nil || n > 1 && p.rest[0] == '0' {
		p.failed = true
		return 0
	}
	p.rest = p.rest[n:]
	return v
}

// token reads a quoted string that needs no unescaping.
func (p *lineParser) token() []byte {
	if p.failed || len(p.rest) == 0 || p.rest[0] != '"' {
		p.failed = true
		return nil
	}
	n := bytes.IndexByte(p.rest[1:], '"')
	if n < 0 || bytes.IndexByte(p.rest[1:1+n], '\\') >= 0 {
		p.failed = true
		return nil
	}
	s := p.rest[1 : 1+n]
	p.rest = p.rest[n+2:]
	return s
}

// str reads a quoted string that may hold escapes.
func (p *lineParser) str() string {
	if p.failed || len(p.rest) == 0 || p.rest[0] != '"' {
		p.failed = true
		return ""
	}
	n := 1
	for n < len(p.rest) && p.rest[n] != '"' {
		if p.rest[n] == '\\' {
			n++
		}
		n++
	}
	if n >= len(p.rest) {
		p.failed = true
		return ""
	}
	var s string
	if json.Unmarshal(p.rest[:n+1], &s) != nil {
		p.failed = true
		return ""
	}
	p.rest = p.rest[n+1:]
	return s
}

// appendString writes a JSON string. Most are plain and need no encoder.
func appendString(b []byte, s string) []byte {
	if isPlain(s) {
		b = append(b, '"')
		b = append(b, s...)
		return append(b, '"')
	}
	q, err := json.Marshal(s)
	if err != nil { // a string always encodes
		panic(err)
	}
	return append(b, q...)
}

// isPlain reports whether s stands in JSON as it is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// timestampLayout is RFC 3339 in UTC with exactly three decimals.
const timestampLayout = "2006-01-02T15:04:05.000Z"

// Timestamp writes a point in time (Unix ms) the way envelopes carry it.
func Timestamp(ms int64) string { return string(AppendTimestamp(nil, ms)) }

// AppendTimestamp is Timestamp for a buffer.
func AppendTimestamp(b []byte, ms int64) []byte {
	return time.UnixMilli(ms).UTC().AppendFormat(b, timestampLayout)
}
