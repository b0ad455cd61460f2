package agent_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"

// A message that mentions files goes to the model with what they hold. The transcript
// has the words as they were typed, and a line on what was attached.
func TestMentionedFilesGoAlong(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("main.go", "package main\n// </attached_file>\n")
		w.write("docs/my notes.md", "tabs\n")
		w.write("logo.png", pixel)
		w.say(`explain @main.go, @docs/ and @"docs/my notes.md" with @logo.png; mail me@example.com @nothing`)
		got := lastText(w.model.last())
		for _, want := range []string{
			`explain @main.go, @docs/ and`,
			"<attached_file path=\"main.go\">\n     1\tpackage main\n     2\t// <\\/attached_file>\n</attached_file>",
			"<attached_directory path=\"docs\">\ndocs/my notes.md\n</attached_directory>",
			"<attached_file path=\"docs/my notes.md\">\n     1\ttabs\n</attached_file>",
			`The image "logo.png":`,
		} {
			if !strings.Contains(got, want) {
				t.Errorf("the model heard %s\nwithout %s", got, want)
			}
		}
		last := w.model.last().Messages[0].Content
		image := last[len(last)-1]
		if image.Type != clew.PartImage || !strings.HasPrefix(image.Images[0], "blob:") {
			t.Fatalf("the image is %+v", image)
		}
		if kind, data, err := w.model.last().Image(w.Context(), image.Images[0]); err != nil || kind != "image/png" || string(data) != pixel {
			t.Errorf("the model gets %s, %q, %v", kind, data, err)
		}
		if note := w.said(clew.SayFilesAttached); note != "Attached main.go, docs/, docs/my notes.md, logo.png (image)" {
			t.Errorf("the transcript says %q", note)
		}
		if typed := w.said(clew.SayUserFeedback); !strings.HasPrefix(typed, "explain @main.go, ") || strings.Contains(typed, "package") {
			t.Errorf("the message stands as %q", typed)
		}
		w.say("and mail me@example.com about @nothing, @docs and @Override")
		if n := len(w.messages(string(clew.SayFilesAttached))); n != 1 || len(w.model.last().Messages[2].Content) != 1 {
			t.Error("words that name no file are more than words")
		}
	}, says("1"), says("2"))
}

// What lies outside, is kept from agents or holds secrets is never read: the model and
// the person are told.
func TestMentionsReachNothingElse(t *testing.T) {
	run(t, nil, func(w *world) {
		outside := filepath.Join(t.TempDir(), "CANARY.txt")
		if err := os.WriteFile(outside, []byte("CANARY"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, filepath.Join(w.dir, "link.txt")); err != nil {
			t.Fatal(err)
		}
		w.write(".env", "CANARY")
		w.write("private/a.txt", "CANARY")
		w.write(".clewignore", "private/\n")
		w.write("data.bin", "CANARY\x00")
		w.say("look at @.env @link.txt @private/a.txt @../x @" + outside + " @~/x @data.bin.")
		for _, p := range w.model.last().Messages[0].Content {
			if strings.Contains(p.Text, "CANARY") && !strings.Contains(p.Text, "look at") && !strings.Contains(p.Text, "outside the workspace") {
				t.Errorf("the model got %s", p.Text)
			}
		}
		note := w.said(clew.SayFilesAttached)
		for _, want := range []string{
			"Not attached: .env (it may hold secrets)", "link.txt (leads out of the workspace through a link)",
			"private/a.txt (is kept from agents", "../x (", "is outside the workspace", "~/x (", "data.bin (is a binary file",
		} {
			if !strings.Contains(note, want) {
				t.Errorf("%s\nwithout %s", note, want)
			}
		}
	}, says("1"))
}

// What the model was given stays what it is, whatever becomes of the file: after a crash,
// in the next turn, and after a rewind to a later message.
func TestMentionsAreOnRecord(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("a.txt", "first\n")
		w.say("one @a.txt") // asks before it writes
		w.asked(clew.AskTool)
		before := w.model.last().Messages[0].Content[1].Text
		w.write("a.txt", "second\n")
		w.crash()
		w.yes()
		w.idle()
		if got := w.model.last().Messages[0].Content; len(got) != 2 || got[1].Text != before || !strings.Contains(before, "first") {
			t.Errorf("after the crash the model hears %+v", got)
		}
		w.say("two @a.txt")
		if got := lastText(w.model.last()); !strings.Contains(got, "second") || strings.Contains(got, "first") {
			t.Errorf("the next message brings %s", got)
		}
		var second clew.MessageID
		for _, m := range w.state().Messages {
			if m.Text == "two @a.txt" {
				second = m.MessageID
			}
		}
		w.do(&clew.RewindData{Target: clew.Target{MessageID: second}})
		w.crash()
		w.say("three")
		if got := w.model.last().Messages[0].Content; got[1].Text != before {
			t.Errorf("after the rewind the model hears %+v", got)
		}
		if n := len(w.messages(string(clew.SayFilesAttached))); n != 1 {
			t.Errorf("%d lines say that files were attached", n)
		}
	}, calls(call("c1", "write_file", `{"path":"b.txt","content":"x"}`)), says("1"), says("2"), says("3"))
}

// A message that comes while a tool works brings its files too, in its own place.
func TestSteeringMentionsFiles(t *testing.T) {
	rest := new(gate)
	slow := &gadget{name: "slow", run: func(context.Context, tool.Call, tool.Output) (tool.Result, error) {
		<-rest.wait()
		return tool.Result{Text: "slowly done"}, nil
	}}
	run(t, allowed(), func(w *world) {
		w.tools = append(w.tools, slow)
		w.write("a.txt", "first\n")
		w.say("go")
		w.say("see @a.txt")
		w.say("quick")
		rest.open()
		w.idle()
		got := lastText(w.model.last())
		if at, file, next := strings.Index(got, "see @a.txt"), strings.Index(got, "first"), strings.Index(got, "quick"); at < 0 || file < at || next < file {
			t.Errorf("the model heard %q", got)
		}
	}, calls(call("c1", "slow", `{}`)), says("Done."))
}

// A message that comes while the files of another are read waits for the next call, with
// its own files: the call that is about to begin knows nothing of them.
func TestMentionsWhileFilesAreRead(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("logo.png", pixel)
		w.write("a.txt", "first\n")
		w.blobs.put = func() {
			w.blobs.put = nil
			if _, err := w.host.Do(w.Context(), w.id, clew.Command{Type: clew.CommandUserMessage, By: ann, Data: &clew.UserMessageData{Text: "see @a.txt"}}); err != nil {
				t.Error(err)
			}
		}
		w.say("go @logo.png")
		w.idle()
		if first := lastText(w.model.requests[0]); strings.Contains(first, "a.txt") {
			t.Errorf("the model first heard %q", first)
		}
		if got := lastText(w.model.last()); !strings.Contains(got, "see @a.txt|<attached_file") || !strings.Contains(got, "first") {
			t.Errorf("the model heard %q", got)
		}
	}, says("One moment."), says("Done."))
}

// Long files are cut where lines end, the model is told how to read on, and there is an
// end to all of them together.
func TestMentionsAreBounded(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("long.txt", strings.Repeat(strings.Repeat("x", 99)+"\n", 3000))
		names := ""
		for _, n := range strings.Fields("a b c d e f") {
			w.write(n+".txt", strings.Repeat(strings.Repeat(n, 99)+"\n", 300))
			names += " @" + n + ".txt"
		}
		w.say("read @long.txt")
		got := lastText(w.model.last())
		if len(got) > 40<<10 || !strings.Contains(got, "(more lines follow; continue with offset 3") {
			t.Errorf("%d bytes, ending with %s", len(got), got[len(got)-200:])
		}
		w.say("all of" + names)
		if got := lastText(w.model.last()); len(got) > 140<<10 || !strings.Contains(got, "f.txt was not attached: there is no room for it") {
			t.Errorf("%d bytes, ending with %s", len(got), got[len(got)-200:])
		}
		notes := w.messages(string(clew.SayFilesAttached))
		if notes[0].Text != "Attached long.txt (cut)" || !strings.HasPrefix(notes[1].Text, "Attached a.txt, b.txt, c.txt, d.txt") || !strings.Contains(notes[1].Text, ". Not attached: ") {
			t.Errorf("the transcript says %q and %q", notes[0].Text, notes[1].Text)
		}
	}, says("1"), says("2"))
}

// Where the window is small, less goes along; a model without eyes gets no images.
func TestMentionsFitTheModel(t *testing.T) {
	run(t, nil, func(w *world) {
		w.info.ContextWindow, w.info.NoImages = 20_000, true
		w.write("a.txt", strings.Repeat("a\n", 1500))
		w.write("b.txt", strings.Repeat("b\n", 1500))
		w.write("logo.png", pixel)
		w.say("@a.txt @b.txt @logo.png")
		if note := w.said(clew.SayFilesAttached); !strings.Contains(note, "Attached a.txt. Not attached: b.txt (there is no room") || !strings.HasSuffix(note, "logo.png (the model takes no images)") {
			t.Error(note)
		}
	}, says("1"))
}

// A subtask's first words are a model's. They bring nothing along: where reading is asked
// about, they would go around the question.
func TestModelsMentionNothing(t *testing.T) {
	run(t, nil, func(w *world) {
		w.write("a.txt", "CANARY\n")
		w.say("go")
		w.idle()
		for _, r := range w.model.requests {
			if strings.Contains(lastText(r), "CANARY") {
				t.Errorf("a model heard %s", lastText(r))
			}
		}
	}, calls(call("s1", "new_task", `{"message":"see @a.txt"}`)), completes("seen"), says("Done."))
}
