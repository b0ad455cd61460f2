package transfer

import (
	"context"
	"regexp"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
)

// A archiveScan is what one look over a journal tells.
type archiveScan struct {
	id        clew.SessionID
	head      clew.Head
	bytes     int64 // of all lines with their ends
	createdMS int64
	owner     clew.UserID
	title     string
	workspace string
	provider  string

	hidden      []core.Span // newest first
	blobs       []string    // what records refer to, once each
	checkpoints []string    // hashes, once each

	seen  map[string]bool // blobs
	saved map[string]bool // checkpoints
	jumps []seekPoint
}

func newSurvey(id clew.SessionID) *archiveScan {
	return &archiveScan{id: id, seen: map[string]bool{}, saved: map[string]bool{}}
}

// A seekPoint is a record that took the session elsewhere in its history.
type seekPoint struct{ at, to uint64 }

func take(ctx context.Context, records Records, id clew.SessionID, head uint64) (*archiveScan, error) {
	s := newSurvey(id)
	for r, err := range records.Read(ctx, id, 1, head) {
		if err == nil {
			err = s.add(r)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.head.Seq != head || head == 0 {
		return nil, clew.Errorf(clew.SessionNotFound, "no session %s with %d records", id, head)
	}
	s.hidden = hiddenSpans(s.jumps, head)
	return s, nil
}

func (s *archiveScan) add(r clew.Record) error {
	s.head = r.After()
	s.bytes += int64(len(r.Line())) + 1
	s.references(r)
	to, err := core.RewindTarget(r)
	if err != nil {
		return err
	}
	if to > 0 {
		s.jumps = append(s.jumps, seekPoint{r.Seq, to})
	}
	switch r.Type {
	case clew.EventCheckpointInitialized, clew.EventCheckpointSaved, clew.EventCheckpointRestored, clew.EventCheckpointUpdated,
		clew.EventRewindStarted, clew.EventHistoryRewound, clew.EventRewindUndone:
		s.checkpointsIn(r.Data())
		return nil
	case clew.EventSessionCreated, clew.EventSessionRenamed, clew.EventSessionImported, clew.EventProviderStatus:
	default:
		return nil
	}
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	switch d := ev.Data.(type) {
	case *clew.SessionCreatedData:
		s.owner, s.title, s.workspace, s.createdMS = d.Owner, d.Title, d.Workspace, r.TS
	case *clew.SessionImportedData:
		s.owner, s.workspace = d.Owner, d.Workspace
		if d.Title != "" {
			s.title = d.Title
		}
	case *clew.SessionRenamedData:
		s.title = d.Title
	case *clew.ProviderStatusData:
		s.provider = d.Provider
	}
	return nil
}

// references notes the blobs that a record refers to. Those that came along with
// no import are none of this session's.
func (s *archiveScan) references(r clew.Record) {
	for _, address := range blob.References(r) {
		if !s.seen[address] {
			s.seen[address] = true
			s.blobs = append(s.blobs, address)
		}
	}
	for _, address := range blob.Missing(r) {
		delete(s.seen, address)
		s.blobs = slices.DeleteFunc(s.blobs, func(a string) bool { return a == address })
	}
}

var hashPattern = regexp.MustCompile(`"([0-9a-f]{64})"`)

// checkpointsIn notes everything that looks like a checkpoint's hash, wherever it
// stands: what may be gone back to, what was there before a rewind, what an undo
// needs.
func (s *archiveScan) checkpointsIn(data []byte) {
	for _, m := range hashPattern.FindAllSubmatch(data, -1) {
		if hash := string(m[1]); !s.saved[hash] {
			s.saved[hash] = true
			s.checkpoints = append(s.checkpoints, hash)
		}
	}
}

// hiddenSpans goes back from the head: the newest record that took the session
// elsewhere hides what lies between, itself included; what counts before that
// is what counted there.
func hiddenSpans(jumps []seekPoint, head uint64) []core.Span {
	var spans []core.Span
	for cur := head; ; {
		i, _ := slices.BinarySearchFunc(jumps, cur+1, func(j seekPoint, seq uint64) int {
			switch {
			case j.at < seq:
				return -1
			case j.at > seq:
				return 1
			}
			return 0
		})
		if i == 0 {
			return spans
		}
		j := jumps[i-1]
		if j.to >= j.at { // not a record that we would write
			jumps = jumps[:i-1]
			continue
		}
		spans = append(spans, core.Span{From: j.to + 1, To: j.at})
		cur = j.to
	}
}

// visible reports whether a record counts.
func (s *archiveScan) visible(seq uint64) bool {
	i, _ := slices.BinarySearchFunc(s.hidden, seq, func(span core.Span, seq uint64) int { // newest first
		switch {
		case span.From > seq:
			return -1
		case span.To < seq:
			return 1
		}
		return 0
	})
	return i == len(s.hidden) || seq < s.hidden[i].From || seq > s.hidden[i].To
}
