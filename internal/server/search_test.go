package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/poll"
)

// awaitFound searches until the index has followed and finds so much.
func awaitFound(t *testing.T, api *client.API, q client.SearchQuery, total int) client.SearchResult {
	t.Helper()
	var r client.SearchResult
	poll.Until(t, fmt.Sprintf("%d found by %+v", total, q), func() bool {
		var err error
		if r, err = api.Search(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		return r.Total == total && !r.Indexing
	})
	return r
}

func findsNothing(t *testing.T, api *client.API, when string) {
	t.Helper()
	r, err := api.Search(t.Context(), client.SearchQuery{Q: "zebra"})
	if err != nil || r.Total != 0 || r.Sessions != 0 || len(r.Groups) != 0 || r.Counts != (client.SearchCounts{}) {
		t.Fatalf("%s: %+v %v", when, r, err)
	}
}

// bobAt is another user of the server.
func bobAt(t *testing.T, url string, api *client.API) *client.API {
	t.Helper()
	var key struct{ Token string }
	if err := api.Call(t.Context(), http.MethodPost, "/keys", nil, map[string]any{"name": "bob", "user": "bob", "role": "owner"}, &key); err != nil {
		t.Fatal(err)
	}
	return client.NewAPI(url, key.Token)
}

// What is said in a session is found at its message, by those who may read it alone:
// from the moment on that access is taken back, nothing of it is found or counted. A
// deleted session is not found, and one that is brought back is.
func TestSearch(t *testing.T) {
	s, token := start(t, config(t))
	api := client.NewAPI(s.URL(), token)
	bob := bobAt(t, s.URL(), api)
	for _, id := range []clew.SessionID{"s1", "s2"} {
		if _, err := api.CreateSession(t.Context(), client.NewSession{SessionID: id, Title: "title"}); err != nil {
			t.Fatal(err)
		}
		if _, err := api.Command(t.Context(), id, "", clew.CommandUserMessage, &clew.UserMessageData{Text: "a zebra in " + string(id)}); err != nil {
			t.Fatal(err)
		}
	}
	q := client.SearchQuery{Q: "zebra", Kind: "message", Person: "owner"}
	r := awaitFound(t, api, q, 2)
	if len(r.Groups) != 2 || len(r.Groups[0].Hits) != 1 || r.Groups[0].Title != "title" {
		t.Fatalf("%+v", r)
	}
	var page clew.MessagesPage
	hit := r.Groups[0].Hits[0]
	err := api.Call(t.Context(), http.MethodGet, "/sessions/"+string(r.Groups[0].SessionID)+"/messages", url.Values{"around": {string(hit.MessageID)}, "limit": {"3"}}, nil, &page)
	if err != nil || len(page.Messages) == 0 || page.Messages[0].MessageID != hit.MessageID {
		t.Fatalf("the page around the hit: %+v %v", page, err)
	}
	findsNothing(t, bob, "a stranger")
	share := func(role clew.Role) {
		t.Helper()
		if _, err := api.Command(t.Context(), "s1", "", clew.CommandSetAccess, &clew.SetAccessData{UserID: "bob", Role: role}); err != nil {
			t.Fatal(err)
		}
	}
	share(clew.RoleViewer)
	if r := awaitFound(t, bob, q, 1); r.Groups[0].SessionID != "s1" {
		t.Fatalf("%+v", r)
	}
	share(clew.RoleNone)
	findsNothing(t, bob, "after access was taken back")
	if _, err := bob.Search(t.Context(), client.SearchQuery{Q: "zebra", Session: "s1"}); err == nil {
		t.Error("bob may look into s1")
	}
	if _, err := api.DeleteSession(t.Context(), "s1", false); err != nil {
		t.Fatal(err)
	}
	if r := awaitFound(t, api, q, 1); r.Groups[0].SessionID != "s2" {
		t.Fatalf("%+v", r)
	}
	if err := api.RestoreSession(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	awaitFound(t, api, q, 2)
	for _, wrong := range []url.Values{{}, {"q": {""}}, {"q": {" "}}, {"q": {"x"}, "kind": {"no"}}, {"q": {"x"}, "limit": {"0"}}, {"q": {"x"}, "cursor": {"a"}}} {
		if err := api.Call(t.Context(), http.MethodGet, "/search", wrong, nil, nil); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}

// The folders of a search are those of sessions that one may read, and no others.
func TestSearchFolders(t *testing.T) {
	s, token := start(t, config(t))
	api := client.NewAPI(s.URL(), token)
	bob := bobAt(t, s.URL(), api)
	a, b := resolved(t, t.TempDir()), resolved(t, t.TempDir())
	for id, dir := range map[clew.SessionID]string{"s1": a, "s2": b, "s3": b, "s4": ""} {
		if _, err := api.CreateSession(t.Context(), client.NewSession{SessionID: id, Workspace: dir}); err != nil {
			t.Fatal(err)
		}
	}
	folders := func(of *client.API, query url.Values, want ...string) {
		t.Helper()
		slices.Sort(want)
		var got struct{ Folders []string }
		await(t, func() bool {
			if err := of.Call(t.Context(), http.MethodGet, "/search/folders", query, nil, &got); err != nil {
				t.Fatal(err)
			}
			return slices.Equal(got.Folders, want)
		})
	}
	folders(api, nil, a, b)
	folders(api, url.Values{"owner": {"*"}}, a, b)
	folders(bob, nil)
	for _, role := range []clew.Role{clew.RoleViewer, clew.RoleNone} {
		if _, err := api.Command(t.Context(), "s1", "", clew.CommandSetAccess, &clew.SetAccessData{UserID: "bob", Role: role}); err != nil {
			t.Fatal(err)
		}
		if role == clew.RoleViewer {
			folders(bob, nil, a)
		} else {
			folders(bob, nil)
		}
	}
	if err := bob.Call(t.Context(), http.MethodGet, "/search/folders", url.Values{"owner": {"*"}}, nil, nil); err == nil {
		t.Error("bob reads everybody's folders")
	}
}

func resolved(t *testing.T, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
