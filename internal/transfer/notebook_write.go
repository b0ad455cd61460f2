package transfer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session/core"
)

// maxNotebookTalk bounds what a notebook file holds of what was said, and as much of what
// a model heard.
const maxNotebookTalk = 16 << 20

// makeNotebook makes the file of one of the session's notebooks. It is small enough to be
// made before the first byte is written, so that whatever fails is told.
func (e *Export) makeNotebook(ctx context.Context) error {
	state, err := e.foldVisible(ctx)
	if err != nil {
		return err
	}
	n, err := e.pick(state)
	if err != nil {
		return err
	}
	v, done, err := e.view(ctx)
	if err != nil {
		return err
	}
	defer done()
	talk, err := v.notebookTalk()
	if err != nil {
		return err
	}
	e.name = path.Base(n.Path)
	e.file, err = nbfile.Make(n, nbfile.Source{Session: e.what.Session, Talk: talk, Blob: e.blobOf(ctx), Messages: v.messagesOf})
	return err
}

// foldVisible is the session's state without what a rewind took away.
func (e *Export) foldVisible(ctx context.Context) (state *core.State, err error) {
	defer func() {
		if v := recover(); v != nil { // a fold is made for records that a session wrote
			err = badBecause(fmt.Errorf("panic: %v", v), "the records do not fit together")
		}
	}()
	state = &core.State{ID: e.what.Session}
	err = e.records(ctx, func(r clew.Record, data any) error {
		core.Translate(data)
		core.Apply(state, r, data)
		return nil
	})
	return state, err
}

// pick finds the notebook that is wanted: the one that is named, or the first.
func (e *Export) pick(state *core.State) (*core.Notebook, error) {
	open := state.OpenNotebooks()
	ready := slices.DeleteFunc(slices.Clone(open), func(n *core.Notebook) bool { return n.Status != clew.NotebookReady })
	switch i := slices.IndexFunc(ready, func(n *core.Notebook) bool { return e.what.Notebook == "" || n.ID == e.what.Notebook }); {
	case i >= 0:
		return ready[i], nil
	case len(open) == 0:
		return nil, bad("the session has no notebook")
	case len(ready) == 0:
		return nil, bad("the session's notebook could not be read: %s", open[0].Problem)
	}
	var ids []string
	for _, n := range ready {
		ids = append(ids, n.ID)
	}
	return nil, bad("the session has no notebook %.100q; it has %v", e.what.Notebook, ids)
}

// blobOf gives the blobs of the session, and no others.
func (e *Export) blobOf(ctx context.Context) func(address string) ([]byte, error) {
	return func(address string) ([]byte, error) {
		if e.x.Blobs == nil || !e.s.seen[address] {
			return nil, nbfile.ErrMissing
		}
		return e.x.Blobs.Blob(ctx, address)
	}
}

func (v *view) messagesOf(records []core.Span) (list []clew.Message, err error) {
	for _, span := range records {
		for seq := span.From; seq <= span.To; seq++ {
			i, ok := v.talk.at[seq]
			if !ok {
				continue
			}
			m, err := v.talk.read(&v.talk.entries[i])
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// notebookTalk is what was said in the session, the newest of it if it is much, and what
// the model of the newest task heard. What cells put out is in the cells.
func (v *view) notebookTalk() (*nbfile.Talk, error) {
	var messages []json.RawMessage
	left := maxNotebookTalk
	for i := len(v.talk.entries) - 1; i >= 0 && left > 0; i-- {
		m, err := v.talk.read(&v.talk.entries[i])
		if err != nil {
			return nil, err
		}
		if m.Cell != nil {
			continue
		}
		f := toFile(m)
		f.Images = v.pics.inlineAll(f.Images)
		b, err := clew.MarshalData(f)
		if err != nil {
			return nil, err
		}
		if left -= len(b); left > 0 {
			messages = append(messages, b)
		}
	}
	slices.Reverse(messages)
	talk := &nbfile.Talk{TaskID: v.newestRoot(), APIHistory: json.RawMessage("[]")}
	var err error
	if talk.Messages, err = clew.MarshalData(append([]json.RawMessage{}, messages...)); err != nil {
		return nil, err
	}
	var heard bytes.Buffer
	if err := v.writeMind(&heard, talk.TaskID); err != nil {
		return nil, err
	}
	if heard.Len() <= maxNotebookTalk {
		talk.APIHistory = heard.Bytes()
	}
	return talk, nil
}

// newestRoot is the task that the notebook is noted with, "" if there is none.
func (v *view) newestRoot() clew.TaskID {
	for _, item := range slices.Backward(v.works.list) {
		if item.ParentTaskID == "" {
			return clew.TaskID(item.ID)
		}
	}
	return ""
}
