package faults

import (
	"strings"

	"github.com/clew-run/clew"
)

// A book goes through a session's records, one after the other.
type book struct {
	w    *world
	id   clew.SessionID
	head clew.Head
	term uint64

	records map[clew.MessageID]clew.ClientMessageID // and the command that led to each
	effects map[clew.ClientMessageID]int            // commands, by how often they took effect
	asked   map[clew.RequestID]int
	ended   map[clew.RequestID]int
	allowed map[string]bool           // calls that a person allowed
	calls   map[clew.RequestID]string // what each question is about
	begun   map[string]int            // calls that were about to be carried out
	closed  map[string]int            // and those that have an end
	keys    map[string]string         // what each call would write
}

func newBook(w *world, id clew.SessionID) *book {
	return &book{
		w: w, id: id, records: map[clew.MessageID]clew.ClientMessageID{}, effects: map[clew.ClientMessageID]int{},
		asked: map[clew.RequestID]int{}, ended: map[clew.RequestID]int{}, allowed: map[string]bool{}, calls: map[clew.RequestID]string{},
		begun: map[string]int{}, closed: map[string]int{}, keys: map[string]string{},
	}
}

func (b *book) take(r clew.Record) {
	err := r.Follows(b.head)
	b.w.holds(chainWhole, err == nil, "%s, record %d: %v", b.id, r.Seq, err)
	b.w.holds(oneOwner, r.Term >= b.term, "%s: record %d has term %d after %d: a stale owner appended", b.id, r.Seq, r.Term, b.term)
	if b.w.calm(r) {
		b.w.holds(oneOwner, b.term == 0 || r.Term == b.term || b.w.missed(), "%s: record %d has term %d after %d: the session changed hands, and nothing was broken", b.id, r.Seq, r.Term, b.term)
	}
	b.head, b.term = r.After(), r.Term
	b.records[r.MessageID()] = r.Cause
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		b.w.broke(chainWhole, "%s, record %d: %v", b.id, r.Seq, err)
		return
	}
	switch d := ev.Data.(type) {
	case *clew.SessionRenamedData, *clew.MessageQueuedData: // what waited is created later, without a command
		b.effects[r.Cause]++
	case *clew.MessageCreatedData:
		if d.Message.Role == clew.SpeakerUser && r.Cause != "" {
			b.effects[r.Cause]++
		}
	case *clew.HitlApprovalRequestData:
		b.asked[d.RequestID]++
		b.calls[d.RequestID] = string(d.TaskID) + d.ToolCallID
	case *clew.HitlResolvedData:
		b.ended[d.RequestID]++
		if d.Action == clew.ResolvedApprove {
			b.allowed[b.calls[d.RequestID]] = true
		}
	case *clew.ToolProgressData:
		b.tool(d)
	}
}

func (b *book) tool(d *clew.ToolProgressData) {
	if d.Tool != "execute_command" {
		return
	}
	call := string(d.TaskID) + d.ToolCallID
	switch {
	case d.Status == clew.ToolRunning && d.Effect != nil:
		b.begun[call]++
		b.keys[call] = lastWord(d.Effect.Command)
		b.w.holds(startsOnRecord, b.allowed[call], "%s: call %s began, and nobody had allowed it", b.id, call)
	case d.Status != clew.ToolRunning:
		b.closed[call]++
	}
}

// lastWord is what a command writes: echo KEY >> ledger.
func lastWord(command string) string {
	fields := strings.Fields(command)
	if len(fields) < 2 {
		return command
	}
	return fields[1]
}

// close compares the whole with what people were told, and with what the commands
// left.
func (b *book) close() {
	for _, p := range b.w.writers {
		if p.id == b.id {
			b.acknowledged(p)
		}
	}
	for id, n := range b.asked {
		b.w.holds(oneDecision, n == 1 && b.ended[id] == 1, "%s: question %s was asked %d times and ended %d times", b.id, id, n, b.ended[id])
	}
	for call, n := range b.begun {
		b.w.holds(noSecondStart, n == 1, "%s: call %s was begun %d times", b.id, call, n)
		b.w.holds(doubtShown, b.closed[call] == 1, "%s: call %s was begun and has %d ends", b.id, call, b.closed[call])
	}
	for _, p := range b.w.workers {
		if p.id == b.id {
			b.ledger(p)
		}
	}
}

func (b *book) acknowledged(p *writer) {
	for name, records := range p.acked {
		for _, id := range records {
			b.w.holds(nothingLost, b.records[id] == name, "%s acknowledged %s with record %s, which is of %q", b.id, name, id, b.records[id])
		}
		b.w.holds(repeatSame, b.effects[name] == 1, "%s: %s took effect %d times", b.id, name, b.effects[name])
	}
}

// ledger compares the lines that commands left with the records.
func (b *book) ledger(p *worker) {
	begun := map[string]bool{}
	for call := range b.begun {
		begun[b.keys[call]] = true
	}
	for key, n := range p.lines() {
		b.w.holds(noSecondStart, n == 1, "%s: %s was written %d times", b.id, key, n)
		b.w.holds(startsOnRecord, begun[key], "%s: %s was written, and its start is not on record", b.id, key)
	}
}
