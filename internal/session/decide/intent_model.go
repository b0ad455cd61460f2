package decide

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/history"
	"github.com/clew-run/clew/internal/session/core"
)

// A ModelCall is a call to a model that is about to be made.
type ModelCall struct {
	Reserve  clew.Usage // what it may use at most
	Limits   Limits
	Protocol clew.APIProtocol
	Provider string
	Model    string
	// Mentioned holds, by message, what the agent read of the files that it mentions.
	Mentioned map[clew.MessageID]Mentioned
}

// Mentioned is what the model gets beside a message that mentions files.
type Mentioned struct {
	Parts []clew.Part
	Note  string // for people, "" for none
}

// hears lists the messages that go with the call. One that came meanwhile and mentions
// files, and those behind it, go with the next call: nobody has read its files yet.
func (c ModelCall) hears(t *core.Task) []core.Input {
	list := Waiting(t)
	for i, in := range list {
		if _, read := c.Mentioned[in.MessageID]; !read && len(clew.Mentions(in.Text)) > 0 {
			return list[:i]
		}
	}
	return list
}

// start records with what a model call begins: what the model has not heard yet,
// and that it is asked.
func (r *recorder) start(c ModelCall) {
	r.res.History = slices.Clip(r.t.History)
	for _, w := range r.s.FailedWindows(r.t) {
		m := clew.ModelMessage{Role: clew.SpeakerUser, Content: clew.List[clew.Part]{{Type: clew.PartText, Text: notDrawn(w)}}, TS: r.tx.NextTS(), MessageID: w.Untold}
		r.toModel(m, 0)
		r.res.History = append(r.res.History, m)
	}
	for i, in := range c.hears(r.t) {
		files := c.Mentioned[in.MessageID]
		if files.Note != "" {
			r.say(clew.Message{Say: clew.SayFilesAttached, Role: clew.SpeakerSystem, Text: files.Note})
		}
		m := Heard(in, r.tx.NextTS())
		m.Content = append(m.Content, files.Parts...)
		d := r.toModel(m, 0)
		if i == 0 {
			tell(d, r.s.Preamble(r.t))
			m, r.res.Told = d.Message, d.TimelineTo > 0
		}
		r.res.History = append(r.res.History, m)
	}
	r.res.Started = true
	r.res.Request = r.say(clew.Message{
		Say: clew.SayAPIReqStarted, Role: clew.SpeakerSystem, Reserved: &c.Reserve, APIProtocol: c.Protocol,
		Metadata: map[string]any{"provider": c.Provider, "model": c.Model},
	})
}

// tell puts what the model is told beside somebody's words in front of them, to the
// letter: who reads the record knows what the model heard.
func tell(d *clew.ModelMessageData, p core.Preamble) {
	if p.Text != "" {
		d.Message.Content = append(clew.List[clew.Part]{{Type: clew.PartText, Text: p.Text}}, d.Message.Content...)
		d.TimelineTo, d.WindowsHash = p.TimelineTo, p.WindowsHash
	}
}

// StartModelCall puts on record that the model is asked, unless nothing new may
// begin or a limit has to be asked about first.
type StartModelCall struct {
	Files *SeenFiles
	Call  ModelCall
}

func (m StartModelCall) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	if !s.MayBegin(t) {
		return Result{}, nil
	}
	r := recorder{tx: tx, s: s, t: t}
	r.files(m.Files)
	if q := m.Call.Limits.question(spentBy(tx, s, t), m.Call.Reserve); q != nil {
		r.ask(*q)
		return r.res, nil
	}
	r.start(m.Call)
	return r.res, nil
}

// RecordAnswer records the model's answer, and with it which of its calls begin,
// which ask and which are refused.
type RecordAnswer struct {
	Texts    []clew.Message // what was streamed, closed
	Said     clew.MessageID // the last of them with words, "" if there is none
	Parts    []clew.Part
	Words    string // of the parts, for a parent that waits for them
	Usage    clew.Usage
	Protocol clew.APIProtocol
	Provider string
	Model    string
	Stop     string
	Cut      bool // the answer reached the limit of its length

	// Current says that the plans were made by what holds now; else they wait.
	Current bool
	Files   *SeenFiles
	Plans   []CallPlan
	Most    int // calls that may run without a person, 0 for any number
}

func (a RecordAnswer) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	r.update(a.Texts)
	belongs := a.Said
	if belongs == "" {
		belongs = t.Request
	}
	r.toModel(clew.ModelMessage{Role: clew.SpeakerAssistant, Content: a.Parts, TS: tx.NextTS(), MessageID: belongs}, 0)
	r.say(clew.Message{
		Say: clew.SayAPIReqFinished, Role: clew.SpeakerSystem, Usage: &a.Usage, APIProtocol: a.Protocol,
		Metadata: map[string]any{"model": a.Model, "stop": a.Stop},
	})
	if a.Provider != "" && a.Provider == s.FailingProvider { // it is back
		tx.Add(&clew.ProviderStatusData{Status: clew.ProviderConnected, Provider: a.Provider})
	}
	total := r.used(a.Usage)
	held := s.HoldAfter(t, core.OutputSize(a.Parts), tx.NextTS())
	if held > 0 {
		tx.Add(&clew.MonitorHeldData{MonitorID: t.MonitorID, UntilMS: held})
	}
	if a.Cut {
		r.say(clew.Message{Say: clew.SayError, Role: clew.SpeakerSystem, Text: "The answer was cut: it reached the limit of its length."})
	}
	if a.Current && held == 0 && s.MayBegin(t) { // else they stay as they are until the run goes on
		r.files(a.Files)
		r.decideCalls(a.Plans, a.Most)
	}
	switch {
	case len(a.Plans) > 0:
	case t.ParentTaskID == "":
		tx.Add(&clew.TaskIdleData{TaskRef: t.TaskRef})
	case len(t.Inbox) == 0: // a subtask that just answers has its result in that
		r.total = &total
		r.end(a.Words, nil, counts(t.ToolUsage))
	}
	return r.res, nil
}

// used records what a model call used, and gives the task's sum.
func (r *recorder) used(u clew.Usage) clew.Usage {
	total := r.t.Usage.Add(u)
	total.CostUSD = math.Round(total.CostUSD*1e9) / 1e9
	r.tx.Add(&clew.TaskTokenUsageUpdatedData{TaskRef: r.t.TaskRef, TokenUsage: total, ToolUsage: counts(r.t.ToolUsage)})
	return total
}

// AskRetry asks what to do about a model call that failed. Texts are what it had
// streamed; if they are not known, the task's growing messages are closed.
type AskRetry struct {
	Known    bool
	Texts    []clew.Message
	Provider string
	Status   clew.ProviderConnection // whether it said that it failed, or nothing
	Why      string
	Question clew.HitlApprovalRequestData
}

func (a AskRetry) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if a.Known {
		r.update(a.Texts)
	} else {
		CloseOpenTexts(tx, s, t)
	}
	tx.Add(&clew.ProviderStatusData{Status: a.Status, Provider: a.Provider, Message: a.Why})
	r.ask(a.Question)
	return Result{}, nil
}

// StartSummary puts on record that a model is asked for a summary: budgets hold
// for that, too.
type StartSummary struct{ Call ModelCall }

func (m StartSummary) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	if !s.MayBegin(t) {
		return Result{}, nil
	}
	r := recorder{tx: tx, s: s, t: t}
	c := m.Call
	if q := c.Limits.question(spentBy(tx, s, t), c.Reserve); q != nil {
		r.ask(*q)
		return Result{}, nil
	}
	id := idOf("cond", tx.FirstID())
	r.say(clew.Message{
		Say: clew.SayAPIReqStarted, Role: clew.SpeakerSystem, Reserved: &c.Reserve, APIProtocol: c.Protocol,
		ContextCondense: &clew.ContextCondense{CondenseID: id},
		Metadata:        map[string]any{"provider": c.Provider, "model": c.Model, "purpose": "condense"},
	})
	return Result{Started: true, Summary: id}, nil
}

func idOf(prefix string, id clew.MessageID) string {
	return prefix + "_" + strings.TrimPrefix(string(id), "msg_")
}

// EndSummary records a summary and what it hides, or that there is none, with what
// it cost. All of it is one batch: a history is never changed by half.
type EndSummary struct {
	ID     string // of the summary, "" if the model was not asked
	Asked  bool   // the model was
	Failed string // why there is none, in words for people, "" if there is one
	Text   string
	Heard  string // the same as the model hears it, in the place of Hides messages
	Hides  int

	TokensBefore, TokensAfter int64

	Usage    *clew.Usage // of the call, nil if it gave none
	Protocol clew.APIProtocol
	Model    string
}

func (e EndSummary) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	r := recorder{tx: tx, s: s, t: t}
	if e.ID == "" {
		e.ID = idOf("cond", tx.FirstID())
	}
	cost := e.spent(&r)
	switch {
	case e.Failed != "" && e.Asked && e.Usage == nil && !s.MayBegin(t): // the run was paused while it was to be tried again
		r.say(clew.Message{Say: clew.SayAPIReqDeleted, Role: clew.SpeakerSystem, Text: "The summary is put off."})
	case e.Failed != "":
		r.say(clew.Message{
			Say: clew.SayCondenseContextError, Role: clew.SpeakerSystem, Text: e.Failed,
			ContextCondense: &clew.ContextCondense{CondenseID: e.ID, TokensBefore: e.TokensBefore, CostUSD: cost},
		})
	default:
		said := r.say(clew.Message{
			Say: clew.SayCondenseContext, Role: clew.SpeakerSystem,
			Text: fmt.Sprintf("A summary takes the place of %d messages to the model: about %d tokens are now %d.", e.Hides, e.TokensBefore, e.TokensAfter),
			ContextCondense: &clew.ContextCondense{
				CondenseID: e.ID, Summary: e.Text, TokensBefore: e.TokensBefore, TokensAfter: e.TokensAfter, CostUSD: cost,
			},
		})
		r.cover(history.Summary(e.ID, e.Heard, 0), said, e.Hides)
		return Result{Summary: e.ID}, nil
	}
	return Result{}, nil
}

// spent records what the call for a summary used.
func (e EndSummary) spent(r *recorder) float64 {
	if e.Usage == nil {
		return 0
	}
	usage := *e.Usage
	r.say(clew.Message{
		Say: clew.SayAPIReqFinished, Role: clew.SpeakerSystem, Usage: &usage, APIProtocol: e.Protocol,
		ContextCondense: &clew.ContextCondense{CondenseID: e.ID},
		Metadata:        map[string]any{"model": e.Model, "purpose": "condense"},
	})
	r.used(usage)
	return usage.CostUSD
}

// cover puts a summary or a marker in the place of the first n messages.
func (r *recorder) cover(m clew.ModelMessage, said clew.MessageID, n int) {
	m.TS, m.MessageID = r.tx.NextTS(), said
	r.toModel(m, n)
}

// TruncateHistory leaves the oldest messages to the model out.
type TruncateHistory struct{ Oldest int }

func (h TruncateHistory) decide(tx *Tx, s *core.State, t *core.Task) (Result, error) {
	if !s.MayBegin(t) {
		return Result{}, nil
	}
	r := recorder{tx: tx, s: s, t: t}
	id := idOf("trunc", tx.FirstID())
	said := r.say(clew.Message{
		Say: clew.SaySlidingWindowTruncation, Role: clew.SpeakerSystem,
		Text:              fmt.Sprintf("The model no longer hears the %d oldest messages: all together are too long for it.", h.Oldest),
		ContextTruncation: &clew.ContextTruncation{TruncationID: id, Hidden: h.Oldest},
	})
	r.cover(history.Marker(t.History, h.Oldest, id, 0), said, h.Oldest)
	return Result{}, nil
}
