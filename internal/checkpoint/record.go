package checkpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/checkpoint/object"
)

// A Checkpoint is one snapshot of a workspace.
type Checkpoint struct {
	Session string    `json:"session"`
	ID      string    `json:"id"`
	Hash    string    `json:"hash"`
	From    string    `json:"from,omitempty"` // the one before it in the session
	Message string    `json:"message,omitempty"`
	Time    time.Time `json:"time"`
	Files   int       `json:"files"`
	Bytes   int64     `json:"bytes"`
	// Paths is set where only these were looked at. Restoring it restores
	// them alone.
	Paths []string `json:"paths,omitempty"`
	// Used is when this process last had to do with it: saved the same again,
	// restored it or compared with it. Zero: not since it opened the store.
	Used time.Time `json:"-"`

	tree object.ID
}

// A record is what a commit says of itself, beside its tree. Paths are bytes:
// names need not be text.
type record struct {
	Session string   `json:"session"`
	ID      string   `json:"id"`
	From    string   `json:"from,omitempty"`
	Message string   `json:"message,omitempty"`
	At      int64    `json:"at"` // nanoseconds; grows with each checkpoint of a place
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
	Paths   [][]byte `json:"paths,omitempty"`
}

func encodeCommit(tree object.ID, r record) ([]byte, error) {
	note, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	at := r.At / int64(time.Second)
	fmt.Fprintf(&b, "tree %s\nauthor clew <clew@localhost> %d +0000\ncommitter clew <clew@localhost> %d +0000\n\n", tree, at, at)
	fmt.Fprintf(&b, "%s\n\n%s\n", subject(r), note)
	return b.Bytes(), nil
}

// subject is one line for people who look with git.
func subject(r record) string {
	s := strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(r.Message, "?"))
	if s = strings.TrimSpace(s); s == "" {
		s = "checkpoint " + r.ID
	}
	return s[:min(len(s), 200)]
}

func parseCommit(hash object.ID, data []byte) (Checkpoint, error) {
	line, _, _ := strings.Cut(string(data), "\n")
	name, ok := strings.CutPrefix(line, "tree ")
	tree, err := object.ParseID(name)
	text := strings.TrimSuffix(string(data), "\n")
	var r record
	if err == nil {
		err = json.Unmarshal([]byte(text[strings.LastIndexByte(text, '\n')+1:]), &r)
	}
	if !ok || err != nil {
		return Checkpoint{}, fmt.Errorf("%w: %s is no checkpoint", object.ErrDamaged, hash)
	}
	c := Checkpoint{
		Session: r.Session, ID: r.ID, Hash: hash.String(), From: r.From, Message: r.Message,
		Time: time.Unix(0, r.At), Files: r.Files, Bytes: r.Bytes, tree: tree,
	}
	for _, p := range r.Paths {
		c.Paths = append(c.Paths, string(p))
	}
	return c, nil
}

// checkpoint reads a checkpoint by its hash. It counts as used from now on.
func (d *repository) checkpoint(ctx context.Context, hash string) (Checkpoint, error) {
	h, err := object.ParseID(hash)
	if err != nil {
		return Checkpoint{}, clew.WrapError(clew.InvalidMessage, err, "a checkpoint is named by 64 hexadecimal digits")
	}
	for _, c := range d.list {
		if c.Hash == hash {
			d.use(hash)
			return c, nil
		}
	}
	if !d.objects.Has(h) {
		return Checkpoint{}, clew.Errorf(clew.InvalidMessage, "there is no checkpoint %s of this workspace", hash)
	}
	data, err := d.objects.Read(ctx, h, object.Commit)
	if err != nil {
		return Checkpoint{}, err
	}
	return parseCommit(h, data)
}

// use notes that somebody has to do with a checkpoint: it may go on record now,
// though no record speaks of it yet.
func (d *repository) use(hash string) { d.used[hash] = time.Unix(0, d.now()) }

// dated gives a checkpoint with the time of its last use.
func (d *repository) dated(c Checkpoint) Checkpoint {
	c.Used = d.used[c.Hash]
	return c
}

const refRoot = "refs/clew/"

// keepRef holds on to what the index speaks of while garbage is collected.
const keepRef = "refs/keep/index"

// readList makes the list of checkpoints from the repository, oldest first.
func (d *repository) readList(ctx context.Context) ([]Checkpoint, error) {
	out, err := object.GitOutput(ctx, d.repo(), "for-each-ref", "--format=%(objectname) %(refname)", refRoot)
	if err != nil {
		return nil, err
	}
	var list []Checkpoint
	for line := range strings.Lines(out) {
		name, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		h, err := object.ParseID(name)
		if err != nil {
			return nil, err
		}
		if !d.objects.Has(h) {
			continue // the power went between its name and its objects; it was never reported
		}
		data, err := d.objects.Read(ctx, h, object.Commit)
		if err != nil {
			return nil, err
		}
		c, err := parseCommit(h, data)
		if err != nil {
			return nil, err
		}
		// What came from elsewhere says how it was called there.
		c.Session, c.ID, _ = strings.Cut(strings.TrimPrefix(ref, refRoot), "/")
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b Checkpoint) int { return a.Time.Compare(b.Time) })
	return list, nil
}

// last gives the newest checkpoint of a session.
func (d *repository) last(session string) (Checkpoint, bool) {
	for _, c := range slices.Backward(d.list) {
		if c.Session == session {
			return c, true
		}
	}
	return Checkpoint{}, false
}

// validName is what sessions and checkpoints may be called: it becomes part of
// a file name.
var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,139}$`)

func checkRef(r Ref) error {
	for _, s := range []string{r.Session, r.ID} {
		if !validName.MatchString(s) {
			return clew.Errorf(clew.InvalidMessage, "%q cannot name a checkpoint or its session", s)
		}
	}
	return nil
}

// stageRef writes a reference under a temporary name; the function it returns
// gives it its own.
func (d *repository) stageRef(name string, h object.ID) (publish func() error, err error) {
	path := d.refPath(name)
	dir := path[:strings.LastIndexByte(path, os.PathSeparator)]
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	tmp := d.path("ref.new")
	_ = os.Remove(tmp) // of a process that died
	if err := object.WriteSynced(tmp, []byte(h.String()+"\n")); err != nil {
		return nil, err
	}
	return func() error { return os.Rename(tmp, path) }, nil
}

var errExists = errors.New("the name is taken")
