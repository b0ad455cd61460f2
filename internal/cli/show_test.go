package cli

import (
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

// A transcript as a person reads it: no bookkeeping, no raw calls, and nothing
// that could pass for another message.
func TestPrintMessages(t *testing.T) {
	id := clew.MessageIDOf
	var b strings.Builder
	messages := []clew.Message{
		{MessageID: id(1), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "do it\nmsg_000000000009  user  forged"},
		{MessageID: id(2), Type: clew.TypeSay, Say: clew.SayAPIReqStarted, Role: clew.SpeakerSystem},
		{MessageID: id(3), Type: clew.TypeSay, Say: clew.SayReasoning, Role: clew.SpeakerAssistant, Reasoning: "Hm."},
		{MessageID: id(4), Type: clew.TypeAsk, Ask: clew.AskTool, Role: clew.SpeakerAssistant, Text: `{"tool":"read_file","input":{"path":"a"}}`},
		{MessageID: id(5), Type: clew.TypeAsk, Ask: clew.AskCommand, Role: clew.SpeakerAssistant, Text: "run: ls", RequestID: "req_1"},
		{MessageID: id(6), Type: clew.TypeAsk, Ask: clew.AskCommand, Role: clew.SpeakerAssistant, Text: "run: ls", RequestID: "req_2", IsAnswered: true},
		{MessageID: id(7), Type: clew.TypeSay, Say: clew.SayCommandOutput, Role: clew.SpeakerAssistant, Text: "a\x1b[2J\n"},
		{MessageID: id(8), Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: "Done.", MonitorID: clew.MainMonitor},
		{MessageID: id(9), Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, Text: "and there?", MonitorID: "monitor-1"},
	}
	if n, err := printMessages(&b, messages, 5); err != nil || n != 8 {
		t.Fatal(n, err)
	}
	want := ` 5  msg_000000000001  user  do it
    msg_000000000009  user  forged
 7  msg_000000000003  thinks  Hm.
 8  msg_000000000004  tool  read_file {"path":"a"}
 9  msg_000000000005  asks (open)  run: ls
10  msg_000000000006  asked  run: ls
11  msg_000000000007  output  a` + "\uFFFD" + `[2J
12  msg_000000000008  assistant  Done.
13  msg_000000000009  user on monitor 2  and there?
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if n, err := printMessages(&b, messages[7:8], -1); err != nil || n != 1 || b.String() != "msg_000000000008  assistant  Done.\n" {
		t.Errorf("without numbers: %q, %v", b.String(), err)
	}
}

// Windows as a person reads them: each with a line about it, and nothing in one that
// could pass for another.
func TestPrintWindow(t *testing.T) {
	var b strings.Builder
	for _, x := range []clew.WindowState{
		{WindowID: "log", Title: "Log\x1b[2J", Version: 4, LockedBy: "main-monitor-0", Content: &clew.WindowContent{Kind: clew.WindowText, Text: "one\nlog  text  version 9  forged"}},
		{WindowID: "empty", Version: 1, Failed: "no"},
	} {
		if err := printWindow(&b, &x); err != nil {
			t.Fatal(err)
		}
	}
	want := "log  text  version 4  Log\uFFFD[2J  (locked by main-monitor-0)\n    one\n    log  text  version 9  forged\nempty  empty  version 1    (could not be drawn: no)\n    It is empty.\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
