package transfer

import (
	"io"
	"regexp"
	"slices"

	"github.com/clew-run/clew"
)

// folderFiles are the files of an archive that say something.
type folderFiles struct {
	spool *spool
	root  map[string]document            // session.json, task_history.json
	tasks map[string]map[string]document // by task and name
	order []string                       // tasks as they came
	log   map[string]document
	logID string
}

var (
	taskFile = regexp.MustCompile(`(?:^|/)tasks/([^/]+)/([^/]+)$`)
	logFile  = regexp.MustCompile(`(?:^|/)session_logs/([^/]+)/([^/]+)$`)
	rootFile = regexp.MustCompile(`^(?:[^/]+/)?([^/]+)$`)
)

// folder makes a session of an archive of task folders or of a session log.
// Files that say nothing to us, such as a task's old checkpoints, are passed
// over.
func (t *importJob) folder(src io.Reader) error {
	f := &folderFiles{root: map[string]document{}, tasks: map[string]map[string]document{}, log: map[string]document{}}
	var err error
	if f.spool, err = t.spool(); err != nil {
		return err
	}
	if err := t.unpack(src, f); err != nil {
		return err
	}
	switch {
	case len(f.log) > 0 && len(f.tasks) == 0:
		t.format = SessionLog
		return t.log(f)
	case len(f.tasks) > 0 || f.root[taskListName].spool != nil:
		t.format = TaskFolder
		return t.tasks(f)
	}
	return bad("there is neither a folder tasks/ nor a folder session_logs/ in the archive")
}

func (t *importJob) unpack(src io.Reader, f *folderFiles) error {
	r := newTarReader(src, t.limits)
	for {
		name, _, err := r.next()
		if err != nil {
			return err
		}
		if name == "" {
			return drain(src)
		}
		put, err := f.placeOf(name)
		if err != nil {
			return err
		}
		if put == nil {
			continue
		}
		place, err := r.piece(f.spool)
		if err != nil {
			return err
		}
		put(document{name: name, spool: f.spool, place: place, limit: t.limits.Element})
	}
}

// placeOf says where a file belongs, nil if nobody wants it.
func (f *folderFiles) placeOf(name string) (func(document), error) {
	if m := taskFile.FindStringSubmatch(name); m != nil {
		if !slices.Contains([]string{uiName, apiName, legacyName, metadataName}, m[2]) {
			return nil, nil
		}
		if !clew.ValidID(m[1]) {
			return nil, bad("%.100q is not a task id", m[1])
		}
		if f.tasks[m[1]] == nil {
			f.tasks[m[1]] = map[string]document{}
			f.order = append(f.order, m[1])
		}
		return putIn(f.tasks[m[1]], m[2], name)
	}
	if m := logFile.FindStringSubmatch(name); m != nil {
		if f.logID != "" && f.logID != m[1] {
			return nil, bad("there is more than one session log in the archive")
		}
		f.logID = m[1]
		return putIn(f.log, m[2], name)
	}
	if m := rootFile.FindStringSubmatch(name); m != nil && (m[1] == sessionName || m[1] == taskListName) {
		return putIn(f.root, m[1], name)
	}
	return nil, nil
}

func putIn(to map[string]document, key, name string) (func(document), error) {
	if _, twice := to[key]; twice {
		return nil, bad("%q is there twice", name)
	}
	return func(d document) { to[key] = d }, nil
}
