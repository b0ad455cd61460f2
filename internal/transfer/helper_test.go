package transfer_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/clew-run/clew/internal/session/rewind"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/transfer"
)

const nowMS = 1_900_000_000_000

var ada = clew.Principal{User: "ada", Role: clew.RoleOwner}

// conversations are the forms that every session has. A notebook is there or not.
var conversations = []transfer.Format{transfer.Bundle, transfer.TaskFolder, transfer.SessionLog, transfer.MessageStore}

// A T is a test or a property's.
type T interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// A server is a place that sessions leave and come to.
type server struct {
	node  *journaltest.MemoryNode
	blobs *memoryBlobs
	packs *packs
	dir   string
	heads map[clew.SessionID]clew.Head
	data  map[clew.SessionID]clew.SessionImportedData
	fail  error
}

func newServer(dir string) *server {
	var m journaltest.Memory
	return &server{
		node: m.Node("n"), blobs: &memoryBlobs{m: map[string][]byte{}}, packs: &packs{}, dir: dir,
		heads: map[clew.SessionID]clew.Head{}, data: map[clew.SessionID]clew.SessionImportedData{},
	}
}

// Import founds the session and appends the one record, as the host does.
func (s *server) Import(ctx context.Context, by clew.Principal, id clew.SessionID, f session.InitialHistory, d clew.SessionImportedData) error {
	if s.fail != nil {
		return s.fail
	}
	if err := s.node.Found(ctx, id, f); err != nil {
		return err
	}
	s.heads[id], s.data[id] = f.Head, d
	raw, err := clew.MarshalData(d)
	if err != nil {
		return err
	}
	return s.append(ctx, id, f.Head.Write(id, 1, nowMS, clew.Draft{By: by.User, Type: clew.EventSessionImported, Data: raw}))
}

func (s *server) append(ctx context.Context, id clew.SessionID, records ...clew.Record) error {
	lease, err := s.node.Claim(ctx, session.ShardOf(id))
	if err != nil {
		return err
	}
	log, _, err := s.node.Open(ctx, lease, id)
	if err != nil {
		return err
	}
	if err := log.Append(ctx, records); err != nil {
		return err
	}
	s.heads[id] = records[len(records)-1].After()
	return nil
}

func (s *server) exporter() *transfer.Exporter {
	return &transfer.Exporter{Records: s.node, Blobs: s.blobs, Checkpoints: s.packs, Dir: s.dir}
}

func (s *server) importer() *transfer.Importer {
	return &transfer.Importer{Sessions: s, Blobs: s.blobs, Checkpoints: s.packs, Dir: s.dir, Now: func() int64 { return nowMS }}
}

func (s *server) export(t T, what transfer.What) []byte {
	t.Helper()
	what.Head = s.heads[what.Session].Seq
	e, err := s.exporter().Prepare(context.Background(), what)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := e.Write(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (s *server) take(t T, body []byte, u transfer.Upload) transfer.Imported {
	t.Helper()
	u.By = ada
	got, err := s.importer().Import(context.Background(), bytes.NewReader(body), u)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (s *server) lines(t T, id clew.SessionID) []string {
	t.Helper()
	var list []string
	for r, err := range s.node.Read(context.Background(), id, 1, 1<<40) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(r.Line()))
	}
	return list
}

type memoryBlobs struct {
	mu sync.Mutex
	m  map[string][]byte
}

func (b *memoryBlobs) PutBlob(_ context.Context, _ blob.For, data []byte) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sum := sha256.Sum256(data)
	b.m[hex.EncodeToString(sum[:])] = bytes.Clone(data)
	return hex.EncodeToString(sum[:]), nil
}

func (b *memoryBlobs) Blob(_ context.Context, address string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.m[address]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return data, nil
}

// packs is a checkpoint store that remembers what it was asked.
type packs struct {
	hashes []string
	gone   bool // it has none of them
	text   string
	read   []byte
	open   int
	got    []byte
	place  rewind.Workspace
	fail   error
}

func (p *packs) Pack(_ context.Context, _ rewind.Workspace, hashes []string, to io.Writer) ([]string, error) {
	p.hashes = hashes
	if p.gone {
		return hashes, nil
	}
	_, err := io.WriteString(to, cmp.Or(p.text, "files of ")+hashes[0])
	return nil, err
}

func (p *packs) Unpack(_ context.Context, from io.Reader) (_ transfer.Unpacked, err error) {
	if p.read, err = io.ReadAll(from); err == nil && !bytes.HasPrefix(p.read, []byte("files of ")) {
		err = clew.Errorf(clew.InvalidMessage, "not a pack")
	}
	if err != nil {
		return nil, err
	}
	p.open++
	return p, nil
}

func (p *packs) Keep(_ context.Context, w rewind.Workspace) error {
	p.got, p.place = p.read, w
	return p.fail
}

func (p *packs) Close() { p.open-- }

// A scribe writes a session's records.
type scribe struct {
	id      clew.SessionID
	head    clew.Head
	step    int64 // ms between two records
	records []clew.Record
}

func newScribe(id clew.SessionID) *scribe {
	s := &scribe{id: id, step: 7, head: clew.Head{TS: 1_700_000_000_000}}
	s.add(&clew.SessionCreatedData{Owner: "ada", Title: "A talk", Workspace: "/w"})
	return s
}

func (s *scribe) next() clew.MessageID { return clew.MessageIDOf(s.head.Seq + 1) }

func (s *scribe) ts() int64 { return s.head.TS + s.step }

func (s *scribe) add(data any) clew.Record {
	raw, err := clew.MarshalData(data)
	if err != nil {
		panic(err)
	}
	r := s.head.Write(s.id, 3, s.ts(), clew.Draft{By: "ada", Type: clew.NewEvent(data).Type, Data: raw})
	s.head = r.After()
	s.records = append(s.records, r)
	return r
}

func (s *scribe) say(m clew.Message) clew.MessageID {
	m.MessageID, m.TS = s.next(), s.ts()
	if m.Type == "" {
		m.Type = clew.TypeSay
	}
	if m.Role == "" {
		m.Role = clew.SpeakerAssistant
	}
	s.add(&clew.MessageCreatedData{Message: m})
	return m.MessageID
}

func (s *scribe) tell(task clew.TaskID, role clew.Speaker, parts ...clew.Part) {
	s.add(&clew.ModelMessageData{TaskID: task, Message: clew.ModelMessage{Role: role, Content: parts, TS: s.ts(), MessageID: s.next()}})
}

func textPart(text string) clew.Part { return clew.Part{Type: clew.PartText, Text: text} }

func ref(id clew.TaskID) clew.TaskRef {
	return clew.TaskRef{TaskID: id, RootTaskID: id, MonitorID: clew.MainMonitor}
}

// ask starts a task with a person's words.
func (s *scribe) ask(task clew.TaskID, text string, images ...string) clew.MessageID {
	id := s.say(clew.Message{Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: text, TaskID: task, Images: images})
	s.add(&clew.TaskCreatedData{TaskRef: ref(task), Task: text, AgentID: core.MainAgent})
	s.add(&clew.MessageAcceptedData{MessageID: id, TaskID: task, AgentID: core.MainAgent, Delivery: clew.DeliveryDirect})
	parts := []clew.Part{textPart(text)}
	if len(images) > 0 {
		parts = append(parts, clew.Part{Type: clew.PartImage, Images: images[:1]})
	}
	s.tell(task, clew.SpeakerUser, parts...)
	return id
}

// answer is what an agent says, growing as it does.
func (s *scribe) answer(task clew.TaskID, text string) {
	s.say(clew.Message{Say: clew.SayAPIReqStarted, Role: clew.SpeakerSystem, TaskID: task})
	m := clew.Message{
		Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Partial: true, Text: text[:len(text)/2],
		TaskID: task, AgentID: core.MainAgent, TS: s.ts(), MessageID: s.next(),
	}
	s.add(&clew.MessageCreatedData{Message: m})
	m.Partial, m.Text = false, text
	s.add(&clew.MessageUpdatedData{Message: m})
	s.tell(task, clew.SpeakerAssistant, clew.Part{Type: clew.PartThinking, Text: "hm", Signature: "sig"}, textPart(text))
}

// tools runs calls side by side.
func (s *scribe) tools(task clew.TaskID, names ...string) {
	var parts []clew.Part
	for _, name := range names {
		parts = append(parts, clew.Part{Type: clew.PartToolUse, ToolCallID: name, Tool: "read_file", Input: []byte(`{"path":"` + name + `"}`)})
	}
	s.tell(task, clew.SpeakerAssistant, parts...)
	for _, name := range names {
		s.say(clew.Message{Type: clew.TypeAsk, Ask: clew.AskTool, Text: `{"tool":"read_file"}`, TaskID: task, ToolCallID: name})
		s.add(&clew.ToolProgressData{ToolCallID: name, Tool: "read_file", Status: clew.ToolRunning, TaskID: task, AgentID: core.MainAgent, Summary: `{"path":"` + name + `"}`})
	}
	for i := range names {
		name := names[len(names)-1-i] // the first ends last
		d := &clew.ToolProgressData{ToolCallID: name, Tool: "read_file", Status: clew.ToolComplete, TaskID: task, AgentID: core.MainAgent, Output: "text of " + name, Summary: "text"}
		if i%2 == 1 {
			d.Status, d.Output, d.Error = clew.ToolError, nil, "no such file"
		}
		s.add(d)
		s.say(clew.Message{Say: clew.SayCommandOutput, Text: "out", TaskID: task, ToolCallID: name})
	}
}

func (s *scribe) usage(task clew.TaskID) {
	s.add(&clew.TaskTokenUsageUpdatedData{TaskRef: ref(task), TokenUsage: clew.Usage{TokensIn: 1000, TokensOut: 500, CacheReads: 3, CostUSD: 0.25}, ToolUsage: map[string]clew.ToolUsage{}})
}

func (s *scribe) complete(task clew.TaskID, result string) {
	s.say(clew.Message{Say: clew.SayCompletionResult, Text: result, TaskID: task})
	s.add(&clew.CompleteData{Status: clew.ResultSuccess, Response: clew.Response{Format: clew.FormatMarkdown}, Statistics: clew.Statistics{ExecutionTimeMS: 12500}, TaskID: task})
	s.add(&clew.TaskCompletedData{TaskRef: ref(task), TokenUsage: clew.Usage{TokensIn: 1000, TokensOut: 500}, ToolUsage: map[string]clew.ToolUsage{}, ResultSummary: result})
}

func (s *scribe) idle(task clew.TaskID) { s.add(&clew.TaskIdleData{TaskRef: ref(task)}) }

func (s *server) has(t T, w *scribe) {
	t.Helper()
	if err := s.append(context.Background(), w.id, w.records...); err != nil {
		t.Fatal(err)
	}
}

// unpacked gives the files of a tar.
func unpacked(t T, b []byte) (map[string]string, []string) {
	t.Helper()
	files, order := map[string]string{}, []string{}
	r := tar.NewReader(bytes.NewReader(b))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, order
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(content)
		order = append(order, h.Name)
	}
}

// packed makes a tar.
func packed(t T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i+1 < len(files); i += 2 {
		if err := w.WriteHeader(&tar.Header{Name: files[i], Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(files[i+1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var _ T = (*testing.T)(nil)
