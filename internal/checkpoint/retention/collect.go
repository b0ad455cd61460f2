package retention

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint"
)

// grace is how old a checkpoint has to be to go because no record speaks of it:
// the record may be on its way.
const grace = time.Hour

// Collected tells what a collection did.
type Collected struct {
	Workspaces  int   `json:"workspaces"`
	Checkpoints int   `json:"checkpoints"` // before
	Dropped     int   `json:"dropped"`
	Freed       int64 `json:"freed_bytes"`
	// Unread names sessions whose records could not be read. They keep all.
	Unread []clew.SessionID `json:"unread,omitempty"`
	// Failed names workspaces that could not be collected.
	Failed []string `json:"failed,omitempty"`
}

// Run collects once in each interval until ctx ends.
func (k *Keeper) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c, err := k.Collect(ctx)
		if err != nil && ctx.Err() == nil {
			k.o.Log.Warn("checkpoints could not be collected", "err", err)
		} else if c.Dropped > 0 || len(c.Failed) > 0 {
			k.o.Log.Info("checkpoints collected", "dropped", c.Dropped, "freed", c.Freed, "failed", c.Failed)
		}
	}
}

// Collect drops the checkpoints of all workspaces that no record refers to, and
// those that are older than the settings keep them. A workspace that fails does
// not keep the others from being collected.
func (k *Keeper) Collect(ctx context.Context) (Collected, error) {
	var sum Collected
	places, err := k.store.Places()
	if err != nil {
		return sum, err
	}
	c := &collection{Keeper: k, sum: &sum, known: map[string]*references{}}
	for _, p := range places {
		sum.Workspaces++
		if err := c.place(ctx, p); err != nil {
			if ctx.Err() != nil {
				return sum, ctx.Err()
			}
			k.o.Log.Warn("checkpoints of a workspace could not be collected", "workspace", p.Root(), "err", err)
			sum.Failed = append(sum.Failed, shown(p.Root()))
		}
	}
	return sum, nil
}

// A collection is one round.
type collection struct {
	*Keeper
	sum   *Collected
	known map[string]*references // by the session's name; nil: it cannot be read
}

func (c *collection) place(ctx context.Context, p *checkpoint.Place) error {
	began := c.o.Now()
	list, err := p.List(ctx, "")
	if err != nil {
		return err
	}
	c.sum.Checkpoints += len(list)
	drop := map[string]bool{}
	for _, x := range list {
		if c.goes(ctx, x) {
			drop[x.Session+"/"+x.ID] = true
		}
	}
	if len(drop) == 0 {
		return ctx.Err()
	}
	dropped := 0
	// What was made meanwhile is not in the list, so it stays. What somebody had
	// to do with meanwhile, or just before, may be on record by now.
	freed, err := p.GC(ctx, func(x checkpoint.Checkpoint) bool {
		goes := drop[x.Session+"/"+x.ID] && !x.Used.After(began.Add(-grace))
		if goes {
			dropped++
		}
		return !goes
	})
	if err == nil {
		c.sum.Dropped += dropped
		c.sum.Freed += freed
	}
	return err
}

// goes says whether a checkpoint is to be dropped. In doubt it stays.
func (c *collection) goes(ctx context.Context, x checkpoint.Checkpoint) bool {
	age := c.o.Now().Sub(x.Time)
	if age <= grace {
		return false
	}
	refs := c.references(ctx, x.Session)
	switch days := c.o.Settings(nil).CheckpointDays; {
	case refs == nil:
		return false
	case days > 0 && age > time.Duration(days)*24*time.Hour:
		return true
	}
	return !refs.to(x)
}

func (c *collection) references(ctx context.Context, name string) *references {
	if r, ok := c.known[name]; ok {
		return r
	}
	id, ok := sessionOf(name)
	var r *references
	if ok {
		var err error
		if r, err = c.read(ctx, id); err != nil {
			c.o.Log.Warn("records could not be read; the session keeps its checkpoints", "session", id, "err", err)
		}
	}
	if r == nil {
		c.sum.Unread = append(c.sum.Unread, id)
	}
	c.known[name] = r
	return r
}

// references is what the records of a session speak of.
type references struct {
	hashes, ids map[string]bool
	// had are the hashes of checkpoints that were the session's, line the names of
	// the sessions it comes from, its own included.
	had, line map[string]bool
}

// speak lists the records that name checkpoints.
var speak = map[clew.EventType]bool{
	clew.EventCheckpointInitialized: true, clew.EventCheckpointSaved: true, clew.EventCheckpointRestored: true, clew.EventCheckpointUpdated: true,
	clew.EventRewindStarted: true, clew.EventHistoryRewound: true, clew.EventRewindUndone: true, clew.EventKernelRerunStarted: true,
}

var hashPattern = regexp.MustCompile(`"([0-9a-f]{64})"`)

// read goes through a session's records. It gives nil if there are none: the
// session is not to be found here, which says nothing about its checkpoints.
func (k *Keeper) read(ctx context.Context, id clew.SessionID) (*references, error) {
	if k.o.Records == nil {
		return nil, nil
	}
	r := &references{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	some := false
	for record, err := range k.o.Records(ctx, id) {
		if err != nil {
			return nil, err
		}
		some = true
		switch {
		case speak[record.Type]:
			r.take(record)
		case record.Type == clew.EventSessionImported:
			// What was before is a stranger's word: only what came along counts.
			clear(r.line)
			r.descend(record)
		case record.Type == clew.EventSessionCreated:
			r.descend(record)
		}
	}
	if !some {
		return nil, nil
	}
	return r, nil
}

// take notes everything that looks like a checkpoint's hash, wherever it stands,
// and the names of checkpoints and restores.
func (r *references) take(record clew.Record) {
	for _, m := range hashPattern.FindAllSubmatch(record.Data(), -1) {
		hash := string(m[1])
		r.hashes[hash] = true
		if record.Type != clew.EventRewindStarted { // which only says what somebody wants
			r.had[hash] = true
		}
	}
	var ids struct {
		CheckpointID string `json:"checkpoint_id"`
		RewindID     string `json:"rewind_id"`
	}
	if json.Unmarshal(record.Data(), &ids) == nil {
		r.ids[ids.CheckpointID], r.ids[ids.RewindID] = true, true
	}
}

// descend notes the session that a record begins.
func (r *references) descend(record clew.Record) {
	var of struct {
		SessionID clew.SessionID `json:"session_id"`
	}
	if json.Unmarshal(record.Envelope(), &of) == nil {
		r.line[nameOf(of.SessionID)] = true
	}
}

// own reports whether a checkpoint is one that the session has of those before it.
func (r *references) own(x checkpoint.Checkpoint) bool { return r.had[x.Hash] && r.line[x.Session] }

// to reports whether a checkpoint is spoken of. The states before and in the
// middle of a restore have its name, with an ending.
func (r *references) to(x checkpoint.Checkpoint) bool {
	if r.hashes[x.Hash] || r.ids[x.ID] {
		return true
	}
	for _, end := range []string{"-", "_"} {
		if at := strings.LastIndex(x.ID, end); at > 0 && r.ids[x.ID[:at]] {
			return true
		}
	}
	return false
}
