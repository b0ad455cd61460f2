package e2e

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
)

// Who was let into a session and is not any more has its blobs no longer: neither
// there, nor through a session of their own, whatever they say in it (T6).
func TestBlobsEndWithAccess(t *testing.T) {
	srv := startInside(t, nil)
	ada := neighbour{t, client.NewAPI(srv.URL(), srv.Token("ada")), ""}
	ada.makeSession("")
	image := "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\nprivate"))
	ada.command(clew.CommandUserMessage, clew.UserMessageData{Text: "look", Images: []string{image}})
	page, err := ada.api.Messages(t.Context(), ada.id, client.PageOf{})
	if err != nil || len(page.Messages) == 0 || len(page.Messages[0].Images) != 1 {
		t.Fatalf("%+v, %v", page, err)
	}
	address := page.Messages[0].Images[0]
	get := func(user string, id clew.SessionID) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL()+"/api/v1/sessions/"+string(id)+"/blobs/"+address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+srv.Token(user))
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if b, _ := io.ReadAll(resp.Body); (resp.StatusCode == http.StatusOK) != strings.Contains(string(b), "private") {
			t.Errorf("%d with %q", resp.StatusCode, b)
		}
		return resp.StatusCode
	}
	ada.command(clew.CommandSetAccess, clew.SetAccessData{UserID: "eve", Role: clew.RoleViewer})
	if got := get("eve", ada.id); got != http.StatusOK {
		t.Fatalf("who may watch the session got %d", got)
	}
	ada.command(clew.CommandSetAccess, clew.SetAccessData{UserID: "eve"})
	eve := neighbour{t, client.NewAPI(srv.URL(), srv.Token("eve")), ""}
	eve.makeSession("")
	tries := map[string]any{
		"its address as an image": clew.UserMessageData{Text: "look", Images: []string{address}},
		"its address as a text":   clew.UserMessageData{Text: address},
	}
	for name, data := range tries {
		_, err := eve.api.Command(t.Context(), eve.id, "", clew.CommandUserMessage, data)
		if refused := clew.CodeOf(err) == clew.InvalidMessage; refused != strings.HasSuffix(name, "image") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, id := range []clew.SessionID{ada.id, eve.id} {
		if got := get("eve", id); got != http.StatusNotFound {
			t.Errorf("through %s: %d", id, got)
		}
	}
	// The session's own image may be sent once more.
	ada.command(clew.CommandUserMessage, clew.UserMessageData{Text: "again", Images: []string{address}})
	if got := get("ada", ada.id); got != http.StatusOK {
		t.Errorf("the owner got %d", got)
	}
}
