package git

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew"
)

// A Preview is what a commit would hold.
type Preview struct {
	Branch string `json:"branch"`
	// Head and Tree name exactly what was shown: a commit of them holds that and
	// nothing else.
	Head string `json:"head" doc:"The commit that the new one follows; empty for the first one"`
	Tree string `json:"tree" doc:"The files as they were shown"`
	// Files are below the workspace.
	Files []Change `json:"files" nullable:"false"`
	// Others is how many changed files are left out.
	Others int      `json:"others,omitempty" doc:"Changed files that are left out, because the session did not change them"`
	Hooks  []string `json:"hooks" nullable:"false" doc:"Hooks of the repository that git would run and clew does not"`
	Merge  string   `json:"merge,omitempty" doc:"The commit that is merged in, if the agent resolved conflicts"`
}

// A Selection says which files a commit takes.
type Selection struct {
	// Only says of a path below the workspace whether the session changed it; nil
	// takes all.
	Only func(path string) bool
	// Merge lets a commit end a merge that was begun in the work tree.
	Merge bool
}

// busy are the files that git has while something is under way.
var busy = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"}

// ready refuses a repository in which no commit can be made now. It gives the
// commit that is being merged in, "" if none is.
func (r *Repository) ready(merge bool) (string, error) {
	if r.Branch == "" {
		return "", clew.Errorf(clew.SessionInvalidState, "the repository is on no branch; choose one with git switch")
	}
	for _, name := range busy {
		if _, err := os.Lstat(filepath.Join(r.gitDir, name)); err == nil && (name != "MERGE_HEAD" || !merge) {
			return "", clew.Errorf(clew.SessionInvalidState, "git is in the middle of something else (%s); finish it with git first", name)
		}
	}
	other, err := readSmall(filepath.Join(r.gitDir, "MERGE_HEAD"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil && !isHash(other) {
		err = errElsewhere("MERGE_HEAD cannot be read")
	}
	return other, err
}

func isHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// below is the workspace's path in the work tree, "" if it is all of it.
func (r *Repository) below() string {
	rel, err := filepath.Rel(r.Root, r.Dir)
	if err != nil || rel == "." {
		return ""
	}
	return filepath.ToSlash(rel)
}

// Diff tells how the files of a directory differ from a commit, HEAD if it is "".
func (k *Keeper) Diff(ctx context.Context, dir, from string) ([]Change, error) {
	r, err := Find(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer k.lock(r.common)()
	s, err := k.shadow(ctx, r)
	if err != nil {
		return nil, err
	}
	tree, err := s.now(ctx)
	if err != nil {
		return nil, err
	}
	if from == "" {
		from = r.Head
	}
	if from == "" {
		if from, err = s.emptyTree(ctx); err != nil {
			return nil, err
		}
	}
	return s.changes(ctx, from, tree, r.below(), true)
}

// Preview tells what a commit of the files in a directory would hold.
func (k *Keeper) Preview(ctx context.Context, dir string, sel Selection) (Preview, error) {
	r, err := Find(ctx, dir)
	if err != nil {
		return Preview{}, err
	}
	defer k.lock(r.common)()
	s, err := k.shadow(ctx, r)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Branch: r.Branch, Head: r.Head, Hooks: r.Hooks(ctx)}
	if p.Merge, err = r.ready(sel.Merge); err != nil {
		return Preview{}, err
	}
	from := r.Head
	if from == "" {
		if from, err = s.emptyTree(ctx); err != nil {
			return Preview{}, err
		}
	}
	now, err := s.now(ctx)
	if err != nil {
		return Preview{}, err
	}
	if p.Tree, p.Others, err = s.pick(ctx, from, now, sel); err != nil {
		return Preview{}, err
	}
	if p.Merge != "" {
		if err := s.resolved(ctx, from, p.Tree); err != nil {
			return Preview{}, err
		}
	}
	p.Files, err = s.changes(ctx, from, p.Tree, r.below(), true)
	return p, err
}

// resolved refuses files with the marks of a conflict in them.
func (s *shadow) resolved(ctx context.Context, from, tree string) error {
	var out bytes.Buffer
	err := s.run(ctx, "", nil, &out, "-c", "core.whitespace=-trailing-space,-space-before-tab,-blank-at-eof", "diff-tree", "--check", from, tree)
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, "leftover conflict marker") {
			name, _, _ := strings.Cut(line, ":")
			return clew.Errorf(clew.SessionInvalidState, "%s still has the marks of a conflict in it", name)
		}
	}
	if exitCode(err) == 2 { // other things that --check finds
		err = nil
	}
	return err
}

// pick makes the tree of a commit: from, with the chosen ones of the changes that
// lead to now.
func (s *shadow) pick(ctx context.Context, from, now string, sel Selection) (tree string, others int, err error) {
	all, err := s.entries(ctx, from, now)
	if err != nil {
		return "", 0, err
	}
	below := s.repo.below()
	var chosen []entry
	var paths []string
	for _, e := range all {
		path, inside := e.path, true
		if below != "" {
			path, inside = strings.CutPrefix(e.path, below+"/")
		}
		if !inside || sel.Only != nil && !sel.Only(path) {
			others++
			continue
		}
		chosen = append(chosen, e)
		if e.newMode != absent {
			paths = append(paths, e.path)
		}
	}
	unfiltered, err := s.filtered(ctx, "index", paths)
	if err != nil {
		return "", 0, err
	}
	if len(unfiltered) > 0 {
		return "", 0, clew.Errorf(clew.SessionInvalidState, "%s goes through a filter of the repository (such as git-lfs), which clew does not run; commit it with git", unfiltered[0])
	}
	const index = "pick"
	if err := s.run(ctx, index, nil, nil, "read-tree", from); err != nil {
		return "", 0, err
	}
	if err := s.run(ctx, index, indexInfo(chosen), nil, "update-index", "-z", "--index-info"); err != nil {
		return "", 0, err
	}
	tree, err = s.ask(ctx, index, "write-tree")
	return tree, others, err
}

// An entry is a file that differs between two trees.
type entry struct {
	oldMode, newMode, oldHash, newHash, path string
}

const absent = "000000"

// entries lists how two trees differ, file by file.
func (s *shadow) entries(ctx context.Context, from, to string) ([]entry, error) {
	fields, err := s.list(ctx, s.repo.Root, "", "diff-tree", "-r", "-z", "--no-renames", "--raw", from, to)
	if err != nil {
		return nil, err
	}
	var list []entry
	for i := 0; i+1 < len(fields); i += 2 {
		words := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(words) < 5 {
			return nil, errors.New("git diff-tree: unknown answer")
		}
		list = append(list, entry{words[0], words[1], words[2], words[3], fields[i+1]})
	}
	return list, nil
}

// indexInfo writes entries as update-index reads them. What goes comes first, so
// that a file can take the place of a directory.
func indexInfo(list []entry) *bytes.Reader {
	var gone, there bytes.Buffer
	for _, e := range list {
		if e.newMode == absent {
			gone.WriteString("0 " + e.oldHash + "\t" + e.path + "\x00")
		} else {
			there.WriteString(e.newMode + " " + e.newHash + "\t" + e.path + "\x00")
		}
	}
	gone.Write(there.Bytes())
	return bytes.NewReader(gone.Bytes())
}

// A person is who makes a commit.
type person struct{ name, email string }

// person reads who commits, as git would, but for the variables of a terminal.
func (r *Repository) person(ctx context.Context) (person, error) {
	var p person
	for _, global := range []bool{true, false} {
		found := r.config(ctx, global, `^user\.(name|email)$`)
		if v := found["user.name"]; v != "" {
			p.name = v
		}
		if v := found["user.email"]; v != "" {
			p.email = v
		}
	}
	if p.name == "" || p.email == "" {
		return p, clew.Errorf(clew.SessionInvalidState, "git does not know who you are: git config --global user.name 'Your Name'; git config --global user.email you@example.com").Advised()
	}
	return p, nil
}

func (p person) env() []string {
	return []string{"GIT_AUTHOR_NAME=" + p.name, "GIT_AUTHOR_EMAIL=" + p.email, "GIT_COMMITTER_NAME=" + p.name, "GIT_COMMITTER_EMAIL=" + p.email}
}

// Commit commits exactly what a preview showed.
func (k *Keeper) Commit(ctx context.Context, dir string, p Preview, message string, told Told) (commit string, err error) {
	r, err := Find(ctx, dir)
	if err != nil {
		return "", err
	}
	defer k.lock(r.common)()
	other, err := r.ready(p.Merge != "")
	if err != nil {
		return "", err
	}
	if r.Branch != p.Branch || r.Head != p.Head || other != p.Merge || !isHash(p.Tree) {
		return "", clew.Errorf(clew.SessionInvalidState, "the repository changed since the commit was shown; look again")
	}
	s, err := k.shadow(ctx, r)
	if err != nil {
		return "", err
	}
	if err := s.run(ctx, "", nil, nil, "cat-file", "-e", p.Tree+"^{tree}"); err != nil {
		return "", clew.WrapError(clew.SessionInvalidState, err, "what was shown is not there any more; look again")
	}
	parents := []string{}
	for _, c := range []string{p.Head, p.Merge} {
		if c != "" {
			parents = append(parents, c)
		}
	}
	if commit, err = s.commitTree(ctx, p.Tree, parents, message); err != nil {
		return "", err
	}
	told.Text = CommitText(commit, r.Branch, message)
	return commit, k.carryOut(ctx, s, Intent{
		Kind: KindCommit, Root: r.Root, Ref: "refs/heads/" + r.Branch, Old: r.Head, New: commit, Told: told, EndMerge: p.Merge != "",
	})
}

// commitTree writes a commit and brings it, with all that is new in it, into the
// repository. No branch knows of it yet.
func (s *shadow) commitTree(ctx context.Context, tree string, parents []string, message string) (string, error) {
	who, err := s.repo.person(ctx)
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", tree}
	revs := ""
	for _, p := range parents {
		args = append(args, "-p", p)
		revs += "^" + p + "\n"
	}
	cmd := call(ctx, s.dir, s.dir, s.config, args...)
	cmd.Env = append(cmd.Env, who.env()...)
	var out bytes.Buffer
	if err := Run(cmd, strings.NewReader(strings.TrimSpace(message)+"\n"), &out); err != nil {
		return "", err
	}
	commit := strings.TrimSpace(out.String())
	return commit, s.send(ctx, commit+"\n"+revs)
}

// send copies objects from the shadow into the repository.
func (s *shadow) send(ctx context.Context, revs string) error {
	pack, err := os.CreateTemp(s.dir, "pack-*")
	if err != nil {
		return err
	}
	defer func() { _ = pack.Close(); _ = os.Remove(pack.Name()) }()
	if err := s.run(ctx, "", strings.NewReader(revs), pack, "pack-objects", "--revs", "--stdout", "-q"); err != nil {
		return err
	}
	if _, err := pack.Seek(0, 0); err != nil {
		return err
	}
	cmd := call(ctx, s.repo.gitDir, s.repo.Root, durable, "unpack-objects", "-q")
	return Run(cmd, pack, nil)
}

// durable has git bring what it writes to the disk.
var durable = []string{"core.fsync=all"}

// CommitText says that a commit was made.
func CommitText(commit, branch, message string) string {
	return "Committed " + Short(commit) + " on " + branch + ": " + Subject(message) + ". Not pushed."
}

// Short is how people read a commit.
func Short(commit string) string { return commit[:min(len(commit), 7)] }

// Subject is the first line of a message.
func Subject(message string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return strings.TrimRight(line, ". \r")
}
