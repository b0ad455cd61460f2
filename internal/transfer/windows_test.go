package transfer_test

import (
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/session/core"
	"github.com/clew-run/clew/internal/transfer"
)

// A bundle has what windows show, also one that was closed: a rewind brings it back.
func TestBundleHasTheFilesOfWindows(t *testing.T) {
	first := newServer(t.TempDir())
	w := newScribe("sess_1")
	w.ask("task_1", "show me")
	var addresses []string
	for _, text := range []string{png, "a,b\n1,2\n", "<h1>Weather</h1>", `{"input":{},"result":{}}`, `{"content":[]}`} {
		address, err := first.blobs.PutBlob(t.Context(), blob.For{}, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		addresses = append(addresses, address)
	}
	form := &clew.Component{Type: clew.ComponentStack, Children: []clew.Component{{Type: clew.ComponentImage, Blob: addresses[0]}}}
	w.add(&clew.ActionsData{AgentID: core.MainAgent, Actions: clew.List[clew.Action]{
		{Type: clew.ActionWindowCreate, WindowID: "form", Params: clew.WindowParams{Content: &clew.WindowContent{Kind: clew.WindowComponents, Root: form}}.AsMap()},
		{Type: clew.ActionWindowCreate, WindowID: "rows", Params: clew.WindowParams{Content: &clew.WindowContent{
			Kind: clew.WindowTable, Columns: []clew.TableColumn{{Name: "a"}}, Blob: addresses[1], Total: 900, MediaType: "text/csv",
		}}.AsMap()},
	}})
	w.add(&clew.ActionsData{AgentID: core.MainAgent, Actions: clew.List[clew.Action]{
		{Type: clew.ActionWindowCreate, WindowID: "page", Params: clew.WindowParams{Content: &clew.WindowContent{
			Kind: clew.WindowMCPApp, Server: "weather", URI: "ui://weather", Blob: addresses[2], Data: addresses[3],
		}}.AsMap()},
	}})
	w.add(&clew.ToolProgressData{ToolCallID: "app_1", Tool: "refresh", Status: clew.ToolComplete, ResultBlob: addresses[4]})
	w.add(&clew.ActionsData{Actions: clew.List[clew.Action]{{Type: clew.ActionWindowClose, WindowID: "rows"}}})
	first.has(t, w)

	second := newServer(t.TempDir())
	second.take(t, first.export(t, transfer.What{Session: "sess_1", Format: transfer.Bundle}), transfer.Upload{})
	if d := second.data["sess_1"]; len(d.MissingBlobs) != 0 {
		t.Errorf("missing are %q", d.MissingBlobs)
	}
	for _, address := range addresses {
		if _, err := second.blobs.Blob(t.Context(), address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}
