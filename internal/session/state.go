package session

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/clew-run/clew"
)

// State is the fold of a session's records. It is plain data: Decide reads it,
// Apply changes it, and its JSON form is the snapshot that opening starts from.
// Its size is bounded, whatever the session's age.
type State struct {
	ID        clew.SessionID            `json:"id"`
	Owner     clew.UserID               `json:"owner"`
	Title     string                    `json:"title,omitempty"`
	Workspace string                    `json:"workspace,omitempty"`
	CreatedMS int64                     `json:"created_ms"`
	Access    map[clew.UserID]clew.Role `json:"access,omitempty"`

	// Head is the record that this state is as of.
	Seq uint64 `json:"seq"`
	TS  int64  `json:"ts"`

	// Messages is the transcript's tail, Total counts all of it.
	Messages []clew.Message `json:"messages,omitempty"`
	Total    int            `json:"total"`

	// Turn is the main agent's turn under way, nil if it is idle. Queue holds
	// the messages that wait for it.
	Turn  *Turn            `json:"turn,omitempty"`
	Queue []clew.MessageID `json:"queue,omitempty"`

	// Taken holds the commands whose repeats are recognised, oldest first.
	Taken []Taken `json:"taken,omitempty"`

	taken map[takenKey]int // index into Taken, made on demand
}

// A Turn is an agent's work on one message.
type Turn struct {
	// ID is the user's message that started it.
	ID      clew.MessageID `json:"id"`
	AgentID clew.AgentID   `json:"agent_id"`
	// Reply is the message that the agent is writing, "" before it began.
	Reply clew.MessageID `json:"reply,omitempty"`
}

// Taken is a command that took effect: which records it made.
type Taken struct {
	By    clew.UserID          `json:"by"`
	ID    clew.ClientMessageID `json:"id"`
	First uint64               `json:"first"`
	Count int                  `json:"count"`
}

// takenKey tells commands apart: each user has its own names.
type takenKey struct {
	by clew.UserID
	id clew.ClientMessageID
}

func (t Taken) key() takenKey { return takenKey{t.By, t.ID} }

const (
	tailMessages = 200  // messages in the state and in a default page
	takenMax     = 1000 // repeats recognised
	queueMax     = 10   // messages waiting for the main agent
	accessMax    = 1000 // users with access beside the owner
)

// MainAgent is the agent of the main monitor.
const MainAgent clew.AgentID = "main-" + clew.AgentID(clew.MainMonitor)

// Exists reports whether the session was created.
func (s *State) Exists() bool { return s.Seq > 0 }

// Busy reports whether work is under way that must go on without anyone asking.
func (s *State) Busy() bool { return s.Turn != nil || len(s.Queue) > 0 }

// Status is the session's status in one word.
func (s *State) Status() clew.SessionStatus {
	if s.Busy() {
		return clew.StatusExecuting
	}
	return clew.StatusIdle
}

// RoleOf gives what a principal may do here, RoleNone for a stranger. The role
// of the credentials is a ceiling.
func (s *State) RoleOf(p clew.Principal) clew.Role {
	switch {
	case p.User == s.Owner && p.Role == clew.RoleAdmin:
		return clew.RoleOwner
	case p.User == s.Owner:
		return lesser(clew.RoleOwner, p.Role)
	case s.Access[p.User] != clew.RoleNone:
		return lesser(s.Access[p.User], p.Role)
	case p.Role == clew.RoleAdmin: // may watch every session
		return clew.RoleAdmin
	}
	return clew.RoleNone
}

var rank = map[clew.Role]int{clew.RoleViewer: 1, clew.RoleApprover: 2, clew.RoleOwner: 3, clew.RoleAdmin: 4}

func lesser(a, b clew.Role) clew.Role {
	if rank[b] < rank[a] {
		return b
	}
	return a
}

// Summary is the session's line in its owner's list.
func (s *State) Summary() Summary {
	return Summary{
		ID: s.ID, Title: s.Title, Status: string(s.Status()), Workspace: s.Workspace,
		CreatedMS: s.CreatedMS, UpdatedMS: s.TS, LastSeq: s.Seq,
	}
}

// Message finds a message of the tail.
func (s *State) Message(id clew.MessageID) *clew.Message {
	for i := len(s.Messages) - 1; i >= 0; i-- {
		if s.Messages[i].MessageID == id {
			return &s.Messages[i]
		}
	}
	return nil
}

// takenAs finds what an earlier command of the user with this id made.
func (s *State) takenAs(by clew.UserID, id clew.ClientMessageID) (Taken, bool) {
	if s.taken == nil {
		s.taken = make(map[takenKey]int, len(s.Taken))
		for i, t := range s.Taken {
			s.taken[t.key()] = i
		}
	}
	i, ok := s.taken[takenKey{by, id}]
	if !ok {
		return Taken{}, false
	}
	return s.Taken[i], true
}

// take remembers the command that caused a record. It forgets the oldest in
// slices, so that the index is rebuilt rarely.
func (s *State) take(r clew.Record) {
	if n := len(s.Taken); n > 0 && s.Taken[n-1].key() == (takenKey{r.By, r.Cause}) {
		s.Taken[n-1].Count++
		return
	}
	if len(s.Taken) >= takenMax+takenMax/4 {
		s.Taken = slices.Clone(s.Taken[len(s.Taken)-takenMax+1:])
		s.taken = nil
	}
	t := Taken{By: r.By, ID: r.Cause, First: r.Seq, Count: 1}
	s.Taken = append(s.Taken, t)
	if s.taken != nil {
		s.taken[t.key()] = len(s.Taken) - 1
	}
}

// Encode writes the state as a snapshot.
func (s *State) Encode() ([]byte, error) { return json.Marshal(s) }

// Restore makes the state of a session from its snapshot and the records after
// it.
func Restore(id clew.SessionID, loaded Loaded) (*State, error) {
	s := &State{ID: id}
	if loaded.State != nil {
		if err := json.Unmarshal(loaded.State, s); err != nil {
			return nil, clew.WrapError(clew.SessionDamaged, err, "the snapshot of session %s is not readable", id)
		}
	}
	if s.ID != id || s.Seq != loaded.StateSeq {
		return nil, clew.WrapError(clew.SessionDamaged,
			fmt.Errorf("snapshot is of %s at %d, want %s at %d", s.ID, s.Seq, id, loaded.StateSeq),
			"the snapshot of session %s is not its own", id)
	}
	for _, r := range loaded.Tail {
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			return nil, clew.WrapError(clew.SessionDamaged, err, "record %d of session %s is not readable", r.Seq, id)
		}
		Apply(s, r, ev.Data)
	}
	return s, nil
}
