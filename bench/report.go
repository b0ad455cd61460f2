package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// Figures is what a run comes to. Every ratio has both sides from this run.
type Figures struct {
	// Append: p50 of the bare engine's synchronous publish, divided by p50 of a
	// command through clew, from the host's door to the acknowledged record.
	Append float64 `json:"append"`
	// Fanout100 and Fanout1000: deliveries per second of one clew session to so
	// many WebSocket clients, divided by those of a plain server on
	// coder/websocket.
	Fanout100  float64 `json:"fanout_100"`
	Fanout1000 float64 `json:"fanout_1000"`
	// FanoutVsCentrifugo: the same against Centrifugo, the worse of 100 and
	// 1,000 clients. detail.centrifugo says whether it was measured beside.
	FanoutVsCentrifugo float64 `json:"fanout_vs_centrifugo"`
	// Replay: the smaller of two. Warm: 1.5 times Centrifugo's time to recover
	// 1,000 messages, scaled to this machine, divided by clew's. Cold: time of
	// the bare engine's direct-get batch of 10,000 messages divided by clew's
	// for as many records of a sealed session.
	Replay float64 `json:"replay"`
	// OpenManySessions: time to open a cold session in a store of 1,000
	// sessions, divided by that in a large store.
	OpenManySessions float64 `json:"open_many_sessions"`
	// OpenLongSession: time to open a cold session of 1,000 records, divided by
	// that of a long one.
	OpenLongSession float64 `json:"open_long_session"`
	// DeltaP99MS: p99 latency of streamed text at 1,000 deltas a second, minus
	// that of a plain WebSocket server, in ms. Lower is better.
	DeltaP99MS float64 `json:"delta_p99_ms"`

	// TokenP99MS: p99 latency of a model's tokens at a client of clew, minus
	// that of reading the provider's stream bare, in ms. Lower is better.
	TokenP99MS float64 `json:"token_p99_ms"`
	// ToolCallVsAppend: what clew adds to a tool call that costs nothing,
	// divided by the bare engine's synchronous publish. Lower is better.
	ToolCallVsAppend float64 `json:"tool_call_vs_append"`

	// TodoVsAppend: what clew takes for a todo of a run whose work costs
	// nothing, divided by one durable append. Lower is better.
	TodoVsAppend float64 `json:"todo_vs_append"`

	// FirstCheckpointVsGit: time of a workspace's first checkpoint, divided by
	// that of git's first add and commit. Lower is better, as with all of these.
	FirstCheckpointVsGit float64 `json:"first_checkpoint_vs_git"`
	// CheckpointVsGit and CheckpointVsStat: time of a checkpoint after one
	// changed file, divided by that of git's add and commit, and by that of a
	// bare look at every file and writing the changed one.
	CheckpointVsGit  float64 `json:"checkpoint_vs_git"`
	CheckpointVsStat float64 `json:"checkpoint_vs_stat"`
	// RestoreOne: time to take one file back, divided by that of writing it.
	RestoreOne float64 `json:"restore_one"`
	// RewindLong: time of a rewind over very many records, divided by that of
	// one over a hundred.
	RewindLong float64 `json:"rewind_long"`

	Detail map[string]any `json:"detail"`
}

// A definition explains a figure to people.
type definition struct {
	name    string
	value   func(Figures) float64
	meaning string
	target  string
	met     func(Figures) bool
}

// warmPasses looks at the part of replay that has a target of its own.
func warmPasses(f Figures) bool {
	d, ok := f.Detail["replay_warm"].(map[string]any)
	if !ok {
		return false
	}
	warm, ok := d["warm"].(float64)
	return ok && warm >= 1
}

var definitions = []definition{
	{"append", func(f Figures) float64 { return f.Append },
		"bare engine's synchronous publish / clew's durable append, p50", ">= 0.7", func(f Figures) bool { return f.Append >= 0.7 }},
	{"fanout_100", func(f Figures) float64 { return f.Fanout100 },
		"clew's deliveries/s to 100 clients / those of a plain coder/websocket server", ">= 1.5", func(f Figures) bool { return f.Fanout100 >= 1.5 }},
	{"fanout_1000", func(f Figures) float64 { return f.Fanout1000 },
		"the same with 1,000 clients", ">= 1.5", func(f Figures) bool { return f.Fanout1000 >= 1.5 }},
	{"fanout_vs_centrifugo", func(f Figures) float64 { return f.FanoutVsCentrifugo },
		"clew's deliveries/s / those of Centrifugo's library, worse of 100 and 1,000 clients", "> 1", func(f Figures) bool { return f.FanoutVsCentrifugo > 1 }},
	{"replay", func(f Figures) float64 { return f.Replay },
		"smaller of warm (1.5 x Centrifugo's scaled recovery of 1,000 / clew's; target >= 1) and cold (bare direct-get of 10,000 / clew's; target >= 0.7)", ">= 0.7, warm >= 1", func(f Figures) bool { return f.Replay >= 0.7 && warmPasses(f) }},
	{"open_many_sessions", func(f Figures) float64 { return f.OpenManySessions },
		"opening a cold session among 1,000 / among very many", ">= 0.67", func(f Figures) bool { return f.OpenManySessions >= 1/1.5 }},
	{"open_long_session", func(f Figures) float64 { return f.OpenLongSession },
		"opening a session of 1,000 records / of very many", ">= 0.67", func(f Figures) bool { return f.OpenLongSession >= 1/1.5 }},
	{"delta_p99_ms", func(f Figures) float64 { return f.DeltaP99MS },
		"ms added at p99 to streamed text at 1,000 deltas/s, lower is better", "< 1", func(f Figures) bool { return f.DeltaP99MS < 1 }},
	{"token_p99_ms", func(f Figures) float64 { return f.TokenP99MS },
		"ms added at p99 to a model's tokens, beside the provider's stream read bare, lower is better", "< 2", func(f Figures) bool { return f.TokenP99MS < 2 }},
	{"tool_call_vs_append", func(f Figures) float64 { return f.ToolCallVsAppend },
		"what clew takes for a tool call of no cost / one durable append, lower is better", "<= 5", func(f Figures) bool { return f.ToolCallVsAppend <= 5 }},
	{"todo_vs_append", func(f Figures) float64 { return f.TodoVsAppend },
		"what clew takes for a todo of a run whose work costs nothing / one durable append, lower is better", "<= 5", func(f Figures) bool { return f.TodoVsAppend <= 5 }},
	{"first_checkpoint_vs_git", func(f Figures) float64 { return f.FirstCheckpointVsGit },
		"first checkpoint of a workspace / git's first add and commit, lower is better", "<= 1.2", func(f Figures) bool { return f.FirstCheckpointVsGit <= 1.2 }},
	{"checkpoint_vs_git", func(f Figures) float64 { return f.CheckpointVsGit },
		"checkpoint after one changed file / git add and commit, lower is better", "< 1", func(f Figures) bool { return f.CheckpointVsGit < 1 }},
	{"checkpoint_vs_stat", func(f Figures) float64 { return f.CheckpointVsStat },
		"the same / a bare look at every file and writing the changed one, lower is better", "<= 1.5", func(f Figures) bool { return f.CheckpointVsStat <= 1.5 }},
	{"restore_one", func(f Figures) float64 { return f.RestoreOne },
		"taking one file back / writing it, lower is better", "<= 2", func(f Figures) bool { return f.RestoreOne <= 2 }},
	{"rewind_long", func(f Figures) float64 { return f.RewindLong },
		"rewind over very many records / over a hundred, lower is better", "<= 2", func(f Figures) bool { return f.RewindLong <= 2 }},
}

// printJSON writes the figures as one object.
func printJSON(w io.Writer, f Figures) error {
	return json.NewEncoder(w).Encode(f)
}

// printTable writes the figures for people.
func printTable(w io.Writer, f Figures) {
	fmt.Fprintf(w, "%-23s %9s  %-18s %s\n", "figure", "value", "target", "meaning")
	for _, d := range definitions {
		mark := "ok"
		if !d.met(f) {
			mark = "MISSED"
		}
		fmt.Fprintf(w, "%-23s %9.3g  %-18s %s\n", d.name, d.value(f), d.target+" "+mark, d.meaning)
	}
	fmt.Fprintln(w)
	names := make([]string, 0, len(f.Detail))
	for name := range f.Detail {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		text, err := json.Marshal(f.Detail[name])
		if err != nil {
			continue
		}
		fmt.Fprintf(w, "%-23s %s\n", name, text)
	}
}
