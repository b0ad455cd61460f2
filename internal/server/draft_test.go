package server_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
)

// Who may say something in a session has a draft, over restarts and devices; who
// was too late gets the one that there is. Nobody else has one, not with a lesser
// key of the same person, and no record of the session knows of drafts.
func TestDrafts(t *testing.T) {
	st := newStage(t)
	id := st.session()
	zoe := st.key("zoe", "owner")
	st.share(id, "eve", "viewer")
	lesser := []string{st.key("eve", "owner"), st.key("owner", "viewer"), st.key("owner", "approver")}
	last := func() any { return st.call(st.token, "GET", "/api/v1/sessions/"+id, nil).body["last_message_id"] }
	before := last()
	path := "/api/v1/sessions/" + id + "/draft"
	put := func(token, text string, revision any) reply {
		t.Helper()
		return st.call(token, "PUT", path, map[string]any{"text": text, "images": []string{"data:image/png;base64,AAAA"}, "revision": revision})
	}
	if r := st.call(st.token, "GET", path, nil); r.status != 200 || r.body["text"] != "" || r.body["revision"] != 0.0 {
		t.Errorf("at first: %s", r.raw)
	}
	first := put(st.token, "CANARY-draft", 0)
	if first.status != 200 || first.body["revision"].(float64) == 0 || first.body["updated_ms"].(float64) == 0 {
		t.Fatal(first.raw)
	}
	for i, token := range lesser {
		if r := st.call(token, "GET", path, nil); r.status != 200 || r.body["text"] != "" || r.body["revision"] != 0.0 {
			t.Errorf("who may not speak, %d, reads %s", i, r.raw)
		}
		for _, revision := range []any{0, first.body["revision"]} {
			if r := put(token, "planted", revision); r.code != "FORBIDDEN" || r.body["current"] != nil {
				t.Errorf("who may not speak, %d, writes: %s", i, r.raw)
			}
		}
		if r := st.call(token, "DELETE", path+"?revision="+strconv.FormatFloat(first.body["revision"].(float64), 'f', -1, 64), nil); r.code != "FORBIDDEN" {
			t.Errorf("who may not speak, %d, deletes: %s", i, r.raw)
		}
	}
	second := put(st.token, "CANARY-draft two", first.body["revision"])
	for _, revision := range []any{0, first.body["revision"]} {
		r := put(st.token, "late", revision)
		current, _ := r.body["current"].(map[string]any)
		if r.status != 409 || r.code != "SESSION_INVALID_STATE" || current["text"] != "CANARY-draft two" || current["revision"] != second.body["revision"] {
			t.Errorf("over revision %v: %s", revision, r.raw)
		}
	}
	if r := st.call(st.token, "DELETE", path+"?revision=1", nil); r.status != 409 || r.body["current"] == nil {
		t.Errorf("an old one is deleted: %s", r.raw)
	}
	for _, bad := range []map[string]any{
		{"text": "", "revision": 0}, {"text": "x"}, {"text": "x", "images": []string{""}, "revision": 0},
		{"text": "x", "images": []string{"a", "b", "c", "d", "e"}, "revision": 0},
	} {
		if r := st.call(st.token, "PUT", path, bad); r.status != 422 || r.code != "INVALID_MESSAGE" {
			t.Errorf("%v: %s", bad, r.raw)
		}
	}
	for name, large := range map[string]map[string]any{
		"text":   {"text": strings.Repeat("x", 64<<10+1), "revision": second.body["revision"]},
		"images": {"text": "x", "images": []string{strings.Repeat("y", 1<<19), strings.Repeat("y", 1<<19+1)}, "revision": second.body["revision"]},
	} {
		if r := st.call(st.token, "PUT", path, large); r.status != 413 || r.code != "MESSAGE_TOO_LARGE" {
			t.Errorf("too much %s: %s", name, r.raw)
		}
	}
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		if r := st.call(zoe, method, path+"?revision=1", map[string]any{"text": "x", "revision": 0}); r.code != "SESSION_NOT_FOUND" {
			t.Errorf("%s of a stranger: %s", method, r.raw)
		}
	}
	largest := map[string]any{"text": strings.Repeat("\x01", 64<<10), "images": []string{strings.Repeat("y", 1<<20)}, "revision": second.body["revision"]}
	third := st.call(st.token, "PUT", path, largest)
	if third.status != 200 {
		t.Fatal(third.raw[:200])
	}
	st.s.Stop(context.Background())
	st.start()
	if r := st.call(st.token, "GET", path, nil); r.body["text"] != largest["text"] || r.body["revision"] != third.body["revision"] {
		t.Errorf("after a restart: %.300s", r.raw)
	}
	revision := third.raw[strings.LastIndex(third.raw, ":")+1:]
	revision = strings.TrimRight(revision, "}\n")
	for range 2 { // said again it is no error
		if r := st.call(st.token, "DELETE", path+"?revision="+revision, nil); r.status != 204 {
			t.Fatal(r.raw)
		}
	}
	if r := st.call(st.token, "GET", path, nil); r.body["revision"] != 0.0 {
		t.Errorf("what was deleted: %s", r.raw)
	}
	if now := last(); now != before {
		t.Errorf("the session's records ended with %v and end with %v", before, now)
	}
	st.share(id, "eve", "")
	if r := st.call(lesser[0], "GET", path, nil); r.code != "SESSION_NOT_FOUND" {
		t.Errorf("without the right: %s", r.raw)
	}
	if strings.Contains(st.log.String(), "CANARY") {
		t.Error("a draft is in the log")
	}
}
