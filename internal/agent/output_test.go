package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/tool"
)

// gives is a tool with one result.
func gives(r tool.Result) *gadget {
	return &gadget{name: "give", run: func(context.Context, tool.Call, tool.Output) (tool.Result, error) { return r, nil }}
}

// Output that is too long reaches the model as its head and its tail; the whole
// is kept and can be read.
//
// Covers: C-08, STO-37
func TestBigOutput(t *testing.T) {
	whole := "HEAD " + strings.Repeat("größe ", 2000) + " TAIL"
	run(t, allowed(map[string]any{"tool_output_limit": 1024}), func(w *world) {
		w.tools = append(w.tools, gives(tool.Result{Text: whole}))
		w.say("go")
		w.idle()
		d := w.result("c1")
		text := fmt.Sprint(d.Output)
		if len(text) > 1300 || !strings.HasPrefix(text, "HEAD") || !strings.HasSuffix(text, "TAIL") || strings.ContainsRune(text, '\uFFFD') {
			t.Errorf("the model gets %d bytes: %.60q", len(text), text)
		}
		if got := lastText(w.model.last()); !strings.Contains(got, "left out") {
			t.Errorf("the model is not told: %.100q", got)
		}
		kept, err := w.blobs.Blob(w.Context(), strings.TrimPrefix(d.OutputBlob, session.BlobScheme))
		if err != nil || string(kept) != whole || d.OutputBytes != int64(len(whole)) {
			t.Errorf("kept %d of %d bytes, %v", len(kept), d.OutputBytes, err)
		}
		if n := utf8.RuneCountInString(d.Summary); n > 550 {
			t.Errorf("a summary of %d characters", n)
		}
	}, calls(call("c1", "give", `{}`)), says("Done."))
}

// What fits is on record as a whole, with no blob.
//
// Covers: C-08
func TestOutputThatFits(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, gives(tool.Result{Text: strings.Repeat("x", 30_000)}))
		w.say("go")
		w.idle()
		if d := w.result("c1"); len(fmt.Sprint(d.Output)) != 30_000 || d.OutputBlob != "" {
			t.Errorf("%d bytes, blob %q", len(fmt.Sprint(d.Output)), d.OutputBlob)
		}
	}, calls(call("c1", "give", `{}`)), says("Done."))
}

// Bytes that are no text do no harm.
func TestOutputThatIsNoText(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, gives(tool.Result{Text: "a\xff\xfeb"}))
		w.say("go")
		w.idle()
		if got := fmt.Sprint(w.result("c1").Output); got != "a\uFFFDb" {
			t.Errorf("output %q", got)
		}
	}, calls(call("c1", "give", `{}`)), says("Done."))
}

// Images of a tool are kept as blobs and reach the model by their address.
func TestImagesOfATool(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, gives(tool.Result{Text: "see", Images: []string{dot}}))
		w.say("go")
		w.idle()
		d := w.result("c1")
		if len(d.Images) != 1 || !strings.HasPrefix(d.Images[0], session.BlobScheme) {
			t.Fatalf("images %v", d.Images)
		}
		m := w.model.last().Messages
		if part := m[len(m)-1].Content[0]; len(part.Images) != 1 || part.Images[0] != d.Images[0] {
			t.Errorf("the model gets %+v", part)
		}
	}, calls(call("c1", "give", `{}`)), says("Done."))
}

// An image that is none costs the image, not the turn.
func TestBadImageOfATool(t *testing.T) {
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, gives(tool.Result{Text: "see", Images: []string{"data:text/html;base64,eA=="}}))
		w.say("go")
		w.idle()
		if d := w.result("c1"); !strings.Contains(fmt.Sprint(d.Output), "see") || len(d.Images) != 0 {
			t.Errorf("result %+v", d)
		}
	}, calls(call("c1", "give", `{}`)), says("Done."))
}

// A failure that a tool reports is its result; the model hears it and it is no
// mistake of calling.
//
// Covers: EVT-12
func TestToolFails(t *testing.T) {
	for name, g := range map[string]*gadget{
		"a failure": gives(tool.Result{Text: "exit 1", IsError: true}),
		"an error": {name: "give", run: func(context.Context, tool.Call, tool.Output) (tool.Result, error) {
			return tool.Result{}, errors.New("exit 1")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.tools = append(w.tools, g)
				w.say("go")
				w.idle()
				if d := w.result("c1"); d.Status != clew.ToolError || d.Mistake || !strings.Contains(fmt.Sprint(d.Output), "exit 1") {
					t.Errorf("result %+v", d)
				}
				if len(events[clew.TaskToolFailedData](w)) != 1 {
					t.Error("the failure is not announced")
				}
			}, calls(call("c1", "give", `{}`)), says("A pity."))
		})
	}
}

// Output shows while a tool runs, in a message of its own that ends with it.
//
// Covers: TOOL-17, C-70
func TestStreamedOutput(t *testing.T) {
	rest := new(gate)
	g := &gadget{name: "build", run: func(_ context.Context, _ tool.Call, out tool.Output) (tool.Result, error) {
		if _, err := out.Write([]byte("compiling\n")); err != nil {
			return tool.Result{}, err
		}
		out.Progress(clew.ProgressStatus{Text: "half"})
		<-rest.wait()
		return tool.Result{Text: "compiling\ndone\n"}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, g)
		w.say("go")
		open := w.state().OpenMessages
		if len(open) != 1 || open[0].Text != "compiling\n" {
			t.Errorf("shown: %+v", open)
		}
		progress := 0
		for _, d := range events[clew.ToolProgressData](w) {
			if d.ProgressStatus != nil && d.ProgressStatus.Text == "half" {
				progress++
			}
		}
		if progress != 1 {
			t.Errorf("%d notes of progress", progress)
		}
		rest.open()
		w.idle()
		if got := w.said(clew.SayCommandOutput); got != "compiling\ndone\n" {
			t.Errorf("in the end: %q", got)
		}
		if len(w.state().OpenMessages) != 0 {
			t.Error("the output is still open")
		}
	}, calls(call("c1", "build", `{}`)), says("Done."))
}

// Without a workspace, tools that need one say so; others work.
func TestNoWorkspace(t *testing.T) {
	run(t, allowed(), func(w *world) {
		var err error
		if w.id, err = w.host.Create(w.Context(), ann, session.NewSession{}); err != nil {
			t.Fatal(err)
		}
		w.say("go")
		w.idle()
		if d := w.result("c1"); !strings.Contains(fmt.Sprint(d.Output), "no workspace") {
			t.Errorf("result %+v", d)
		}
		if d := w.result("c2"); d.Status != clew.ToolComplete {
			t.Errorf("result %+v", d)
		}
	}, calls(call("c1", "read_file", `{"path":"a"}`), call("c2", "update_todos", `{"todos":[]}`)), says("Done."))
}
