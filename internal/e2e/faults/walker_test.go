package faults

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/clew-run/clew"
)

// A walker has files written and goes back to how they were before.
type walker struct {
	w       *world
	id      clew.SessionID
	random  *rand.Rand
	resting atomic.Bool
	stops   []stop
}

// A stop is where the session can go back to: before a message, with the files as
// they were then.
type stop struct {
	message clew.MessageID
	files   string
}

func newWalker(w *world) *walker {
	p := &walker{w: w, id: w.create("walker"), random: rand.New(rand.NewPCG(w.seed, 2))}
	dir := w.workspace("walker")
	for name, mode := range map[string]fs.FileMode{"notes": fs.ModeDir, "empty": fs.ModeDir, "run.sh": 0o755, "secretish": 0o600} {
		path := filepath.Join(dir, name)
		if mode.IsDir() {
			_ = os.Mkdir(path, 0o755)
			continue
		}
		_ = os.WriteFile(path, []byte(name), mode)
		_ = os.Chmod(path, mode)
	}
	_ = os.Symlink("run.sh", filepath.Join(dir, "link"))
	return p
}

func (p *walker) live(ctx context.Context) {
	for n := 0; ctx.Err() == nil && !p.w.rest.Load(); n++ {
		if len(p.stops) >= 3 && p.random.IntN(3) == 0 {
			p.goBack(ctx, n)
			continue
		}
		p.byHand(n)
		before := p.w.manifest("walker")
		name := fmt.Sprintf("page%d", n)
		r, err := p.w.command(ctx, p.id, "write-"+name, clew.CommandUserMessage, clew.UserMessageData{Text: "write " + name})
		if err != nil || !p.w.idle(ctx, p.id) {
			if ctx.Err() == nil {
				p.w.broke(rewindExact, "%s was refused: %v", name, err)
			}
			break
		}
		p.stops = append(p.stops, stop{r.Records[0], before})
	}
	p.resting.Store(true)
}

// byHand changes what no tool of an agent does: modes, links, empty directories.
func (p *walker) byHand(n int) {
	dir := p.w.workspace("walker")
	script, link := filepath.Join(dir, "run.sh"), filepath.Join(dir, "link")
	_ = os.WriteFile(script, fmt.Appendf(nil, "echo %d", n), 0o755)
	_ = os.Chmod(script, fs.FileMode(0o700+n%64))
	_ = os.Remove(link)
	_ = os.Symlink(fmt.Sprintf("notes/page%d.txt", n), link)
	_ = os.Mkdir(filepath.Join(dir, "empty", fmt.Sprint(n)), 0o755)
}

func (p *walker) goBack(ctx context.Context, n int) {
	i := p.random.IntN(len(p.stops))
	to, was := p.stops[i], p.w.manifest("walker")
	_, err := p.w.command(ctx, p.id, fmt.Sprintf("back-%d", n), clew.CommandRewind,
		clew.RewindData{Target: clew.Target{MessageID: to.message}, RestoreCheckpoint: true})
	if err == nil && !p.w.idle(ctx, p.id) || ctx.Err() != nil {
		return
	}
	elsewhere := p.w.cluster != nil && clew.CodeOf(err) == clew.InvalidMessage // the checkpoint is on the node that had the session then
	// What nobody was let save cannot be gone back to.
	unsaved := p.w.kind.savesFail && clew.CodeOf(err) == clew.SessionInvalidState && strings.Contains(err.Error(), "could not be saved")
	if elsewhere || unsaved {
		p.stops = append(p.stops[:i:i], p.stops[i+1:]...)
	}
	if elsewhere || unsaved || clew.CodeOf(err) == clew.CheckpointFailed { // the disk did not let it; then nothing is changed
		now := p.w.manifest("walker")
		p.w.holds(rewindExact, now == was, "going back to %s failed: %v, and the files\n%sare now\n%s", to.message, err, was, now)
		return
	}
	if err != nil {
		p.w.broke(rewindExact, "going back to %s was refused: %v", to.message, err)
		return
	}
	now := p.w.manifest("walker")
	p.w.holds(rewindExact, now == to.files, "before %s there was\n%sand after going back\n%s", to.message, to.files, now)
	p.stops = p.stops[:i]
}

// manifest is a workspace as text: names, modes, links and what is in them.
func (w *world) manifest(name string) string {
	var b bytes.Buffer
	root := w.workspace(name)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %s", info.Mode(), rel)
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			fmt.Fprintf(&b, " -> %s", to)
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", sha256.Sum256(text))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		w.t.Errorf("workspace %s: %v", name, err)
	}
	return b.String()
}
