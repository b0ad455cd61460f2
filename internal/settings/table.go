package settings

// The groups of the reference page, in its order.
var groups = []string{"Models", "Long conversations", "Modes", "Auto-approval", "Limits", "Runs", "Questions", "Tools", "Checkpoints", "Deleting", "Tool servers", "Workspaces", "Features", "Secrets"}

// stateKeys is the table of all keys of Values. Whatever a session could use to
// reach beyond its workspace, its budget or the operator's rules is marked
// SessionNever, or SessionTighten where less is always fine.
func stateKeys() []*Key {
	var keys []*Key
	for _, part := range [][]*Key{modelKeys(), condenseKeys(), modeKeys(), approvalKeys(), limitKeys(), runKeys(), questionKeys(), toolKeys(), checkpointKeys(), deleteKeys(), featureKeys()} {
		keys = append(keys, part...)
	}
	return keys
}

func modelKeys() []*Key {
	return []*Key{
		{Name: "model_profile", Group: "Models", Provider: true, Exportable: true,
			Doc:     "Name of the model profile in use. Without one it is that of a key in the environment, or the one model on this machine; `echo` repeats what it is told.",
			Allowed: "a name of `model_profiles`, `echo`, or empty", check: optional(profileName)},
		{Name: "model", Group: "Models", Provider: true, Exportable: true,
			Doc: "A model to use in place of the one that the profile names.", Allowed: "one line of text", check: optional(func(s string) error { return oneLine("", s) })},
		{Name: "model_small", Group: "Models", Provider: true, Exportable: true,
			Doc: "The model profile for small jobs: summaries of long conversations and commit messages. Empty is the one that the task uses.", Allowed: "a name of `model_profiles`, or empty", check: optional(profileName)},
		{Name: "model_subtasks", Group: "Models", Provider: true, Exportable: true,
			Doc: "The model profile of subtasks and of the steps of a run. A profile that a mode names comes first. Empty is the one that the session uses.", Allowed: "a name of `model_profiles`, or empty", check: optional(profileName)},
		{Name: "model_profiles", Group: "Models", Provider: true, Exportable: true, Session: SessionNever,
			Doc:     "The model profiles by name: provider, model, address, prices. Keys are secrets and no part of a profile.",
			Allowed: "objects by name", check: entries(100), entry: checkProfile},
		Key{Name: "model_retries", Group: "Models", Provider: true, Exportable: true,
			Doc: "How often a failed model call is tried again before a person is asked.", Allowed: "0 to 20"}.between(0, 20),
		Key{Name: "model_crash_retry", Group: "Models", Provider: true, Exportable: true,
			Doc: "What happens to a model call that a crash cut off: a person is asked, or it is made again.", Allowed: "`ask`, `auto`"}.choosing("ask", "auto"),
		Key{Name: "model_stall_sec", Group: "Models", Provider: true, Exportable: true,
			Doc: "A model's stream that is silent for so many seconds is cut.", Allowed: "5 to 3600"}.between(5, 3600),
		Key{Name: "custom_instructions", Group: "Models", Exportable: true,
			Doc: "Text that is added to every prompt.", Allowed: "up to 64 KiB of text"}.writing(64 << 10),
		Key{Name: "project_instructions", Group: "Models", Exportable: true,
			Doc: "Whether `AGENTS.md` of the workspace and your own are part of the prompt.", Allowed: "`auto`, `off`"}.choosing("auto", "off"),
	}
}

func condenseKeys() []*Key {
	const group = "Long conversations"
	return []*Key{
		{Name: "auto_condense", Group: group, Exportable: true,
			Doc: "A summary takes the place of old messages to the model before they get too long for it. Without it the oldest are left out.", Allowed: "`true`, `false`"},
		Key{Name: "condense_threshold", Group: group, Exportable: true,
			Doc: "How full the model's context window may get before that, in percent of what it takes beside the answer.", Allowed: "10 to 100"}.between(10, 100),
		Key{Name: "condense_keep", Group: group, Exportable: true,
			Doc: "How many messages at the end a summary leaves as they are.", Allowed: "1 to 100"}.between(1, 100),
		Key{Name: "condense_prompt", Group: group, Exportable: true,
			Doc: "What the model is told when it writes a summary, in place of the built-in text.", Allowed: "up to 64 KiB of text"}.writing(64 << 10),
	}
}

func modeKeys() []*Key {
	return []*Key{
		{Name: "mode", Group: "Modes", Exportable: true,
			Doc: "The mode that new tasks start in.", Allowed: "slug of a mode", check: slugText},
		{Name: "custom_modes", Group: "Modes", Exportable: true,
			Doc:     "Modes beside the built-in ones. One with the slug of a built-in mode takes its place.",
			Allowed: "list of modes", check: uniqueModes, entry: func(_ string, v any) error { return checkMode(v.(Mode)) }},
	}
}

func approvalKeys() []*Key {
	flag := func(name, doc string) *Key {
		return &Key{Name: name, Group: "Auto-approval", Exportable: true, Doc: doc, Allowed: "`true`, `false`"}
	}
	return []*Key{
		Key{Name: "permissions", Group: "Auto-approval", Exportable: true,
			Doc: "What agents may do without asking, in place of `always_allow_write` and `always_allow_execute`: `ask` needs approval for every command and every edit; with `edits`, agents change files in the workspace without asking; with `sandbox`, they also run commands in a real sandbox without network. If empty, the flags apply.", Allowed: "`ask`, `edits`, `sandbox`, or empty"}.choosing("", PresetAsk, PresetEdits, PresetSandbox),
		{Name: "workspace_permissions", Group: "Auto-approval", Session: SessionNever,
			Doc:     "The `permissions` that people chose for a directory. Each counts in the sessions of its owner alone; `clew permissions` changes them.",
			Allowed: "list of objects", check: entries(maxKeptRules), entry: func(_ string, v any) error { return v.(WorkspacePermission).check() }},
		flag("auto_approval_enabled", "Master switch: when it is off, every tool call that needs approval asks for it, whatever else is allowed."),
		flag("always_allow_read_only", "Reading and searching files in the workspace needs no approval, except files that hold secrets, such as `.env` and keys."),
		flag("always_allow_write", "Changing files in the workspace needs no approval."),
		flag("always_allow_execute", "Commands that `allowed_commands` covers need no approval."),
		flag("always_allow_browser", "Use of the browser needs no approval."),
		flag("always_allow_mcp", "Tools of tool servers that are always allowed there need no approval."),
		flag("always_allow_fetch", "Fetching from hosts of `fetch_allow` needs no approval."),
		{Name: "allowed_commands", Group: "Auto-approval", Exportable: true,
			Doc:     "Command patterns that `always_allow_execute` covers: words, where a last `*` stands for any further words.",
			Allowed: "list of patterns", check: entries(500), entry: commandPattern},
		{Name: "remembered_commands", Group: "Auto-approval",
			Doc:     "Command patterns beside `allowed_commands` that a session's owner had remembered with an answer. They count in that session.",
			Allowed: "list of patterns", check: entries(500), entry: commandPattern},
		{Name: "remembered_tools", Group: "Auto-approval",
			Doc:     "Tools that a session's owner had remembered with an answer, such as `write_file`, or `fetch` and a host. They count in that session.",
			Allowed: "list of names", check: entries(100), entry: rememberedTool},
		{Name: "kept_rules", Group: "Auto-approval", Session: SessionNever,
			Doc:     "What people allowed with an answer for a directory or everywhere. Each applies to its owner alone; `clew rules` lists and removes them.",
			Allowed: "list of rules", check: entries(maxKeptRules), entry: func(_ string, v any) error { return v.(KeptRule).check() }},
		{Name: "denied_commands", Group: "Auto-approval", Exportable: true, Session: SessionNever,
			Doc:     "Command patterns that are refused, approved or not.",
			Allowed: "list of patterns", check: entries(500), entry: commandPattern},
		Key{Name: "auto_approval_max_requests", Group: "Auto-approval", Exportable: true,
			Doc: "So many approvals in a row are given without a person, then one is asked. 0 is no limit.", Allowed: "0 to 100000"}.between(0, 100_000),
		{Name: "confirm_completion", Group: "Auto-approval", Exportable: true,
			Doc: "A person is asked whether the result is what they wanted before a task ends.", Allowed: "`true`, `false`"},
	}
}

func limitKeys() []*Key {
	return []*Key{
		Key{Name: "mistake_limit", Group: "Limits", Exportable: true,
			Doc: "After so many mistakes in a row a person is asked. 0 is no limit.", Allowed: "0 to 1000"}.between(0, 1000),
		Key{Name: "budget_usd", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lowerLimit,
			Doc: "What a task with all its subtasks may cost, in USD. 0 is no limit.", Allowed: "0 to 1000000"}.between(0, 1_000_000),
		Key{Name: "budget_tokens", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lowerLimit,
			Doc: "How many tokens, in and out, a task with all its subtasks may use. 0 is no limit.", Allowed: "0 to 10^12"}.between(0, 1e12),
		Key{Name: "budget_month_usd", Group: "Limits", Exportable: true, Session: SessionNever,
			Doc: "What the sessions of each person may cost in a calendar month (UTC), in USD; then a person is asked before a task continues. 0 is no limit.", Allowed: "0 to 1000000"}.between(0, 1_000_000),
		Key{Name: "max_subtask_depth", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How deep subtasks may be nested.", Allowed: "0 to 10"}.between(0, 10),
		Key{Name: "max_subtasks", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many subtasks a task may have in all.", Allowed: "0 to 1000"}.between(0, 1000),
		Key{Name: "max_steps_per_turn", Group: "Limits", Exportable: true,
			Doc: "After so many model calls in one turn a person is asked.", Allowed: "1 to 10000"}.between(1, 10_000),
		Key{Name: "parallel_tools", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many tool calls of a task run at once.", Allowed: "1 to 64"}.between(1, 64),
		Key{Name: "workspace_quota_mb", Group: "Limits", Exportable: true, Session: SessionNever,
			Doc: "Room on disk that the workspaces which the server makes for a user may take together, in MB. 0 is no limit.", Allowed: "0 to 1073741824"}.between(0, 1<<30),
		Key{Name: "blob_quota_mb", Group: "Limits", Exportable: true, Session: SessionNever,
			Doc: "Room that the images, long outputs and reports in the sessions of a user may take together, in MB. 0 is no limit.", Allowed: "0 to 1073741824"}.between(0, 1<<30),
		Key{Name: "message_arrival", Group: "Limits", Exportable: true,
			Doc: "What a message does that comes during a turn: steer the turn, or wait for its end.", Allowed: "`steer`, `queue`"}.choosing("steer", "queue"),
		Key{Name: "monitors_max", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many monitors a session may have, with the main one. A message to a new monitor adds it.", Allowed: "1 to 16"}.between(1, 16),
		{Name: "ephemeral_agents", Group: "Limits", Exportable: true,
			Doc: "A message that the agent at work would not hear soon is answered at once by an agent of its own, without the conversation.", Allowed: "`true`, `false`"},
		Key{Name: "wakes_max", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lowerLimit,
			Doc: "After so many results of delegated tasks in a row that woke an agent while nobody said anything, a person is asked. 0 is no limit.", Allowed: "0 to 1000"}.between(0, 1000),
		Key{Name: "fork_max_tokens", Group: "Limits", Exportable: true,
			Doc: "A conversation with more tokens is summarised before a delegated task begins with it. 0 is no limit.", Allowed: "0 to 10^7"}.between(0, 1e7),
		Key{Name: "agent_limit", Group: "Limits", Exportable: true, Session: SessionNever,
			Doc: "How many agents of one person may be at work on a server at once; others wait for their turn. 0 is no limit.", Allowed: "0 to 10000"}.between(0, 10_000),
		Key{Name: "agent_limit_node", Group: "Limits", Exportable: true, Session: SessionNever,
			Doc: "How many agents of all people may be at work on a server at once. 0 is no limit.", Allowed: "0 to 100000"}.between(0, 100_000),
		Key{Name: "monitor_max_concurrent", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many turns are worked on at once on all monitors but the main one. The others wait. Also read from MONITOR_MAX_CONCURRENT.", Allowed: "1 to 64"}.between(1, 64),
		Key{Name: "monitor_max_actions_per_min", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many things agents may show on a monitor other than the main one in a minute. More is refused with the time to wait. Also read from MONITOR_MAX_ACTIONS_PER_MIN.", Allowed: "1 to 10000"}.between(1, 10000),
		Key{Name: "monitor_max_output_per_min", Group: "Limits", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many bytes models may write on a monitor other than the main one in a minute. Beyond that its agents wait. Also read from MONITOR_MAX_OUTPUT_PER_MIN.", Allowed: "1000 to 100000000"}.between(1000, 100_000_000),
		Key{Name: "worktree", Group: "Workspaces", Exportable: true,
			Doc: "What works in a git work tree and on a branch of its own: each new session in a repository, or each todo of a run with several at once. A session can only say so for its todos.", Allowed: "`off`, `session`, `todos`"}.choosing("off", "session", "todos"),
	}
}

func runKeys() []*Key {
	timeout := func(name, doc string) *Key {
		return Key{Name: name, Group: "Runs", Exportable: true,
			Doc: doc + " In seconds; 0 waits for ever.", Allowed: "0 to 31536000"}.between(0, 31_536_000)
	}
	return []*Key{
		Key{Name: "run_parallel_todos", Group: "Runs", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many todos of a run are worked on at once.", Allowed: "1 to 32"}.between(1, 32),
		Key{Name: "run_max_todos", Group: "Runs", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "How many todos a plan may have.", Allowed: "1 to 2000"}.between(1, 2000),
		Key{Name: "run_max_retries", Group: "Runs", Exportable: true,
			Doc: "How often a todo that failed is tried again before a person is asked.", Allowed: "0 to 20"}.between(0, 20),
		Key{Name: "run_approval_usd", Group: "Runs", Exportable: true, Session: SessionTighten, tighter: lower,
			Doc: "A todo that is expected to cost more than this, in USD, asks before it begins.", Allowed: "0 to 1000000"}.between(0, 1_000_000),
		Key{Name: "budget_time_sec", Group: "Runs", Exportable: true, Session: SessionTighten, tighter: lowerLimit,
			Doc: "How long a run may work, in seconds. Waiting for people and pauses do not count. 0 is no limit.", Allowed: "0 to 31536000"}.between(0, 31_536_000),
		timeout("plan_review_timeout_sec", "How long a plan waits for its review; then the run is cancelled."),
		timeout("run_approval_timeout_sec", "How long a todo waits for its approval; then it is skipped. A run that waits for a decision about a failed todo has failed then."),
		timeout("run_input_timeout_sec", "How long a question of a todo waits; then its default is taken, or the run is cancelled."),
		timeout("run_clarification_timeout_sec", "How long a run waits to hear what was meant; then it is cancelled."),
	}
}

func questionKeys() []*Key {
	return []*Key{
		Key{Name: "question_reminder_sec", Group: "Questions", Exportable: true,
			Doc: "How long before a question's deadline people are reminded, in seconds. 0 does not remind.", Allowed: "0 to 86400"}.between(0, 86_400),
		{Name: "notify_webhook", Group: "Questions", Session: SessionNever,
			Doc: "An address that is told of every question, with links to answer it. The secret `webhook_secret` signs what is sent.", Allowed: "http or https address, or empty", check: optional(webAddress)},
		Key{Name: "notify_link_sec", Group: "Questions", Exportable: true, Session: SessionNever,
			Doc: "How long a link to answer a question holds, in seconds. It ends with the question in any case.", Allowed: "60 to 2592000"}.between(60, 2_592_000),
		{Name: "push_allow", Group: "Questions", Session: SessionNever,
			Doc:     "Addresses with ports, such as `10.0.0.7:443`, that push services of browsers may have though they are not public.",
			Allowed: "list of hosts", check: entries(100), entry: hostPattern},
		{Name: "public_url", Group: "Questions", Session: SessionNever,
			Doc: "The address under which people reach this server, for links. Empty is where it listens.", Allowed: "http or https address, or empty", check: optional(webAddress)},
	}
}

func toolKeys() []*Key {
	return []*Key{
		Key{Name: "command_timeout_sec", Group: "Tools", Exportable: true,
			Doc: "A command that runs for so many seconds is ended.", Allowed: "1 to 86400"}.between(1, 86_400),
		{Name: "command_network", Group: "Tools", Exportable: true, Session: SessionTighten, tighter: onlyOff,
			Doc: "Commands may reach the network.", Allowed: "`true`, `false`"},
		Key{Name: "command_sandbox", Group: "Tools", Exportable: true, Session: SessionTighten, tighter: strongerSandbox,
			Doc:     "How commands are kept in: `bwrap` demands the sandbox, `auto` takes it where it works, `none` does without.",
			Allowed: "`auto`, `bwrap`, `none`"}.choosing("auto", "bwrap", "none"),
		{Name: "command_environment", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc:     "Variables that are set for commands. They are shown to people and recorded, so `$SECRET:name` is refused here.",
			Allowed: "text by name", check: entries(200), entry: commandVariable},
		{Name: "command_share", Group: "Tools", Session: SessionNever,
			Doc: "Directories beside the workspace that commands may read.", Allowed: "list of absolute paths", check: entries(200), entry: absolutePath},
		Key{Name: "command_toolchains", Group: "Tools", Exportable: true, Session: SessionTighten, tighter: onlyOffChoice,
			Doc:     "`auto` shows commands the build tools of whoever runs the server, and the caches of those tools, read-only. `off` hides them.",
			Allowed: "`auto`, `off`"}.choosing("auto", "off"),
		{Name: "command_path", Group: "Tools",
			Doc:     "PATH of commands. Empty is that of the terminal where the session began, else that of the login shell.",
			Allowed: "absolute directories with `:` between them, or empty", check: optional(searchPath)},
		{Name: "command_memory_mb", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "Memory that a command may use, in MB. 0 is half of the machine's, at most 4096.", Allowed: "0, or 32 to 1073741824", check: zeroOr(32, 1<<30)},
		Key{Name: "command_processes", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "Processes and threads that a command may have at once.", Allowed: "16 to 4194304"}.between(16, 1<<22),
		Key{Name: "command_cpu_weight", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "A command's share of the processor when others want it too; the server has 100. It needs control groups.", Allowed: "1 to 10000"}.between(1, 10_000),
		Key{Name: "command_file_mb", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "Size of a file that a command may write, in MB.", Allowed: "1 to 1073741824"}.between(1, 1<<30),
		Key{Name: "command_open_files", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "Files that each process of a command may have open.", Allowed: "64 to 1048576"}.between(64, 1<<20),
		{Name: "command_user_memory_mb", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc:     "Memory that all commands of a user together may use, in MB. 0 is half of the machine's, and no less than one command may use. It needs control groups.",
			Allowed: "0, or 32 to 1073741824", check: zeroOr(32, 1<<30)},
		Key{Name: "command_user_processes", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "Processes and threads that all commands of a user together may have. It needs control groups.", Allowed: "16 to 4194304"}.between(16, 1<<22),
		{Name: "kernel_memory_mb", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc: "Memory that the kernel of a notebook may use, in MB. 0 is the limit of commands.", Allowed: "0, or 256 to 1073741824", check: zeroOr(256, 1<<30)},
		Key{Name: "supervisor_orphan_sec", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc:     "How long the kernel of a notebook keeps running while there is no server, in seconds. A server that starts in that time finds it again. 0 ends kernels with their server.",
			Allowed: "0 to 2592000"}.between(0, 2_592_000),
		Key{Name: "kernel_after_rewind", Group: "Tools", Exportable: true,
			Doc:     "What happens to the kernel of a notebook that has run cells which a rewind removes: `ask` asks you, `rerun` runs the remaining ones again in a fresh kernel, `fresh` starts an empty one, `keep` leaves it.",
			Allowed: "`ask`, `rerun`, `fresh`, `keep`"}.choosing("ask", "rerun", "fresh", "keep"),
		{Name: "fetch_allow", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc:     "Hosts that may be fetched from. `*.example.org` stands for all below `example.org`.",
			Allowed: "list of hosts", check: entries(1000), entry: hostPattern},
		Key{Name: "tool_output_limit", Group: "Tools", Exportable: true,
			Doc: "How many bytes of a tool's output the model gets. The rest is kept and can be read.", Allowed: "1024 to 1048576"}.between(1024, 1<<20),
		{Name: "exclude_paths", Group: "Tools", Exportable: true, Session: SessionNever,
			Doc:     "Patterns of files that agents do not see, like `.clewignore` for all workspaces.",
			Allowed: "list of patterns", check: entries(1000), entry: oneLine},
	}
}

func checkpointKeys() []*Key {
	return []*Key{
		{Name: "checkpoints_enabled", Group: "Checkpoints", Exportable: true, Session: SessionTighten, tighter: onlyOff,
			Doc: "Checkpoints of the workspace are made. Those that exist can be restored either way.", Allowed: "`true`, `false`"},
		{Name: "checkpoint_exclude", Group: "Checkpoints", Exportable: true,
			Doc:     "Patterns of files that checkpoints leave alone, beside the built-in list and `.clewignore`.",
			Allowed: "list of patterns", check: entries(1000), entry: oneLine},
		Key{Name: "checkpoint_max_file_mb", Group: "Checkpoints", Exportable: true, Session: SessionNever,
			Doc: "Checkpoints leave larger files alone, in MB. 0 is no limit.", Allowed: "0 to 1048576"}.between(0, 1<<20),
		Key{Name: "checkpoint_quota_mb", Group: "Checkpoints", Exportable: true, Session: SessionNever,
			Doc: "Room on disk that the checkpoints of a user may take together, in MB. 0 is no limit.", Allowed: "0 to 1073741824"}.between(0, 1<<30),
		Key{Name: "checkpoint_retention_days", Group: "Checkpoints", Exportable: true, Session: SessionNever,
			Doc: "Checkpoints older than so many days go. 0 keeps them for as long as a session refers to them.", Allowed: "0 to 36500"}.between(0, 36_500),
	}
}

func deleteKeys() []*Key {
	return []*Key{
		Key{Name: "erase_after_days", Group: "Deleting", Exportable: true, Session: SessionNever,
			Doc: "For so many days a deleted session can be brought back; then it is erased. 0 erases it at once.", Allowed: "0 to 3650"}.between(0, 3650),
		Key{Name: "retention_days", Group: "Deleting", Exportable: true, Session: SessionNever,
			Doc: "Sessions in which nothing happened for so many days are deleted. 0 keeps them.", Allowed: "0 to 36500"}.between(0, 36_500),
		{Name: "retention_days_by_user", Group: "Deleting", Exportable: true, Session: SessionNever,
			Doc:     "The same for the sessions of some people, in place of `retention_days`.",
			Allowed: "0 to 36500 by user", check: entries(10_000), entry: retentionEntry},
	}
}

func featureKeys() []*Key {
	return []*Key{
		{Name: "mcp_enabled", Group: "Tool servers", Exportable: true, Session: SessionTighten, tighter: onlyOff,
			Doc: "Tool servers are used at all.", Allowed: "`true`, `false`"},
		{Name: "mcp_servers", Group: "Tool servers", Exportable: true, Session: SessionNever,
			Doc:     "The tool servers (MCP) by name: a program or an address. `$SECRET:name` in `env` and `headers` stands for a secret.",
			Allowed: "objects by name", check: entries(100), entry: checkMcpServer},
		{Name: "trusted_workspaces", Group: "Workspaces", Session: SessionNever,
			Doc:     "Workspaces whose `.clew` folder counts, each with the hash of that folder as it was trusted. Another hash ends the trust.",
			Allowed: "hashes by absolute path", check: entries(10_000), entry: trustEntry},
		{Name: "experiments", Group: "Features", Exportable: true, Session: SessionNever,
			Doc: "Switches for features that are not finished.", Allowed: "`true` or `false` by name", check: entries(200), entry: experimentName},
		{Name: "browser_tool_enabled", Group: "Features", Exportable: true, Session: SessionTighten, tighter: onlyOff,
			Doc: "Agents may use a browser.", Allowed: "`true`, `false`"},
		{Name: "tts_enabled", Group: "Features", Exportable: true,
			Doc: "Answers may be read aloud by the user interface.", Allowed: "`true`, `false`"},
	}
}
