package settings

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/clew-run/clew"
)

// newTest opens settings on a memory store with the given stored values.
func newTest(t *testing.T, stored map[string]any) (*Settings, *Memory) {
	t.Helper()
	m := NewMemory()
	for name, v := range stored {
		m.values[name] = encoded(t, v)
	}
	if len(stored) > 0 && m.values[versionKey] == nil {
		m.values[versionKey] = presentVersion()
	}
	s, err := Open(t.Context(), Options{Store: m})
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

func encoded(t interface {
	Helper()
	Fatal(...any)
}, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLayersInOrder(t *testing.T) {
	m := NewMemory()
	m.values["model_retries"] = encoded(t, 7)
	m.values["mistake_limit"] = encoded(t, 7)
	s, err := Open(t.Context(), Options{
		Store:   m,
		File:    writeFile(t, "settings.yaml", "mode: architect\nmodel_retries: 5\nmodel_stall_sec: 60\nallowed_commands: [\"ls *\"]\n"),
		Environ: []string{"CLEW_SET_MODEL_RETRIES=6", "CLEW_SET_MODE=ask", "CLEW_SET_COMMAND_NETWORK=true", "CLEW_SET_EXPERIMENTS={\"x\":true}", "CLEW_SET_MODEL_PROFILE=42", "OTHER=1", "CLEW_SET_PARALLEL_TOOLS="},
	})
	if err != nil {
		t.Fatal(err)
	}
	v, problems := s.For(map[string]any{"mistake_limit": 8, "command_network": false})
	if len(problems) > 0 {
		t.Error(problems)
	}
	want := Defaults()
	want.Mode, want.ModelRetries, want.StallSec = "ask", 7, 60
	want.AllowedCommands, want.Experiments = []string{"ls *"}, map[string]bool{"x": true}
	want.ModelProfile, want.MistakeLimit = "42", 8
	if !reflect.DeepEqual(v, want) {
		t.Errorf("got  %+v\nwant %+v", v, want)
	}
}

// Covers: SET-02, SET-18, C-39, C-63
func TestBadValueLeavesTheRest(t *testing.T) {
	m := NewMemory()
	m.values["mode"] = encoded(t, "Not A Slug")
	m.values["model_retries"] = encoded(t, "many")
	m.values["mcp_servers"] = encoded(t, map[string]any{"good": map[string]any{"command": "x"}, "bad": map[string]any{}})
	m.values["ui_theme"] = encoded(t, "dark")
	s, err := Open(t.Context(), Options{Store: m, File: writeFile(t, "s.json", `{"mode": "ask", "model_stall_sec": 60}`)})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := s.For(nil)
	if v.Mode != "ask" || v.ModelRetries != 3 || v.StallSec != 60 {
		t.Errorf("mode %q, retries %d, stall %d", v.Mode, v.ModelRetries, v.StallSec)
	}
	if _, good := v.McpServers["good"]; !good || len(v.McpServers) != 1 {
		t.Errorf("servers %v", v.McpServers)
	}
	var keys []string
	for _, p := range s.Problems() {
		if p.Layer != LayerServer {
			t.Errorf("problem %v", p)
		}
		keys = append(keys, p.Key)
	}
	if !slices.Equal(keys, []string{"mcp_servers.bad", "mode", "model_retries"}) {
		t.Errorf("problems with %v", keys)
	}
	if theme, found, err := s.Get(t.Context(), "ui_theme"); err != nil || !found || theme != "dark" {
		t.Errorf("unknown key: %v %v %v", theme, found, err)
	}
}

// Covers: SET-10
func TestUnknownProviderIsRemoved(t *testing.T) {
	m := NewMemory()
	m.values["model_profiles"] = encoded(t, map[string]any{"a": map[string]any{"provider": "nobody", "model": "m"}, "b": map[string]any{"provider": "openai"}})
	s, err := Open(t.Context(), Options{Store: m, Providers: []string{"openai", "echo"}})
	if err != nil {
		t.Fatal(err)
	}
	v, problems := s.For(nil)
	if v.Profiles["a"].Provider != "" || v.Profiles["a"].Model != "m" || v.Profiles["b"].Provider != "openai" {
		t.Errorf("profiles %+v", v.Profiles)
	}
	if len(problems) != 1 || problems[0].Key != "model_profiles.a.provider" {
		t.Errorf("problems %v", problems)
	}
	_, err = s.Update(t.Context(), map[string]any{"model_profiles": profileOf("c", "provider", "nobody")})
	if clew.CodeOf(err) != clew.SettingsInvalid {
		t.Errorf("update: %v", err)
	}
}

func TestUnreadableFileStopsTheStart(t *testing.T) {
	for name, text := range map[string]string{"a.json": `{"mode": `, "b.yaml": "a: [", "c.json": `[1]`, "d.yaml": "- 1"} {
		if _, err := Open(t.Context(), Options{Store: NewMemory(), File: writeFile(t, name, text)}); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
	s, err := Open(t.Context(), Options{Store: NewMemory(), File: filepath.Join(t.TempDir(), "none.json")})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
}

// Covers: SET-01, SET-02, SET-03
func TestOpenLoadsOnceOrFails(t *testing.T) {
	m := NewMemory()
	m.Fail(errors.New("down"))
	if s, err := Open(t.Context(), Options{Store: m}); err == nil || s != nil {
		t.Fatalf("got settings that are not loaded: %v, %v", s, err)
	}
	if s, err := Open(t.Context(), Options{}); err == nil || s != nil {
		t.Fatalf("got settings without a store: %v, %v", s, err)
	}
	s, m := newTest(t, map[string]any{"mode": "ask"})
	loads := m.Loads()
	for range 3 {
		if v, _ := s.For(nil); v.Mode != "ask" {
			t.Errorf("mode %q", v.Mode)
		}
	}
	if m.Loads() != loads {
		t.Error("reading loads again")
	}
}

// Covers: SET-05, SET-06, SET-08, SET-24, UIC-40, UIC-53, UIC-54
func TestUpdateWritesStoreAndMemory(t *testing.T) {
	s, m := newTest(t, nil)
	var heard [][]string
	cancel := s.Subscribe(func(changed []string) { heard = append(heard, changed) })
	changed, err := s.Update(t.Context(), map[string]any{
		"mode": "docs", "custom_modes": []any{mode("docs", "")}, "always_allow_write": true, "model_retries": 3, "ui_theme": "dark"})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"always_allow_write", "custom_modes", "mode", "ui_theme"}
	if !slices.Equal(changed, want) || len(heard) != 1 || !slices.Equal(heard[0], want) {
		t.Errorf("changed %v, heard %v", changed, heard)
	}
	v, _ := s.For(nil)
	if v.Mode != "docs" || !v.AllowWrite || string(m.values["mode"]) != `"docs"` || string(m.values["model_retries"]) != "3" {
		t.Errorf("mode %q, stored %s", v.Mode, m.values["mode"])
	}
	if changed, err = s.Update(t.Context(), map[string]any{"mode": nil}); err != nil || !slices.Equal(changed, []string{"mode"}) {
		t.Errorf("reset: %v %v", changed, err)
	}
	if v, _ := s.For(nil); v.Mode != "code" || m.values["mode"] != nil {
		t.Errorf("after the reset: %q, stored %s", v.Mode, m.values["mode"])
	}
	cancel()
	if err := s.Set(t.Context(), "mode", "ask"); err != nil || len(heard) != 2 {
		t.Errorf("after cancel: %v, heard %v", err, heard)
	}
}

func TestUpdateIsAllOrNothing(t *testing.T) {
	s, m := newTest(t, map[string]any{"mode": "ask"})
	told := 0
	s.Subscribe(func([]string) { told++ })
	for _, changes := range []map[string]any{
		{"mode": "debug", "model_retries": -1},
		{"mode": "debug", "openai_api_key": "x"},
		{"mode": "debug", "some_api_key": "x"},
		{"mode": "debug", "nested": map[string]any{"deep": []any{map[string]any{"password": "x"}}}},
		{"mode": "debug", "bad name": 1},
		{"mode": "debug", versionKey: 99},
		{"mode": "debug", "model_profile": "missing"},
		{"mode": "debug", "x": func() {}},
		{"mode": "debug", "x": strings.Repeat("x", maxValue)},
	} {
		_, err := s.Update(t.Context(), changes)
		if clew.CodeOf(err) != clew.SettingsInvalid {
			t.Errorf("%v: %v", changes, err)
		}
	}
	m.Fail(errors.New("disk full"))
	if _, err := s.Update(t.Context(), map[string]any{"mode": "debug"}); clew.CodeOf(err) != clew.StorageFailed {
		t.Errorf("store down: %v", err)
	}
	if v, _ := s.For(nil); v.Mode != "ask" || string(m.values["mode"]) != `"ask"` || told != 0 {
		t.Errorf("mode %q, stored %s, told %d times", v.Mode, m.values["mode"], told)
	}
}

func TestSecretsAreRefusedWithAHint(t *testing.T) {
	s, _ := newTest(t, nil)
	for name, hint := range map[string]string{"openai_api_key": "clew secret set openai_api_key", "acmeApiKey": "clew secret set acme_api_key"} {
		_, err := s.Update(t.Context(), map[string]any{name: "canary-value"})
		if err == nil || !strings.Contains(err.Error(), hint) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNodesSeeEachOthersChanges(t *testing.T) {
	m := NewMemory()
	open := func() *Settings {
		s, err := Open(t.Context(), Options{Store: m})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := open(), open()
	heard := make(chan []string, 10)
	cancel := b.Subscribe(func(changed []string) { heard <- changed })
	if _, err := a.Update(t.Context(), map[string]any{"mode": "ask"}); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; !slices.Equal(got, []string{"mode"}) {
		t.Errorf("heard %v", got)
	}
	if v, _ := b.For(nil); v.Mode != "ask" {
		t.Errorf("mode %q", v.Mode)
	}
	cancel()
	var done sync.WaitGroup
	for i, s := range []*Settings{a, b} {
		done.Go(func() {
			for n := range 50 {
				if _, err := s.Update(context.Background(), map[string]any{"mistake_limit": n*2 + i}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	va, _ := a.For(nil)
	vb, _ := b.For(nil)
	if !reflect.DeepEqual(va, vb) || string(m.values["mistake_limit"]) != string(encoded(t, va.MistakeLimit)) {
		t.Errorf("a has %d, b has %d, stored is %s", va.MistakeLimit, vb.MistakeLimit, m.values["mistake_limit"])
	}
}

// lateStore hands out a change while it is being loaded.
type lateStore struct {
	*Memory
	during func()
}

func (l *lateStore) Load(ctx context.Context) (map[string]json.RawMessage, error) {
	values, err := l.Memory.Load(ctx)
	if l.during != nil {
		during := l.during
		l.during = nil
		during()
	}
	return values, err
}

func TestChangeDuringLoadIsNotLost(t *testing.T) {
	l := &lateStore{Memory: NewMemory()}
	l.during = func() {
		if err := l.Save(t.Context(), map[string]json.RawMessage{"mode": encoded(t, "ask")}); err != nil {
			t.Error(err)
		}
	}
	s, err := Open(t.Context(), Options{Store: l})
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := s.For(nil); v.Mode != "ask" {
		t.Errorf("mode %q", v.Mode)
	}
}

// After a break in the watching the store tells all values, and they take the
// place of what was there.
func TestWholeNoticeReplacesTheLayer(t *testing.T) {
	s, _ := newTest(t, map[string]any{"mode": "ask", "mistake_limit": 7, "ui_theme": "dark"})
	var heard [][]string
	s.Subscribe(func(changed []string) { heard = append(heard, changed) })
	whole := map[string]json.RawMessage{versionKey: presentVersion(), "mode": encoded(t, "ask"), "model_retries": encoded(t, 5)}
	s.heard(whole, true)
	s.heard(whole, true) // nothing new
	v, _ := s.For(nil)
	if v.Mode != "ask" || v.MistakeLimit != 3 || v.ModelRetries != 5 {
		t.Errorf("mode %q, mistakes %d, retries %d", v.Mode, v.MistakeLimit, v.ModelRetries)
	}
	if len(heard) != 1 || !slices.Equal(heard[0], []string{"mistake_limit", "model_retries", "ui_theme"}) {
		t.Errorf("heard %v", heard)
	}
}

// Covers: SET-05, SET-06, SET-21
func TestPassthroughIsNotCached(t *testing.T) {
	keys := indexOf(append(slices.Clone(allKeys), &Key{Name: "big_blob", Home: HomeState, Passthrough: true, Exportable: true, Session: SessionFree, field: -1}))
	m := NewMemory()
	s, err := open(t.Context(), Options{Store: m}, keys)
	if err != nil {
		t.Fatal(err)
	}
	big := strings.Repeat("x", maxValue+10)
	changed, err := s.Update(t.Context(), map[string]any{"big_blob": big})
	if err != nil || !slices.Equal(changed, []string{"big_blob"}) {
		t.Fatalf("%v %v", changed, err)
	}
	if s.server["big_blob"] != nil {
		t.Error("it is kept in memory")
	}
	before := m.Loads()
	got, found, err := s.Get(t.Context(), "big_blob")
	if err != nil || !found || got != big || m.Loads() != before+1 {
		t.Errorf("found %v, err %v, %d loads", found, err, m.Loads()-before)
	}
	if _, there := s.Export()["big_blob"]; there {
		t.Error("it is exported")
	}
	if err := s.CheckSession(map[string]any{"big_blob": "x"}); err == nil {
		t.Error("a session may set it")
	}
}

// The budgets of monitors are read from their own names in the environment as well; the
// names with the prefix win.
//
// Covers: POL-19, POL-20, POL-21
func TestNamesOfMonitorBudgets(t *testing.T) {
	s, err := Open(t.Context(), Options{Store: NewMemory(), Environ: []string{
		"MONITOR_MAX_CONCURRENT=5", "MONITOR_MAX_ACTIONS_PER_MIN=7", "CLEW_SET_MONITOR_MAX_ACTIONS_PER_MIN=8", "MONITOR_MAX_OUTPUT_PER_MIN=many",
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, problems := s.For(nil)
	if v.MonitorMaxConcurrent != 5 || v.MonitorMaxActionsPerMin != 8 || v.MonitorMaxOutputPerMin != 50_000 || len(problems) != 1 || problems[0].Key != "monitor_max_output_per_min" {
		t.Errorf("%d, %d, %d, problems %+v", v.MonitorMaxConcurrent, v.MonitorMaxActionsPerMin, v.MonitorMaxOutputPerMin, problems)
	}
}
