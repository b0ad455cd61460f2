package transfer_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/session/blob"
	"github.com/clew-run/clew/internal/transfer"
)

const png = "\x89PNG\r\n\x1a\nthe rest of a picture"

// invent writes a conversation out of everything that the forms know.
func invent(t *rapid.T, s *scribe, image string) {
	var tasks []clew.TaskID
	var marks []clew.MessageID // messages that a rewind may go back to
	words := rapid.SampledFrom([]string{"hello", "안녕하세요", "two\nlines", `quotes " and \ and <b>`, "\u2028", "x"})
	for i := range rapid.IntRange(1, 14).Draw(t, "steps") {
		// Each record is at least 1 ms after the one before. An import writes summaries
		// where they stand, before what is older than they are, and has to find room
		// for them: without any, a result moves by a few milliseconds.
		s.step = rapid.Int64Range(15, 50).Draw(t, "ms")
		marks = append(marks, s.next())
		if len(tasks) == 0 || rapid.IntRange(0, 5).Draw(t, "new") == 0 {
			task := clew.TaskID(fmt.Sprintf("task_%d", i))
			tasks = append(tasks, task)
			if rapid.Bool().Draw(t, "image") {
				s.ask(task, words.Draw(t, "words"), image)
			} else {
				s.ask(task, words.Draw(t, "words"))
			}
			continue
		}
		task := tasks[len(tasks)-1]
		switch rapid.IntRange(0, 7).Draw(t, "step") {
		case 0, 1:
			s.answer(task, words.Draw(t, "words"))
		case 2:
			s.tools(task, []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "calls")]...)
		case 3:
			s.add(&clew.ModelMessageData{TaskID: task, Hides: 1, Message: clew.ModelMessage{
				Role: clew.SpeakerUser, IsSummary: true, CondenseID: fmt.Sprint("c", i), TS: s.ts(), Content: clew.List[clew.Part]{textPart("so far")},
			}})
			s.say(clew.Message{Say: clew.SayCondenseContext, Role: clew.SpeakerSystem, TaskID: task, ContextCondense: &clew.ContextCondense{CondenseID: fmt.Sprint("c", i), TokensBefore: 9}})
		case 4:
			s.usage(task)
		case 5:
			s.complete(task, words.Draw(t, "words"))
			tasks = tasks[:0]
		case 6:
			s.say(clew.Message{Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "and?", TaskID: task})
			s.tell(task, clew.SpeakerUser, textPart("and?"))
		case 7:
			back := rapid.SampledFrom(marks).Draw(t, "back")
			seq, _ := back.Seq()
			if seq < 2 {
				continue
			}
			s.add(&clew.HistoryRewoundData{Return: clew.Return{RewindID: fmt.Sprint("r", i), To: clew.MessageIDOf(seq - 1)}, FromMessageID: back})
			tasks = tasks[:0]
		}
	}
	for _, task := range tasks {
		s.idle(task)
	}
}

// An exported session, imported elsewhere and exported again, is the same file.
//
// Covers: STO-10, STO-21, C-06
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	nightly.Check(t, func(t *rapid.T) {
		first := newServer(dir)
		address, err := first.blobs.PutBlob(context.Background(), blob.For{}, []byte(png))
		if err != nil {
			t.Fatal(err)
		}
		s := newScribe("sess_1")
		invent(t, s, session.BlobScheme+address)
		first.has(t, s)
		for _, format := range conversations {
			what := transfer.What{Session: "sess_1", Format: format, All: true}
			file := first.export(t, what)
			if !bytes.Equal(file, first.export(t, what)) {
				t.Fatalf("%s: two exports differ", format)
			}
			second := newServer(dir)
			got := second.take(t, file, transfer.Upload{Workspace: "/w"})
			if got.SessionID != "sess_1" || got.Format != format {
				t.Fatalf("%+v", got)
			}
			if format == transfer.Bundle {
				old, now := first.lines(t, "sess_1"), second.lines(t, "sess_1")
				if !slices.Equal(old, now[:len(now)-1]) || !strings.Contains(now[len(now)-1], `"type":"session_imported"`) {
					t.Fatalf("records differ:\n%s\n%s", old, now)
				}
				continue
			}
			compare(t, format, file, second.export(t, what))
		}
	})
}

func compare(t T, format transfer.Format, old, now []byte) {
	t.Helper()
	if bytes.Equal(old, now) {
		return
	}
	if format == transfer.MessageStore {
		t.Fatalf("files differ:\n%s\n%s", old, now)
	}
	a, names := unpacked(t, old)
	b, others := unpacked(t, now)
	if !slices.Equal(names, others) {
		t.Fatalf("files %v, then %v", names, others)
	}
	for _, name := range names {
		if a[name] != b[name] {
			t.Errorf("%s differs:\n%s\n%s", name, a[name], b[name])
		}
	}
	t.Fatalf("archives differ")
}
