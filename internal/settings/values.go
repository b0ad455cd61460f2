// Package settings keeps what people can change while the server runs: model
// profiles, modes, approvals, tool servers, limits. Each key is described once,
// in the table of keys; the reference page is made from it.
package settings

// Values is all settings as they hold for one session. The json names are the
// keys on the wire, in files and, upper-cased behind CLEW_SET_, in the
// environment.
type Values struct {
	// Models
	ModelProfile  string             `json:"model_profile"`  // name of the profile in use; "" = the automatic one, or echo
	Model         string             `json:"model"`          // in place of the profile's; "" = the profile's
	ModelSmall    string             `json:"model_small"`    // the profile for summaries and commit messages; "" = the task's
	ModelSubtasks string             `json:"model_subtasks"` // the profile of subtasks and of a run's todos; "" = the task's
	Profiles      map[string]Profile `json:"model_profiles"`
	ModelRetries  int                `json:"model_retries"`     // 3
	CrashRetry    string             `json:"model_crash_retry"` // ask, or auto: what happens to a call cut by a crash
	StallSec      int                `json:"model_stall_sec"`   // a stream silent for so long is cut: 120
	Instructions  string             `json:"custom_instructions"`
	ProjectWords  string             `json:"project_instructions"` // auto, or off: whether AGENTS.md is read

	// Long conversations
	AutoCondense      bool   `json:"auto_condense"`      // true: a summary takes the place of old messages by itself
	CondenseThreshold int    `json:"condense_threshold"` // at so many percent of what the model takes: 80
	CondenseKeep      int    `json:"condense_keep"`      // so many messages at the end stay as they are: 6
	CondensePrompt    string `json:"condense_prompt"`    // in place of the built-in one

	// Modes
	Mode        string `json:"mode"` // code
	CustomModes []Mode `json:"custom_modes"`

	// Auto-approval
	Permissions          string                `json:"permissions"` // a preset, "" if nobody chose one
	WorkspacePermissions []WorkspacePermission `json:"workspace_permissions"`
	AutoApproval         bool                  `json:"auto_approval_enabled"`
	AllowReadOnly        bool                  `json:"always_allow_read_only"`
	AllowWrite           bool                  `json:"always_allow_write"`
	AllowExecute         bool                  `json:"always_allow_execute"` // commands that allowed_commands covers
	AllowBrowser         bool                  `json:"always_allow_browser"`
	AllowMcp             bool                  `json:"always_allow_mcp"` // tools with always_allow
	AllowFetch           bool                  `json:"always_allow_fetch"`
	AllowedCommands      []string              `json:"allowed_commands"` // patterns: words, a last * is any further words
	RememberedCommands   []string              `json:"remembered_commands"`
	RememberedTools      []string              `json:"remembered_tools"` // tools, or fetch and a host
	KeptRules            []KeptRule            `json:"kept_rules"`
	DeniedCommands       []string              `json:"denied_commands"`
	AutoApprovalMaxReq   int                   `json:"auto_approval_max_requests"` // 0 = no limit; then auto_approval_max_req_reached
	MistakeLimit         int                   `json:"mistake_limit"`              // 3 in a row; then mistake_limit_reached; 0 = none
	BudgetUSD            float64               `json:"budget_usd"`                 // of a task tree; 0 = none
	BudgetTokens         int64                 `json:"budget_tokens"`              // in + out of a task tree; 0 = none
	BudgetMonthUSD       float64               `json:"budget_month_usd"`           // of a person's sessions; 0 = none
	ConfirmCompletion    bool                  `json:"confirm_completion"`         // ask completion_result at the end
	WorkspaceQuotaMB     int                   `json:"workspace_quota_mb"`         // of a user, those that the server makes: 20480; 0 = none
	BlobQuotaMB          int                   `json:"blob_quota_mb"`              // of a user: 5120; 0 = none
	MaxSubtaskDepth      int                   `json:"max_subtask_depth"`          // 3
	MaxSubtasks          int                   `json:"max_subtasks"`               // 20 in a task tree
	MaxStepsPerTurn      int                   `json:"max_steps_per_turn"`         // 200 model calls; then auto_approval_max_req_reached
	ParallelTools        int                   `json:"parallel_tools"`             // 4 at once
	MessageArrival       string                `json:"message_arrival"`            // steer, or queue: a message during a turn
	MonitorsMax          int                   `json:"monitors_max"`               // 4 in a session, with the main one
	EphemeralAgents      bool                  `json:"ephemeral_agents"`           // what an agent at work would not hear soon has one of its own
	WakesMax             int                   `json:"wakes_max"`                  // 10 results in a row wake an agent without a person; 0 = any
	ForkMaxTokens        int                   `json:"fork_max_tokens"`            // 60000: a longer conversation is delegated as a summary; 0 = any
	AgentLimit           int                   `json:"agent_limit"`                // 10 at work for each owner, on a node; 0 = none
	AgentLimitNode       int                   `json:"agent_limit_node"`           // at work on a node; 0 = none
	Worktree             string                `json:"worktree"`                   // off, session: new sessions have one of their own, todos: so have todos of a run

	// Of all monitors but the main one: turns at once, and of each in a minute actions and bytes.
	MonitorMaxConcurrent    int `json:"monitor_max_concurrent"`      // 2
	MonitorMaxActionsPerMin int `json:"monitor_max_actions_per_min"` // 30
	MonitorMaxOutputPerMin  int `json:"monitor_max_output_per_min"`  // 50000

	// Runs
	RunParallelTodos   int     `json:"run_parallel_todos"`      // 3 at once
	RunMaxTodos        int     `json:"run_max_todos"`           // 500 in a plan
	RunMaxRetries      int     `json:"run_max_retries"`         // 3 of each todo
	RunApprovalUSD     float64 `json:"run_approval_usd"`        // a todo that is expected to cost more asks first: 0
	BudgetTimeSec      int     `json:"budget_time_sec"`         // of work in a run; 0 = none
	PlanReviewTimeout  int     `json:"plan_review_timeout_sec"` // 0 = none, as for the next ones
	RunApprovalTimeout int     `json:"run_approval_timeout_sec"`
	RunInputTimeout    int     `json:"run_input_timeout_sec"`
	ClarifyTimeout     int     `json:"run_clarification_timeout_sec"`

	// Questions
	ReminderSec   int      `json:"question_reminder_sec"` // before a deadline: 60; 0 = none
	NotifyWebhook string   `json:"notify_webhook"`        // address that hears of questions; "" = none
	NotifyLinkSec int      `json:"notify_link_sec"`       // how long an answer link holds: 86400
	PushAllow     []string `json:"push_allow"`            // addresses of push services that are not public
	PublicURL     string   `json:"public_url"`            // where people reach this server, for links; "" = where it listens

	// Tools
	CommandTimeoutSec int               `json:"command_timeout_sec"` // 120
	CommandNetwork    bool              `json:"command_network"`     // commands may reach the network
	CommandSandbox    string            `json:"command_sandbox"`     // auto, bwrap, or none
	CommandEnv        map[string]string `json:"command_environment"` // set for commands
	CommandShare      []string          `json:"command_share"`       // further directories that commands may read

	CommandToolchains string `json:"command_toolchains"` // auto or off
	CommandPath       string `json:"command_path"`       // PATH of commands; "" = that of the terminal or the login shell

	CommandMemoryMB      int `json:"command_memory_mb"`      // of a command; 0 = half of the machine's, at most 4096
	CommandProcesses     int `json:"command_processes"`      // 512
	CommandCPUWeight     int `json:"command_cpu_weight"`     // 50; the server has 100
	CommandFileMB        int `json:"command_file_mb"`        // 4096, of a file that it writes
	CommandOpenFiles     int `json:"command_open_files"`     // 4096, of each process
	CommandUserMemoryMB  int `json:"command_user_memory_mb"` // of all commands of a user; 0 = half of the machine's
	CommandUserProcesses int `json:"command_user_processes"` // 2048

	KernelMemoryMB      int `json:"kernel_memory_mb"`      // of a notebook's kernel: 4096; 0 = that of commands
	SupervisorOrphanSec int `json:"supervisor_orphan_sec"` // how long a kernel waits for a server: 600
	// KernelAfterRewind is ask, rerun, fresh or keep.
	KernelAfterRewind string `json:"kernel_after_rewind"`

	FetchAllow   []string `json:"fetch_allow"`       // hosts; *.example.org for all below
	OutputLimit  int      `json:"tool_output_limit"` // bytes of a tool's output that the model gets: 32768
	ExcludePaths []string `json:"exclude_paths"`     // like .clewignore, for all workspaces

	// Checkpoints
	Checkpoints         bool     `json:"checkpoints_enabled"`       // true
	CheckpointExclude   []string `json:"checkpoint_exclude"`        // like .clewignore, for checkpoints alone
	CheckpointMaxFileMB int      `json:"checkpoint_max_file_mb"`    // 100; 0 = any
	CheckpointQuotaMB   int      `json:"checkpoint_quota_mb"`       // of a user: 20480; 0 = none
	CheckpointDays      int      `json:"checkpoint_retention_days"` // 0 = as long as a record names it

	// Deleting
	EraseAfterDays int            `json:"erase_after_days"`       // 7; 0 = at once
	RetentionDays  int            `json:"retention_days"`         // 0 = for ever
	RetentionUsers map[string]int `json:"retention_days_by_user"` // in place of RetentionDays

	// Tool servers
	McpEnabled bool                 `json:"mcp_enabled"` // true
	McpServers map[string]McpServer `json:"mcp_servers"`

	// Workspaces
	TrustedWorkspaces map[string]string `json:"trusted_workspaces"` // directory → hash of its .clew folder

	// Features
	Experiments        map[string]bool `json:"experiments"`
	BrowserToolEnabled bool            `json:"browser_tool_enabled"`
	TtsEnabled         bool            `json:"tts_enabled"`
}

// A Profile is a named set of provider settings. Its key is a secret of its
// own, never part of it.
type Profile struct {
	Provider    string            `json:"provider"` // a vendor of package vendor, or echo
	Model       string            `json:"model"`
	API         string            `json:"api,omitempty"`      // as in package vendor; "" = the vendor's usual one
	BaseURL     string            `json:"base_url,omitempty"` // "" = the vendor's
	Region      string            `json:"region,omitempty"`   // of bedrock and vertex
	Project     string            `json:"project,omitempty"`  // of vertex
	KeyName     string            `json:"key_name,omitempty"` // name of the secret; "" = the provider's
	MaxTokens   int               `json:"max_tokens,omitempty"`
	Thinking    string            `json:"thinking,omitempty"` // off, low, medium, high
	Temperature *float64          `json:"temperature,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"` // further HTTP headers; no secrets
	// Prices in USD per million tokens; 0 = from the catalogue.
	PriceIn         float64 `json:"price_in,omitempty"`
	PriceOut        float64 `json:"price_out,omitempty"`
	PriceCacheWrite float64 `json:"price_cache_write,omitempty"`
	PriceCacheRead  float64 `json:"price_cache_read,omitempty"`
	ContextWindow   int     `json:"context_window,omitempty"`
	// Fallback names the profiles that are used instead while this one's provider is
	// at its limit or away, in this order.
	Fallback []string `json:"fallback,omitempty"`
}

// A Mode is a way of working: its own part of the prompt, its own tools.
type Mode struct {
	Slug         string   `json:"slug" yaml:"slug"`
	Name         string   `json:"name" yaml:"name"`
	Prompt       string   `json:"prompt" yaml:"prompt"`
	WhenToUse    string   `json:"when_to_use,omitempty" yaml:"when_to_use"`
	Groups       []string `json:"groups" yaml:"groups"`                       // groups of tools it may use
	EditPattern  string   `json:"edit_pattern,omitempty" yaml:"edit_pattern"` // it may edit only files that fit, as in **/*.md
	ModelProfile string   `json:"model_profile,omitempty" yaml:"model_profile"`
	Source       string   `json:"source,omitempty" yaml:"-"` // global, or workspace
}

// An McpServer is a tool server: a program, or an address.
type McpServer struct {
	Command     string            `json:"command,omitempty"`
	Args        []string          `json:"args,omitempty"`
	Env         map[string]string `json:"env,omitempty"` // $SECRET:name stands for a secret
	Dir         string            `json:"dir,omitempty"`
	URL         string            `json:"url,omitempty"`
	Headers     map[string]string `json:"headers,omitempty"` // $SECRET:name stands for a secret
	Disabled    bool              `json:"disabled,omitempty"`
	TimeoutSec  int               `json:"timeout_sec,omitempty"` // of a call: 60
	AlwaysAllow []string          `json:"always_allow,omitempty"`
	// ToolHashes holds, for each tool that is always allowed, the hash of the
	// schema and description it was allowed with. Another one revokes it.
	ToolHashes map[string]string `json:"tool_hashes,omitempty"`
}
