package kernel

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

const (
	delimiter = "<IDS|MSG>"
	// maxDepth is how deep the JSON of a message may be.
	maxDepth = 64
	// maxName is the longest id and type of a message.
	maxName = 256
	// maxTopics is how many frames may stand before the delimiter.
	maxTopics = 8
)

// A Channel is one of the sockets of a kernel.
type Channel string

// The channels that carry messages.
const (
	Shell   Channel = "shell"
	IOPub   Channel = "iopub"
	Stdin   Channel = "stdin"
	Control Channel = "control"
)

// A Message is what a kernel said, signed by it.
type Message struct {
	Channel  Channel
	Type     string // such as stream, execute_reply, input_request
	MsgID    string
	ParentID string // the msg_id of the request that it belongs to, "" if none
	Content  json.RawMessage
	Metadata json.RawMessage
	Buffers  [][]byte

	// Problem says why Content, Metadata and Buffers are not here: the message was
	// too large or too deep, or is not JSON. What is known of it is in the other
	// fields; of one that was too large only the channel.
	Problem string
}

// header is the part of a message's header that is in use.
type header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	Type     string `json:"msg_type"`
	Version  string `json:"version"`
	Subshell string `json:"subshell_id,omitempty"`
}

// A signer signs and checks with the key of a connection file.
type signer []byte

func (s signer) sign(parts [][]byte) []byte {
	mac := hmac.New(sha256.New, s)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.AppendEncode(nil, mac.Sum(nil))
}

// encode makes the frames of a message. parent may be nil.
func (s signer) encode(h header, parent *header, content any) ([][]byte, error) {
	parts := make([][]byte, 4)
	var err error
	if parts[0], err = json.Marshal(h); err != nil {
		return nil, err
	}
	parts[1], parts[2] = []byte("{}"), []byte("{}")
	if parent != nil {
		if parts[1], err = json.Marshal(parent); err != nil {
			return nil, err
		}
	}
	if parts[3], err = json.Marshal(content); err != nil {
		return nil, err
	}
	return append([][]byte{[]byte(delimiter), s.sign(parts)}, parts...), nil
}

// decode checks the frames of a message and reads it. After an error nothing can
// be relied on; what is wrong in a message with a good signature is its Problem.
func (s signer) decode(channel Channel, frames [][]byte) (Message, error) {
	at := 0
	for at < len(frames) && at <= maxTopics && string(frames[at]) != delimiter {
		at++
	}
	if at > maxTopics || len(frames)-at < 6 {
		return Message{}, errors.New("a message has not the frames of one")
	}
	parts := frames[at+2 : at+6]
	if !hmac.Equal(s.sign(parts), frames[at+1]) {
		return Message{}, ErrSignature
	}
	m := Message{Channel: channel}
	if err := m.read(parts, frames[at+6:]); err != nil {
		m.Problem = err.Error()
	}
	return m, nil
}

func (m *Message) read(parts, buffers [][]byte) error {
	for i, p := range parts { // records, and what browsers are sent, must be UTF-8
		if !utf8.Valid(p) {
			parts[i] = bytes.ToValidUTF8(p, []byte("\uFFFD"))
		}
	}
	h, err := parseHeader(parts[0])
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	m.Type, m.MsgID = h.Type, h.MsgID
	parent, err := parseHeader(parts[1])
	if err != nil {
		return fmt.Errorf("parent_header: %w", err)
	}
	m.ParentID = parent.MsgID
	if err := checkObject(parts[2]); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if err := checkObject(parts[3]); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	m.Metadata, m.Content, m.Buffers = parts[2], parts[3], buffers
	return nil
}

func parseHeader(b []byte) (header, error) {
	if err := checkObject(b); err != nil {
		return header{}, err
	}
	var h header
	if err := json.Unmarshal(b, &h); err != nil {
		return header{}, errors.New("its fields have other types")
	}
	if len(h.MsgID) > maxName || len(h.Type) > maxName {
		return header{}, errors.New("its names are too long")
	}
	return h, nil
}

// checkObject says whether b is a JSON object that is not too deep.
func checkObject(b []byte) error {
	switch {
	case depth(b) > maxDepth:
		return fmt.Errorf("deeper than %d levels", maxDepth)
	case !json.Valid(b) || !bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")):
		return errors.New("not a JSON object")
	}
	return nil
}

// depth counts the levels of JSON without parsing it.
func depth(b []byte) int {
	level, deepest, quoted := 0, 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}
