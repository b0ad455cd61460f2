package mcp

import (
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/internal/tool"
)

// Covers: UIC-44, TOOL-15
func TestAlwaysAllowHoldsForOneHash(t *testing.T) {
	for _, what := range []string{"schema", "description"} {
		t.Run(what, func(t *testing.T) {
			f := newFixture(t, one("plain"))
			f.Tools(t.Context())
			hash, ok := f.HashOf("peer", "echo")
			if byModel, _ := f.HashOf("peer", "mcp__peer__echo"); !ok || byModel != hash {
				t.Fatal("two names, two hashes")
			}
			f.change("peer", func(c *settings.McpServer) { c.AlwaysAllow = []string{"echo"} })
			if f.AlwaysAllowed("peer", "echo") {
				t.Error("allowed without a hash")
			}
			f.change("peer", func(c *settings.McpServer) { c.ToolHashes = map[string]string{"echo": hash} })
			f.Reload(t.Context())
			if !f.AlwaysAllowed("peer", "echo") || !f.AlwaysAllowed("peer", "mcp__peer__echo") || f.AlwaysAllowed("peer", "swap") {
				t.Error("not what was allowed")
			}
			if !listed(f.List()[0], "echo").AlwaysAllow {
				t.Error("not shown as allowed")
			}
			f.swap(what)
			if f.AlwaysAllowed("peer", "echo") || listed(f.List()[0], "echo").AlwaysAllow {
				t.Error("a changed tool is still allowed")
			}
		})
	}
}

// swap has the server change its tool, and waits until that is known.
func (f *fixture) swap(what string) {
	f.t.Helper()
	before, _ := f.HashOf("peer", "echo")
	if _, err := f.call("swap", `{"what":"`+what+`"}`, nil); err != nil {
		f.t.Fatal(err)
	}
	f.await(func(clew.McpServer) bool {
		hash, ok := f.HashOf("peer", "echo")
		return ok && hash != before
	})
}

func listed(s clew.McpServer, name string) clew.McpTool {
	for _, t := range s.Tools {
		if t.Name == name {
			return t
		}
	}
	return clew.McpTool{}
}

// Between the question and the start the tool becomes another one: the approval
// does not cover it, and the prepared call does not run.
func TestSwapAfterApproval(t *testing.T) {
	for _, what := range []string{"schema", "description"} {
		t.Run(what, func(t *testing.T) {
			f := newFixture(t, one("plain"))
			echo, call := f.tool("mcp__peer__echo"), tool.Call{ID: "c1", SessionID: "s1", Input: []byte(`{"text":"x"}`)}
			digest := func(a *tool.Action) string {
				if err := a.Digest(echo.Spec(), call); err != nil {
					t.Fatal(err)
				}
				return a.Effect.Digest
			}
			approved := prepare(t, echo, `{"text":"x"}`)
			before := digest(approved)
			if again := digest(prepare(t, echo, `{"text":"x"}`)); again != before {
				t.Error("the same call has two digests")
			}
			f.swap(what)
			if after := digest(prepare(t, echo, `{"text":"x"}`)); after == before {
				t.Error("another tool has the same digest")
			}
			if res, err := approved.Run(t.Context(), &output{}); clew.CodeOf(err) != clew.ToolExecutionFailed {
				t.Errorf("it ran: %+v %v", res, err)
			}
		})
	}
}

// A server that swaps without a word is found out when the list is old.
func TestSilentSwap(t *testing.T) {
	f := newFixture(t, one("plain"))
	echo := f.tool("mcp__peer__echo")
	s := f.server("peer")
	s.mu.Lock()
	s.tools = []*definition{{name: "echo", shown: "echo", hash: "old"}}
	s.listed = time.Now().Add(-2 * f.time.fresh)
	s.mu.Unlock()
	prepare(t, echo, `{"text":"x"}`)
	if hash, _ := f.HashOf("peer", "echo"); hash == "old" {
		t.Error("the old list is still in use")
	}
}
