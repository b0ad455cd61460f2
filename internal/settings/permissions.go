package settings

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/clew-run/clew"
)

// The presets: how much agents may do without asking. They take the place of the
// flags for changes and commands.
const (
	PresetAsk     = "ask"     // every change and every command is asked about
	PresetEdits   = "edits"   // changes of files in the workspace are not
	PresetSandbox = "sandbox" // nor are commands that a real sandbox holds, without network
)

// Presets lists them, the strictest first.
func Presets() []string { return []string{PresetAsk, PresetEdits, PresetSandbox} }

// withPreset puts what a preset stands for into a layer. What the layer says itself
// of a flag holds.
func withPreset(values raw) raw {
	var preset string
	if json.Unmarshal(values["permissions"], &preset) != nil || !slices.Contains(Presets(), preset) {
		return values
	}
	out := raw{"always_allow_write": json.RawMessage("true"), "always_allow_execute": json.RawMessage("false")}
	if preset == PresetAsk {
		out["always_allow_write"] = json.RawMessage("false")
	}
	maps.Copy(out, values)
	return out
}

// A WorkspacePermission is the preset that a person chose for a directory. It is kept
// beside the trust in workspaces, never in a file of one.
type WorkspacePermission struct {
	Owner  clew.UserID `json:"owner"`
	Dir    string      `json:"dir"`
	Preset string      `json:"preset"`
}

func (p WorkspacePermission) check() error {
	switch {
	case p.Owner == "" || !filepath.IsAbs(p.Dir) || len(p.Dir) > 4096 || strings.ContainsFunc(p.Dir, unicode.IsControl):
		return errors.New("must have an owner and an absolute directory")
	case !slices.Contains(Presets(), p.Preset):
		return errors.New("must have a preset: " + strings.Join(Presets(), ", "))
	}
	return nil
}

// PresetFor gives what a person chose for a directory, "" if nothing.
func (v Values) PresetFor(owner clew.UserID, dir string) string {
	for _, p := range v.WorkspacePermissions {
		if owner != "" && p.Owner == owner && p.Dir == dir {
			return p.Preset
		}
	}
	return ""
}

// Permissions says what a person chose for a directory, "" if nothing, and what holds
// there, in a session without settings of its own. decided says that this was chosen,
// there or for the server.
func (s *Settings) Permissions(owner clew.UserID, dir string) (chosen, holds string, decided bool) {
	v, _ := s.For(nil)
	chosen, holds = v.PresetFor(owner, dir), v.Permissions
	if chosen != "" {
		holds = chosen
	}
	if holds == "" {
		return "", PresetAsk, false
	}
	return chosen, holds, true
}

// SetPermissions keeps a preset for a person and a directory; "" takes it back.
func (s *Settings) SetPermissions(ctx context.Context, owner clew.UserID, dir, preset string) error {
	p := WorkspacePermission{Owner: owner, Dir: dir, Preset: preset}
	if preset != "" {
		if err := p.check(); err != nil {
			return clew.Errorf(clew.SettingsInvalid, "permissions %v", err)
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	v, _ := s.For(nil)
	list := slices.DeleteFunc(slices.Clone(v.WorkspacePermissions), func(old WorkspacePermission) bool { return old.Owner == owner && old.Dir == dir })
	if preset != "" {
		list = append(list, p)
	}
	encoded, err := json.Marshal(list)
	if err != nil {
		return clew.WrapError(clew.Internal, err, "the permissions could not be written")
	}
	if len(list) > maxKeptRules || len(encoded) > maxValue {
		return clew.Errorf(clew.SettingsInvalid, "permissions are kept for too many directories already")
	}
	_, err = s.save(ctx, raw{"workspace_permissions": encoded})
	return err
}
