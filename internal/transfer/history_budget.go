package transfer

import (
	"fmt"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
)

// maxMind is how much of a log its model is told. A session's state has all that
// its models hear, so a log of any length must not become part of it.
const maxMind = 4 << 20

// A historyBudget is what is known of the messages that a model hears.
type historyBudget struct {
	list  []clew.ModelMessage // without their texts, but for the first words of the user
	sizes []int
	bytes int
}

func (r *historyBudget) add(m clew.Message) {
	known := clew.ModelMessage{Role: m.Role}
	if m.Role == clew.SpeakerUser && !r.hasWords() {
		known.Content = clew.List[clew.Part]{{Type: clew.PartText, Text: m.Text}}
	}
	r.put(known, len(m.Text))
}

func (r *historyBudget) hasWords() bool {
	for _, m := range r.list {
		if len(m.Content) > 0 {
			return true
		}
	}
	return false
}

func (r *historyBudget) put(m clew.ModelMessage, size int) {
	r.list, r.sizes = append(r.list, m), append(r.sizes, size)
	r.bytes += size
}

// cut leaves out the first n messages, for which the marker stands now.
func (r *historyBudget) cut(n int, marker clew.ModelMessage) {
	list, sizes := r.list[n:], r.sizes[n:]
	*r = historyBudget{}
	r.put(marker, len(marker.Content[0].Text))
	for i, m := range list {
		r.put(m, sizes[i])
	}
}

// makeRoom hides the older half of what a model hears once it is too much, the
// way that an agent does it: in both histories, and nothing is lost.
func (b *builder) makeRoom(j *job) error {
	n := history.Older(j.room.list, len(j.room.list)/2)
	if j.room.bytes <= maxMind || n == 0 {
		return nil
	}
	ts, id := b.survey.head.TS, "trunc_"+shortHash(string(b.next()), 24)
	err := b.speak(ts, j, clew.Message{
		Type: clew.TypeSay, Say: clew.SaySlidingWindowTruncation, Role: clew.SpeakerSystem,
		Text:              fmt.Sprintf("The model does not hear the %d oldest messages of the file: all together are too long for it.", n),
		ContextTruncation: &clew.ContextTruncation{TruncationID: id, Hidden: n},
	})
	if err != nil {
		return err
	}
	marker := history.Marker(j.room.list, n, id, ts)
	marker.MessageID = j.message
	j.room.cut(n, marker)
	return b.add(ts, &clew.ModelMessageData{TaskID: j.ref.TaskID, AgentID: j.agent, MonitorID: clew.MainMonitor, Message: marker, Hides: n})
}
