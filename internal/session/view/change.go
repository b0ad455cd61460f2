package view

import (
	"encoding/json"
	"slices"
	"strconv"
	"sync"

	"github.com/clew-run/clew"
)

// A Change is what differs between two states, as entities that are written
// already: once, for all who watch. It is immutable.
type Change struct {
	From     uint64 // the record that it goes on from; 0 for a whole state
	To       uint64
	Head     uint64 // the newest record at that time; of an answer to one reader only
	Total    int
	Commands []clew.ClientMessageID
	Reset    []clew.EntityKind
	Del      map[clew.EntityKind][]string
	Put      []Entity // in the order of their kinds
}

// An Entity is one part of a state, written.
type Entity struct {
	Kind    clew.EntityKind `json:"k"`
	Monitor clew.MonitorID  `json:"m,omitempty"` // the one that it is about; "" for all
	Body    json.RawMessage `json:"b"`
}

// Single are the kinds of which there is one each.
var Single = map[clew.EntityKind]bool{
	clew.EntitySession: true, clew.EntityStatus: true, clew.EntityUsage: true, clew.EntityQueue: true,
	clew.EntityRules: true, clew.EntityMonitors: true, clew.EntityAgents: true, clew.EntityViewers: true,
}

// empty reports whether nobody has to be told.
func (c *Change) empty() bool {
	return len(c.Put) == 0 && len(c.Del) == 0 && len(c.Reset) == 0 && len(c.Commands) == 0
}

// AddPut adds an entity as it is now.
func (c *Change) AddPut(kind clew.EntityKind, monitor clew.MonitorID, body any) error {
	b, err := clew.MarshalData(body)
	if err == nil {
		c.Put = append(c.Put, Entity{Kind: kind, Monitor: monitor, Body: b})
	}
	return err
}

func (c *Change) del(kind clew.EntityKind, keys ...string) {
	if len(keys) == 0 {
		return
	}
	if c.Del == nil {
		c.Del = map[clew.EntityKind][]string{}
	}
	c.Del[kind] = append(c.Del[kind], keys...)
}

// Data writes the data of state_changed. shows says which monitors' entities are
// wanted, nil for all of them; ok is false if nothing is left to tell.
func (c *Change) Data(shows func(clew.MonitorID) bool) (data []byte, ok bool) {
	b := append(make([]byte, 0, 256+c.size()), '{')
	if c.From > 0 {
		b = append(appendMessageID(append(b, `"from":`...), c.From), ',')
	}
	b = appendMessageID(append(b, `"to":`...), c.To)
	b = strconv.AppendInt(append(b, `,"total":`...), int64(c.Total), 10)
	b = c.appendField(b, "commands", len(c.Commands), c.Commands)
	b = c.appendField(b, "reset", len(c.Reset), c.Reset)
	b = c.appendField(b, "del", len(c.Del), c.Del)
	b, put := c.appendPut(b, shows)
	told := c.From == 0 || put || len(c.Del)+len(c.Reset)+len(c.Commands) > 0
	return append(b, '}'), told
}

func appendMessageID(b []byte, seq uint64) []byte {
	b = append(b, '"')
	b = append(b, clew.MessageIDOf(seq)...)
	return append(b, '"')
}

func (c *Change) appendField(b []byte, name string, n int, v any) []byte {
	if n == 0 {
		return b
	}
	body, err := clew.MarshalData(v)
	if err != nil { // lists of texts
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return append(b, body...)
}

// appendPut writes the entities, those of one kind together.
func (c *Change) appendPut(b []byte, shows func(clew.MonitorID) bool) ([]byte, bool) {
	var kind clew.EntityKind
	begun := false
	for i := range c.Put {
		e := &c.Put[i]
		if shows != nil && e.Monitor != "" && !shows(e.Monitor) {
			continue
		}
		switch {
		case !begun:
			b = append(b, `,"put":{"`...)
		case e.Kind == kind:
			b = append(append(b, ','), e.Body...)
			continue
		default:
			b = append(closeKind(b, kind), `,"`...)
		}
		begun, kind = true, e.Kind
		b = append(append(b, kind...), `":`...)
		if !Single[kind] {
			b = append(b, '[')
		}
		b = append(b, e.Body...)
	}
	if begun {
		b = append(closeKind(b, kind), '}')
	}
	return b, begun
}

func closeKind(b []byte, kind clew.EntityKind) []byte {
	if Single[kind] {
		return b
	}
	return append(b, ']')
}

func (c *Change) size() (n int) {
	for i := range c.Put {
		n += len(c.Put[i].Body) + len(c.Put[i].Kind) + 6
	}
	return n
}

// Sort brings the entities into the order of their kinds.
func (c *Change) Sort() {
	slices.SortStableFunc(c.Put, func(a, b Entity) int { return kindOrder[a.Kind] - kindOrder[b.Kind] })
}

var kindOrder = sync.OnceValue(func() map[clew.EntityKind]int {
	order := map[clew.EntityKind]int{}
	for i, k := range clew.EntityKinds {
		order[k] = i
	}
	return order
})()
