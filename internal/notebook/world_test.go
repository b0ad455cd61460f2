package notebook_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/notebook"
	"github.com/clew-run/clew/internal/notebook/jupytertest"
	"github.com/clew-run/clew/internal/notebook/kerneltest"
	"github.com/clew-run/clew/internal/notebook/process"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/rewind"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/internal/tool/workspace"
)

var ann = clew.Principal{User: "ann", Role: clew.RoleAdmin}

// patience is how long a test waits for what has to come, while nothing else does.
const patience = 60 * time.Second

// A world is a host with one session whose notebooks are run, and a fold of its records
// that knows nothing of the program's own.
type world struct {
	*testing.T
	mem      *journaltest.Memory
	dir      string
	kernels  notebook.Kernels
	blobs    *blobs
	settings *settings.Settings
	host     *session.Host
	runner   *notebook.Runner
	hosts    int
	patient  time.Duration // how long the runner waits for a kernel's answer, if not as usual
	saying   time.Duration // how long it waits until a kernel says what it knows, if not as usual
	files    rewind.Files  // nil has no checkpoints
	id       clew.SessionID
	notebook string

	moved    chan struct{} // holds a token when there may be new records
	read     uint64
	started  []clew.CellStartedData
	finished map[string]clew.CellFinishedData
	queued   []string
	kernel   []clew.KernelChangedData
	saved    []clew.NotebookSavedData
	opened   *clew.NotebookReadData
	points   []clew.CheckpointSavedData
	asked    []clew.HitlInputRequestData
	order    []clew.MessageID
	message  map[clew.MessageID]clew.Message
	records  []clew.Record
}

func newWorld(t *testing.T, kernels notebook.Kernels) *world {
	t.Helper()
	w := &world{
		T: t, mem: new(journaltest.Memory), dir: t.TempDir(), kernels: kernels, blobs: &blobs{}, moved: make(chan struct{}, 1),
		finished: map[string]clew.CellFinishedData{}, message: map[clew.MessageID]clew.Message{},
	}
	var err error
	if w.settings, err = settings.Open(t.Context(), settings.Options{Store: settings.NewMemory()}); err != nil {
		t.Fatal(err)
	}
	w.open()
	t.Cleanup(func() {
		w.close()
		w.settings.Close()
	})
	return w
}

// open starts a host, and the session if there is none.
func (w *world) open() {
	w.Helper()
	w.hosts++
	node := w.mem.Node(fmt.Sprint("node", w.hosts))
	log := slog.New(slog.NewTextHandler(w.Output(), nil))
	w.runner = notebook.New(notebook.Config{
		Settings: w.settings, Kernels: w.kernels, Blobs: w.blobs, Spool: w.TempDir(), Log: log,
		Workspace: func(_ clew.SessionID, _ clew.UserID, dir string, _ settings.Values) (*tool.Workspace, error) {
			return workspace.Open(dir, nil)
		},
	})
	if w.patient > 0 {
		w.runner.AnswerWithin(w.patient)
	}
	if w.saying > 0 {
		w.runner.CheckpointWithin(w.saying)
	}
	w.runner.Hold(w.Context())
	w.host = session.NewHost(session.Config{
		Journal: node, Index: node, Blobs: w.blobs, Notebooks: w.runner, Files: w.files, Log: log,
		Appended: func(clew.SessionID, uint64) {
			select {
			case w.moved <- struct{}{}:
			default:
			}
		},
	})
	if w.id != "" {
		return
	}
	var err error
	if w.id, err = w.host.Create(w.Context(), ann, session.NewSession{Workspace: w.dir}); err != nil {
		w.Fatal(err)
	}
}

// close stops the server; kernels go on.
func (w *world) close() {
	w.host.Close(context.Background())
	w.runner.Close()
}

// crash stops the server in the middle of whatever it does, and starts another one.
func (w *world) crash() {
	w.Helper()
	w.close()
	w.mem.Down(fmt.Sprint("node", w.hosts))
	w.open()
	if err := w.host.Wake(w.Context(), w.id); err != nil {
		w.Fatal(err)
	}
}

func commandOf(data any) clew.CommandType {
	for _, info := range clew.Commands {
		if fmt.Sprintf("*%T", info.Data) == fmt.Sprintf("%T", data) {
			return info.Type
		}
	}
	return ""
}

func (w *world) try(data any) error {
	_, err := w.host.Do(w.Context(), w.id, clew.Command{Type: commandOf(data), By: ann, Data: data})
	return err
}

func (w *world) do(data any) {
	w.Helper()
	if err := w.try(data); err != nil {
		w.Fatal(err)
	}
}

// fold takes in what is on record by now.
func (w *world) fold() {
	for r, err := range w.mem.Node("reader").Read(w.Context(), w.id, w.read+1, 1<<40) {
		if err != nil {
			w.Fatal(err)
		}
		w.read = r.Seq
		w.records = append(w.records, r)
		ev, err := clew.DecodeEvent(r.Type, r.Data())
		if err != nil {
			w.Fatal(err)
		}
		w.take(r, ev.Data)
	}
}

func (w *world) take(r clew.Record, data any) {
	switch d := data.(type) {
	case *clew.NotebookOpenedData:
		w.notebook = d.NotebookID
	case *clew.NotebookReadData:
		w.opened = d
	case *clew.CellQueuedData:
		for _, run := range d.Runs {
			w.queued = append(w.queued, run.RunID)
		}
	case *clew.CellStartedData:
		w.started = append(w.started, *d)
	case *clew.CellFinishedData:
		w.finished[d.RunID] = *d
	case *clew.KernelChangedData:
		w.kernel = append(w.kernel, *d)
	case *clew.NotebookSavedData:
		w.saved = append(w.saved, *d)
	case *clew.CheckpointSavedData:
		w.points = append(w.points, *d)
	case *clew.HitlInputRequestData:
		w.asked = append(w.asked, *d)
	case *clew.MessageCreatedData:
		id := r.MessageID()
		w.order = append(w.order, id)
		m := d.Message
		m.MessageID = id
		w.message[id] = m
	case *clew.MessageUpdatedData:
		w.message[d.Message.MessageID] = d.Message
	}
}

// until waits until something is on record.
func (w *world) until(what string, is func() bool) {
	w.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		w.fold()
		if is() {
			return
		}
		select {
		case <-w.moved: // much may have to come on a busy machine
			late.Reset(patience)
		case <-late.C:
			w.Fatalf("%s did not come\n%s", what, w.story())
		}
	}
}

func (w *world) story() string {
	var b strings.Builder
	for _, r := range w.records[max(0, len(w.records)-60):] {
		data := string(r.Data())
		fmt.Fprintf(&b, "%d %s %s\n", r.Seq, r.Type, data[:min(len(data), 300)])
	}
	return b.String()
}

// begin opens a notebook without a file.
func (w *world) begin() {
	w.Helper()
	w.do(&clew.NotebookOpenData{})
	w.until("the notebook", func() bool { return w.opened != nil })
}

// start runs code and does not wait for it. It gives the run's id.
func (w *world) start(code string) string {
	w.Helper()
	w.fold()
	before := len(w.queued)
	w.do(&clew.KernelExecuteData{KernelTarget: clew.KernelTarget{NotebookID: w.notebook}, Code: code})
	w.until("the run", func() bool { return len(w.queued) > before })
	return w.queued[len(w.queued)-1]
}

// await waits for the end of a run.
func (w *world) await(run string) clew.CellFinishedData {
	w.Helper()
	w.until("the end of "+run, func() bool { return w.finished[run].RunID != "" })
	return w.finished[run]
}

// run runs code to its end.
func (w *world) run(code string) clew.CellFinishedData {
	w.Helper()
	return w.await(w.start(code))
}

// shown are the messages of a run, but for the status.
func (w *world) shown(run string) []clew.Message {
	w.fold()
	var list []clew.Message
	for _, id := range w.order {
		if m := w.message[id]; m.Cell != nil && m.Cell.RunID == run && m.Say != clew.SayKernelStatus {
			list = append(list, m)
		}
	}
	return list
}

// text is what the streams of a run printed.
func (w *world) text(run string) string {
	var b strings.Builder
	for _, m := range w.shown(run) {
		if m.Cell.Output == clew.OutputStream {
			b.WriteString(m.Text)
		}
	}
	return b.String()
}

// lastKernel is what the kernel does.
func (w *world) lastKernel() clew.KernelChangedData {
	if len(w.kernel) == 0 {
		return clew.KernelChangedData{}
	}
	return w.kernel[len(w.kernel)-1]
}

// untilKernel waits for a state without a wish.
func (w *world) untilKernel(s clew.KernelState) clew.KernelChangedData {
	w.Helper()
	w.until("the kernel's state "+string(s), func() bool { k := w.lastKernel(); return k.State == s && k.Wanted == "" })
	return w.lastKernel()
}

// blobs keeps blobs in memory.
type blobs struct {
	mu     sync.Mutex
	all    map[string][]byte
	broken bool // keeping or reading one panics
}

func (b *blobs) PutBlob(_ context.Context, _ blob.For, data []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		panic("planted")
	}
	if b.all == nil {
		b.all = map[string][]byte{}
	}
	sum := sha256.Sum256(data)
	address := hex.EncodeToString(sum[:])
	b.all[address] = append([]byte(nil), data...)
	return address, nil
}

func (b *blobs) Blob(_ context.Context, address string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		<-time.After(10 * slow) // kernels say something meanwhile
		panic("planted")
	}
	data, ok := b.all[strings.TrimPrefix(address, blob.Scheme)]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return data, nil
}

// played is a machine whose kernels are played by this process.
type played struct {
	t       *testing.T
	options kerneltest.Options
	fail    string        // why no kernel can be started
	gate    chan struct{} // if not nil, kernels start when it is closed

	mu   sync.Mutex
	all  map[string]*playedKernel
	ever []*playedKernel
}

type playedKernel struct {
	*kerneltest.Kernel
	file string
	home *played
	id   string

	noted atomic.Pointer[string] // the question that was answered
}

func (p *played) Specs(context.Context, string) []process.Spec {
	return []process.Spec{{Name: "python3", Display: "Python 3", Language: "python", Missing: p.fail}}
}

func (p *played) Start(_ context.Context, st process.Start) (notebook.Process, error) {
	if p.fail != "" {
		return nil, clew.Errorf(clew.ExecutionFailed, "%s", p.fail)
	}
	if p.gate != nil {
		<-p.gate
	}
	at, k := kerneltest.Start(p.t, p.options)
	pk := &playedKernel{Kernel: k, file: filepath.Join(p.t.TempDir(), "connection.json"), home: p, id: st.ID}
	if err := at.Write(pk.file); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all == nil {
		p.all = map[string]*playedKernel{}
	}
	p.all[st.ID] = pk
	p.ever = append(p.ever, pk)
	return &playedProcess{playedKernel: pk}, nil
}

func (p *played) Find(_ context.Context, id string) (notebook.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := p.all[id]
	if k == nil {
		return nil, process.ErrNone
	}
	return &playedProcess{playedKernel: k}, nil
}

func (p *played) Left() []string { return nil }

// only is the kernel that runs.
func (p *played) only() *playedKernel {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.all {
		return k
	}
	p.t.Fatal("there is no kernel")
	return nil
}

// living are the kernels that run.
func (p *played) living() (list []*playedKernel) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.ever {
		select {
		case <-k.Done():
		default:
			list = append(list, k)
		}
	}
	return list
}

// executed says how often a request was executed by all kernels, and its number.
func (p *played) executed(msgID string) (times, count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range p.ever {
		if n := k.Executed(msgID); n > 0 {
			times, count = times+n, k.Count(msgID)
		}
	}
	return times, count
}

// A playedProcess is a kernel as found by a server, of no use once it was released.
type playedProcess struct {
	*playedKernel
	released atomic.Bool
}

func (p *playedProcess) Release() { p.released.Store(true) }

func (p *playedProcess) use() {
	if p.released.Load() {
		p.home.t.Error("a process was used that had been released")
	}
}

func (p *playedProcess) Kill() error {
	p.use()
	p.Kernel.Kill()
	return nil
}

func (p *playedProcess) Interrupt() error {
	p.use()
	return errors.New("it takes messages")
}

func (p *playedProcess) NoteAnswer(question string) error {
	p.use()
	p.noted.Store(&question)
	return nil
}

func (p *playedProcess) Forget() error {
	p.use()
	p.home.mu.Lock()
	defer p.home.mu.Unlock()
	delete(p.home.all, p.id)
	return nil
}

func (k *playedKernel) ConnectionFile() string { return k.file }
func (k *playedKernel) Answered(q string) bool { n := k.noted.Load(); return n != nil && *n == q }
func (k *playedKernel) Recording() string      { return "" }
func (k *playedKernel) Signals() bool          { return false }

func (k *playedKernel) Ended() (supervisor.Ended, bool) {
	select {
	case <-k.Done():
		return supervisor.Ended{Why: supervisor.WhyExited, Code: 1}, true
	default:
		return supervisor.Ended{}, false
	}
}

// realMachine starts the real ipykernel, as clew serve does.
func realMachine(t *testing.T) notebook.Machine {
	t.Helper()
	python := jupytertest.Python(t)
	root, err := os.MkdirTemp("", "nb") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	m := notebook.Machine{
		Starter: &process.Starter{
			Root: root,
			Options: func(context.Context) shell.Options {
				return shell.Options{Limits: limit.Default(), Marker: "fedcba9876543210"}
			},
			Orphan: func() time.Duration { return time.Minute },
		},
		Look: process.Look{Python: python, Environ: map[string]string{"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}},
	}
	t.Cleanup(func() { // after the world has let go of them
		for _, id := range m.Left() {
			if k, err := m.Starter.Find(context.Background(), id); err == nil {
				_ = k.Kill()
				<-k.Done()
			}
		}
		_ = os.RemoveAll(root)
	})
	return m
}

// outputsOf reads the blob of all outputs.
func (w *world) outputsOf(address string) []map[string]any {
	w.Helper()
	b, err := w.blobs.Blob(w.Context(), address)
	if err != nil {
		w.Fatal(err)
	}
	var list []map[string]any
	if err := json.Unmarshal(b, &list); err != nil {
		w.Fatal(err)
	}
	return list
}

// recording is the file of what the kernel published.
func (w *world) recording() string {
	return filepath.Join(supervisor.Dir(realOf(w).Starter.Root, w.lastKernelID()), "published")
}

func realOf(w *world) notebook.Machine { return w.kernels.(notebook.Machine) }
