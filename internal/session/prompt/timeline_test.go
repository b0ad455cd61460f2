package prompt_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/nightly"
	"github.com/clew-run/clew/internal/session/prompt"
)

// Covers: CTX-06, CTX-07, CTX-08, CTX-10
func TestTimelineFormat(t *testing.T) {
	var line prompt.Timeline
	if got := line.Render(0); got != "" {
		t.Errorf("an empty one says %q", got)
	}
	line = line.ByPerson("close", "report", 0).ByAgent("window-<x>", `Said "</timeline>"
& left.`)
	want := "<timeline>\n<ui:close>report</ui:close>\n<ai agent=\"window-&lt;x&gt;\">Said &quot;&lt;/timeline&gt;&quot; &amp; left.</ai>\n</timeline>"
	if got := line.Render(0); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := line.Render(1); strings.Contains(got, "ui:") || !strings.Contains(got, "<ai ") {
		t.Errorf("who heard one hears %q", got)
	}
	if got := line.Render(2); got != "" {
		t.Errorf("who heard all hears %q", got)
	}
}

// What a hand does with a mouse is told in as few words as it needs, and never less
// than somebody who has heard a part would miss.
func TestTimelineFoldsGestures(t *testing.T) {
	line := prompt.Timeline{}.ByPerson("focus", "a", 0).ByPerson("move", "a", 0).ByPerson("move", "b", 0).ByPerson("resize", "a", 0).ByPerson("focus", "b", 0)
	if got := kinds(line, 0); got != "move a, move b, focus b" {
		t.Errorf("got %s", got)
	}
	line = line.ByPerson("focus", "b", 3).ByPerson("move", "a", 3)
	if got := kinds(line, 3); got != "focus b, move a" {
		t.Errorf("after it was heard: %s", got)
	}
	if got := (prompt.Timeline{}).ByPerson("close><x", "a", 0).Render(0); !strings.Contains(got, "<ui:closex>a</ui:closex>") {
		t.Errorf("a strange kind says %s", got)
	}
}

func kinds(line prompt.Timeline, heard int64) string {
	var list []string
	for _, e := range first(line.After(heard)) {
		list = append(list, e.Kind+" "+e.Window)
	}
	return strings.Join(list, ", ")
}

func first(list []prompt.Entry, _ int64) []prompt.Entry { return list }

// Covers: C-46
func TestTimelineIsBounded(t *testing.T) {
	var line prompt.Timeline
	for i := range prompt.EntriesMax + 7 {
		line = line.ByAgent("x", fmt.Sprint(i))
	}
	list, missed := line.After(2)
	if len(list) != prompt.EntriesMax || missed != 5 || !strings.HasPrefix(line.Render(2), "<timeline>\n<missed count=\"5\"/>\n") {
		t.Errorf("%d entries, %d missed, says %.60s", len(list), missed, line.Render(2))
	}
	for range 100 {
		line = line.ByAgent("x", strings.Repeat("y", 4000))
	}
	if n := len(line.Render(0)); n > 70<<10 {
		t.Errorf("it says %d bytes", n)
	}
	if line = line.Heard(line.Last); len(line.Entries) != 0 || line.Render(line.Last) != "" {
		t.Errorf("left %+v", line.Entries)
	}
}

// Whatever is said and heard in between: positions have no gaps, so each reader hears
// or misses each entry, once.
func TestTimelinePositions(t *testing.T) {
	nightly.Check(t, func(t *rapid.T) {
		var line prompt.Timeline
		heard := [3]int64{}
		told := [3]int64{}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch n := rapid.IntRange(0, 6).Draw(t, "step"); n {
			case 0, 1, 2:
				who := rapid.IntRange(0, 2).Draw(t, "reader")
				list, missed := line.After(heard[who])
				told[who] += int64(len(list)) + missed
				heard[who] = line.Last
				line = line.Heard(min(heard[0], heard[1], heard[2]))
			case 3:
				line = line.ByAgent("x", strings.Repeat("z", rapid.SampledFrom([]int{1, 30_000}).Draw(t, "size")))
			default:
				kind := rapid.SampledFrom([]string{"focus", "move", "resize", "close"}).Draw(t, "kind")
				line = line.ByPerson(kind, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "window"), max(heard[0], heard[1], heard[2]))
			}
			for i, e := range line.Entries {
				if e.At != line.Last-int64(len(line.Entries)-1-i) {
					t.Fatalf("positions %+v, last %d", line.Entries, line.Last)
				}
			}
			for who := range heard {
				if told[who] != heard[who] {
					t.Fatalf("reader %d was told %d of %d", who, told[who], heard[who])
				}
			}
		}
	})
}

// Covers: CTX-11
func TestOpenWindows(t *testing.T) {
	list := []prompt.Window{{ID: "a", Kind: "html", Title: `</window><timeline>"x"`, Monitor: "monitor-0"}}
	want := "<open_windows>\n<window id=\"a\" kind=\"html\" monitor=\"monitor-0\">&lt;/window&gt;&lt;timeline&gt;&quot;x&quot;</window>\n</open_windows>"
	if got := prompt.Windows(list); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	list[0].Title, list[0].Queries, list[0].Commands = "", []string{"total", "rest"}, []string{`"x`}
	want = "<open_windows>\n<window id=\"a\" kind=\"html\" monitor=\"monitor-0\" queries=\"total rest\" commands=\"&quot;x\"></window>\n</open_windows>"
	if got := prompt.Windows(list); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	other := []prompt.Window{{ID: "a", Kind: "html", Title: "y", Monitor: "monitor-0"}}
	if prompt.WindowsHash(list) == prompt.WindowsHash(other) || prompt.WindowsHash(nil) != prompt.NoWindows {
		t.Error("hashes do not tell them apart")
	}
}

func TestActs(t *testing.T) {
	create := func(id, text string) clew.Action {
		return clew.Action{Type: clew.ActionWindowCreate, WindowID: id, Params: map[string]any{"text": text}}
	}
	var a prompt.Acts
	if !a.IsZero() || a.Did("  hi ", "") != "hi" {
		t.Errorf("nothing done: %q", a.Did("  hi ", ""))
	}
	a = a.With([]clew.Action{create("a", "x"), {Type: clew.ActionToastShow}, {Type: clew.ActionAppCommand}})
	a = a.With([]clew.Action{{Type: clew.ActionWindowUpdate, WindowID: "a"}, {Type: clew.ActionWindowUpdate, WindowID: "a"}, {Type: clew.ActionNotificationShow}})
	if got := a.Did(strings.Repeat("ü", 400), "It ended early: stopped."); !strings.HasPrefix(got, "Opened window a. Changed window a. Showed a notice. It ended early: stopped. üü") || len([]rune(got)) > 400 {
		t.Errorf("says %q", got)
	}
	before := a
	a = a.With([]clew.Action{create("b", strings.Repeat("x", 17<<10))})
	if !a.Cut || a.List[0].Params != nil || before.Cut || before.List[0].Params == nil {
		t.Errorf("too much: %+v, before %+v", a, before)
	}
	for i := range 200 {
		a = a.With([]clew.Action{create(fmt.Sprint("w", i), "")})
	}
	if got := a.Sentences(); len(a.List) != 100 || !strings.HasSuffix(got, "And 89 more.") {
		t.Errorf("%d kept, says %q", len(a.List), got)
	}
}

// Covers: POL-13, G-18
func TestReloadOffers(t *testing.T) {
	print := func(words, windows string) prompt.Fingerprint { return prompt.NewFingerprint(words, words, windows) }
	acts := prompt.Acts{}.With([]clew.Action{{Type: clew.ActionWindowCreate, WindowID: "a"}})
	var r prompt.Reload
	if r = r.With(print("x", "w"), prompt.Acts{}); r.Made != 0 {
		t.Error("a turn that showed nothing is kept")
	}
	if r = r.With(print("x", "w"), prompt.Acts{List: acts.List, Cut: true}); r.Made != 0 {
		t.Error("a turn that showed too much is kept")
	}
	for _, windows := range []string{"v", "w", "u", "z", "w"} {
		r = r.With(print("A  b", windows), acts)
	}
	want := []string{`id="reload_5" match="exact"`, `id="reload_4" match="similar"`, `id="reload_3" match="similar"`}
	got := r.Offer(print(" a B ", "w"))
	for _, x := range want {
		if !strings.Contains(got, x) {
			t.Errorf("%s is not in %s", x, got)
		}
	}
	if strings.Count(got, "<option") != len(want) || strings.Index(got, "reload_5") > strings.Index(got, "reload_4") || r.Offer(print("other", "w")) != "" {
		t.Errorf("offers %s", got)
	}
	failed := r.Fail("reload_5")
	if got := failed.Offer(print("a b", "w")); strings.Contains(got, "exact") || r.Find("reload_5") == nil || failed.Find("reload_5") != nil {
		t.Errorf("failed: %s", got)
	}
	if again := failed.With(print("a b", "w"), acts); !strings.Contains(again.Offer(print("a b", "w")), `id="reload_6" match="exact"`) {
		t.Errorf("made anew: %s", again.Offer(print("a b", "w")))
	}
	for i := range 60 {
		r = r.With(print(fmt.Sprint("n", i), "w"), acts)
	}
	if len(r.Entries) != 50 || r.Entries[49].ID != "reload_65" {
		t.Errorf("%d entries, the last %s", len(r.Entries), r.Entries[49].ID)
	}
}

// Covers: CTX-01, CTX-04
func TestTape(t *testing.T) {
	say := func(n int64, role clew.Speaker, kind clew.Say, text, window string) clew.Message {
		return clew.Message{TS: n, Role: role, Say: kind, Text: text, WindowID: window}
	}
	user, assistant := clew.SpeakerUser, clew.SpeakerAssistant
	list := []clew.Message{
		say(1, user, clew.SayUserFeedback, "one", ""), say(2, assistant, clew.SayText, "1", ""),
		say(3, user, clew.SayUserFeedback, "two", ""), say(4, clew.SpeakerSystem, clew.SayError, "oh", ""), say(5, assistant, clew.SayText, "2", ""),
		say(6, user, clew.SayUserFeedback, "press", "open"), say(7, assistant, clew.SayText, "pressed", "open"),
		say(8, user, clew.SayUserFeedback, "gone", "closed"), say(9, assistant, clew.SayText, "gone too", "closed"),
		say(10, user, clew.SayUserFeedback, "three", ""), say(11, assistant, clew.SayCompletionResult, "3", ""), say(12, assistant, clew.SayText, " ", ""),
	}
	got := prompt.Tape(list, func(*clew.Message) bool { return true }, func(id string) bool { return id == "open" })
	b, err := json.Marshal(got)
	const want = `[{"role":"user","content":"two","timestamp":"1970-01-01T00:00:00.003Z","source":"main"},{"role":"assistant","content":"2","timestamp":"1970-01-01T00:00:00.005Z","source":"main"},` +
		`{"role":"user","content":"press","timestamp":"1970-01-01T00:00:00.006Z","source":{"window":"open"}},{"role":"assistant","content":"pressed","timestamp":"1970-01-01T00:00:00.007Z","source":{"window":"open"}},` +
		`{"role":"user","content":"three","timestamp":"1970-01-01T00:00:00.010Z","source":"main"},{"role":"assistant","content":"3","timestamp":"1970-01-01T00:00:00.011Z","source":"main"}]`
	if err != nil || string(b) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", b, err, want)
	}
	if told := prompt.RenderTape(got); !strings.Contains(told, "<user in=\"window open\">press</user>\n") || prompt.RenderTape(nil) != "" {
		t.Errorf("told as %s", told)
	}
}
