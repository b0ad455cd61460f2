package wire

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/clew-run/clew"
)

// A Glance finds the names in a client's frame of the local socket that cannot
// be taken, because it is too long or not right, so that the answer can say what
// it is about. It gets the line piece by piece, keeps nothing but the names, and
// checks no grammar.
type Glance struct {
	depth   int
	inData  bool   // in the object data of the frame
	value   bool   // a colon came last: a value follows
	text    bool   // in a string
	escaped bool   // after a backslash in it
	word    []byte // the string so far, escapes not resolved
	key     string // the name that the value belongs to
	names   map[string]string
}

// maxGlance is the size of the longest string that may be a name: one of
// MaxMessageID characters, each of them escaped.
const maxGlance = 12 * MaxMessageID

// GlanceAt reads a line, or its beginning.
func GlanceAt(line []byte) Glance {
	var g Glance
	g.Add(line)
	return g
}

// Add reads on.
func (g *Glance) Add(part []byte) {
	for _, c := range part {
		if g.text {
			g.addText(c)
			continue
		}
		switch c {
		case '"':
			g.text, g.word = true, g.word[:0]
		case ':':
			g.value = true
		case ',':
			g.value = false
		case '{', '[':
			if g.depth++; g.depth == 2 {
				g.inData = c == '{' && g.key == "data"
			}
			g.value = false
		case '}', ']':
			g.depth--
			g.value = false
		}
	}
}

func (g *Glance) addText(c byte) {
	switch {
	case g.escaped:
		g.escaped = false
	case c == '\\':
		g.escaped = true
	case c == '"':
		g.text = false
		g.ended()
		return
	}
	if len(g.word) <= maxGlance {
		g.word = append(g.word, c)
	}
}

// ended takes a string that is over: a name, or the value of one.
func (g *Glance) ended() {
	if g.depth != 1 && (g.depth != 2 || !g.inData) || len(g.word) > maxGlance {
		return
	}
	var word string
	if json.Unmarshal(append(append([]byte{'"'}, g.word...), '"'), &word) != nil {
		return
	}
	if !g.value {
		g.key = word
		return
	}
	name := g.key
	if g.depth == 2 {
		name = "data." + name
	}
	if _, twice := g.names[name]; !twice && glanced[name] {
		if g.names == nil {
			g.names = map[string]string{}
		}
		g.names[name] = word
	}
}

var glanced = map[string]bool{
	"type": true, "origin": true, "data.command_name": true, "data.session_id": true, "data.client_message_id": true,
}

// FromServer reports whether it is a frame of a server.
func (g *Glance) FromServer() bool {
	typ := clew.FrameType(g.names["type"])
	return g.names["origin"] == OriginServer || typ == clew.FrameAck || typ == clew.FrameTaskEvent
}

// Name is the command's name, "" if there is none to be seen.
func (g *Glance) Name() clew.TaskCommandName {
	if name := g.names["data.command_name"]; utf8.RuneCountInString(name) <= 64 {
		return clew.TaskCommandName(name)
	}
	return ""
}

// SessionID is the session that it names, "" if that is no id.
func (g *Glance) SessionID() clew.SessionID {
	if id := clew.SessionID(g.names["data.session_id"]); id.Valid() {
		return id
	}
	return ""
}

// ClientMessageID is the client's name for it, "" if it has none that fits.
func (g *Glance) ClientMessageID() clew.ClientMessageID {
	if id := g.names["data.client_message_id"]; checkMessageID(id) == nil {
		return clew.ClientMessageID(id)
	}
	return ""
}
