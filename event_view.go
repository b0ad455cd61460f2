package clew

// StateData is the data of state. It does not repeat the messages.
type StateData struct {
	Version string `json:"version"`

	CurrentTaskItem  *HistoryItem      `json:"current_task_item,omitempty"`
	CurrentTaskTodos []Todo            `json:"current_task_todos,omitempty"`
	TaskHistory      List[HistoryItem] `json:"task_history"`

	APIConfiguration     map[string]any `json:"api_configuration,omitempty"`
	CurrentAPIConfigName string         `json:"current_api_config_name,omitempty"`
	ListAPIConfigMeta    []ModelProfile `json:"list_api_config_meta,omitempty"`

	Mode        string           `json:"mode"`
	CustomModes []map[string]any `json:"custom_modes,omitempty"`

	AutoApprovalFlags
	// Permissions is the preset that counts here: ask, edits or sandbox, "" if the flags say
	// it.
	Permissions string `json:"permissions,omitempty"`

	Experiments        map[string]bool `json:"experiments,omitempty"`
	McpEnabled         bool            `json:"mcp_enabled"`
	BrowserToolEnabled bool            `json:"browser_tool_enabled"`
	TtsEnabled         bool            `json:"tts_enabled"`
	McpServers         []McpServer     `json:"mcp_servers,omitempty"`
	Settings           map[string]any  `json:"settings,omitempty"`

	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
}

// AutoApprovalFlags says which asks are answered yes without a person.
type AutoApprovalFlags struct {
	AutoApprovalEnabled bool `json:"auto_approval_enabled"`
	AlwaysAllowReadOnly bool `json:"always_allow_read_only"`
	AlwaysAllowWrite    bool `json:"always_allow_write"`
	AlwaysAllowExecute  bool `json:"always_allow_execute"`
	AlwaysAllowBrowser  bool `json:"always_allow_browser"`
	AlwaysAllowMcp      bool `json:"always_allow_mcp"`
}

// A ModelProfile is a named set of provider settings.
type ModelProfile struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
}

// An McpServer is a tool server.
type McpServer struct {
	Name     string    `json:"name"`
	Status   string    `json:"status"`
	Disabled bool      `json:"disabled,omitempty"`
	Error    string    `json:"error,omitempty"`
	Tools    []McpTool `json:"tools,omitempty"`
}

// An McpTool is one tool of a server.
type McpTool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	AlwaysAllow bool   `json:"always_allow,omitempty"`
}

// ShowViewData is the data of show_view.
type ShowViewData struct {
	View string `json:"view"` // chat, settings, history
}

// InvokeData is the data of invoke.
type InvokeData struct {
	Invoke string   `json:"invoke"` // new_chat, send_message, primary_button_click, …
	Text   string   `json:"text,omitempty"`
	Images []string `json:"images,omitempty"`
}

// AcceptInputData is the data of accept_input: none.
type AcceptInputData struct{}

// McpServersData is the data of mcp_servers.
type McpServersData struct {
	McpServers List[McpServer] `json:"mcp_servers"`
}

// CommandsData is the data of commands.
type CommandsData struct {
	Commands List[UserCommand] `json:"commands"`
}

// A UserCommand is a command the user may call by name.
type UserCommand struct {
	Name         string `json:"name"`
	Description  string `json:"description,omitempty"`
	ArgumentHint string `json:"argument_hint,omitempty"`
	Source       string `json:"source,omitempty"`
}

// EnhancedPromptData is the data of enhanced_prompt.
type EnhancedPromptData struct {
	Text            string          `json:"text"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
}

// SystemPromptData is the data of system_prompt.
type SystemPromptData struct {
	Text            string          `json:"text"`
	Mode            string          `json:"mode,omitempty"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
}

// AutoApprovalChangedData is the data of auto_approval_changed.
type AutoApprovalChangedData struct {
	AutoApprovalFlags
}

// BrowserSessionUpdateData is the data of browser_session_update.
type BrowserSessionUpdateData struct {
	Active     bool   `json:"active"`
	URL        string `json:"url,omitempty"`
	Screenshot string `json:"screenshot,omitempty"` // blob address
	TaskID     TaskID `json:"task_id,omitempty"`
}

// WorkspaceUpdatedData is the data of workspace_updated.
type WorkspaceUpdatedData struct {
	Workspace string   `json:"workspace"`
	FilePaths []string `json:"file_paths,omitempty"`
}

// TtsStartData is the data of tts_start.
type TtsStartData struct {
	Text      string    `json:"text"`
	MessageID MessageID `json:"message_id,omitempty"`
}

// TtsStopData is the data of tts_stop.
type TtsStopData struct {
	MessageID MessageID `json:"message_id,omitempty"`
}

// ExportSettingsAnswer is the data of the answer export_settings. It holds no
// secrets.
type ExportSettingsAnswer struct {
	Settings        map[string]any  `json:"settings"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
}

// TestBrowserConnectionAnswer is the data of the answer test_browser_connection.
type TestBrowserConnectionAnswer struct {
	OK              bool            `json:"ok"`
	Message         string          `json:"message,omitempty"`
	ClientMessageID ClientMessageID `json:"client_message_id,omitempty"`
}
