package settings

import "strings"

// valid and invalid have sample values for every key of Values.
var (
	flags = []any{true, false}

	valid = map[string][]any{
		"model_profile":                 {"", "fast", "Claude-4.5"},
		"model":                         {"", "some/model:free"},
		"model_profiles":                {map[string]any{}, map[string]any{"fast": map[string]any{"provider": "openai", "model": "m", "base_url": "https://example.org/v1", "headers": map[string]any{"X-Title": "clew"}, "temperature": 0.5}}},
		"model_retries":                 {0, 7, 20},
		"model_crash_retry":             {"ask", "auto"},
		"model_stall_sec":               {5, 3600},
		"custom_instructions":           {"", "Speak plainly.\nAlways."},
		"mode":                          {"code", "my-mode"},
		"custom_modes":                  {[]any{}, []any{mode("docs", "global"), mode("tests", "")}},
		"auto_approval_enabled":         flags,
		"always_allow_read_only":        flags,
		"always_allow_write":            flags,
		"always_allow_execute":          flags,
		"always_allow_browser":          flags,
		"always_allow_mcp":              flags,
		"always_allow_fetch":            flags,
		"allowed_commands":              {[]any{}, []any{"go test *", "ls"}},
		"denied_commands":               {[]any{}, []any{"rm *"}},
		"auto_approval_max_requests":    {0, 50},
		"mistake_limit":                 {0, 5},
		"budget_usd":                    {0, 1.5},
		"budget_tokens":                 {0, 5_000_000_000},
		"confirm_completion":            flags,
		"max_subtask_depth":             {0, 10},
		"max_subtasks":                  {0, 1000},
		"max_steps_per_turn":            {1, 500},
		"parallel_tools":                {1, 8},
		"message_arrival":               {"steer", "queue"},
		"run_parallel_todos":            {1, 8},
		"run_max_todos":                 {1, 500},
		"run_max_retries":               {0, 5},
		"run_approval_usd":              {0, 0.5},
		"budget_time_sec":               {0, 3600},
		"plan_review_timeout_sec":       {0, 300},
		"run_approval_timeout_sec":      {0, 600},
		"run_input_timeout_sec":         {0, 300},
		"run_clarification_timeout_sec": {0, 300},
		"question_reminder_sec":         {0, 60},
		"notify_webhook":                {"", "https://example.org/hook"},
		"notify_link_sec":               {60, 3600},
		"public_url":                    {"", "https://clew.example.org"},
		"command_timeout_sec":           {1, 600},
		"command_network":               flags,
		"command_sandbox":               {"auto", "bwrap", "none"},
		"command_environment":           {map[string]any{}, map[string]any{"LANG": "C", "GITHUB_TOKEN": ""}},
		"command_share":                 {[]any{}, []any{"/usr/share/data"}},
		"fetch_allow":                   {[]any{}, []any{"example.org", "*.example.org", "localhost:8080"}},
		"tool_output_limit":             {1024, 65536},
		"exclude_paths":                 {[]any{}, []any{"**/*.pem"}},
		"mcp_enabled":                   flags,
		"mcp_servers": {map[string]any{}, map[string]any{"files": map[string]any{"command": "files-server", "args": []any{"-v"}, "env": map[string]any{"API_TOKEN": "$SECRET:files"}},
			"web": map[string]any{"url": "https://example.org/mcp", "headers": map[string]any{"Authorization": "Bearer $SECRET:web"}}}},
		"trusted_workspaces":   {map[string]any{}, map[string]any{"/home/x": strings.Repeat("a", 64)}},
		"experiments":          {map[string]any{}, map[string]any{"fast-apply": true}},
		"browser_tool_enabled": flags,
		"tts_enabled":          flags,
	}

	noFlags = []any{"yes", 1, []any{}}

	invalid = map[string][]any{
		"model":         {3, []any{}, "a\nb"},
		"model_profile": {"a b", "../x", 3},
		"model_profiles": {[]any{}, profileOf("fast", "api_key", "sk-canary"), profileOf("fast", "colour", "red"), profileOf("a/b", "model", "m"),
			profileOf("fast", "base_url", "ftp://example.org"), profileOf("fast", "base_url", "https://user:pw@example.org"), profileOf("fast", "thinking", "deep"),
			profileOf("fast", "headers", map[string]any{"Authorization": "Bearer canary"}), profileOf("fast", "price_in", -1), profileOf("fast", "temperature", 3), profileOf("fast", "key_name", "../k")},
		"model_retries":       {-1, 21, 1.5, "3"},
		"model_crash_retry":   {"never", true},
		"model_stall_sec":     {4, 3601},
		"custom_instructions": {strings.Repeat("x", 64<<10+1), 3},
		"mode":                {"", "Code", "a/b"},
		"custom_modes": {map[string]any{}, []any{mode("Bad Slug", "")}, []any{mode("a", ""), mode("a", "")}, []any{map[string]any{"slug": "a", "name": "A", "groups": []any{"root"}}},
			[]any{map[string]any{"slug": "a", "name": "A", "edit_pattern": "[", "groups": []any{}}}, []any{map[string]any{"slug": "a", "name": "", "groups": []any{}}}, []any{mode("a", "cloud")}},
		"auto_approval_enabled":         noFlags,
		"always_allow_read_only":        noFlags,
		"always_allow_write":            noFlags,
		"always_allow_execute":          noFlags,
		"always_allow_browser":          noFlags,
		"always_allow_mcp":              noFlags,
		"always_allow_fetch":            noFlags,
		"allowed_commands":              {"ls", []any{""}, []any{"a\nb"}, []any{"git * push"}},
		"denied_commands":               {[]any{1}, []any{"\x00"}},
		"auto_approval_max_requests":    {-1, 100_001},
		"mistake_limit":                 {-1, 1001},
		"budget_usd":                    {-0.01, 2e6, "1"},
		"budget_tokens":                 {-1, 2e12, 0.5},
		"confirm_completion":            noFlags,
		"max_subtask_depth":             {-1, 11},
		"max_subtasks":                  {-1, 1001},
		"max_steps_per_turn":            {0, 10_001},
		"parallel_tools":                {0, 65},
		"message_arrival":               {"drop", ""},
		"run_parallel_todos":            {0, 33},
		"run_max_todos":                 {0, 2001},
		"run_max_retries":               {-1, 21},
		"run_approval_usd":              {-1, "1"},
		"budget_time_sec":               {-1, 0.5},
		"plan_review_timeout_sec":       {-1, 31_536_001},
		"run_approval_timeout_sec":      {-1, 31_536_001},
		"run_input_timeout_sec":         {-1, 31_536_001},
		"run_clarification_timeout_sec": {-1, 31_536_001},
		"question_reminder_sec":         {-1, 86_401},
		"notify_webhook":                {"ftp://example.org", "https://u:pw@example.org", 1},
		"notify_link_sec":               {59, 2_592_001},
		"public_url":                    {"example.org", "https://u:pw@example.org"},
		"command_timeout_sec":           {0, 86_401},
		"command_network":               noFlags,
		"command_sandbox":               {"docker", ""},
		"command_environment":           {map[string]any{"GITHUB_TOKEN": "canary"}, map[string]any{"GITHUB_TOKEN": "$SECRET:canary"}, map[string]any{"A": "x $SECRET:canary"}, map[string]any{"A=B": "x"}, map[string]any{"DB": "postgres://u:canary@h/db"}, map[string]any{"A": 1}},
		"command_share":                 {[]any{"share"}, []any{"/a/../b"}},
		"fetch_allow":                   {[]any{"https://example.org"}, []any{"*"}, []any{"a.*.org"}, []any{"exa mple.org"}},
		"tool_output_limit":             {0, 2 << 20},
		"exclude_paths":                 {[]any{"a\nb"}, "x"},
		"mcp_enabled":                   noFlags,
		"mcp_servers": {server("a b", "command", "x"), server("a", "dir", "/x"), server("a", "url", "file:///x"), server("a", "url", "https://example.org/?api_key=canary"),
			map[string]any{"a": map[string]any{"command": "x", "url": "https://example.org"}}, map[string]any{"a": map[string]any{"command": "x", "env": map[string]any{"API_KEY": "canary"}}},
			map[string]any{"a": map[string]any{"command": "x", "dir": "relative"}}, map[string]any{"a": map[string]any{"url": "https://example.org", "headers": map[string]any{"X-Api-Key": "canary"}}}},
		"trusted_workspaces":   {map[string]any{"/home/x": "short"}, map[string]any{"x": strings.Repeat("a", 64)}},
		"experiments":          {map[string]any{"x": 1}, map[string]any{"a b": true}},
		"browser_tool_enabled": noFlags,
		"tts_enabled":          noFlags,
	}
)

func mode(slug, source string) map[string]any {
	m := map[string]any{"slug": slug, "name": "Some mode", "prompt": "p", "groups": []any{"read"}}
	if source != "" {
		m["source"] = source
	}
	return m
}

func profileOf(name, field string, value any) map[string]any {
	return map[string]any{name: map[string]any{field: value}}
}

func server(name, field string, value any) map[string]any {
	return map[string]any{name: map[string]any{field: value}}
}
