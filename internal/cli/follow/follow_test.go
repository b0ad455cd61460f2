package follow

import (
	"io"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
)

// heard is a frame of the view of the state.
func heard(t *testing.T, data any) wire.Envelope {
	t.Helper()
	ev := clew.NewEvent(data)
	b, err := clew.MarshalData(ev.Data)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Envelope{Type: string(ev.Type), Data: b}
}

func speech(text string, partial bool) clew.Message {
	return clew.Message{MessageID: "msg_1", Type: clew.TypeSay, Say: clew.SayText, Role: clew.SpeakerAssistant, Text: text, Partial: partial, TaskID: "t"}
}

// Whatever comes twice or late after a break, each word is told once.
func TestStoryTellsOnce(t *testing.T) {
	put := func(text string, partial bool) any { m := speech(text, partial); return &m }
	delta := func(offset int, text string) any {
		return &clew.TextData{MessageID: "msg_1", Offset: offset, Delta: text}
	}
	for name, c := range map[string]struct {
		first []clew.Message
		in    []any
		want  string
	}{
		"as it comes":            {nil, []any{put("", true), delta(0, "one "), delta(4, "two"), put("one two", false)}, "one two\n"},
		"whole":                  {nil, []any{put("one two", false)}, "one two\n"},
		"repeated":               {nil, []any{put("", true), delta(0, "one "), delta(0, "one "), put("one two ", true), delta(8, "three"), put("one two three", false)}, "one two three\n"},
		"an older form":          {nil, []any{put("", true), delta(0, "one two "), put("one ", true), delta(8, "three"), put("one two three", false)}, "one two three\n"},
		"a delta is missing":     {nil, []any{put("", true), delta(0, "one "), delta(8, "three"), put("one two three", false)}, "one two three\n"},
		"told twice":             {nil, []any{put("one", false), put("one", false)}, "one\n"},
		"begun anew":             {nil, []any{put("", true), delta(0, "one "), put("", true), delta(0, "two"), put("two", false)}, "one\n\n(It begins anew.)\n\ntwo\n"},
		"cut off":                {nil, []any{put("", true), delta(0, "one two "), put("one two", false)}, "one two\n"},
		"nothing":                {nil, []any{put("", true), put("", false)}, ""},
		"begun before we came":   {[]clew.Message{speech("one ", true)}, []any{delta(4, "two"), put("one two", false)}, "one two\n"},
		"ended before we came":   {[]clew.Message{speech("one", false)}, []any{put("one", false)}, ""},
		"output of some command": {nil, []any{delta(0, "one ")}, ""},
	} {
		var out strings.Builder
		s := newStory(&Screen{w: &out}, false, "")
		tell(s, clew.StatePut{Message: c.first}, true)
		for _, in := range c.in {
			switch d := in.(type) {
			case *clew.Message:
				tell(s, clew.StatePut{Message: []clew.Message{*d}}, false)
			case *clew.TextData:
				s.grow(d.MessageID, d.Offset, d.Delta)
			}
		}
		s.end()
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}

// What is said on other monitors says so when they change, and a session with one
// monitor is told as ever.
func TestStoryNamesMonitors(t *testing.T) {
	on := func(n uint64, monitor clew.MonitorID, text string, role clew.Speaker) clew.Message {
		return clew.Message{MessageID: clew.MessageIDOf(n), Type: clew.TypeSay, Say: clew.SayText, Role: role, Text: text, MonitorID: monitor}
	}
	var out strings.Builder
	s := newStory(&Screen{w: &out}, false, "")
	tell(s, clew.StatePut{}, true)
	tell(s, clew.StatePut{Message: []clew.Message{
		on(1, "monitor-0", "first", clew.SpeakerUser), on(2, "monitor-0", "one", clew.SpeakerAssistant),
		on(3, "monitor-1", "second", clew.SpeakerUser), on(4, "monitor-1", "two", clew.SpeakerAssistant), on(5, "monitor-0", "back", clew.SpeakerAssistant),
	}}, false)
	// Two texts grow at once: each is told whole, under its own monitor.
	a, b := on(6, "monitor-0", "here", clew.SpeakerAssistant), on(7, "monitor-1", "there", clew.SpeakerAssistant)
	a.Partial, b.Partial = true, true
	tell(s, clew.StatePut{Message: []clew.Message{a, b}}, false)
	s.grow(b.MessageID, 5, " too")
	s.grow(a.MessageID, 4, " it is")
	a.Partial, a.Text, b.Partial, b.Text = false, "here it is", false, "there too"
	tell(s, clew.StatePut{Message: []clew.Message{b, a}}, false)
	s.end()
	want := "> first\n\none\n\nOn monitor 2:\n> second\n\ntwo\n\nOn monitor 1:\nback\n\nhere it is\n\nOn monitor 2:\nthere too\n"
	if out.String() != want {
		t.Errorf("told\n%q\nwant\n%q", out.String(), want)
	}
}

// tell has a story tell of a state that has nothing but this.
func tell(s *transcriptPrinter, put clew.StatePut, first bool) {
	var r client.Replica
	d := &clew.StateChangedData{To: clew.MessageIDOf(1), Put: put}
	if err := r.Apply(d); err != nil {
		panic(err) // a whole state always fits
	}
	s.take(&r, d, first)
}

// What is no message is told when it changes, each thing once, and not what was
// there before.
func TestStoryTellsTransitions(t *testing.T) {
	todo := func(of string, status clew.TodoStatus) clew.TodoInfo {
		return clew.TodoInfo{Of: of, Todo: clew.Todo{ID: "a", Task: "Do it", Status: status, DurationMS: 1500, Error: &clew.Failure{Message: "no"}}}
	}
	run := func(status clew.PlanStatus, paused bool) clew.RunInfo {
		info := clew.RunInfo{RunID: "r", Plan: &clew.PlanSummary{Status: status}, Paused: paused}
		if paused {
			info.PausedWhy = "lunch"
		}
		return info
	}
	task := func(kind clew.AgentKind, status clew.TaskStatus) []clew.TaskInfo {
		return []clew.TaskInfo{{TaskRef: clew.TaskRef{TaskID: "t"}, AgentKind: kind, Status: status}}
	}
	move := func(m clew.LastMove) clew.StatePut { return clew.StatePut{Status: &clew.StatusInfo{LastMove: &m}} }
	nothing := clew.StatePut{}
	for name, c := range map[string]struct {
		before, after clew.StatePut
		want          string
	}{
		"a plan of one's own": {nothing, clew.StatePut{Todo: []clew.TodoInfo{todo("t", clew.TodoPending)}}, "  ○ Do it\n"},
		"a step of it":        {clew.StatePut{Todo: []clew.TodoInfo{todo("t", clew.TodoPending)}}, clew.StatePut{Todo: []clew.TodoInfo{todo("t", clew.TodoCompleted)}}, "  ● Do it · 1.5 s\n"},
		"a plan to review":    {nothing, clew.StatePut{Run: []clew.RunInfo{run(clew.PlanPendingApproval, false)}, Todo: []clew.TodoInfo{todo("r", clew.TodoPending)}}, ""},
		"a plan without one":  {nothing, clew.StatePut{Run: []clew.RunInfo{run(clew.PlanApproved, false)}, Todo: []clew.TodoInfo{todo("r", clew.TodoPending)}}, "  ○ Do it\n"},
		"a step of a run": {
			clew.StatePut{Run: []clew.RunInfo{run(clew.PlanApproved, false)}, Todo: []clew.TodoInfo{todo("r", clew.TodoInProgress)}},
			clew.StatePut{Run: []clew.RunInfo{run(clew.PlanApproved, false)}, Todo: []clew.TodoInfo{todo("r", clew.TodoFailed)}}, "  ✕ Do it · no\n",
		},
		"paused":             {clew.StatePut{Run: []clew.RunInfo{run("", false)}}, clew.StatePut{Run: []clew.RunInfo{run("", true)}}, "The run is paused: lunch.\n"},
		"resumed":            {clew.StatePut{Run: []clew.RunInfo{run("", true)}}, clew.StatePut{Run: []clew.RunInfo{run("", false)}}, "The run continues.\n"},
		"a subtask":          {nothing, clew.StatePut{Task: task(clew.AgentTask, clew.TaskStatusActive)}, "↳ a subtask begins\n"},
		"a step's task":      {nothing, clew.StatePut{Task: task(clew.AgentStep, clew.TaskStatusActive)}, ""},
		"its end":            {clew.StatePut{Task: task(clew.AgentMain, clew.TaskStatusDelegated)}, clew.StatePut{Task: task(clew.AgentMain, clew.TaskStatusActive)}, "↲ the subtask is done\n"},
		"a problem":          {nothing, clew.StatePut{Problem: []clew.Problem{{MessageID: "p", ErrorData: clew.ErrorData{Message: "no"}}}}, "✕ no\n"},
		"a rewind":           {nothing, move(clew.LastMove{MessageID: "m", Kind: clew.KindRewind, Removed: 2}), "The session was rewound: 2 messages removed.\n"},
		"its undo":           {move(clew.LastMove{MessageID: "m"}), move(clew.LastMove{MessageID: "n", Kind: clew.KindUndo}), "A rewind was undone.\n"},
		"a rewind of before": {move(clew.LastMove{MessageID: "m"}), move(clew.LastMove{MessageID: "m"}), ""},
		"what waits":         {nothing, clew.StatePut{Queue: &clew.List[clew.QueuedMessage]{{}, {ClientMessageID: "mine"}}}, "It waits until what is under way is done (place 2 in the queue).\n"},
	} {
		var out strings.Builder
		s := newStory(&Screen{w: &out}, false, "mine")
		tell(s, c.before, true)
		tell(s, c.after, false)
		tell(s, c.after, false)
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}

// Two texts that grow at the same time stay apart.
func TestStoryKeepsTextsApart(t *testing.T) {
	var out strings.Builder
	s := newStory(&Screen{w: &out}, false, "")
	for _, step := range []struct {
		id      clew.MessageID
		text    string
		partial bool
	}{{"msg_1", "", true}, {"msg_2", "", true}, {"msg_1", "a b ", true}, {"msg_2", "x y ", true}, {"msg_1", "a b c", true}, {"msg_2", "x y z", false}, {"msg_1", "a b c", false}} {
		m := speech(step.text, step.partial)
		m.MessageID = step.id
		s.message(&m)
	}
	if out.String() != "a b c\n\nx y z\n" {
		t.Errorf("%q", out.String())
	}
}

// Lines are broken between words, by the width of characters.
func TestScreenWraps(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"the quick brown fox jumps over", "the quick brown fox\njumps over"},
		{"한국어 문장이 길어지면 줄을", "한국어 문장이\n길어지면 줄을"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaa b", "aaaaaaaaaaaaaaaaaaaa\naaaaa b"},
		{"one\n\ntwo", "one\n\ntwo"},
		{"exactly twenty wide. x", "exactly twenty wide.\nx"},
		{"a\x1b[2Jb \u202e c", "a␛[2Jb ⟨202E⟩ c"},
		{"windows\r\nlines", "windows\nlines"},
	} {
		for _, size := range []int{1, 3, 100} {
			var out strings.Builder
			s := &Screen{w: &out, width: 20}
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				for n < len(rest) && rest[n]&0xc0 == 0x80 { // a delta never splits a character
					n++
				}
				s.say(rest[:n])
				rest = rest[n:]
			}
			s.end()
			if got := strings.TrimSuffix(out.String(), "\n"); got != c.want {
				t.Errorf("%q in pieces of %d: %q, want %q", c.in, size, got, c.want)
			}
		}
	}
}

// The end of the work is found in the state, and nothing else is taken for it.
func TestCourse(t *testing.T) {
	task := func(id, root clew.TaskID, o *clew.Outcome) clew.TaskInfo {
		i := clew.TaskInfo{TaskRef: clew.TaskRef{TaskID: id, RootTaskID: root}, Outcome: o}
		if id != root {
			i.ParentTaskID = root
		}
		return i
	}
	mine := clew.Message{MessageID: "msg_0", Type: clew.TypeSay, Say: clew.SayUserFeedback, Role: clew.SpeakerUser, ClientMessageID: "mine", TaskID: "t"}
	below := mine
	below.TaskID = "c"
	result := speech("result", false)
	result.MessageID, result.Say = "msg_2", clew.SayCompletionResult
	over := func(s clew.OutcomeStatus, why clew.EndCode) *clew.Outcome {
		return &clew.Outcome{Status: s, WhyCode: why, Message: "a sentence"}
	}
	done := over(clew.OutcomeDone, "")
	with := func(list ...clew.TaskInfo) []clew.TaskInfo { return list }
	for name, c := range map[string]struct {
		messages []clew.Message
		tasks    []clew.TaskInfo
		run      *clew.RunInfo
		status   string // "" if it goes on
		answer   string
	}{
		"answered":            {[]clew.Message{mine, speech("words", false)}, with(task("t", "t", done)), nil, EndedDone, "words"},
		"with a result":       {[]clew.Message{mine, speech("words", false), result}, with(task("t", "t", done)), nil, EndedDone, "result"},
		"at work":             {[]clew.Message{mine, speech("words", false)}, with(task("t", "t", nil)), nil, "", "words"},
		"before the message":  {[]clew.Message{speech("words", false)}, with(task("t", "t", done)), nil, "", ""},
		"another task's end":  {[]clew.Message{mine}, with(task("t", "t", nil), task("o", "o", done)), nil, "", ""},
		"a child at rest":     {[]clew.Message{mine}, with(task("t", "t", nil), task("c", "t", done)), nil, "", ""},
		"said to a child":     {[]clew.Message{below}, with(task("t", "t", nil), task("c", "t", done)), nil, "", ""},
		"and to its end":      {[]clew.Message{below, speech("words", false)}, with(task("t", "t", done), task("c", "t", done)), nil, EndedDone, "words"},
		"a run between turns": {[]clew.Message{mine}, with(task("t", "t", done)), &clew.RunInfo{RunID: "r", TaskID: "t"}, "", ""},
		"a run's end":         {[]clew.Message{mine}, with(task("t", "t", nil)), &clew.RunInfo{RunID: "r", TaskID: "t", Ended: over(clew.OutcomeCancelled, "")}, EndedCancelled, ""},
		"failed":              {[]clew.Message{mine}, with(task("t", "t", over(clew.OutcomeFailed, clew.EndFailed))), nil, EndedFailed, ""},
		"cancelled":           {[]clew.Message{mine}, with(task("t", "t", over(clew.OutcomeCancelled, clew.EndCancelled))), nil, EndedCancelled, ""},
		"interrupted":         {[]clew.Message{mine}, with(task("t", "t", over(clew.OutcomeStopped, clew.EndInterrupted))), nil, EndedStopped, ""},
		"no to going on":      {[]clew.Message{mine}, with(task("t", "t", over(clew.OutcomeDenied, clew.EndNotContinued))), nil, EndedStopped, ""},
		"no more money":       {[]clew.Message{mine}, with(task("t", "t", over(clew.OutcomeBudget, clew.EndNotContinued))), nil, EndedBudget, ""},
		"an end of tomorrow":  {[]clew.Message{mine}, with(task("t", "t", over("explained", ""))), nil, EndedFailed, ""},
		"taken back":          {[]clew.Message{mine}, nil, nil, EndedStopped, ""},
	} {
		var r client.Replica
		k := client.NewWork("mine", &r)
		put := clew.StatePut{Message: c.messages, Task: c.tasks}
		if c.run != nil {
			put.Run = []clew.RunInfo{*c.run}
		}
		d := &clew.StateChangedData{To: clew.MessageIDOf(1), Put: put}
		if err := r.Apply(d); err != nil {
			t.Fatal(err)
		}
		status := ""
		if how := outcomeOf(k.Take(d)); how != nil {
			status = how.Status
		}
		if status != c.status || k.Answer() != c.answer {
			t.Errorf("%s: %q with %q, want %q with %q", name, status, k.Answer(), c.status, c.answer)
		}
	}
}

// Without a message, whatever was under way is followed to its end; what had ended
// before does not count, and neither does what others do below it.
func TestCourseOfWhatIsUnderWay(t *testing.T) {
	done := &clew.Outcome{Status: clew.OutcomeDone}
	task := func(id clew.TaskID, o *clew.Outcome, used int64) clew.TaskInfo {
		return clew.TaskInfo{TaskRef: clew.TaskRef{TaskID: id, RootTaskID: id}, Outcome: o, Usage: clew.Usage{TokensIn: used}}
	}
	var r client.Replica
	k := client.NewWork("", &r)
	step := func(list ...clew.TaskInfo) *outcome {
		d := &clew.StateChangedData{From: r.Cursor, To: clew.MessageIDOf(1), Put: clew.StatePut{Task: list}}
		if err := r.Apply(d); err != nil {
			t.Fatal(err)
		}
		return outcomeOf(k.Take(d))
	}
	if end := step(task("old", done, 5), task("now", nil, 1)); end != nil {
		t.Errorf("it ended with %+v", end)
	}
	if end := step(task("old", done, 5)); end != nil {
		t.Errorf("the end of before counts: %+v", end)
	}
	if end := step(task("now", done, 3)); end == nil || end.Status != EndedDone {
		t.Errorf("it ended with %+v", end)
	}
	if n := k.Usage().TokensIn; n != 3 {
		t.Errorf("it used %d", n)
	}
}

// A question of a task that is not ours is not ours.
func TestCourseKnowsItsTasks(t *testing.T) {
	var r client.Replica
	r.Tasks = []clew.TaskInfo{
		{TaskRef: clew.TaskRef{TaskID: "t", RootTaskID: "t"}}, {TaskRef: clew.TaskRef{TaskID: "below", RootTaskID: "t"}},
		{TaskRef: clew.TaskRef{TaskID: "other", RootTaskID: "other"}}, {TaskRef: clew.TaskRef{TaskID: "below other", RootTaskID: "other"}},
	}
	k := client.NewWork("mine", &r)
	k.Take(&clew.StateChangedData{Put: clew.StatePut{Message: []clew.Message{{MessageID: "msg_1", ClientMessageID: "mine", TaskID: "t"}}}})
	for id, want := range map[clew.TaskID]bool{"t": true, "below": true, "other": false, "below other": false, "unheard of": false, "": true} {
		if k.Mine(id) != want {
			t.Errorf("%q is ours: %v", id, !want)
		}
	}
}

// Where the answer is printed elsewhere, the story does not tell it as well.
func TestStoryKeepsTheAnswerBack(t *testing.T) {
	first, last := speech("First I look.", false), speech("All is well.\n", false)
	last.MessageID = "msg_2"
	for name, c := range map[string]struct {
		answered bool
		want     string
	}{
		"answered": {true, "First I look.\n"},
		"not":      {false, "First I look.\n\nAll is well.\n"},
	} {
		var out strings.Builder
		s := newStory(&Screen{w: &out}, false, "")
		s.keep = true
		s.message(&first)
		s.message(&last)
		s.close(c.answered, "All is well.")
		if out.String() != c.want {
			t.Errorf("%s: %q, want %q", name, out.String(), c.want)
		}
	}
}

// An answer by --yes that the server does not take is not given again.
func TestYesIsNotRepeated(t *testing.T) {
	f := &follower{a: &env.App{}, screen: &Screen{w: io.Discard}, o: Options{Yes: true}, answered: map[clew.RequestID]bool{"req_1": true}, refused: map[clew.RequestID]bool{}}
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x"})
	if f.byRule(q) == nil {
		t.Error("--yes does not approve")
	}
	if err := f.heardBack(t.Context(), sentCommand{about: "req_1", err: clew.Errorf(clew.Forbidden, "no")}); err == nil {
		t.Error("where nobody can be asked, a refused answer is the end")
	}
	if f.answered["req_1"] || f.byRule(q) != nil {
		t.Error("a refused answer would be given again")
	}
}

// What a rewind opened again is not approved by --yes: somebody took that back. What
// is asked later is.
func TestYesDoesNotRepeatWhatWasTakenBack(t *testing.T) {
	var out strings.Builder
	f := &follower{
		a: &env.App{}, screen: &Screen{w: &out}, o: Options{Yes: true},
		answered: map[clew.RequestID]bool{"req_1": true}, refused: map[clew.RequestID]bool{},
	}
	f.course = client.NewWork("", &f.state)
	q := approvalOf(clew.HitlApprovalRequestData{Tool: "x"})
	f.hear(t.Context(), heard(t, &clew.StateChangedData{To: clew.MessageIDOf(1)}))
	f.hear(t.Context(), heard(t, &clew.StateChangedData{From: clew.MessageIDOf(1), To: clew.MessageIDOf(2), Put: clew.StatePut{
		Question: []clew.Question{q}, Status: &clew.StatusInfo{LastMove: &clew.LastMove{Kind: clew.KindRewind, MessageID: clew.MessageIDOf(2)}},
	}}))
	if f.answered["req_1"] {
		t.Error("the question counts as answered")
	}
	if len(f.course.Questions()) != 1 || f.byRule(q) != nil || !strings.Contains(out.String(), "--yes does not answer questions that are open again") {
		t.Errorf("%v, %+v:\n%s", f.course.Questions(), f.byRule(q), out.String())
	}
	next := &clew.HitlApprovalRequestData{Asking: clew.Asking{RequestID: "req_2"}, Tool: "x"}
	later := clew.Question{Type: clew.EventHitlApprovalRequest, Data: next}
	f.hear(t.Context(), heard(t, &clew.StateChangedData{From: clew.MessageIDOf(2), To: clew.MessageIDOf(3), Put: clew.StatePut{Question: []clew.Question{later}}}))
	if f.byRule(later) == nil {
		t.Error("a later question is not approved")
	}
}

// A yes that is typed while a question is open that was not put to the person is
// not sent: nobody knows what it is a yes to.
func TestWordsForNobody(t *testing.T) {
	var out strings.Builder
	f := &follower{a: &env.App{}, c: &env.Rest{}, screen: &Screen{w: &out}} // there is no client that could send
	f.state.Questions = []clew.Question{approvalOf(clew.HitlApprovalRequestData{Tool: "x"})}
	f.steer(t.Context(), "yes")
	f.running.Wait()
	if !strings.Contains(out.String(), "\"yes\" was not sent: a question is open in this session that") {
		t.Errorf("%s", out.String())
	}
}

// A command to paste is one line on any terminal, its id in one piece.
func TestCommandsAreNotBroken(t *testing.T) {
	var out strings.Builder
	s := &Screen{w: &out, width: 40}
	s.Paste(PlainInk, "    ", "Go on: clew run --session sess_0237ac760bbde4c21658b8f2cb5f283e '…'\nor\x1b[31m not")
	if got, want := out.String(), "    Go on: clew run --session sess_0237ac760bbde4c21658b8f2cb5f283e '…'\n    or"; !strings.HasPrefix(got, want) || strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
}

// A main agent that was woken and is done within one change is done.
func TestEndWithinOneChange(t *testing.T) {
	f := &follower{o: Options{UntilDone: true}}
	f.course = client.NewWork("", &f.state)
	done := &clew.Outcome{Status: clew.OutcomeDone}
	change := func(d *clew.StateChangedData, first bool) *outcome {
		t.Helper()
		if err := f.state.Apply(d); err != nil {
			t.Fatal(err)
		}
		return f.changed(t.Context(), d, first)
	}
	main := clew.TaskInfo{TaskRef: clew.TaskRef{TaskID: "main"}, Outcome: done}
	beside := clew.TaskInfo{TaskRef: clew.TaskRef{TaskID: "beside", ParentTaskID: "main"}, AtWork: true}
	put := clew.StatePut{
		Status: &clew.StatusInfo{Status: clew.StatusExecuting}, Task: []clew.TaskInfo{main, beside},
		Monitors: &clew.List[clew.MonitorState]{{MonitorID: clew.MainMonitor, Busy: true}},
	}
	if end := change(&clew.StateChangedData{To: clew.MessageIDOf(1), Put: put}, true); end != nil {
		t.Fatalf("it ended while another agent works: %+v", end)
	}
	beside.AtWork, beside.Outcome = false, done
	put.Status, put.Task, put.Monitors = &clew.StatusInfo{Status: clew.StatusIdle}, []clew.TaskInfo{main, beside}, &clew.List[clew.MonitorState]{{MonitorID: clew.MainMonitor}}
	if end := change(&clew.StateChangedData{From: clew.MessageIDOf(1), To: clew.MessageIDOf(2), Put: put}, false); end == nil || end.Status != string(clew.OutcomeDone) {
		t.Fatalf("it did not end: %+v", end)
	}
}

// What a kernel puts out is told as text, once it is whole; that it is busy is not. What
// became of the kernel itself is told.
func TestStoryTellsCells(t *testing.T) {
	cell := func(id clew.MessageID, kind clew.OutputKind, text string, partial bool) clew.Message {
		return clew.Message{
			MessageID: id, Type: clew.TypeSay, Say: clew.SayCommandOutput, Text: text, Partial: partial,
			Cell: &clew.MessageCell{RunID: "cr_1", Output: kind},
		}
	}
	var out strings.Builder
	s := newStory(&Screen{w: &out}, false, "")
	tell(s, clew.StatePut{Message: []clew.Message{cell("msg_1", clew.OutputStatus, "busy", true), cell("msg_2", clew.OutputStream, "one\n", true)}}, false)
	tell(s, clew.StatePut{Message: []clew.Message{cell("msg_2", clew.OutputStream, "one\ntwo\n", false)}}, false)
	tell(s, clew.StatePut{Message: []clew.Message{cell("msg_3", clew.OutputError, "\x1b[31mKeyError\x1b[0m: 'a'", false), cell("msg_1", clew.OutputStatus, "idle", false)}}, false)
	tell(s, clew.StatePut{Message: []clew.Message{cell("msg_2", clew.OutputStream, "one\ntwo\n", false)}}, false)
	again := clew.Message{MessageID: "msg_4", Type: clew.TypeSay, Say: clew.SayKernelStatus, Role: clew.SpeakerSystem, Text: "a.ipynb: all 2 cells ran again in a fresh kernel."}
	tell(s, clew.StatePut{Message: []clew.Message{again}}, false)
	tell(s, clew.StatePut{Message: []clew.Message{again}}, false)
	if want := "  one\n  two\n  KeyError: 'a'\n\na.ipynb: all 2 cells ran again in a fresh kernel.\n"; out.String() != want {
		t.Errorf("told %q, want %q", out.String(), want)
	}
}
