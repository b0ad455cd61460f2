package settings

import (
	"testing"
)

// A preset takes the place of the flags below it; a flag that is set in the same place,
// or above, holds.
func TestPresetsAndFlags(t *testing.T) {
	for name, c := range map[string]struct {
		server, session map[string]any
		write, execute  bool
		preset          string
	}{
		"nothing":                   {},
		"edits":                     {server: map[string]any{"permissions": "edits"}, write: true, preset: "edits"},
		"sandbox":                   {server: map[string]any{"permissions": "sandbox"}, write: true, preset: "sandbox"},
		"ask over flags":            {server: map[string]any{"always_allow_write": true, "always_allow_execute": true}, session: map[string]any{"permissions": "ask"}, preset: "ask"},
		"flag beside it":            {server: map[string]any{"permissions": "edits", "always_allow_write": false}, preset: "edits"},
		"flag of the session":       {server: map[string]any{"permissions": "ask"}, session: map[string]any{"always_allow_write": true}, write: true, preset: "ask"},
		"ask over sandbox":          {server: map[string]any{"permissions": "sandbox"}, session: map[string]any{"permissions": "ask"}, preset: "ask"},
		"not a preset":              {session: map[string]any{"permissions": "everything"}},
		"a list that is not theirs": {session: map[string]any{"workspace_permissions": []any{map[string]any{"owner": "ann", "dir": "/w", "preset": "sandbox"}}}},
	} {
		s, err := Open(t.Context(), Options{Store: NewMemory()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Update(t.Context(), c.server); err != nil {
			t.Fatal(err)
		}
		v, _ := s.For(c.session)
		if v.AllowWrite != c.write || v.AllowExecute != c.execute || v.Permissions != c.preset || !v.AutoApproval || len(v.WorkspacePermissions) != 0 {
			t.Errorf("%s: write %v, execute %v, preset %q", name, v.AllowWrite, v.AllowExecute, v.Permissions)
		}
	}
}

// What somebody chose for a directory is theirs, and for this directory.
func TestPermissionsOfAWorkspace(t *testing.T) {
	s, err := Open(t.Context(), Options{Store: NewMemory()})
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][3]string{{"", "/w", "edits"}, {"ann", "w", "edits"}, {"ann", "/w", "all"}, {"ann", "/w\n", "ask"}} {
		if s.SetPermissions(t.Context(), "", bad[1], bad[2]) == nil && bad[0] == "" || bad[0] != "" && s.SetPermissions(t.Context(), "ann", bad[1], bad[2]) == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if err := s.SetPermissions(t.Context(), "ann", "/w", "sandbox"); err != nil {
		t.Fatal(err)
	}
	if err := s.SetPermissions(t.Context(), "ann", "/w", "edits"); err != nil {
		t.Fatal(err)
	}
	v, _ := s.For(nil)
	if len(v.WorkspacePermissions) != 1 || v.PresetFor("ann", "/w") != "edits" || v.PresetFor("bob", "/w") != "" || v.PresetFor("ann", "/w/sub") != "" || v.PresetFor("", "/w") != "" {
		t.Errorf("%+v", v.WorkspacePermissions)
	}
	if chosen, holds, decided := s.Permissions("bob", "/w"); chosen != "" || holds != PresetAsk || decided {
		t.Errorf("bob has %q, %q", chosen, holds)
	}
	if err := s.SetPermissions(t.Context(), "ann", "/w", ""); err != nil {
		t.Fatal(err)
	}
	if chosen, _, _ := s.Permissions("ann", "/w"); chosen != "" {
		t.Errorf("still %q", chosen)
	}
}
