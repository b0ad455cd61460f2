package agent_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/clew-run/clew/internal/session/rewind"

	"go.uber.org/goleak"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/agent"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/files"
	"github.com/clew-run/clew/internal/tool/workspace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ann owns the sessions and the server.
var ann = clew.Principal{User: "ann", Role: clew.RoleAdmin}

// world is a host with one session, a model that plays steps, and tools on a
// workspace. Its clock stands still but for what tests wait for.
type world struct {
	*testing.T
	mem      *journaltest.Memory
	month    float64 // what the owner's sessions cost this month
	host     *session.Host
	hosts    int
	id       clew.SessionID
	dir      string
	place    *tool.Workspace
	settings *settings.Settings
	model    *model
	tools    []tool.Tool
	blobs    *blobs
	info     agent.Model
	always   bool                 // tools of servers are always allowed
	appTools map[string]tool.Tool // by server/name: what pages can call
	provider func(settings.Profile) (llm.Provider, error)
	pause    func(context.Context, time.Duration) error // nil for the clock's
	version  func() uint64                              // nil reads the settings anew at each step
	trusted  func(clew.UserID) bool                     // nil trusts all
	by       clew.Principal                             // who speaks, if not ann
	files    rewind.Files                               // nil keeps none
	personal func() project.Folder
	madeFrom string // where the session's own work tree was made
	several  bool   // each host is another node
	agent    *agent.Agent
	books    *books           // nil has no notebooks
	slots    *session.Limiter // nil has no limit
}

// profiles is what every world has in its settings. The provider is played, so
// its name is never used.
var profiles = map[string]any{"p": map[string]any{"provider": "anthropic", "model": "m-1", "max_tokens": 1000}}

// run plays a test in a world of its own, with a clock that jumps ahead when
// everybody waits. Each step answers one model call.
func run(t *testing.T, set map[string]any, fn func(w *world), steps ...step) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, set)
		w.model = &model{t: t, steps: steps}
		w.open()
		defer w.close()
		fn(w)
		if left := w.model.left(); left > 0 {
			t.Errorf("%d answers of the model were not asked for", left)
		}
	})
}

func newWorld(t *testing.T, set map[string]any) *world {
	t.Helper()
	w := &world{T: t, mem: new(journaltest.Memory), dir: t.TempDir(), blobs: &blobs{}}
	var err error
	if w.settings, err = settings.Open(t.Context(), settings.Options{Store: settings.NewMemory()}); err != nil {
		t.Fatal(err)
	}
	w.set(map[string]any{"model_profiles": profiles, "model_profile": "p"})
	w.set(set)
	if w.place, err = workspace.Open(w.dir, nil); err != nil {
		t.Fatal(err)
	}
	w.provider = func(settings.Profile) (llm.Provider, error) { return w.model, nil }
	w.tools = files.Tools()
	return w
}

func (w *world) set(values map[string]any) {
	w.Helper()
	if _, err := w.settings.Update(w.Context(), values); err != nil {
		w.Fatal(err)
	}
}

// open starts a host, and the session if there is none.
func (w *world) open() {
	w.Helper()
	w.hosts++
	node := w.mem.Node(fmt.Sprint("node", w.hosts))
	name, peers := "", session.Peers(nil)
	if w.several {
		name = fmt.Sprint("node", w.hosts)
		peers = lonely(name)
	}
	var kernels agent.Notebooks
	var work session.Notebooks
	if w.books != nil {
		kernels, work = w.books, w.books
	}
	w.agent = agent.New(agent.Config{
		Notebooks: kernels, Node: name, MonthCost: func(clew.UserID) float64 { return w.month }, Settings: w.settings, Blobs: w.blobs, Log: slog.New(slog.DiscardHandler),
		Provider:      func(p settings.Profile) (llm.Provider, error) { return w.provider(p) },
		Model:         func(settings.Profile) agent.Model { return w.info },
		Tools:         func(context.Context) []tool.Tool { return w.tools },
		AlwaysAllowed: func(tool.Spec) bool { return w.always },
		AppTool: func(_ context.Context, server, name string) (tool.Tool, bool) {
			t, ok := w.appTools[server+"/"+name]
			return t, ok
		},
		Pause:    w.pause,
		Version:  w.version,
		Trusted:  w.trusted,
		Files:    w.files,
		Personal: w.personal,
		MadeFrom: func(clew.SessionID) string { return w.madeFrom },
		Workspace: func(_ clew.SessionID, _ clew.UserID, dir string, _ settings.Values) (*tool.Workspace, error) {
			if dir == "" {
				return nil, clew.Errorf(clew.SessionInvalidState, "the session has no directory")
			}
			return workspace.Open(dir, nil)
		},
	})
	var slots session.Slots
	if w.slots != nil {
		slots = w.slots
	}
	w.host = session.NewHost(session.Config{Notebooks: work, Slots: slots, Journal: node, Peers: peers, Index: node, Agent: w.agent, Blobs: w.blobs, Files: w.files, Log: slog.New(slog.DiscardHandler), Rules: rules{w}})
	if w.id != "" {
		return
	}
	var err error
	if w.id, err = w.host.Create(w.Context(), ann, session.NewSession{Workspace: w.dir}); err != nil {
		w.Fatal(err)
	}
}

// rules are kept as the server keeps them.
type rules struct{ w *world }

func (r rules) Keep(ctx context.Context, k core.KeptRule) error {
	return r.w.settings.Keep(ctx, settings.KeptRule{ID: k.ID, Owner: k.Owner, Dir: k.Workspace, Tool: k.Tool, Pattern: k.Pattern, TS: k.TS})
}

func (r rules) Drop(ctx context.Context, owner clew.UserID, id clew.RequestID) error {
	_, err := r.w.settings.Unkeep(ctx, owner, id)
	return err
}

func (w *world) close() {
	w.host.Close(context.Background())
	w.settings.Close()
	_ = workspace.Close(w.place)
}

// crash stops the host in the middle of whatever it does, and has another one
// take over from the journal.
func (w *world) crash() {
	w.Helper()
	w.host.Close(context.Background())
	w.mem.Down(fmt.Sprint("node", w.hosts))
	w.open()
	if err := w.host.Wake(w.Context(), w.id); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
}

// commandOf finds the command whose data this is.
func commandOf(data any) clew.CommandType {
	for _, info := range clew.Commands {
		if fmt.Sprintf("*%T", info.Data) == fmt.Sprintf("%T", data) {
			return info.Type
		}
	}
	return ""
}

// try sends a command and waits until nothing moves any more.
func (w *world) try(data any) error {
	by := ann
	if w.by.User != "" {
		by = w.by
	}
	_, err := w.host.Do(w.Context(), w.id, clew.Command{Type: commandOf(data), By: by, Data: data})
	synctest.Wait()
	return err
}

func (w *world) do(data any) {
	w.Helper()
	if err := w.try(data); err != nil {
		w.Fatal(err)
	}
}

func (w *world) say(text string) { w.Helper(); w.do(&clew.UserMessageData{Text: text}) }

// answer settles the oldest open question.
func (w *world) answer(action clew.Choice, comment ...string) {
	w.Helper()
	q := w.question()
	if q == nil {
		w.Fatalf("no question is open\n%s", w.story())
	}
	w.do(&clew.HitlApprovalResponseData{RequestID: q.RequestID(), Action: action, Comment: strings.Join(comment, " ")})
}

func (w *world) yes() { w.Helper(); w.answer(clew.ChoiceApprove) }
func (w *world) no()  { w.Helper(); w.answer(clew.ChoiceReject) }

func (w *world) state() clew.SessionState {
	w.Helper()
	watch, err := w.host.Watch(w.Context(), w.id)
	if err != nil {
		w.Fatal(err)
	}
	defer watch.Close()
	st, err := watch.State(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	return st
}

func (w *world) question() *clew.Question { w.Helper(); return w.state().HitlPending }

// asked checks which question is open, "" for none, and gives it.
func (w *world) asked(ask clew.Ask) *clew.HitlApprovalRequestData {
	w.Helper()
	q := w.question()
	if q == nil {
		if ask != "" {
			w.Fatalf("no question is open, want %s\n%s", ask, w.story())
		}
		return nil
	}
	d, _ := q.Data.(*clew.HitlApprovalRequestData)
	if d == nil || d.Ask != ask {
		w.Fatalf("the question is %+v, want %q\n%s", q.Data, ask, w.story())
	}
	return d
}

// idle checks that nothing is under way.
func (w *world) idle() {
	w.Helper()
	if st := w.state(); st.HitlPending != nil || st.Monitors[0].Busy {
		w.Fatalf("the session is %s with question %+v\n%s", st.Status, st.HitlPending, w.story())
	}
}

func (w *world) tasks() []clew.HistoryItem {
	w.Helper()
	o, err := w.host.Overview(w.Context(), w.id)
	if err != nil {
		w.Fatal(err)
	}
	return o.Tasks
}

// events gives the data of all records of a kind.
func events[T any](w *world) []T {
	w.Helper()
	var list []T
	for r, err := range w.mem.Node("reader").Read(w.Context(), w.id, 1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		var zero T
		info, ok := clew.EventInfoOf(r.Type)
		if !ok || fmt.Sprintf("%T", info.Data) != fmt.Sprintf("%T", zero) {
			continue
		}
		if err := json.Unmarshal(r.Data(), &zero); err != nil {
			w.Fatal(err)
		}
		list = append(list, zero)
	}
	return list
}

// types lists the kinds of all records.
func (w *world) types() []clew.EventType {
	var list []clew.EventType
	for r, err := range w.mem.Node("reader").Read(w.Context(), w.id, 1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		list = append(list, r.Type)
	}
	return list
}

// messages gives the messages of a kind as they stand.
func (w *world) messages(kind string) []clew.Message {
	w.Helper()
	var list []clew.Message
	for _, m := range w.state().Messages {
		if string(m.Say) == kind || string(m.Ask) == kind {
			list = append(list, m)
		}
	}
	return list
}

// said is the text of the only message of a kind.
func (w *world) said(kind clew.Say) string {
	w.Helper()
	list := w.messages(string(kind))
	if len(list) != 1 {
		w.Fatalf("%d messages of kind %s\n%s", len(list), kind, w.story())
	}
	return list[0].Text + list[0].Reasoning
}

// result gives what a call came to.
func (w *world) result(call string) clew.ToolProgressData {
	w.Helper()
	for _, d := range events[clew.ToolProgressData](w) {
		if d.ToolCallID == call && d.Status != clew.ToolRunning {
			return d
		}
	}
	w.Fatalf("call %s has no result\n%s", call, w.story())
	return clew.ToolProgressData{}
}

// story is the transcript, for failures.
func (w *world) story() string {
	var b strings.Builder
	for _, m := range w.state().Messages {
		fmt.Fprintf(&b, "%s %s%s %.120q\n", m.MessageID, m.Ask, m.Say, m.Text+m.Reasoning)
	}
	for _, d := range events[clew.ErrorData](w) {
		fmt.Fprintf(&b, "error %+v\n", d)
	}
	return b.String()
}

// blobs keeps blobs in memory.
type blobs struct {
	mu   sync.Mutex
	kept map[string][]byte
	fail error
	put  func() // nil does nothing
}

func (b *blobs) PutBlob(_ context.Context, _ blob.For, data []byte) (string, error) {
	if b.put != nil {
		b.put()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kept == nil {
		b.kept = map[string][]byte{}
	}
	sum := sha256.Sum256(data)
	address := hex.EncodeToString(sum[:])
	b.kept[address] = data
	return address, b.fail
}

func (b *blobs) Blob(_ context.Context, address string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.kept[address]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return data, nil
}
