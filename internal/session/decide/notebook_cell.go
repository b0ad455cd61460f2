package decide

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// StartCell begins the first run of the queue: it is on record before the kernel hears of
// it. While the run is under way already, its repeat gives the same result and records
// nothing, so that whoever goes on after a crash knows what was sent.
type StartCell struct {
	RunID    string
	KernelID string
	// Code is what a run that repeats another one runs: what that one ran.
	Code, CodeBlob string
}

func (c StartCell) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	if n.Run != nil && n.Run.ID == c.RunID {
		return started(n, *n.Run), nil
	}
	switch {
	case s.PendingRewind != nil:
		return NotebookResult{}, ErrRewindPending()
	case n.Run != nil:
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "another cell runs")
	case len(n.Queue) == 0 || n.Queue[0].ID != c.RunID:
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "the run is not the next one")
	case n.Kernel.Wanted != "":
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "something else is wanted of the kernel first")
	case n.Kernel.State != clew.KernelIdle || n.Kernel.ID != c.KernelID:
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "this kernel is not ready")
	}
	run := n.Queue[0]
	run.MsgID, run.KernelID, run.SinceMS = core.CellMsgID(s.ID, run.ID), c.KernelID, tx.NextTS()
	res := started(n, run)
	if run.Repeats != "" {
		res.Source, res.SourceBlob = c.Code, c.CodeBlob
	}
	tx.Add(&clew.CellStartedData{
		NotebookID: n.ID, RunID: run.ID, CellID: run.CellID, KernelID: c.KernelID, MsgID: run.MsgID, SourceHash: sourceHash(res),
	})
	return res, nil
}

func started(n *core.Notebook, run core.CellRun) NotebookResult {
	res := NotebookResult{Run: run, Source: run.Code}
	if c := n.Cell(run.CellID); c != nil {
		res.Source, res.SourceBlob = c.Source, c.SourceBlob
	}
	return res
}

// sourceHash is the hash of what runs; the address of a blob is one.
func sourceHash(r NotebookResult) string {
	if r.SourceBlob != "" {
		return r.SourceBlob
	}
	sum := sha256.Sum256([]byte(r.Source))
	return hex.EncodeToString(sum[:])
}

// CellOutput puts messages of a run into the transcript, and others anew as they are
// now. Those that are made need Say, Text, Cell.Output and what belongs to it; the rest
// is filled in. A silent run shows nothing.
type CellOutput struct {
	RunID   string
	Created []clew.Message
	Updated []clew.Message
}

func (c CellOutput) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	run := n.Run
	if run == nil || run.ID != c.RunID { // what comes late is shown while the cell shows that run
		i := slices.IndexFunc(n.Cells, func(x *core.Cell) bool { return x.RunID == c.RunID })
		if i < 0 || c.RunID == "" {
			return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "the run is not under way")
		}
		run = &core.CellRun{ID: c.RunID, CellID: n.Cells[i].CellID, TaskID: n.Cells[i].TaskID}
	}
	var res NotebookResult
	for _, m := range c.Updated {
		if m.Cell == nil || m.Cell.NotebookID != n.ID || m.MessageID == "" {
			return NotebookResult{}, clew.Errorf(clew.Internal, "a message of another notebook was changed")
		}
		tx.Update(m)
	}
	if run.Silent || run.Repeats != "" {
		return res, nil
	}
	for _, m := range c.Created {
		at := clew.MessageCell{NotebookID: n.ID, CellID: run.CellID, RunID: run.ID}
		if m.Cell != nil {
			at.Output, at.DisplayID = m.Cell.Output, m.Cell.DisplayID
		}
		m.Type, m.Role, m.Cell, m.MonitorID = clew.TypeSay, clew.SpeakerSystem, &at, runMonitor(s, run)
		m.MessageID, m.TS = tx.NextID(), tx.NextTS()
		tx.Say(m)
		res.Messages = append(res.Messages, m)
	}
	return res, nil
}

// runMonitor is the monitor on which the output of a run is shown.
func runMonitor(s *core.State, run *core.CellRun) clew.MonitorID {
	if t := s.Task(run.TaskID); t != nil {
		return t.MonitorID
	}
	return clew.MainMonitor
}

// FinishCell ends the run under way. Text and Images are what an agent hears of it that
// waits for the run. Closed are the messages of the run that end with it; others that
// grow end as they stand.
type FinishCell struct {
	clew.CellFinishedData
	Text   string
	Images []string
	Closed []clew.Message
}

func (f FinishCell) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	if n.Run == nil || n.Run.ID != f.RunID {
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "the run is not under way")
	}
	d := f.CellFinishedData
	var gone []core.CellRun
	switch d.Status {
	case clew.CellOK:
	case clew.CellError, clew.CellAborted, clew.CellInDoubt:
		if !n.Rerun.Failed(n.Run.ID, d.Status) {
			gone = sameBatch(n)
		}
	default:
		return NotebookResult{}, clew.Errorf(clew.Internal, "a run cannot end as %q", d.Status)
	}
	for _, m := range f.Closed {
		if m.Partial = false; m.Cell != nil && m.Cell.RunID == f.RunID {
			tx.Update(m)
		}
	}
	d.ErrorName, d.ErrorValue, d.Reason = clew.Clip(d.ErrorName, nameRunes), clew.Clip(d.ErrorValue, problemRunes), clew.Clip(d.Reason, problemRunes)
	endRun(tx, s, n, d, gone, callOutput{text: f.Text, images: f.Images})
	return NotebookResult{}, nil
}

// nameRunes bounds the name of an exception.
const nameRunes = 100

// sameBatch are the runs that wait and were queued together with the one under way.
func sameBatch(n *core.Notebook) (list []core.CellRun) {
	for _, r := range n.Queue {
		if r.Batch == n.Run.Batch {
			list = append(list, r)
		}
	}
	return list
}

// endRun ends the run under way and drops those behind it that will not happen.
func endRun(tx *Tx, s *core.State, n *core.Notebook, d clew.CellFinishedData, gone []core.CellRun, out callOutput) {
	run := *n.Run
	d.NotebookID, d.RunID, d.CellID, d.Dropped = n.ID, run.ID, run.CellID, runIDs(gone)
	endRunTexts(tx, s, run.ID, tx.streamed)
	cancelCellQuestion(tx, s, n.Run)
	gone = append([]core.CellRun{run}, gone...)
	out.end = &d
	d.Output, d.Images = out.keep(s, run, gone)
	tx.Add(&d)
	settleCalls(tx, s, gone, out)
}

// endRunTexts closes the growing messages of a run as they stand.
func endRunTexts(tx *Tx, s *core.State, run string, streamed streams) {
	for _, m := range s.Messages.Growing() {
		if m.Cell == nil || run != "" && m.Cell.RunID != run || updated(tx, m.MessageID) {
			continue
		}
		if o, ok := streamed[m.MessageID]; ok {
			m.Text = o.Text
		}
		m = core.WithoutOutcome(m)
		m.Partial = false
		tx.Update(m)
	}
}

// updated reports whether the batch has a message anew.
func updated(tx *Tx, id clew.MessageID) bool {
	return slices.ContainsFunc(tx.Since(0), func(e clew.Event) bool {
		d, ok := e.Data.(*clew.MessageUpdatedData)
		return ok && d.Message.MessageID == id
	})
}

// CheckpointCell says what the kernel knew after a run. Variables is the address of the
// list. Of a run that repeats another one Same says that it changed nothing otherwise, and
// Differing names what it did.
type CheckpointCell struct {
	RunID      string
	CellID     string
	StateHash  string
	Variables  string
	Same       bool
	Differing  []string
	DurationMS int64
}

const (
	differingMax   = 20 // variables that are named
	differingRunes = 40 // longest name
)

// differing are the names that may be told: the code of a cell chose them.
func (c CheckpointCell) differing() (names []string) {
	for _, name := range c.Differing {
		if len(names) < differingMax && utf8.RuneCountInString(name) <= differingRunes && !strings.ContainsFunc(name, notInName) {
			names = append(names, name)
		}
	}
	return names
}

func notInName(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }

func (c CheckpointCell) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	d := &clew.CheckpointSavedData{
		CheckpointID: core.DeriveID("cp_", s.ID, tx.seq), Kind: clew.CheckpointNotebook, TS: tx.NextTS(), ToHash: c.StateHash, DurationMS: c.DurationMS,
		SuppressMessage: true, NotebookID: n.ID, CellID: c.CellID, RunID: c.RunID, Variables: c.Variables, Same: c.Same, Differing: c.differing(),
	}
	if i := n.CellIndex(c.CellID); i >= 0 {
		d.CellIndex = &i
	}
	tx.Add(d)
	return NotebookResult{}, nil
}

// AskCellInput asks people for what the code wants to read. While the question is open,
// its repeat gives it again.
type AskCellInput struct {
	RunID    string
	Prompt   string
	Password bool
}

// promptRunes bounds what code asks.
const promptRunes = 2000

func (a AskCellInput) decide(tx *Tx, s *core.State, n *core.Notebook) (NotebookResult, error) {
	run := n.Run
	if run == nil || run.ID != a.RunID {
		return NotebookResult{}, clew.Errorf(clew.SessionInvalidState, "the run is not under way")
	}
	if run.RequestID != "" {
		return NotebookResult{Question: run.RequestID}, nil
	}
	text := clew.Clip(a.Prompt, promptRunes)
	if text == "" {
		text = "The code asks for input."
	}
	q := &clew.HitlInputRequestData{
		Ask: clew.AskFollowup, Field: "input", Question: text, InputType: clew.InputText,
		Cell: &clew.CellQuestion{NotebookID: n.ID, CellID: run.CellID, RunID: run.ID, Password: a.Password},
	}
	q.RequestID = clew.RequestID(core.DeriveID("req_", s.ID, tx.seq+uint64(tx.Len())))
	q.MonitorID, q.MessageID = runMonitor(s, run), tx.NextID()
	tx.Say(clew.Message{
		Type: clew.TypeAsk, Ask: clew.AskFollowup, Role: clew.SpeakerSystem, Text: text, MonitorID: q.MonitorID, RequestID: q.RequestID,
	})
	tx.Add(q)
	return NotebookResult{Question: q.RequestID}, nil
}

// cancelCellQuestion withdraws what the code of a run asked.
func cancelCellQuestion(tx *Tx, s *core.State, run *core.CellRun) {
	q := s.OpenQuestion(run.RequestID)
	if run.RequestID == "" || q == nil {
		return
	}
	tx.Add(&clew.HitlResolvedData{RequestID: run.RequestID, Action: clew.ResolvedCancelled, Comment: "the cell ended"})
	answered(tx, s, q.Asking().MessageID)
}

// PasswordOf says whether a question asks for what is on no record.
func PasswordOf(q *clew.Question) bool {
	if q == nil {
		return false
	}
	c := core.CellOfQuestion(*q)
	return c != nil && c.Password
}

// WithoutPassword takes the password out of an answer: the rest is decided and recorded.
// It gives the question that was answered, "" if there is no password in it.
func WithoutPassword(s *core.State, data any) (rest any, id clew.RequestID, password string) {
	named := func(id clew.RequestID) *clew.Question {
		if id == "" {
			return s.OldestQuestion()
		}
		return s.OpenQuestion(id)
	}
	switch d := data.(type) {
	case *clew.HitlInputResponseData:
		if q := named(d.RequestID); PasswordOf(q) {
			next := *d
			password, _ = d.Value.(string)
			next.Value = ""
			return &next, q.RequestID(), password
		}
	case *clew.AskResponseData:
		if q := named(d.RequestID); PasswordOf(q) && d.AskResponse != clew.NoButtonClicked {
			next := clew.AskResponseData{RequestID: d.RequestID, AskResponse: clew.MessageResponse}
			if value, ok := d.Value.(string); ok {
				return &next, q.RequestID(), value
			}
			return &next, q.RequestID(), d.Text
		}
	}
	return data, "", ""
}
