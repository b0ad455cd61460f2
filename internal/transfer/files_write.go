package transfer

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// The files of a task folder.
const (
	tasksFolder   = "tasks/"
	uiName        = "ui_messages.json"
	apiName       = "api_conversation.json"
	legacyName    = "claude_messages.json"
	metadataName  = "metadata.json"
	taskListName  = "task_history.json"
	sessionName   = "session.json"
	logsFolder    = "session_logs/"
	logName       = "messages.jsonl"
	missingTaskID = "task_" // of messages without a task, with the session's hash
)

// A view is what a person sees of a session, folded from its records.
type view struct {
	*Export
	talk  *talk
	minds *modelHistories
	works *taskList
	pics  imageCodec
}

func (e *Export) view(ctx context.Context) (*view, func(), error) {
	s, err := newSpool(e.x.Dir)
	if err != nil {
		return nil, nil, err
	}
	v := &view{
		Export: e, talk: newTalk(s), minds: &modelHistories{spool: s, tasks: map[clew.TaskID]*modelHistory{}},
		works: newWorks(e.s.workspace), pics: imageCodec{ctx: ctx, blobs: e.x.Blobs, has: e.s.seen},
	}
	err = e.records(ctx, func(r clew.Record, data any) error {
		v.works.add(r, data)
		if err := v.talk.add(r, data); err != nil {
			return err
		}
		return v.minds.add(r, data)
	})
	if err != nil {
		s.close()
		return nil, nil, err
	}
	v.settle()
	return v, s.close, nil
}

// settle gives every message a task: who spoke beside all tasks is heard in the
// one before.
func (v *view) settle() {
	var last clew.TaskID
	for i := range v.talk.entries {
		e := &v.talk.entries[i]
		if v.works.at[e.task] == nil {
			e.task = last
		}
		last = e.task
	}
	if len(v.talk.entries) == 0 || v.talk.entries[0].task != "" {
		return
	}
	if len(v.works.list) == 0 {
		id := clew.TaskID(missingTaskID + shortHash(string(v.what.Session), 24))
		item := &fileItem{ID: string(id), Number: 1, TS: v.s.createdMS, Task: v.s.title, Status: string(clew.TaskStatusActive), Workspace: v.s.workspace}
		v.works.list, v.works.at[id] = append(v.works.list, item), item
	}
	for i := range v.talk.entries {
		if e := &v.talk.entries[i]; e.task == "" {
			e.task = clew.TaskID(v.works.list[0].ID)
		}
	}
}

func shortHash(s string, digits int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}

// about is session.json.
func (v *view) about() (fileSession, error) {
	f := fileSession{
		SessionID: string(v.what.Session), Title: v.s.title, Owner: string(v.s.owner), Workspace: v.s.workspace, Provider: v.s.provider,
		ThreadIDs: v.works.threads, CreatedAt: v.s.createdMS, UpdatedAt: v.s.createdMS,
	}
	// When somebody last said something, and which model was asked last: a provider
	// has a record of its own only if it failed.
	said := false
	for i := len(v.talk.entries) - 1; i >= 0 && (!said || f.Provider == ""); i-- {
		m, err := v.talk.read(&v.talk.entries[i])
		if err != nil {
			return f, err
		}
		if !said && spoken(m) {
			f.UpdatedAt, said = m.TS, true
		}
		if f.Provider == "" {
			f.Provider = string(m.APIProtocol)
		}
	}
	return f, nil
}

func (e *Export) tar(w io.Writer) *tarWriter {
	return &tarWriter{Writer: tar.NewWriter(w), dir: e.x.Dir, when: time.UnixMilli(e.s.createdMS).UTC()}
}

func (e *Export) writeTasks(ctx context.Context, w io.Writer) error {
	v, done, err := e.view(ctx)
	if err != nil {
		return err
	}
	defer done()
	about, err := v.about()
	if err != nil {
		return err
	}
	t := e.tar(w)
	if err := t.json(sessionName, about); err != nil {
		return err
	}
	items := v.works.list
	if items == nil {
		items = []*fileItem{}
	}
	if err := t.json(taskListName, items); err != nil {
		return err
	}
	for _, item := range items {
		if err := v.writeTask(t, item); err != nil {
			return err
		}
	}
	return t.Close()
}

func (v *view) writeTask(t *tarWriter, item *fileItem) error {
	folder := tasksFolder + item.ID + "/"
	if !clew.ValidID(item.ID) {
		return fmt.Errorf("transfer: task id %q is no file name", item.ID)
	}
	if err := t.json(folder+metadataName, item); err != nil {
		return err
	}
	if err := t.grown(folder+uiName, func(w io.Writer) error { return v.writeTalk(w, clew.TaskID(item.ID)) }); err != nil {
		return err
	}
	return t.grown(folder+apiName, func(w io.Writer) error { return v.writeMind(w, clew.TaskID(item.ID)) })
}

func (v *view) writeTalk(w io.Writer, task clew.TaskID) error {
	l := list{w: w}
	for e, read := range v.talk.all() {
		if e.task != task {
			continue
		}
		m, err := read()
		if err != nil {
			return err
		}
		f := toFile(m)
		f.Images = v.pics.inlineAll(f.Images)
		if err := l.add(f); err != nil {
			return err
		}
	}
	return l.end()
}

func (v *view) writeMind(w io.Writer, task clew.TaskID) error {
	l := list{w: w}
	if m := v.minds.tasks[task]; m != nil {
		for _, h := range m.entries {
			message, err := v.minds.read(h)
			if err != nil {
				return err
			}
			f, err := toFileModel(message, v.pics)
			if err != nil {
				return err
			}
			if err := l.add(f); err != nil {
				return err
			}
		}
	}
	return l.end()
}

// A logLine is one line of messages.jsonl.
type logLine struct {
	Type      clew.Speaker `json:"type"`
	Content   string       `json:"content"`
	AgentID   string       `json:"agentId"`
	Source    any          `json:"source"` // main, or {"window": id}
	Timestamp int64        `json:"timestamp,omitempty"`
}

var logID = regexp.MustCompile(`^ses-[0-9]{1,15}-[0-9A-Za-z]{1,32}$`)

// logFolder is the session's folder among session logs.
func (s *archiveScan) logFolder() string {
	if logID.MatchString(string(s.id)) {
		return string(s.id)
	}
	return fmt.Sprintf("ses-%d-%s", s.createdMS, shortHash(string(s.id), 7))
}

func (e *Export) writeLog(ctx context.Context, w io.Writer) error {
	v, done, err := e.view(ctx)
	if err != nil {
		return err
	}
	defer done()
	about, err := v.about()
	if err != nil {
		return err
	}
	t, folder := e.tar(w), logsFolder+e.s.logFolder()+"/"
	if err := t.json(folder+metadataName, map[string]any{"provider": about.Provider, "threadIds": about.ThreadIDs}); err != nil {
		return err
	}
	if err := t.json(folder+sessionName, about); err != nil {
		return err
	}
	if err := t.grown(folder+logName, v.writeLines); err != nil {
		return err
	}
	return t.Close()
}

func (v *view) writeLines(w io.Writer) error {
	for e, read := range v.talk.all() {
		agent := e.agent
		if agent == "" {
			agent = core.MainAgent
		}
		if v.what.Agent != "" && agent != v.what.Agent {
			continue
		}
		m, err := read()
		if err != nil {
			return err
		}
		if !spoken(m) {
			continue
		}
		line := logLine{Type: m.Role, Content: m.Text, AgentID: string(agent), Source: "main", Timestamp: m.TS}
		if m.WindowID != "" {
			line.Source = map[string]string{"window": m.WindowID}
		}
		b, err := clew.MarshalData(line)
		if err != nil {
			return err
		}
		if _, err := w.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// spoken reports whether a message is what a person or an agent said.
func spoken(m clew.Message) bool {
	if m.Type != clew.TypeSay || m.Text == "" || m.Role == clew.SpeakerSystem {
		return false
	}
	return m.Say == clew.SayUserFeedback || m.Say == clew.SayText || m.Say == clew.SayCompletionResult
}
