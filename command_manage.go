package clew

import "cmp"

// A Target names a message by its id, by its ts, or by its index in the
// transcript. Exactly one is given. MessageTS is another name of TS.
type Target struct {
	MessageID MessageID `json:"message_id,omitempty"`
	TS        int64     `json:"ts,omitempty"`
	MessageTS int64     `json:"message_ts,omitempty"`
	Index     *int      `json:"index,omitempty"`
}

// Time is the message's ts, by either name; 0 if none is given.
func (t Target) Time() int64 { return cmp.Or(t.TS, t.MessageTS) }

// DeleteMessageData is the data of delete_message.
type DeleteMessageData struct{ Target }

// DeleteMessageConfirmData is the data of delete_message_confirm.
type DeleteMessageConfirmData struct {
	Target
	RestoreCheckpoint bool `json:"restore_checkpoint,omitempty"`
}

// EditMessageData is the data of edit_message.
type EditMessageData struct {
	Target
	Text   string   `json:"text" clew:"empty"`
	Images []string `json:"images,omitempty"`
}

// EditMessageConfirmData is the data of edit_message_confirm.
type EditMessageConfirmData struct {
	Target
	Text              string   `json:"text" clew:"empty"`
	Images            []string `json:"images,omitempty"`
	RestoreCheckpoint bool     `json:"restore_checkpoint,omitempty"`
}

// RewindData is the data of rewind. SkipCleanup is read and has no effect:
// nothing is left behind that would want cleaning up.
type RewindData struct {
	Target
	KeepTarget        bool `json:"keep_target,omitempty"`
	SkipCleanup       bool `json:"skip_cleanup,omitempty"`
	RestoreCheckpoint bool `json:"restore_checkpoint,omitempty"`
}

// RewindPreviewData is the data of the command rewind_preview.
type RewindPreviewData struct {
	Target
	KeepTarget        bool `json:"keep_target,omitempty"`
	RestoreCheckpoint bool `json:"restore_checkpoint,omitempty"`
}

// UndoRewindData is the data of undo_rewind.
type UndoRewindData struct {
	// RestoreCheckpoint false leaves the files as they are. Absent, they come
	// along if they did on the way there.
	RestoreCheckpoint *bool `json:"restore_checkpoint,omitempty"`
}

// RedoRewindData is the data of redo_rewind; see UndoRewindData.
type RedoRewindData struct {
	RestoreCheckpoint *bool `json:"restore_checkpoint,omitempty"`
}

// ClearMessagesData is the data of clear_messages: none.
type ClearMessagesData struct{}

// CondenseContextData is the data of condense_context. Without a task it is
// about the one in focus.
type CondenseContextData struct {
	TaskID TaskID `json:"task_id,omitempty"`
}

// CheckpointSaveData is the data of checkpoint_save.
type CheckpointSaveData struct {
	Message string `json:"message,omitempty"`
}

// ForkSessionData is the data of fork_session. The new session begins in front
// of the message, with KeepTarget behind it, and without a message it has all
// that this one has. A workspace of its own gets the files as they were then;
// without one the two sessions work in the same directory.
type ForkSessionData struct {
	MessageID  MessageID `json:"message_id,omitempty"`
	KeepTarget bool      `json:"keep_target,omitempty"`
	Title      string    `json:"title,omitempty"`
	Workspace  string    `json:"workspace,omitempty"`
}

// ArchiveSessionData is the data of archive_session.
type ArchiveSessionData struct {
	Archived bool `json:"archived"`
}

// RenameSessionData is the data of rename_session.
type RenameSessionData struct {
	Title string `json:"title"`
}

// SetAccessData is the data of set_access. Role "" takes access back.
type SetAccessData struct {
	UserID UserID `json:"user_id"`
	Role   Role   `json:"role" clew:"enum=|viewer|approver"`
}

// ForgetRuleData is the data of forget_rule: what was remembered for a task with
// the answer to this question is asked about again.
type ForgetRuleData struct {
	ID RequestID `json:"id"`
}

// CheckpointDiffData is the data of the command checkpoint_diff. Without From
// it compares with the first checkpoint, without To with the files as they are.
type CheckpointDiffData struct {
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	TaskID TaskID `json:"task_id,omitempty"`
}

// CheckpointRestoreData is the data of checkpoint_restore.
// Of kind notebook it takes a fresh kernel to a cell: all cells of code from the first up to
// CellIndex run again.
type CheckpointRestoreData struct {
	TS         int64       `json:"ts,omitempty"`
	MessageID  MessageID   `json:"message_id,omitempty"`
	CommitHash string      `json:"commit_hash,omitempty"`
	Mode       RestoreMode `json:"mode,omitempty"`
	TaskID     TaskID      `json:"task_id,omitempty"`

	Kind       CheckpointKind `json:"kind,omitempty"` // "" is workspace
	NotebookID string         `json:"notebook_id,omitempty"`
	CellIndex  *int           `json:"cell_index,omitempty"`
}

// A RestoreMode says what a restore takes back.
type RestoreMode string

// The restore modes.
const (
	RestoreFiles RestoreMode = "files" // the files only
	RestoreBoth  RestoreMode = "both"  // the files, then the conversation
)

// Values lists the restore modes.
func (RestoreMode) Values() []string { return []string{string(RestoreFiles), string(RestoreBoth)} }

// UpdateSettingsData is the data of update_settings. A null value resets a key.
// Without a scope the change holds in this session only.
type UpdateSettingsData struct {
	Settings map[string]any `json:"settings"`
	Scope    SettingsScope  `json:"scope,omitempty"`
}

// A SettingsScope says where a change of settings holds.
type SettingsScope string

// The settings scopes.
const (
	SettingsSession SettingsScope = "session" // this session
	SettingsServer  SettingsScope = "server"  // every session; for administrators
)

// Values lists the scopes.
func (SettingsScope) Values() []string {
	return []string{string(SettingsSession), string(SettingsServer)}
}

// NeedsAdmin reports whether a command is about the whole server, which only an
// administrator may change or take away. The rights in the session are needed
// besides.
func NeedsAdmin(data any) bool {
	switch d := data.(type) {
	case *UpdateSettingsData:
		return d.Scope == SettingsServer
	case *ResetSettingsData, *ImportSettingsData, *ExportSettingsData, *SaveModelProfileData,
		*RestartMcpServerData, *ToggleMcpServerData, *ToggleToolAlwaysAllowData:
		return true
	}
	return false
}

// ResetSettingsData is the data of reset_settings: none.
type ResetSettingsData struct{}

// ImportSettingsData is the data of import_settings.
type ImportSettingsData struct {
	Settings map[string]any `json:"settings"`
}

// ExportSettingsData is the data of the command export_settings: none.
type ExportSettingsData struct{}

// SaveModelProfileData is the data of save_model_profile.
type SaveModelProfileData struct {
	Name             string         `json:"name"`
	APIConfiguration map[string]any `json:"api_configuration"`
}

// LoadModelProfileData is the data of load_model_profile.
type LoadModelProfileData struct {
	Name string `json:"name"`
}

// RestartMcpServerData is the data of restart_mcp_server.
type RestartMcpServerData struct {
	Name string `json:"name"`
}

// ToggleMcpServerData is the data of toggle_mcp_server.
type ToggleMcpServerData struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
}

// ToggleToolAlwaysAllowData is the data of toggle_tool_always_allow.
type ToggleToolAlwaysAllowData struct {
	Server      string `json:"server"`
	Tool        string `json:"tool"`
	AlwaysAllow bool   `json:"always_allow"`
}

// TestBrowserConnectionData is the data of the command test_browser_connection.
type TestBrowserConnectionData struct {
	URL string `json:"url,omitempty"`
}

// KillBrowserSessionData is the data of kill_browser_session: none.
type KillBrowserSessionData struct{}
