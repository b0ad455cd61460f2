package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// size is how much a run measures.
type size struct {
	appends, appendRounds        int
	fan100, fan1000, fanRounds   int // messages in a round
	many                         int // clients of fanout_1000
	replayRounds, coldRounds     int
	coldRecords                  int
	smallSessions, largeSessions int
	longRecords                  int
	opens, openRounds            int
	deltas, deltaRounds          int
	tokens, tokenRounds          int // in a stream
	calls, callRounds            int // in a turn
	treeFiles                    int // of the tree that checkpoints are made of
	treeBytes                    int64
	firstRounds                  int
	checkpointRounds             int
	restoreRounds                int
	rewindRecords, rewindRounds  int
	build                        time.Duration // what building the Centrifuge server may take
	fillTime                     time.Duration // what filling the stores may take; 0 = no limit
	total                        time.Duration // what the whole run may take; 0 = no limit
}

var (
	fullSize = size{
		appends: 10, appendRounds: 200, fan100: 20_000, fan1000: 2000, fanRounds: 7, many: 1000, replayRounds: 101, coldRounds: 15,
		coldRecords: coldReplayed, smallSessions: 1000, largeSessions: 1_000_000, longRecords: 1_000_000,
		opens: 50, openRounds: 20, deltas: 5000, deltaRounds: 4,
		tokens: 2500, tokenRounds: 4, calls: 200, callRounds: 7, build: 5 * time.Minute,
		treeFiles: 50_000, treeBytes: 1 << 30, firstRounds: 3, checkpointRounds: 15, restoreRounds: 41,
		rewindRecords: 100_000, rewindRounds: 21,
	}
	quickSize = size{
		appends: 10, appendRounds: 40, fan100: 4000, fan1000: 600, fanRounds: 3, many: 1000, replayRounds: 21, coldRounds: 5,
		coldRecords: coldReplayed, smallSessions: 1000, largeSessions: 20_000, longRecords: 100_000,
		opens: 40, openRounds: 12, deltas: 4000, deltaRounds: 1,
		tokens: 1000, tokenRounds: 2, calls: 200, callRounds: 3, build: 10 * time.Second,
		treeFiles: 2500, treeBytes: 50 << 20, firstRounds: 1, checkpointRounds: 7, restoreRounds: 21,
		rewindRecords: 20_000, rewindRounds: 15,
		fillTime: 7 * time.Second, total: 44 * time.Second,
	}
	smokeSize = size{
		appends: 5, appendRounds: 1, fan100: 50, fan1000: 10, fanRounds: 1, many: 120, replayRounds: 1, coldRounds: 1,
		coldRecords: 300, smallSessions: 20, largeSessions: 40, longRecords: 2000,
		opens: 4, openRounds: 1, deltas: 200, deltaRounds: 1,
		tokens: 100, tokenRounds: 1, calls: 4, callRounds: 1, build: 0,
		treeFiles: 200, treeBytes: 1 << 20, firstRounds: 1, checkpointRounds: 1, restoreRounds: 1,
		rewindRecords: 500, rewindRounds: 1,
	}
)

// A bench is one run.
type bench struct {
	size    size
	dir     string
	figures Figures
	started time.Time

	live, small, large *child                 // clew servers: flushed, and the two stores
	rivals             map[string]*comparison // by name: clew, plain, centrifuge
	plain100           float64                // the plain server's deliveries/s, which scales quoted figures
	warm, cold         float64                // the two parts of replay
}

func (b *bench) logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "%5.1fs  %s\n", time.Since(b.started).Seconds(), fmt.Sprintf(format, args...))
}

// rounds counts up to n, at least once. With a limit on the whole run it stops
// early when it has used up its share of the time that is left.
func (b *bench) rounds(n int, share float64) iter.Seq[int] {
	start := time.Now()
	allowed := time.Duration(share * float64(b.size.total-start.Sub(b.started)))
	return func(yield func(int) bool) {
		for i := range n {
			if i > 0 && b.size.total > 0 && time.Since(start) > allowed || !yield(i) {
				return
			}
		}
	}
}

func (b *bench) detail(name string, value any) { b.figures.Detail[name] = value }

// measure makes a whole run and prints it.
func measure(o options) error {
	b := &bench{size: fullSize, started: time.Now(), rivals: map[string]*comparison{}, figures: Figures{Detail: map[string]any{}}}
	b.detail("mode", "full")
	switch {
	case o.smoke:
		b.size = smokeSize
		b.detail("mode", "smoke")
	case o.quick:
		b.size = quickSize
		b.detail("mode", "quick")
	}
	if o.sessions > 0 {
		b.size.largeSessions = o.sessions
	}
	if o.records > 0 {
		b.size.longRecords = o.records
	}
	clean, err := b.makeDir(o)
	if err != nil {
		return err
	}
	defer clean()
	defer b.stop(o.cache != "")
	defer profile("parent")()
	if err := b.everything(o); err != nil {
		return err
	}
	b.detail("seconds", round(time.Since(b.started).Seconds()))
	if o.asJSON {
		return printJSON(o.out, b.figures)
	}
	printTable(o.out, b.figures)
	return nil
}

// makeDir gives the run a directory. What it leaves is removed, except a cache.
func (b *bench) makeDir(o options) (clean func(), err error) {
	b.dir = o.dir
	if b.dir != "" {
		return func() {}, os.MkdirAll(b.dir, 0o700)
	}
	b.dir, err = os.MkdirTemp("", "clew-bench-")
	return func() {
		b.logf("removing the stores")
		_ = os.RemoveAll(b.dir)
		b.logf("done")
	}, err
}

// everything runs the parts in an order in which none disturbs the next.
func (b *bench) everything(o options) error {
	want := func(part string) bool { return o.only == "" || strings.Contains(","+o.only+",", ","+part+",") }
	if err := b.prepare(o, want("fanout") || want("replay") || want("delta"), want("open") || want("replay")); err != nil {
		return err
	}
	parts := []struct {
		name string
		fn   func() error
	}{
		{"append", b.appends}, {"fanout", b.fan}, {"replay", b.warmReplay}, {"replay", b.coldReplay},
		{"open", b.openMany}, {"open", b.openLong}, {"delta", b.deltas},
		{"checkpoint", b.checkpoints}, {"rewind", b.rewinds}, {"turn", b.turns},
	}
	for _, p := range parts {
		if !want(p.name) {
			continue
		}
		if err := p.fn(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// prepare starts the servers and fills the stores, both at once: nothing is
// measured meanwhile.
func (b *bench) prepare(o options, rivals, stores bool) error {
	started := make(chan error, 1)
	go func() {
		if !rivals {
			started <- nil
			return
		}
		started <- b.startRivals()
	}()
	var err error
	if stores {
		err = b.startStores(o)
	}
	return errors.Join(err, <-started)
}

// stop ends all children; gently only if their stores are to be used again.
func (b *bench) stop(gently bool) {
	end := (*child).kill
	if gently || os.Getenv(profileEnv) != "" {
		end = (*child).stop
	}
	for _, r := range b.rivals {
		end(r.child)
	}
	end(b.small)
	end(b.large)
}

// startRivals starts the servers that take part in fan-out, replay and deltas.
func (b *bench) startRivals() error {
	c, err := startRole("clew", "-dir", filepath.Join(b.dir, "live"))
	if err != nil {
		return err
	}
	b.live = c
	b.rivals["clew"] = &comparison{name: "clew", child: c, settle: greeting}
	plain, err := startRole("plain")
	if err != nil {
		return err
	}
	b.rivals["plain"] = &comparison{name: "plain", child: plain, path: "/ws", settle: 1}
	if program, err := b.buildCentrifuge(); err != nil {
		b.logf("Centrifuge is not measured beside: %v", err)
	} else {
		c, err := start("centrifuge", program)
		if err != nil {
			return err
		}
		b.rivals["centrifuge"] = &comparison{
			name: "centrifuge", child: c, path: "/connection/websocket", hello: `{"id":1,"connect":{}}`, settle: 1,
		}
	}
	for _, r := range b.rivals {
		if err := r.child.ask("where", nil, &r.where); err != nil {
			return err
		}
	}
	return nil
}

// buildCentrifuge builds the server of the module in bench/centrifuge. It needs
// that module's dependencies, which clew does not, and gives up when they
// cannot be had in time.
func (b *bench) buildCentrifuge() (string, error) {
	if b.size.build == 0 {
		return "", fmt.Errorf("left out")
	}
	dir := filepath.Join("bench", "centrifuge")
	if _, err := os.Stat(dir); err != nil {
		return "", err
	}
	program, err := filepath.Abs(filepath.Join(b.dir, "centrifuge"))
	if err != nil {
		return "", err
	}
	b.logf("building bench/centrifuge")
	ctx, cancel := context.WithTimeout(context.Background(), b.size.build)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return program, nil
}

// startStores starts the two stores and fills them, unless a cache has them.
func (b *bench) startStores(o options) error {
	base := b.dir
	if o.cache != "" {
		base = filepath.Join(o.cache, fmt.Sprintf("%d-%d-%d", b.size.smallSessions, b.size.largeSessions, b.size.longRecords))
	}
	note := filepath.Join(base, "filled")
	held, filled := readStored(note)
	for _, s := range []struct {
		into **child
		name string
	}{{&b.small, "small"}, {&b.large, "large"}} {
		dir := filepath.Join(base, s.name)
		if !filled {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		var err error
		if *s.into, err = startRole("clew", "-lazy", "-dir", dir); err != nil {
			return err
		}
	}
	if filled {
		b.size.largeSessions, b.size.longRecords = held.Sessions, held.Records
		return nil
	}
	if err := b.fillStores(); err != nil {
		return err
	}
	b.logf("stores are filled: %d sessions, %d records", b.size.largeSessions, b.size.longRecords)
	text, err := json.Marshal(stored{b.size.largeSessions, b.size.longRecords})
	if err != nil {
		return err
	}
	return os.WriteFile(note, text, 0o600)
}

// stored is what a cached pair of stores holds.
type stored struct {
	Sessions int `json:"sessions"`
	Records  int `json:"records"`
}

func readStored(path string) (s stored, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, false
	}
	err = json.Unmarshal(text, &s)
	return s, err == nil
}

// fan measures the fan-out figures.
func (b *bench) fan() error {
	if err := b.live.ask("create", fill{Set: "fan", To: 1}, nil); err != nil {
		return err
	}
	clew := b.rivals["clew"]
	clew.run.Session = string(sessionName("fan", 0))
	clew.path = "/ws/" + clew.run.Session
	rivals := []*comparison{b.rivals["plain"], clew}
	if c := b.rivals["centrifuge"]; c != nil {
		rivals = append(rivals, c)
	}
	b.logf("fan-out to 100")
	few, err := b.fanOut(rivals, 100, b.size.fan100, b.size.fanRounds)
	if err != nil {
		return err
	}
	b.logf("fan-out to %d", b.size.many)
	lots, err := b.fanOut(rivals, b.size.many, b.size.fan1000, b.size.fanRounds)
	if err != nil {
		return err
	}
	b.plain100 = few["plain"]
	b.figures.Fanout100 = ratio(few["clew"], few["plain"])
	b.figures.Fanout1000 = ratio(lots["clew"], lots["plain"])
	b.detail("centrifugo", "measured")
	if _, ok := few["centrifuge"]; !ok { // quoted, as a ratio to the plain server
		b.detail("centrifugo", "by ratio")
		few["centrifuge"] = few["plain"] * centrifugoThere100 / plainThere
		lots["centrifuge"] = lots["plain"] * centrifugoThere1000 / plainThere1000
	}
	vs100, vs1000 := ratio(few["clew"], few["centrifuge"]), ratio(lots["clew"], lots["centrifuge"])
	b.figures.FanoutVsCentrifugo = min(vs100, vs1000)
	b.detail("fanout", map[string]any{
		"message_bytes": fanSize, "per_second_100": rounded(few), "per_second_1000": rounded(lots),
		"vs_centrifugo_100": vs100, "vs_centrifugo_1000": vs1000,
	})
	return nil
}

func rounded(m map[string]float64) map[string]float64 {
	for name, v := range m {
		m[name] = round(v)
	}
	return m
}
