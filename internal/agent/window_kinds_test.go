package agent_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/clew-run/clew"
)

func pngOf(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// window gives an open window.
func (w *world) window(id string) clew.WindowState {
	w.Helper()
	for _, x := range w.state().Windows {
		if x.WindowID == id {
			return x
		}
	}
	w.Fatalf("there is no window %s", id)
	return clew.WindowState{}
}

func manyRows(n int) string {
	var b strings.Builder
	b.WriteString("name,count\n")
	for i := range n {
		fmt.Fprintf(&b, "n%d,%d\n", i, i)
	}
	return b.String()
}

// Each kind of window, from what the model writes and from files of the workspace. Large
// tables and images are blobs, which the session's records refer to.
//
// Covers: WIN-06, TOOL-01
func TestWindowKinds(t *testing.T) {
	big := manyRows(500)
	run(t, allowed(), func(w *world) {
		w.write("small.csv", manyRows(2))
		w.write("big.csv", big)
		w.write("lines.jsonl", `{"b":1,"a":{"x":[1]}}`+"\n\n"+`{"a":"y"}`+"\n")
		w.write("dot.png", pngOf(t))
		w.write("notes.md", "# Notes")
		w.say("go")
		w.idle()
		for id, want := range map[string]string{
			"text":  `{"kind":"text","text":"<b>"}`,
			"rows":  `{"kind":"table","columns":[{"name":"a","title":"A"},{"name":"n","align":"right","numeric":true}],"rows":[["x",1],[null,true]]}`,
			"small": `{"kind":"table","columns":[{"name":"name"},{"name":"count","numeric":true}],"rows":[["n0","0"],["n1","1"]],"total":2}`,
			"lines": `{"kind":"table","columns":[{"name":"b","numeric":true},{"name":"a"}],"rows":[[1,"{\"x\":[1]}"],[null,"y"]],"total":2}`,
			"some":  `{"kind":"table","columns":[{"name":"count","title":"How many","numeric":true}],"rows":[["0"],["1"]],"total":2}`,
			"notes": `{"kind":"markdown","text":"# Notes"}`,
		} {
			b, err := clew.MarshalData(w.window(id).Content)
			if err != nil || string(b) != want {
				t.Errorf("%s shows %s, want %s", id, b, want)
			}
		}
		table := w.window("big").Content
		if len(table.Rows) != 50 || table.Total != 500 || table.MediaType != "text/csv" || table.Bytes != int64(len(big)) || string(w.blobs.kept[table.Blob]) != big {
			t.Errorf("the large table has %d rows of %d, %s of %d bytes", len(table.Rows), table.Total, table.MediaType, table.Bytes)
		}
		if dot := w.window("dot").Content; dot.MediaType != "image/png" || dot.Alt != "a dot" || w.blobs.kept[dot.Blob] == nil {
			t.Errorf("the image is %+v", dot)
		}
		if form := w.window("form").Content.Root; len(form.Children) != 3 || w.blobs.kept[form.Children[2].Blob] == nil || form.Children[1].Label != "Save" {
			t.Errorf("the form is %+v", form)
		}
	}, calls(
		call("1", "window", `{"action":"open","window_id":"text","title":"T","kind":"text","content":"<b>"}`),
		call("2", "window", `{"action":"open","window_id":"rows","title":"T","columns":[{"name":"a","title":"A"},{"name":"n","align":"right","numeric":true}],"rows":[["x",1],[null,true]]}`),
		call("3", "window", `{"action":"open","window_id":"small","title":"T","path":"small.csv"}`),
		call("4", "window", `{"action":"open","window_id":"big","title":"T","kind":"table","path":"big.csv"}`),
		call("5", "window", `{"action":"open","window_id":"lines","title":"T","path":"lines.jsonl"}`),
		call("6", "window", `{"action":"open","window_id":"some","title":"T","path":"small.csv","columns":[{"name":"count","title":"How many"}]}`),
		call("7", "window", `{"action":"open","window_id":"dot","title":"T","path":"dot.png","alt":"a dot"}`),
		call("8", "window", `{"action":"open","window_id":"notes","title":"T","path":"notes.md"}`),
		call("9", "window", `{"action":"open","window_id":"form","title":"T","root":{"type":"stack","children":[{"type":"input","name":"n","label":"Name"},{"type":"button","label":"Save","action":"save","submit":true},{"type":"image","path":"dot.png","alt":"a dot"}]}}`),
	), says("There."))
}

// What is wrong with content is said to the model in words, with the place.
func TestWindowContentWrongly(t *testing.T) {
	for input, want := range map[string]string{
		`"kind":"table","rows":[["x"]]`:                                                                               "has 0 columns",
		`"columns":[{"name":"a"}],"rows":[["x","y"]]`:                                                                 "row 1 of the table has 2 cells, there are 1 columns",
		`"columns":[{"name":"a"}],"rows":[[{}]]`:                                                                      "cell 1 of row 1",
		`"columns":[{"name":""}],"rows":[]`:                                                                           "column 1",
		`"kind":"table","content":"a,b"`:                                                                              "has columns and rows, or a path",
		`"kind":"image","content":"x"`:                                                                                "has a path",
		`"kind":"text","rows":[]`:                                                                                     "those of a table",
		`"kind":"text","root":{"type":"text","text":"x"}`:                                                             "that of components",
		`"content":"x","path":"a.csv"`:                                                                                "not both",
		`"root":{"type":"text"}`:                                                                                      "root: text is missing",
		`"root":{"type":"stack","children":[{"type":"text","text":"x"},{"type":"blink"}]}`:                            "root.children[1]: type is text, markdown",
		`"root":{"type":"text","text":"x","colour":"red"}`:                                                            `unknown field "colour"`,
		`"root":{"type":"button","label":"x"}`:                                                                        "a button has a label, and an action",
		`"root":{"type":"image","blob":"` + strings.Repeat("0", 64) + `"}`:                                            "by the path of its file",
		`"root":{"type":"image","path":"none.png"}`:                                                                   "root: none.png does not exist",
		`"root":{"type":"select","name":"a","options":[{"value":"x"}],"value":"y"}`:                                   "not one of the options",
		`"root":{"type":"row","children":[{"type":"input","name":"a"},{"type":"checkbox","name":"a"}]}`:               `the name "a" is that of root.children[0]`,
		`"root":{"type":"progress","value":101}`:                                                                      "from 0 to 100",
		`"root":{"type":"text","text":"x","tone":"loud"}`:                                                             "tone is",
		`"root":{"type":"input","name":"a","input_type":"password"}`:                                                  "input_type is",
		`"root":` + strings.Repeat(`{"type":"stack","children":[`, 8) + `{"type":"x"}` + strings.Repeat(`]}`, 8):      "deeper than 8",
		`"root":{"type":"stack","children":[` + strings.Repeat(`{"type":"text","text":"x"},`, 200) + `{"type":"x"}]}`: "more than 200",
		`"path":"../up.csv"`:                                                                                          "must not contain ..",
		`"path":"hidden.csv"`:                                                                                         "kept from agents",
		`"path":".env"`:                                                                                               "cannot be read for a window",
		`"path":"bad.csv"`:                                                                                            "bad.csv: ",
		`"path":"empty.csv"`:                                                                                          "there is no table in it",
		`"path":"bad.jsonl"`:                                                                                          "line 2: it is no list and no object",
		`"path":"text.png"`:                                                                                           "an image is a PNG",
		`"path":"big.txt"`:                                                                                            "a window holds 65536",
		`"path":"huge.csv"`:                                                                                           "larger than 8 MB",
		`"path":"ok.csv","columns":[{"name":"nothing"}]`:                                                              `there is no column "nothing"; there are a, b`,
	} {
		t.Run(want, func(t *testing.T) {
			run(t, allowed(), func(w *world) {
				w.write(".clewignore", "hidden.csv\n")
				for name, text := range map[string]string{
					"hidden.csv": "a\n1\n", ".env": "A=1", "bad.csv": "a,b\n\"1\n", "empty.csv": "", "bad.jsonl": "[1]\n7\n", "text.png": "text",
					"big.txt": strings.Repeat("x", 65537), "huge.csv": strings.Repeat("x", 8<<20+1), "ok.csv": "a,b\n1,2\n",
				} {
					w.write(name, text)
				}
				w.say("go")
				w.idle()
				if r := w.result("a"); r.Status != clew.ToolError || !r.Mistake || !strings.Contains(r.Error, want) || len(w.state().Windows) != 0 {
					t.Errorf("%+v", r)
				}
			}, calls(call("a", "window", `{"action":"open","window_id":"a","title":"t",`+input+`}`)), says("Well."))
		})
	}
}

// A window shows no file that reading would be asked about.
func TestWindowFileNeedsReading(t *testing.T) {
	run(t, map[string]any{"auto_approval_enabled": true, "always_allow_read_only": false}, func(w *world) {
		w.write("a.csv", "a\n1\n")
		w.say("go")
		w.idle()
		if r := w.result("a"); r.Status != clew.ToolError || !strings.Contains(r.Error, "cannot be read for a window") || len(w.state().Windows) != 0 {
			t.Errorf("%+v", r)
		}
	}, calls(call("a", "window", `{"action":"open","window_id":"a","title":"t","path":"a.csv"}`)), says("Well."))
}

// Growth, versions and locks.
func TestWindowVersions(t *testing.T) {
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		for id, want := range map[string]string{
			"1": "version 1", "2": "version 2", "3": "version 2, not 1", "4": "version 3", "5": "version 4", "6": "shows text",
			"7": "version 1", "8": "version 2", "9": "other columns", "10": "was changed", "11": "version 1", "12": "can be appended to",
		} {
			if r := w.result(id); !strings.Contains(fmt.Sprint(r.Output, r.Error), want) {
				t.Errorf("%s: %v %v, want %s", id, r.Output, r.Error, want)
			}
		}
		if log := w.window("log"); log.Content.Text != "3\n4\n" || log.Version != 4 || log.LockedBy != "main-monitor-0" || log.ActionID == "" {
			t.Errorf("the log is %+v, %+v", log, log.Content)
		}
		rows, _ := json.Marshal(w.window("rows").Content.Rows)
		if c := w.window("rows").Content; string(rows) != "[[1],[2]]" || c.Total != 2 {
			t.Errorf("the table is %s", rows)
		}
	}, calls(
		call("1", "window", `{"action":"open","window_id":"log","title":"T","kind":"text","content":"1\n"}`),
		call("2", "window", `{"action":"update","window_id":"log","content":"2\n","if_version":1}`),
		call("3", "window", `{"action":"update","window_id":"log","content":"x","if_version":1}`),
		call("4", "window", `{"action":"update","window_id":"log","content":"3\n","if_version":2}`),
		call("5", "window", `{"action":"update","window_id":"log","content":"4\n","append":true}`),
		call("6", "window", `{"action":"update","window_id":"log","kind":"markdown","content":"x","append":true}`),
		call("7", "window", `{"action":"open","window_id":"rows","title":"T","columns":[{"name":"n"}],"rows":[[1]]}`),
		call("8", "window", `{"action":"update","window_id":"rows","rows":[[2]],"append":true}`),
		call("9", "window", `{"action":"update","window_id":"rows","columns":[{"name":"m"}],"rows":[[2]],"append":true}`),
		call("10", "window", `{"action":"update","window_id":"log","lock":true}`),
		call("11", "window", `{"action":"open","window_id":"page","title":"T","kind":"html","content":"<p>"}`),
		call("12", "window", `{"action":"update","window_id":"page","content":"x","append":true}`),
	), says("There."))
}

// A notice waits until somebody dismisses it; of more than five the oldest give way.
//
// Covers: TOOL-02, WIN-06
func TestNotify(t *testing.T) {
	parts := []clew.Part{call("0", "notify", `{"text":""}`), call("x", "notify", `{"text":"`+strings.Repeat("x", 301)+`"}`)}
	for i := range 6 {
		parts = append(parts, call(fmt.Sprint("n", i), "notify", fmt.Sprintf(`{"title":"Build","text":"number\n %d\u202e"}`, i)))
	}
	run(t, nil, func(w *world) {
		w.say("go")
		w.idle()
		for id, want := range map[string]string{"0": "has a text", "x": "at most 300", "n0": "is shown"} {
			if r := w.result(id); !strings.Contains(fmt.Sprint(r.Output), want) {
				t.Errorf("%s: %+v", id, r)
			}
		}
		list := w.state().Notices
		if len(list) != 5 || list[0].Text != `number 1\u202e` || list[4].Text != `number 5\u202e` || list[0].Title != "Build" || list[0].AgentID != "main-monitor-0" || list[0].TS == 0 {
			t.Fatalf("notices %+v", list)
		}
		gone := list[1].NoticeID
		w.do(&clew.ToastActionData{ToastID: gone, Action: "dismiss"})
		w.do(&clew.ToastActionData{ToastID: gone, Action: "dismiss"}) // somebody else did
		if left := w.state().Notices; len(left) != 4 || left[1].NoticeID == gone {
			t.Errorf("left %+v", left)
		}
		if d := events[clew.ToastDismissedData](w); len(d) != 1 || d[0].By != "ann" {
			t.Errorf("on record %+v", d)
		}
	}, calls(parts...), says("There."))
}

// A window that could not be drawn is told to the agent that made it, once, with the
// next step; what comes late, or again, is not.
//
// Covers: WS-078, WIN-10
func TestWindowThatCannotBeDrawn(t *testing.T) {
	working := new(gate)
	run(t, allowed(), func(w *world) {
		w.say("go")
		first := w.window("form").ActionID
		feedback := func(action, why string, ok bool) {
			w.do(&clew.RenderingFeedbackData{WindowID: "form", ActionID: action, Success: ok, Error: why})
		}
		feedback(first, "", true)
		feedback("another", "late", false)
		feedback(first, `no "blink"`, false)
		feedback(first, "again", false)
		w.do(&clew.RenderingFeedbackData{WindowID: "gone", Error: "who?"})
		if x := w.window("form"); x.Failed != `no "blink"` {
			t.Errorf("the window says %q", x.Failed)
		}
		working.open()
		w.idle()
		w.say("more")
		w.idle()
		if d := events[clew.RenderingFailedData](w); len(d) != 1 || d[0] != (clew.RenderingFailedData{WindowID: "form", ActionID: first, Error: `no "blink"`}) {
			t.Errorf("on record %+v", d)
		}
		told := func(n int) (times int) {
			for _, m := range w.model.request(n).Messages {
				for _, p := range m.Content {
					if strings.Contains(p.Text, `Window form could not be drawn at version 1. The user's program says: "no \"blink\"".`) {
						times++
					}
				}
			}
			return times
		}
		if told(1) != 0 || told(2) != 1 || told(4) != 1 {
			t.Errorf("the model was told %d, %d and %d times", told(1), told(2), told(4))
		}
		if x := w.window("form"); x.Failed != "" || x.Version != 2 {
			t.Errorf("after the change the window is %+v", x)
		}
	}, calls(call("a", "window", `{"action":"open","window_id":"form","title":"T","content":"x"}`)),
		waits(working, calls(call("l", "list_files", `{"path":"."}`))),
		calls(call("b", "window", `{"action":"update","window_id":"form","content":"y"}`)), says("There."), says("Fine."))
}
