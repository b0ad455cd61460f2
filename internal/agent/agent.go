// Package agent works on turns: it asks the model, runs the tools that the
// model calls, and asks people where policy says so. Everything it knows comes
// from the records and everything it does goes on record, so a turn goes on
// after a crash, or after days, from where it stood.
package agent

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/clew-run/clew/internal/planted"
	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/run"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// Settings is what the agent reads of the settings.
type Settings interface {
	For(overlay map[string]any) (settings.Values, []settings.Problem)
	CheckSession(changes map[string]any) error
}

// Blobs keeps what is too large for a record.
type Blobs interface {
	PutBlob(ctx context.Context, by blob.For, data []byte) (address string, err error)
	Blob(ctx context.Context, address string) ([]byte, error)
}

// Config is what an agent works with.
type Config struct {
	Settings Settings
	// Provider gives the provider of a model profile.
	Provider func(p settings.Profile) (llm.Provider, error)
	// Model says what a profile's model can take and costs.
	Model func(p settings.Profile) Model
	// Tools gives the tools beside the agent's own.
	Tools func(ctx context.Context) []tool.Tool
	// AlwaysAllowed says of a tool server's tool whether a person allowed it, as
	// it is now, once and for all.
	AlwaysAllowed func(spec tool.Spec) bool
	// AppTool gives a tool server's tool to a page of that server, if it is for pages;
	// nil gives none.
	AppTool func(ctx context.Context, server, name string) (tool.Tool, bool)
	// Notebooks says how cells of notebooks run; nil has no notebooks.
	Notebooks Notebooks
	// MonthCost says what a person's sessions cost this month; nil = nobody counts.
	MonthCost func(owner clew.UserID) float64
	Clock     clock.Clock // nil = the machine's
	// Workspace opens a session's directory, for as long as the agent works.
	Workspace func(id clew.SessionID, owner clew.UserID, dir string, v settings.Values) (*tool.Workspace, error)
	// MadeFrom gives the directory that a session's own work tree was made from, "" if it
	// has none; nil has none.
	MadeFrom func(id clew.SessionID) string
	// Todos gives todos work trees of their own; nil has none.
	Todos TodoTrees
	// Node is this node's name, "" if it is alone: then it has all files. Home is
	// the directory of a session that was made without one.
	Node string
	Home func(id clew.SessionID) string
	// Trusted says whether the server trusts a session's owner with its own
	// rights; nil trusts all. Commands of others run in a sandbox or not at all.
	Trusted func(owner clew.UserID) bool
	// Version changes whenever the settings or the tools do. Without it they are
	// read anew at each step.
	Version func() uint64
	Blobs   Blobs
	// Instructions is the file of the person who runs the server that is part of
	// every prompt, "" for none.
	Instructions string
	// Personal gives the folders of the person who runs the server that have skills
	// and commands; nil has none.
	Personal func() project.Folder
	// Surroundings says what the prompt tells of the world around a directory, ""
	// if the session has none; nil tells nothing. It is asked at each step.
	Surroundings func(dir string) string
	// Refers says whether a session has a blob; nil says so of all.
	Refers func(ctx context.Context, id clew.SessionID, address string) (bool, error)
	// Files looks after workspaces; nil has nobody do so.
	Files rewind.Files
	Log   *slog.Logger
	// ReportFont is a TTF for what the built-in fonts of reports lack.
	ReportFont []byte
	// Pause waits before a model call is tried again.
	Pause func(ctx context.Context, d time.Duration) error
}

// A Model is what the agent has to know of a model.
type Model struct {
	ContextWindow int
	MaxOutput     int
	Cost          func(clew.Usage) float64
	Unpriced      bool // nobody knows what it costs
	Free          bool // a call costs nothing and can be made again unasked
	NoImages      bool // it is known to take none
}

// An Agent works on the turns of all sessions. Safe for concurrent use.
type Agent struct {
	cfg   Config
	cache cache
	lanes perUserQueue
	rests rests
}

// New makes an agent.
func New(cfg Config) *Agent {
	if cfg.Pause == nil {
		cfg.Pause = pause
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.System()
	}
	return &Agent{cfg: cfg}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Steers implements session.Rules.
func (a *Agent) Steers(overlay map[string]any) bool {
	v := a.valuesFor(overlay)
	return v.MessageArrival != "queue"
}

// AutoApproval implements session.Rules.
func (a *Agent) AutoApproval(overlay map[string]any) clew.AutoApprovalFlags {
	v := a.valuesFor(overlay)
	return clew.AutoApprovalFlags{
		AutoApprovalEnabled: v.AutoApproval, AlwaysAllowReadOnly: v.AllowReadOnly, AlwaysAllowWrite: v.AllowWrite,
		AlwaysAllowExecute: v.AllowExecute, AlwaysAllowBrowser: v.AllowBrowser, AlwaysAllowMcp: v.AllowMcp,
	}
}

// CheckSettings implements session.Rules.
func (a *Agent) CheckSettings(changes map[string]any) error {
	if err := a.cfg.Settings.CheckSession(changes); err != nil {
		return err
	}
	mode, ok := changes["mode"].(string)
	if !ok {
		return nil
	}
	v, _ := a.cfg.Settings.For(changes) // it may bring its modes along
	if _, ok := settings.FindMode(settings.Modes(v, nil), mode); !ok {
		return clew.Errorf(clew.SettingsInvalid, "there is no mode %q", mode)
	}
	return nil
}

// Budgeted implements session.Rules.
func (a *Agent) Budgeted() bool {
	v := a.valuesFor(nil)
	return v.BudgetUSD > 0 || v.BudgetTokens > 0 || v.BudgetMonthUSD > 0 || v.BudgetTimeSec > 0
}

// ReminderSec implements session.Rules.
func (a *Agent) ReminderSec(overlay map[string]any) int {
	v := a.valuesFor(overlay)
	return v.ReminderSec
}

// Agents implements session.Rules.
func (a *Agent) Agents(overlay map[string]any) core.AgentRules {
	v := a.valuesFor(overlay)
	return core.AgentRules{Monitors: v.MonitorsMax, Ephemeral: v.EphemeralAgents, Wakes: v.WakesMax, KernelAfterRewind: clew.KernelPolicy(v.KernelAfterRewind), Budget: core.MonitorBudget{
		Turns: v.MonitorMaxConcurrent, Actions: v.MonitorMaxActionsPerMin, Bytes: v.MonitorMaxOutputPerMin,
	}}
}

// Run implements session.Rules.
func (a *Agent) Run(overlay map[string]any) run.Rules {
	v := a.valuesFor(overlay)
	return run.Rules{
		Parallel: v.RunParallelTodos, MaxTodos: v.RunMaxTodos, MaxRetries: v.RunMaxRetries, ApprovalUSD: v.RunApprovalUSD,
		ReviewSec: v.PlanReviewTimeout, ApprovalSec: v.RunApprovalTimeout, InputSec: v.RunInputTimeout, ClarifySec: v.ClarifyTimeout,
	}
}

// CheckMode implements session.Rules.
func (a *Agent) CheckMode(overlay map[string]any, mode string) error {
	v := a.valuesFor(overlay)
	if _, ok := settings.FindMode(settings.Modes(v, nil), mode); !ok {
		return clew.Errorf(clew.InvalidMessage, "there is no mode %q", mode)
	}
	return nil
}

type valuesKey struct{}

// ValuesOf gives the settings that hold for the call that ctx belongs to.
func ValuesOf(ctx context.Context) (settings.Values, bool) {
	v, ok := ctx.Value(valuesKey{}).(settings.Values)
	return v, ok
}

// Work implements session.Agent. Each step is taken from the task as it stands
// on record; so it does not matter who took the step before, or when.
func (a *Agent) Work(ctx context.Context, _ core.Turn, _ clew.Message, desk *session.TurnContext) error {
	w := &worker{Agent: a, desk: desk, begun: map[string]*preparedCall{}}
	defer w.closePlaces()
	for ctx.Err() == nil {
		v, err := desk.View()
		if err != nil {
			return nil // the turn is over, or the session leaves this node
		}
		more, err := w.step(ctx, w.placed(ctx, v))
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// worker is the agent at one stretch of a turn.
type worker struct {
	*Agent
	desk *session.TurnContext
	// begun holds the calls that this worker recorded as begun: those it runs.
	// What else is on record as running was begun before a crash.
	begun map[string]*preparedCall
	// asking is the model call that this worker put on record and has not made
	// yet. Any other that is on record was cut by a crash.
	asking clew.MessageID
	// weight is the estimate of the first weighed messages of the history.
	weight, weighed, behind int
	// tooLong counts how often the provider said that the history is too long,
	// noRoom that nothing was done about it since.
	tooLong int
	noRoom  bool
	// readFor is the turn for which the project's instructions were read.
	readFor clew.MessageID
	todoPlace
	toolSet
}

// step does what comes next. It reports whether there may be more to do at
// once; if not, the turn is over or waits.
func (w *worker) step(ctx context.Context, v session.View) (more bool, err error) {
	mine := v.Task.Request != "" && v.Task.Request == w.asking
	if v.Held && !mine && !w.busy(v.Task) {
		return false, nil // the run is paused: what was begun ends, nothing new begins
	}
	if !mine && !w.under(v.Task) {
		if missing := w.missing(v); missing != nil && !planted.Bug("files of another node not missed") {
			return false, w.askForFiles(v, *missing)
		}
		if err := w.equip(ctx, v); err != nil {
			return false, err
		}
	}
	ctx = context.WithValue(ctx, valuesKey{}, w.values)
	switch {
	case mine:
		return w.call(ctx, v, nil)
	case v.Task.Request != "" && v.Task.Condensing:
		return w.dropSummary()
	case v.Task.Request != "":
		return w.recall(ctx, v)
	case len(v.Task.Calls) > 0:
		return w.handle(ctx, v)
	case v.Task.Server != "": // a page's one call has its result
		return false, w.endTurn()
	case v.Blocked: // a person decides first, be it about another task of the run
		return false, nil
	}
	switch w.needs(v) {
	case needSummary:
		return w.condense(ctx, v)
	case needRoom:
		return w.makeRoom(v)
	case needNothing:
	}
	if !unheard(v.Task) {
		return false, w.endTurn()
	}
	if changed, err := w.readInstructions(ctx, v); changed || err != nil {
		return changed, err
	}
	return w.think(ctx, v)
}

// under reports whether all that is left to do is to run calls that the step
// before began: they run with what they were decided with.
func (w *worker) under(t core.Task) bool {
	for _, c := range t.Calls {
		if c.Status != core.CallDone && (c.Status != core.CallRunning || w.begun[c.ID] == nil) {
			return false
		}
	}
	return len(t.Calls) > 0 && t.Request == ""
}

// busy reports whether a call is left to run that this worker began: nobody
// else would know whether it ran.
func (w *worker) busy(t core.Task) bool {
	return slices.ContainsFunc(t.Calls, func(c core.Call) bool { return c.Status == core.CallRunning && w.begun[c.ID] != nil })
}

// unheard reports whether the model has something to answer to.
func unheard(t core.Task) bool {
	if t.Turn.Prompt != nil || len(t.Inbox) > 0 {
		return true
	}
	return !t.Turn.Condense && len(t.History) > 0 && t.History[len(t.History)-1].Role == clew.SpeakerUser
}

// endTurn ends the turn.
func (w *worker) endTurn() error {
	_, err := w.desk.Do(decide.EndTurn{})
	return ignoreTurnOver(err)
}

// ignoreTurnOver takes the error of a turn that ended meanwhile for no error: somebody
// interrupted it.
func ignoreTurnOver(err error) error {
	if clew.CodeOf(err) == clew.SessionInvalidState {
		return nil
	}
	return err
}
