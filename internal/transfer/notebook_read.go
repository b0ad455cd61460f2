package transfer

import (
	"encoding/json"
	"io"
	"path"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/notebook/ipynb"
	"github.com/clew-run/clew/internal/notebook/nbfile"
	"github.com/clew-run/clew/internal/session/core"
)

// notebook makes a session with one notebook of a notebook file. What was said in the
// session that the file is of comes along if that session does not exist here.
func (t *importJob) notebook(src io.Reader) error {
	file, err := io.ReadAll(io.LimitReader(src, int64(ipynb.Default.Bytes)+1))
	if err != nil {
		return failed(err, "the file")
	}
	n, err := ipynb.Read(file)
	if err != nil {
		return err
	}
	if len(n.Cells) > core.CellsMax {
		return tooLarge("the notebook has %d cells; at most %d can be worked with", len(n.Cells), core.CellsMax)
	}
	agent, _ := ipynb.AgentState(n)
	talks := agent != nil && len(agent.Messages)+len(agent.APIHistory) > len("[][]") && !t.exists(agent.SessionID)
	own := ""
	if talks {
		own = agent.SessionID
	}
	if err := t.name(own); err != nil {
		return err
	}
	t.title = strings.TrimSuffix(notebookPath(t.up.Name), ".ipynb")
	b := &tasksBuilder{builder: t.builder(), jobs: map[string]*job{}}
	if talks {
		if err := b.talk(agent); err != nil {
			return err
		}
	}
	b.finish(b.order)
	b.builder.ends = append(b.builder.ends, func(ts int64) error { return b.notebook(ts, file, n) })
	return b.build(b.now)
}

// exists reports whether the session of a file is here, as far as the caller may know.
func (t *importJob) exists(own string) bool {
	id := clew.SessionID(own)
	if t.Access == nil || !id.Valid() {
		return false
	}
	role, err := t.Access(t.ctx, id, t.up.By)
	return err == nil && role != clew.RoleNone
}

// notebookPath is the file of a notebook in the workspace, "" if a name is none.
func notebookPath(name string) string {
	if name = path.Base(strings.ReplaceAll(name, "\\", "/")); core.ValidNotebookPath(name) {
		return name
	}
	return ""
}

// talk plans what was said in the session: one task with both of its histories.
func (b *tasksBuilder) talk(agent *ipynb.Agent) error {
	item := fileItem{ID: agent.TaskID}
	if !clew.ValidID(item.ID) {
		item.ID = b.madeUp()
	}
	b.make(item, mainAgent)
	s, err := b.spool()
	if err != nil {
		return err
	}
	files := map[string]document{}
	for name, list := range map[string]json.RawMessage{uiName: agent.Messages, apiName: agent.APIHistory} {
		place, err := s.put(list)
		if err != nil {
			return err
		}
		files[name] = document{name: agentName(name), spool: s, place: place, limit: b.limits.Element}
	}
	return b.task(b.order[0], files)
}

// agentName is what people know a list of the notebook's metadata by.
func agentName(file string) string {
	if file == uiName {
		return "hdsp_agent.messages"
	}
	return "hdsp_agent.api_history"
}

// notebook adds the notebook, as if somebody had opened its file.
func (b *tasksBuilder) notebook(ts int64, file []byte, n *ipynb.Notebook) error {
	blobs := b.pics.blobs
	if blobs == nil {
		return clew.Errorf(clew.SessionInvalidState, "this server keeps no blobs, and a notebook needs them")
	}
	d, err := nbfile.TakeNotebook(n, func(content []byte) (string, error) { return blobs.PutBlob(b.ctx, b.by(), content) })
	if err != nil {
		return err
	}
	d.NotebookID, d.Hash = core.DeriveID("nb_", b.id, b.survey.head.Seq+1), nbfile.Hash(file)
	opened := &clew.NotebookOpenedData{NotebookID: d.NotebookID, Path: notebookPath(b.up.Name), New: true, By: b.up.By.User}
	if err := b.add(ts, opened); err != nil {
		return err
	}
	return b.add(ts, &d)
}
