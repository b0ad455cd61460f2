package server_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/server"
)

// The types of commands that took effect and of events that were sent are on
// record, once each: those of records, of answers and of the gateway, but not
// those of commands that were refused or changed nothing.
func TestTypesOnRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "types")
	t.Setenv("RECORD_CLEW_TYPES", file)
	s, token := start(t, config(t))
	api := client.NewAPI(s.URL(), token)
	id, err := api.CreateSession(t.Context(), client.NewSession{})
	if err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"one", "two"} {
		if _, err := api.Command(t.Context(), id, "", clew.CommandRenameSession, clew.RenameSessionData{Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	_, err = api.Command(t.Context(), id, "", clew.CommandRemoveMonitor, clew.RemoveMonitorData{MonitorID: "monitor-1"})
	if clew.CodeOf(err) != clew.SessionInvalidState {
		t.Errorf("remove_monitor: %v", err)
	}
	if _, err := api.Command(t.Context(), id, "", clew.CommandReset, clew.ResetData{}); err != nil {
		t.Error(err)
	}
	c, err := client.Dial(t.Context(), client.Options{URL: s.URL(), Token: token, Session: id, NoFollow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Do(t.Context(), clew.CommandGetMessages, clew.GetMessagesData{}); err != nil {
		t.Error(err)
	}
	if _, err := c.Do(t.Context(), clew.CommandExportSettings, clew.ExportSettingsData{}); err != nil {
		t.Error(err)
	}
	got := lines(t, file)
	for _, want := range []string{
		"event session_created", "event session_renamed", "command rename_session", "event session_state",
		"event messages_page", "command get_messages", "event export_settings", "command export_settings",
	} {
		if n := count(got, want); n != 1 {
			t.Errorf("%q is there %d times", want, n)
		}
	}
	for _, not := range []string{"command remove_monitor", "command reset", "command "} {
		if slices.Contains(got, not) {
			t.Errorf("%q is there", not)
		}
	}
}

// An agent of a test may make up events: nothing of its server is on record.
func TestNoRecordOfAnotherAgent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "types")
	t.Setenv("RECORD_CLEW_TYPES", file)
	s, err := server.StartWith(t.Context(), config(t), slog.New(slog.DiscardHandler), make(waiting, 1))
	if err != nil {
		t.Fatal(err)
	}
	s.Stop(t.Context())
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("there is a record: %v", err)
	}
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func count(list []string, one string) int {
	n := 0
	for _, s := range list {
		if s == one {
			n++
		}
	}
	return n
}
