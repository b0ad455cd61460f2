package settings

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/clew-run/clew"
)

// What is kept for all people together, and for one.
const (
	maxKeptRules = 1000
	maxOwnRules  = 200
)

// A KeptRule is what a person had remembered beyond a session. It stands beside the
// trust in workspaces and not in a file of one: nothing that a workspace holds can
// make or change it.
type KeptRule struct {
	ID    clew.RequestID `json:"id"`    // of the question that was answered with it
	Owner clew.UserID    `json:"owner"` // it counts in the sessions of this person
	// Dir is the directory that it counts in, "" for all.
	Dir  string `json:"dir,omitempty"`
	Tool string `json:"tool"`
	// Pattern is one of commands, or the host with fetch, "" for the whole tool.
	Pattern string `json:"pattern,omitempty"`
	TS      int64  `json:"ts"`
}

// Counts reports whether a rule is one for a session of the owner in a directory.
// dir is "" where a session has none of its own.
func (r KeptRule) Counts(owner clew.UserID, dir string) bool {
	return r.Owner != "" && r.Owner == owner && (r.Dir == "" || r.Dir == dir)
}

// Scope is the word for how far it reaches.
func (r KeptRule) Scope() clew.RememberScope {
	if r.Dir == "" {
		return clew.RememberAlways
	}
	return clew.RememberWorkspace
}

func (r KeptRule) check() error {
	for _, text := range []string{string(r.ID), string(r.Owner), r.Dir, r.Tool, r.Pattern} {
		if len(text) > 4096 || strings.ContainsFunc(text, unicode.IsControl) {
			return errors.New("has a text that is not one line")
		}
	}
	switch {
	case r.ID == "" || r.Owner == "" || r.Tool == "":
		return errors.New("must have id, owner and tool")
	case r.Dir != "" && !filepath.IsAbs(r.Dir):
		return errors.New("must have an absolute directory, or none")
	}
	return nil
}

func rememberedTool(name string, v any) error {
	if err := oneLine(name, v); err != nil {
		return err
	}
	if n := len(strings.Fields(v.(string))); n > 2 {
		return errors.New("must be the name of a tool, or fetch and a host")
	}
	return nil
}

// Keep adds a rule. One alike takes its place, so that nothing is kept twice.
func (s *Settings) Keep(ctx context.Context, rule KeptRule) error {
	if err := rule.check(); err != nil {
		return clew.Errorf(clew.SettingsInvalid, "the rule %v", err)
	}
	return s.editRules(ctx, func(list []KeptRule) ([]KeptRule, error) {
		list = slices.DeleteFunc(list, func(r KeptRule) bool {
			return r.Owner == rule.Owner && r.Dir == rule.Dir && r.Tool == rule.Tool && r.Pattern == rule.Pattern
		})
		own := 0
		for _, r := range list {
			if r.Owner == rule.Owner {
				own++
			}
		}
		if len(list) >= maxKeptRules || own >= maxOwnRules {
			return nil, clew.Errorf(clew.SettingsInvalid, "%d rules are kept already: take some back first, with clew rules rm", own)
		}
		return append(list, rule), nil
	})
}

// KeptBy lists the rules of a person, oldest first.
func (s *Settings) KeptBy(owner clew.UserID) []KeptRule {
	v, _ := s.For(nil)
	list := []KeptRule{}
	for _, r := range v.KeptRules {
		if r.Owner == owner {
			list = append(list, r)
		}
	}
	return list
}

// Unkeep takes a rule of a person back. It reports whether there was one.
func (s *Settings) Unkeep(ctx context.Context, owner clew.UserID, id clew.RequestID) (found bool, err error) {
	err = s.editRules(ctx, func(list []KeptRule) ([]KeptRule, error) {
		return slices.DeleteFunc(list, func(r KeptRule) bool {
			mine := r.Owner == owner && r.ID == id
			found = found || mine
			return mine
		}), nil
	})
	return found, err
}

// editRules changes the list as it is in the store now: what another node took back
// meanwhile does not return.
func (s *Settings) editRules(ctx context.Context, edit func([]KeptRule) ([]KeptRule, error)) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.load(ctx); err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the rules could not be read")
	}
	v, _ := s.For(nil)
	before := len(v.KeptRules)
	list, err := edit(slices.Clone(v.KeptRules))
	if err != nil {
		return err
	}
	if len(list) == before && slices.Equal(list, v.KeptRules) {
		return nil
	}
	encoded, err := json.Marshal(list)
	if err != nil {
		return clew.WrapError(clew.Internal, err, "the rules could not be written")
	}
	if len(encoded) > maxValue {
		return clew.Errorf(clew.SettingsInvalid, "the rules that are kept are too long together: take some back first, with clew rules rm")
	}
	_, err = s.save(ctx, raw{"kept_rules": encoded})
	return err
}
