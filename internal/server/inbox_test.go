package server_test

import (
	"fmt"
	"testing"
)

// The owner and an approver see a question come and go on the feed and in the
// list; a viewer and a stranger see nothing and can answer nothing.
//
// Covers: C-20, RUN-22, RUN-23
func TestInbox(t *testing.T) {
	st := newStage(t)
	bob, eve, zoe := st.key("bob", "owner"), st.key("eve", "owner"), st.key("zoe", "owner")
	watcher := st.key("bob", "viewer") // bob's, for watching only
	id := st.session()
	st.share(id, "bob", "approver")
	st.share(id, "eve", "viewer")
	mine, his := st.feed(st.token), st.feed(bob)
	if d := mine.next("inbox_state").Data; len(d.Items) != 0 || d.Counts["total"] != 0.0 {
		t.Errorf("at first the inbox has %+v", d)
	}
	his.next("inbox_state")
	st.say(id, "Deploy?")
	q := mine.added()
	if his.added() != q {
		t.Error("the two hear of different questions")
	}
	list := st.call(bob, "GET", "/api/v1/inbox", nil)
	items := list.body["items"].([]any)
	item := items[0].(map[string]any)
	if len(items) != 1 || requestOf(item) != q || item["title"] != "Release 1.4" || item["session_id"] != id || item["owner"] != "owner" ||
		item["kind"] != "hitl_approval_request:mistake_limit_reached:mistakes" || item["asked_ms"].(float64) == 0 {
		t.Errorf("bob's list: %s", list.raw)
	}
	for _, token := range []string{eve, zoe, watcher} {
		if r := st.call(token, "GET", "/api/v1/inbox/counts", nil); r.body["total"] != 0.0 {
			t.Errorf("counts of one who may not answer: %s", r.raw)
		}
		want := "HITL_REQUEST_EXPIRED"
		if token == watcher {
			want = "FORBIDDEN"
		}
		if r := st.call(token, "POST", "/api/v1/inbox/"+q, map[string]any{"action": "approve"}); r.code != want {
			t.Errorf("an answer of one who may not: %s", r.raw)
		}
	}
	if r := st.call(bob, "POST", "/api/v1/inbox/"+q, map[string]any{"value": 1}); r.code != "HITL_INVALID_RESPONSE" {
		t.Errorf("an answer that does not fit: %s", r.raw)
	}
	r := st.call(bob, "POST", "/api/v1/inbox/"+q, map[string]any{"action": "approve", "comment": "go", "client_message_id": "c-1"})
	if r.status != 200 || r.body["client_message_id"] != "c-1" || len(r.body["records"].([]any)) == 0 {
		t.Errorf("the answer: %s", r.raw)
	}
	for _, f := range []*feed{mine, his} {
		if d := f.next("inbox_changed").Data; len(d.Removed) != 1 || d.Removed[0] != q || d.Counts["total"] != 0.0 {
			t.Errorf("after the answer: %+v", d)
		}
	}
	if r := st.call(st.token, "GET", "/api/v1/inbox", nil); len(r.body["items"].([]any)) != 0 {
		t.Errorf("a settled question is still listed: %s", r.raw)
	}
	if r := st.call(st.token, "POST", "/api/v1/inbox/"+q, map[string]any{"action": "reject"}); r.code != "HITL_REQUEST_EXPIRED" || r.status != 409 {
		t.Errorf("the second answer: %s", r.raw)
	}
}

// Who loses the right to answer loses the rows, and who gains it gains them.
func TestInboxFollowsAccess(t *testing.T) {
	st := newStage(t)
	bob := st.key("bob", "owner")
	id := st.session()
	st.say(id, "Deploy?")
	his := st.feed(bob)
	if d := his.next("inbox_state").Data; len(d.Items) != 0 {
		t.Errorf("a stranger has %+v", d)
	}
	st.share(id, "bob", "approver")
	q := his.added()
	st.share(id, "bob", "viewer")
	if d := his.next("inbox_changed").Data; len(d.Removed) != 1 || d.Removed[0] != q {
		t.Errorf("a viewer has %+v", d)
	}
}

// Questions of one kind are decided together, each by itself.
func TestInboxBatch(t *testing.T) {
	st := newStage(t)
	f := st.feed(st.token)
	f.next("inbox_state")
	var same []string
	for i := range 3 {
		st.say(st.session(), fmt.Sprint("Deploy ", i, "?"))
		same = append(same, f.added())
	}
	st.say(st.session(), `{"field":"colour","question":"Which colour?","input_type":"text","required":true}`)
	other := f.added()
	batch := func(ids ...string) reply {
		return st.call(st.token, "POST", "/api/v1/inbox/batch", map[string]any{"request_ids": ids, "action": "approve", "comment": "all fine"})
	}
	for _, ids := range [][]string{{other}, {same[0], other}} {
		if r := batch(ids...); r.code != "HITL_INVALID_RESPONSE" {
			t.Errorf("a batch with an input: %s", r.raw)
		}
	}
	if r := batch(); r.code != "INVALID_MESSAGE" {
		t.Errorf("an empty batch: %s", r.raw)
	}
	r := batch(same[0], "req_unknown", same[1], same[0], same[2])
	results, _ := r.body["results"].([]any)
	if len(results) != 4 {
		t.Fatalf("results: %s", r.raw)
	}
	for i, want := range []bool{true, false, true, true} {
		if got := results[i].(map[string]any); got["ok"] != want || want && len(got["records"].([]any)) == 0 {
			t.Errorf("result %d: %v", i, got)
		}
	}
	if r := st.call(st.token, "GET", "/api/v1/inbox", nil); r.body["counts"].(map[string]any)["total"] != 1.0 {
		t.Errorf("left: %s", r.raw)
	}
	if r := st.call(st.token, "POST", "/api/v1/inbox/"+other, map[string]any{"value": "teal"}); r.status != 200 {
		t.Errorf("the input: %s", r.raw)
	}
}

// Pages follow each other without gap or repeat.
func TestInboxPages(t *testing.T) {
	st := newStage(t)
	f := st.feed(st.token)
	f.next("inbox_state")
	want := map[string]bool{}
	for range 5 {
		st.say(st.session(), "Deploy?")
		want[f.added()] = true
	}
	last := 0.0
	for cursor := ""; ; {
		r := st.call(st.token, "GET", "/api/v1/inbox?limit=2&cursor="+cursor, nil)
		for _, it := range r.body["items"].([]any) {
			item := it.(map[string]any)
			if !want[requestOf(item)] || item["asked_ms"].(float64) < last {
				t.Errorf("out of order, or twice: %v", item)
			}
			last = item["asked_ms"].(float64)
			delete(want, requestOf(item))
		}
		next, more := r.body["next"].(string)
		if !more {
			break
		}
		cursor = next
	}
	if len(want) != 0 {
		t.Errorf("never listed: %v", want)
	}
	if r := st.call(st.token, "GET", "/api/v1/inbox?cursor=made-up", nil); r.code != "INVALID_MESSAGE" {
		t.Errorf("a made-up cursor: %s", r.raw)
	}
}
