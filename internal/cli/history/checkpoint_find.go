package history

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/cli/env"
	"github.com/clew-run/clew/wire"
)

// A Saved is a checkpoint as the session's records have it.
type Saved struct {
	clew.CheckpointSavedData
	RecordID clew.MessageID `json:"record_id"`
}

// Checkpoints reads the session's records and takes out the checkpoints.
func Checkpoints(ctx context.Context, c *env.Rest, id clew.SessionID) ([]Saved, error) {
	list, listed := []Saved{}, map[string]bool{}
	err := records(ctx, c, id, client.FromStart, func(env wire.Envelope) (bool, error) {
		s, err := savedIn(env)
		if s != nil && (s.CheckpointID != "" || !listed[s.ToHash]) {
			list, listed[s.ToHash] = append(list, *s), true
		}
		return true, err
	})
	return list, err
}

// records hands the records of a session to fn, from a position to the end or
// until fn has enough.
func records(ctx context.Context, c *env.Rest, id clew.SessionID, from string, fn func(wire.Envelope) (more bool, err error)) error {
	ctx, cancel := context.WithTimeout(ctx, moveTimeout)
	defer cancel()
	opts := c.Dialing(id)
	opts.ResumeFrom = from
	ws, err := client.Dial(ctx, opts)
	if err != nil {
		return err
	}
	defer ws.Close()
	for env, err := range ws.Follow(ctx) {
		if err != nil || clew.EventType(env.Type) == clew.EventSyncComplete {
			return err
		}
		if more, err := fn(env); err != nil || !more {
			return err
		}
	}
	return nil
}

// savedIn gives the checkpoint that a record tells of: one that was made, or how
// the files were before they were taken elsewhere, which is one without an id.
func savedIn(env wire.Envelope) (*Saved, error) {
	typ := clew.EventType(env.Type)
	switch typ {
	case clew.EventCheckpointSaved, clew.EventCheckpointRestored, clew.EventHistoryRewound, clew.EventRewindUndone:
	default:
		return nil, nil
	}
	e, err := clew.DecodeEvent(typ, env.Data)
	if err != nil {
		return nil, err
	}
	s := &Saved{RecordID: clew.MessageIDOf(env.Seq())}
	var files *clew.FilesReturned
	switch d := e.Data.(type) {
	case *clew.CheckpointSavedData:
		if d.Kind == clew.CheckpointNotebook { // no files
			return nil, nil
		}
		s.CheckpointSavedData = *d
		return s, nil
	case *clew.CheckpointRestoredData:
		files, s.Reason = d.Files, "before files were taken back"
	case *clew.HistoryRewoundData:
		files, s.Reason = d.Files, "before a rewind"
	case *clew.RewindUndoneData:
		files, s.Reason = d.Files, "before an undo"
	}
	if files == nil || files.Before == "" {
		return nil, nil
	}
	s.Kind, s.ToHash = clew.CheckpointWorkspace, files.Before
	if at, err := time.Parse(time.RFC3339, env.Timestamp); err == nil {
		s.TS = at.UnixMilli()
	}
	return s, nil
}

const (
	hashLength  = 64
	shortLength = 12
)

var hashPart = regexp.MustCompile(`^[0-9a-f]{4,64}$`)

// Short is as much of a hash as people need to tell checkpoints apart.
func Short(hash string) string { return hash[:min(len(hash), shortLength)] }

// checkpointHash finds the checkpoint of a session whose hash begins with part.
func checkpointHash(ctx context.Context, c *env.Rest, id clew.SessionID, part string) (string, error) {
	if !hashPart.MatchString(part) {
		return "", env.Usagef("%q is not the hash of a checkpoint: %s lists them", part, c.Line("checkpoint", "ls", string(id)))
	}
	if len(part) == hashLength {
		return part, nil
	}
	list, err := Checkpoints(ctx, c, id)
	if err != nil {
		return "", err
	}
	return Beginning(list, part, c.Line("checkpoint", "ls", string(id)))
}

// Beginning finds the one checkpoint whose hash begins with part. lists is the
// command that lists them.
func Beginning(list []Saved, part, lists string) (string, error) {
	found := ""
	for _, s := range list {
		switch {
		case !strings.HasPrefix(s.ToHash, part) || s.ToHash == found:
		case found != "":
			return "", env.Usagef("%s is the beginning of more than one hash: give more of it", part)
		default:
			found = s.ToHash
		}
	}
	if found == "" {
		return "", clew.Errorf(clew.CheckpointFailed, "there is no checkpoint %s in this session: %s lists them", part, lists)
	}
	return found, nil
}

// fileCount is how many files it has, where the record says so.
func (s Saved) fileCount() string {
	if s.CheckpointID == "" {
		return "-"
	}
	return strconv.Itoa(s.Files)
}
