package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/transfer"
)

// moved exports one little session and remembers what was imported.
type moved struct {
	what transfer.What
	up   transfer.Upload
	body string
	err  error
	cut  bool
	hold func() // called by an import at work
	mu   sync.Mutex
}

// Read gives the records of the one session.
func (m *moved) Read(_ context.Context, id clew.SessionID, _, _ uint64) iter.Seq2[clew.Record, error] {
	return func(yield func(clew.Record, error) bool) {
		var head clew.Head
		for _, data := range []any{
			&clew.SessionCreatedData{Owner: "ada"}, &clew.SessionRenamedData{Title: "T"},
			&clew.MessageCreatedData{Message: clew.Message{MessageID: clew.MessageIDOf(3), TS: 5, Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "hello"}},
		} {
			raw, err := clew.MarshalData(data)
			r := head.Write(id, 1, 5, clew.Draft{By: "ada", Type: clew.NewEvent(data).Type, Data: raw})
			if !yield(r, err) {
				return
			}
			head = r.After()
		}
	}
}

func (m *moved) Prepare(ctx context.Context, what transfer.What) (*transfer.Export, error) {
	m.what = what
	e, err := (&transfer.Exporter{Records: m}).Prepare(ctx, what)
	if m.cut {
		return (&transfer.Exporter{Records: m, Dir: "/nowhere/at/all"}).Prepare(ctx, what)
	}
	return e, err
}

func (m *moved) Receive(_ context.Context, body io.Reader, _ transfer.Upload) (io.ReadCloser, error) {
	b, err := io.ReadAll(body)
	return io.NopCloser(bytes.NewReader(b)), err
}

func (m *moved) Import(_ context.Context, body io.Reader, u transfer.Upload) (transfer.Imported, error) {
	if m.hold != nil {
		m.hold()
	}
	b, err := io.ReadAll(body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.up, m.body = u, string(b)
	if err == nil {
		err = m.err
	}
	return transfer.Imported{SessionID: "s9", Format: transfer.Bundle, From: "s1", Records: 3}, err
}

func TestExport(t *testing.T) {
	b := newBench(t)
	ada, bob := b.key("ada", clew.RoleOwner), b.key("bob", clew.RoleOwner)
	b.sessions.owner["s1"] = "ada"
	b.sessions.access["s1"] = map[clew.UserID]clew.Role{"eve": clew.RoleApprover}
	const path = "/api/v1/sessions/s1/export"
	a := b.call(ada, "GET", path+"?format=message-store&all=true", "").is(http.StatusOK, "")
	if b.moved.what != (transfer.What{Session: "s1", Head: 3, Format: transfer.MessageStore, All: true}) {
		t.Errorf("%+v", b.moved.what)
	}
	if !strings.Contains(a.raw, `"content": "hello"`) || a.header.Get("Content-Disposition") != "attachment; filename=s1.json" ||
		a.header.Get("Content-Type") != "application/json" {
		t.Errorf("%v %s", a.header, a.raw)
	}
	a = b.call(ada, "GET", path, "").is(http.StatusOK, "")
	if !strings.HasPrefix(a.raw, "\x28\xb5\x2f\xfd") || a.header.Get("Content-Disposition") != "attachment; filename=s1.clew" {
		t.Errorf("%v", a.header)
	}
	b.call(ownerToken, "GET", path+"?format=task-folder", "").is(http.StatusOK, "") // an administrator
	b.call(ada, "GET", path+"?format=zip", "").is(http.StatusUnprocessableEntity, clew.InvalidMessage)
	b.call(bob, "GET", path, "").is(http.StatusNotFound, clew.SessionNotFound)
	b.call(b.key("eve", clew.RoleOwner), "GET", path, "").is(http.StatusForbidden, clew.Forbidden)
	b.call(b.key("ada", clew.RoleViewer), "GET", path, "").is(http.StatusForbidden, clew.Forbidden)
	if b.sessions.open != 0 {
		t.Error("a view was left open")
	}
}

// A file that broke off does not look whole.
func TestExportBreaksOff(t *testing.T) {
	b := newBench(t)
	b.sessions.owner["s1"] = "owner"
	b.moved.cut = true
	srv := httptest.NewServer(b.api)
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/api/v1/sessions/s1/export?format=session-log", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "clew.test"
	req.Header.Set("Authorization", "Bearer "+ownerToken)
	resp, err := srv.Client().Do(req)
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
	}
	if err == nil {
		t.Error("the answer looks whole")
	}
}

func TestImport(t *testing.T) {
	b := newBench(t)
	ada := b.key("ada", clew.RoleOwner)
	const path = "/api/v1/sessions/import"
	large := strings.Repeat("x", 3<<20) // above the limit of other routes
	a := b.call(ada, "POST", path+"?new_id=true&format=bundle&workspace=/w&title=T&checkpoints=false", large).is(http.StatusCreated, "")
	want := transfer.Upload{By: b.moved.up.By, Format: transfer.Bundle, NewID: true, Workspace: "/w", Title: "T", NoCheckpoints: true}
	if b.moved.up != want || b.moved.up.By.User != "ada" || b.moved.body != large {
		t.Errorf("%+v, %d bytes", b.moved.up, len(b.moved.body))
	}
	var got transfer.Imported
	if err := json.Unmarshal([]byte(a.raw), &got); err != nil || got.SessionID != "s9" || got.Records != 3 {
		t.Errorf("%s", a.raw)
	}
	b.moved.err = clew.Errorf(clew.InvalidMessage, "records.jsonl, line 7: not a record")
	if a := b.call(ada, "POST", path, "x").is(http.StatusUnprocessableEntity, clew.InvalidMessage); !strings.Contains(a.raw, "line 7") {
		t.Error(a.raw)
	}
	for _, role := range []clew.Role{clew.RoleViewer, clew.RoleApprover} {
		b.call(b.key("ada", role), "POST", path, "x").is(http.StatusForbidden, clew.Forbidden)
	}
}
