package transfer

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/clew-run/clew"
)

// log makes a session of a session log: a task for each agent that has a thread
// there, and one for all others.
func (t *importJob) log(f *folderFiles) error {
	var about fileSession
	for _, name := range []string{metadataName, sessionName} { // the second knows more
		if d, ok := f.log[name]; ok {
			if err := d.value(&about); err != nil {
				return err
			}
		}
	}
	own := about.SessionID
	if own == "" {
		own = f.logID
	}
	if err := t.name(own); err != nil {
		return err
	}
	t.title = about.Title
	b := &logBuilder{builder: t.builder(), threads: map[string]*job{}}
	if about.Provider != "" {
		b.at(b.sane(about.CreatedAt), func(ts int64) error {
			return b.add(ts, &clew.ProviderStatusData{Status: clew.ProviderConnected, Provider: about.Provider})
		})
	}
	for _, agent := range slices.Sorted(maps.Keys(about.ThreadIDs)) {
		if id := about.ThreadIDs[agent]; clew.ValidID(id) && clew.ValidID(agent) {
			b.threads[agent] = newJob(fileItem{ID: id, Task: about.Title}, clew.AgentID(agent))
		}
	}
	if err := b.lines(f.log[logName], about); err != nil {
		return err
	}
	return b.build(about.CreatedAt)
}

type logBuilder struct {
	*builder
	threads map[string]*job
	other   *job
}

func (b *logBuilder) job(agent string) *job {
	if j := b.threads[agent]; j != nil {
		return j
	}
	if b.other == nil {
		b.other = newJob(fileItem{ID: b.madeUp()}, "")
	}
	return b.other
}

// lines plans the log's messages, and the tasks around them.
func (b *logBuilder) lines(d document, about fileSession) error {
	ts := b.sane(about.CreatedAt)
	var jobs []*job
	saw := func(j *job, at int64) {
		if !slices.Contains(jobs, j) {
			jobs = append(jobs, j)
			b.at(at, func(ts int64) error { return b.begin(ts, j) })
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(b.threads)) {
		saw(b.threads[agent], ts)
	}
	err := d.lines(func(place ref, raw []byte) error {
		m, agent, err := fromLog(raw)
		if err != nil {
			return err
		}
		j := b.job(agent)
		ts = max(ts, b.sane(m.TS))
		if j.item.Task == "" && m.Role == clew.SpeakerUser {
			j.item.Task = m.Text
		}
		saw(j, ts)
		b.at(ts, func(ts int64) error {
			raw, err := d.spool.get(place)
			if err != nil {
				return err
			}
			m, _, err := fromLog(raw)
			if err != nil {
				return err
			}
			return b.converse(ts, j, m)
		})
		return nil
	})
	b.finish(jobs)
	return err
}

func fromLog(raw []byte) (clew.Message, string, error) {
	var l logLine
	if err := json.Unmarshal(raw, &l); err != nil {
		return clew.Message{}, "", err
	}
	m := clew.Message{Type: clew.TypeSay, Role: l.Type, Text: l.Content, TS: l.Timestamp}
	switch l.Type {
	case clew.SpeakerUser:
		m.Say = clew.SayUserFeedback
	case clew.SpeakerAssistant:
		m.Say = clew.SayText
	default:
		return m, "", bad("type is %.50q instead of user or assistant", l.Type)
	}
	if l.Content == "" {
		return m, "", bad("there is no content")
	}
	// A line of a person names the agent it was for; on a message that would say
	// that an agent wrote it.
	if clew.ValidID(l.AgentID) && m.Role != clew.SpeakerUser {
		m.AgentID = clew.AgentID(l.AgentID)
	}
	if source, ok := l.Source.(map[string]any); ok {
		m.WindowID, _ = source["window"].(string)
	}
	return m, l.AgentID, nil
}

// lines goes through a file of lines. The bytes are valid until the next call.
func (d document) lines(fn func(place ref, raw []byte) error) error {
	if d.spool == nil {
		return nil
	}
	if err := d.spool.flush(); err != nil {
		return err
	}
	src := bufio.NewReaderSize(io.NewSectionReader(d.spool.f, d.place.off, int64(d.place.n)), 64<<10)
	for off := d.place.off; ; {
		line, err := readLine(src, d.limit)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && len(line) > 0 {
			err = fn(ref{off, len(line)}, line)
		}
		if err != nil {
			return d.wrongAt(off-d.place.off, err)
		}
		off += int64(len(line)) + 1
	}
}
