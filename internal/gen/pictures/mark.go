package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/clew-run/clew"
)

// A kind says how a mark is drawn.
type kind int

const (
	kindUser kind = iota
	kindAgent
	kindCheckpoint
	kindReturn
	kindFork
)

// A mark is a record that is worth drawing. Numbers of records are not drawn:
// how many there are between two marks depends on the weather.
type mark struct {
	kind   kind
	seq    uint64
	text   string
	back   uint64 // the record that a return goes back to
	hidden bool
	shared bool // the parent's record
}

// marker makes marks of records.
type marker struct {
	player *player
	id     clew.SessionID
	marks  []mark
	files  map[string]string // what checkpoints hold
}

func (m *marker) add(ctx context.Context, r clew.Record) error {
	ev, err := clew.DecodeEvent(r.Type, r.Data())
	if err != nil {
		return err
	}
	switch d := ev.Data.(type) {
	case *clew.SessionCreatedData:
		if d.ForkedFrom != nil {
			for i := range m.marks {
				m.marks[i].shared = true
			}
			m.marks = append(m.marks, mark{kind: kindFork, seq: r.Seq, text: "fork"})
		}
	case *clew.MessageCreatedData:
		m.message(r.Seq, d.Message)
	case *clew.MessageUpdatedData:
		m.grown(d.Message)
	case *clew.CheckpointSavedData:
		text, err := m.content(ctx, d.ToHash)
		m.marks = append(m.marks, mark{kind: kindCheckpoint, seq: r.Seq, text: text})
		return err
	case *clew.HistoryRewoundData:
		return m.back(r.Seq, d.Return, "rewind")
	case *clew.RewindUndoneData:
		return m.back(r.Seq, d.Return, "undo")
	}
	return nil
}

func (m *marker) message(seq uint64, msg clew.Message) {
	switch {
	case msg.Type != clew.TypeSay:
	case msg.Role == clew.SpeakerUser:
		m.marks = append(m.marks, mark{kind: kindUser, seq: seq, text: msg.Text})
	case msg.Say == clew.SayText:
		m.marks = append(m.marks, mark{kind: kindAgent, seq: seq, text: msg.Text})
	}
}

// grown gives a message that was streamed its text.
func (m *marker) grown(msg clew.Message) {
	for i, k := range m.marks {
		if clew.MessageIDOf(k.seq) == msg.MessageID {
			m.marks[i].text = msg.Text
		}
	}
}

// back notes a return: what lies between it and where it goes is hidden, and
// what was hidden after that point before is as it was then.
func (m *marker) back(seq uint64, to clew.Return, text string) error {
	at, err := to.To.Seq()
	if err != nil {
		return err
	}
	if to.Files != nil {
		text += ": list.txt is “" + m.files[to.Files.Hash] + "” again"
	}
	m.marks = append(m.marks, mark{kind: kindReturn, seq: seq, text: text, back: at})
	last := len(m.marks) - 1
	for i := range m.marks[:last] {
		m.marks[i].hidden = m.hiddenFrom(i, last)
	}
	return nil
}

// hiddenFrom follows the returns from a mark back through time and reports
// whether another one lies on none of the ways.
func (m *marker) hiddenFrom(i, from int) bool {
	for at := from; at >= 0; {
		k := m.marks[at]
		if k.seq == m.marks[i].seq {
			return false
		}
		if k.kind != kindReturn {
			at--
			continue
		}
		for at >= 0 && m.marks[at].seq > k.back {
			at--
		}
	}
	return true
}

// content says what the list is in a checkpoint. The first one has none.
func (m *marker) content(ctx context.Context, hash string) (string, error) {
	if text, ok := m.files[hash]; ok {
		return text, nil
	}
	if len(m.files) == 0 {
		m.files[hash] = "empty"
		return "empty", nil
	}
	files, err := m.player.diff(ctx, m.id, hash)
	if err != nil {
		return "", err
	}
	text := "empty"
	for _, f := range files {
		if f.Paths.Relative == "list.txt" && f.Content.After != "" {
			text = strings.Join(strings.Fields(f.Content.After), ", ")
		}
	}
	m.files[hash] = text
	return text, nil
}

// diff asks how the files of a checkpoint differ from the first one's.
func (p *player) diff(ctx context.Context, id clew.SessionID, hash string) ([]clew.CheckpointFile, error) {
	body, err := json.Marshal(map[string]any{"type": clew.CommandCheckpointDiff, "data": clew.CheckpointDiffData{To: hash}})
	if err != nil {
		return nil, err
	}
	url := p.srv.URL() + "/api/v1/sessions/" + string(id) + "/commands"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(string(body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var r struct {
		Answer struct {
			Data clew.CheckpointDiffAnswer `json:"data"`
		} `json:"answer"`
		Message string `json:"message"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&r); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, clew.Errorf(clew.Internal, "checkpoint_diff: %s", r.Message)
	}
	return r.Answer.Data.Files, nil
}
