package view

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/session/core"
)

// A Verdict is what a session's records say about the folds that are stored of it.
type Verdict struct {
	// TooNew says why this program cannot judge, nil for most.
	TooNew error
	// Older says that the sealed fold is of an older version, and so not used.
	Older bool
	// Wrong has a sentence for each fold of this version that is not what the
	// records come to.
	Wrong []string
}

// VerifyFolds folds a session from its first record and compares the folds that
// are stored of it: the sealed one, and those that are kept, of which kept gives the
// one at a record, nil for none. Those of other versions are not compared.
func VerifyFolds(ctx context.Context, j Reader, id clew.SessionID, loaded core.Loaded, kept func(seq uint64) []byte) (Verdict, error) {
	p := NewPast(j, id)
	v := verifying{Refold: Refold{Past: p, Loaded: loaded}, kept: kept}
	sealed := core.FoldOf(loaded.State)
	if loaded.State != nil {
		var err error
		if v.Mark, err = loaded.Check(id); err != nil {
			return v.Verdict, err
		}
		v.Older = sealed < core.FoldVersion
		if sealed > core.FoldVersion {
			v.TooNew = core.TooNewFold(id, sealed)
		}
	}
	return v.Verdict, v.run(ctx)
}

type verifying struct {
	Refold
	Verdict
	kept func(seq uint64) []byte
}

func (v *verifying) run(ctx context.Context) error {
	targets, err := v.targets(ctx)
	if err != nil {
		return err
	}
	f := v.Past.Folder(ctx, &core.State{ID: v.Past.ID})
	for r, err := range v.Past.Journal.Read(ctx, v.Past.ID, 1, v.Loaded.Head.Seq) {
		if err == nil {
			err = f.Add(r)
		}
		if err != nil {
			return core.Unreadable(v.Past.ID, r, err)
		}
		if targets[r.Seq] {
			if err := v.store(ctx, f.State, r.After(), true); err != nil {
				return err
			}
		}
		if err := v.compare(f.State); err != nil {
			return err
		}
	}
	if f.TooNew != nil {
		v.TooNew = f.TooNew
		v.Wrong = nil
	}
	return nil
}

// compare holds what is stored at a record against the fold up to there.
func (v *verifying) compare(s *core.State) error {
	if s.Seq == v.Loaded.StateSeq && core.FoldOf(v.Loaded.State) == core.FoldVersion {
		if err := v.against(s, v.Loaded.State, "sealed"); err != nil {
			return err
		}
	}
	if b := v.kept(s.Seq); core.FoldOf(b) == core.FoldVersion {
		return v.against(s, b, "kept")
	}
	return nil
}

func (v *verifying) against(s *core.State, stored []byte, how string) error {
	v.Mark = core.Stamp{}
	if err := json.Unmarshal(stored, &v.Mark); err != nil {
		return err
	}
	is := *s // what ground changes are plain fields
	v.ground(&is)
	encoded, err := is.Encode()
	if err != nil {
		return err
	}
	keys, err := differingKeys(stored, encoded)
	if err == nil && len(keys) > 0 {
		v.Wrong = append(v.Wrong, fmt.Sprintf("the state %s at record %d is not what the records say: %s", how, s.Seq, strings.Join(keys, ", ")))
	}
	return err
}

// differingKeys compares two objects by their keys. The id is left out: a
// parent's fold is as good as the session's own.
func differingKeys(a, b []byte) ([]string, error) {
	var x, y map[string]any
	if err := json.Unmarshal(a, &x); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &y); err != nil {
		return nil, err
	}
	all := maps.Clone(x)
	maps.Copy(all, y)
	delete(all, "id")
	var keys []string
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if !reflect.DeepEqual(stripped(x[k]), stripped(y[k])) {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// stripped leaves out what is empty: whether an empty list is written or left out
// is no difference.
func stripped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			if e = stripped(e); e != nil {
				out[k] = e
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = stripped(e)
		}
		return out
	case string:
		if v == "" {
			return nil
		}
	case float64:
		if v == 0 {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}
