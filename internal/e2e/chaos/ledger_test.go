package chaos

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/tool"
)

// A ledger is a tool whose effect is one line at the end of a file that all
// nodes share. To do it twice would show.
type ledger struct{ file *os.File }

const toolLedger = "ledger"

func openLedger(path string) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	return &ledger{f}, err
}

// Spec implements tool.Tool.
func (l *ledger) Spec() tool.Spec {
	return tool.Spec{
		Name: toolLedger, Description: "Writes a line.", Class: clew.ClassOnce, Group: tool.GroupEdit, Parallel: true,
		Schema: json.RawMessage(`{"type":"object","properties":{"step":{"type":"integer"}},"required":["step"]}`),
	}
}

// Prepare implements tool.Tool.
func (l *ledger) Prepare(_ context.Context, call tool.Call) (*tool.Action, error) {
	var in struct {
		Step int `json:"step"`
	}
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return nil, &tool.InputError{Message: err.Error()}
	}
	line := fmt.Sprintf("%s %s %d\n", call.SessionID, call.TaskID, in.Step)
	return &tool.Action{
		Effect: clew.Effect{Summary: "writes a line"}, Ask: clew.AskTool,
		Run: func(context.Context, tool.Output) (tool.Result, error) {
			_, err := l.file.WriteString(line) // one write: lines of two nodes do not mix
			return tool.Result{Text: "written"}, err
		},
	}, nil
}

// entry is a line of the ledger.
type entry struct {
	session clew.SessionID
	task    clew.TaskID
	step    string
}

// readLedger gives how often each line stands there.
func readLedger(t testing.TB, path string) map[entry]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := map[entry]int{}
	scan := bufio.NewScanner(f)
	for scan.Scan() {
		part := strings.Fields(scan.Text())
		if len(part) != 3 {
			t.Fatalf("line %q of the ledger", scan.Text())
		}
		lines[entry{clew.SessionID(part[0]), clew.TaskID(part[1]), part[2]}]++
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}
