package hostile

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/settings"
	"github.com/clew-run/clew/wire"
)

// canaries are the secrets of the test, by the door each came in through. The
// matchers find them as they are, escaped, in base64 and in hex.
type canaries struct {
	values map[string]string
	match  map[string]*settings.Redactor
}

// new makes the secret of a door. The name of the door shows where a leak is
// from; the middle makes it look like a key.
func (c *canaries) new(door string) string {
	if c.values == nil {
		c.values, c.match = map[string]string{}, map[string]*settings.Redactor{}
	}
	value := fmt.Sprintf("sk-%s-%x-%d", door, "canary", 1000003*(len(c.values)+7))
	c.values[door], c.match[door] = value, settings.NewRedactor()
	c.match[door].Add(value)
	return value
}

// search reports each canary that a text holds, except some.
func (c *canaries) search(t testing.TB, where, text string, except ...string) {
	t.Helper()
	for door, m := range c.match {
		if !slices.Contains(except, door) && m.Contains(text) {
			at := strings.Index(text, c.values[door])
			t.Errorf("the secret from %s is in %s: …%s…", door, where, text[max(0, at-200):min(len(text), max(0, at)+200)])
		}
	}
}

// A secret that came in through any door, in the right way or by mistake, is
// found nowhere else.
//
// Covers: SET-16
func TestSecretsAppearNowhere(t *testing.T) {
	var c canaries
	s := startSecretServer(t, &c)
	r := openRun(t, s.srv, "secrets", s.workspace())
	s.putEverywhere(r)
	s.failWithEcho()
	if sandboxed(t) {
		s.commandsLook(r)
		s.processesLook()
	}
	s.searchAnswers(r)
	s.srv.dump()
	log := s.srv.Out.String()
	if !strings.Contains(log, "goroutine ") || !strings.Contains(log, "DEBUG") {
		t.Errorf("the log or the dump is too silent to show anything:\n%.2000s", log)
	}
	c.search(t, "the log or the dump", log)
	s.searchFiles()
	c.search(t, "the doctor's answer", s.srv.clew("doctor", "--json", "--data", s.srv.Dir))
}

// secretServer is an arena with secrets.
type secretServer struct {
	*arena
	c *canaries
}

func startSecretServer(t *testing.T, c *canaries) *secretServer {
	t.Helper()
	a := &arena{t: t, models: startModels(t), base: t.TempDir()}
	a.outside = filepath.Join(a.base, "outside")
	a.door, a.canary = a.models.Server, a.models.Server
	file := a.settingsFile(in{
		"model_profiles": in{
			"enemy": in{"provider": "anthropic", "model": "claude-sonnet-4-5", "base_url": a.models.URL},
			"plain": in{"provider": "openai", "model": "gpt-4o", "base_url": a.models.URL + "/v1"},
			"named": in{"provider": "openai", "model": "gpt-4o", "base_url": a.models.URL + "/v1", "key_name": "named_key"},
		},
		"openai_api_key": c.new("settings-file"), "my_password": c.new("settings-file-unknown"),
		"command_environment": in{"DB": "$SECRET:rest_secret", "PLAIN": "visible"},
		"mcp_servers": in{
			"meant": peerSettings(t, map[string]string{"KEY": "$SECRET:mcp_secret"}),
			"other": peerSettings(t, map[string]string{"PLAIN": "visible"}),
		},
	})
	a.srv = startProc(t, map[string]string{
		"CLEW_SETTINGS": file, "CLEW_LOG_LEVEL": "debug", "GOTRACEBACK": "all",
		"CLEW_SECRET_NAMED_KEY": c.new("environment"), "CLEW_SECRET_MCP_SECRET": c.new("environment-mcp"),
		"CLEW_SECRET_ANTHROPIC_API_KEY": c.new("anthropic"), "CLEW_SECRET_OPENAI_API_KEY": c.new("openai"),
		"ANTHROPIC_API_KEY": c.new("anthropic-variable"), "OPENAI_API_KEY": c.new("openai-variable"), "CLEW_SET_OPENROUTER_API_KEY": c.new("set-variable"),
	})
	return &secretServer{arena: a, c: c}
}

// putEverywhere brings secrets in, where they belong and where they do not. What
// the server answers must not repeat them.
func (s *secretServer) putEverywhere(r *run) {
	c := s.c
	answers := []string{
		s.srv.rest("PUT", "/api/v1/secrets/rest_secret", quoted(in{"value": c.new("rest")})),
		s.srv.rest("PUT", "/api/v1/secrets/rest_list", quoted(in{"value": []string{c.new("rest-list")}})),
		s.srv.rest("PUT", "/api/v1/secrets/rest_field", quoted(in{"vaule": c.new("rest-field")})),
		s.srv.rest("PUT", "/api/v1/secrets/rest_text", c.new("rest-text")),
		s.srv.rest("PUT", "/api/v1/secrets/rest_null", quoted(in{"value": c.new("rest-nul") + "\x00"})),
		s.srv.rest("PATCH", "/api/v1/settings", quoted(in{"settings": in{"gemini_api_key": c.new("patch")}})),
		s.srv.rest("PATCH", "/api/v1/settings", quoted(in{"settings": in{"budget_usd": c.new("patch-wrong-type")}})),
		s.srv.rest("PATCH", "/api/v1/settings", quoted(in{"settings": in{"mcp_servers": in{"x": in{"command": "x", "env": in{"GITHUB_TOKEN": c.new("mcp-env")}}}}})),
		s.srv.rest("PATCH", "/api/v1/settings", quoted(in{"settings": in{"mcp_servers": in{"x": in{"url": "http://u:" + c.new("mcp-url") + "@127.0.0.1/"}}}})),
		s.srv.rest("PATCH", "/api/v1/settings", quoted(in{"settings": in{"mcp_servers": in{"x": in{"url": "http://127.0.0.1/", "headers": in{"Authorization": c.new("mcp-header")}}}}})),
		s.srv.rest("PATCH", "/api/v1/settings", quoted(in{"settings": in{"command_environment": in{"DB_PASSWORD": c.new("command-env")}}})),
		s.srv.rest("POST", "/api/v1/settings/import", quoted(in{"apiKey": c.new("rest-import")})),
		s.srv.rest("POST", "/api/v1/settings/import", quoted(in{"theme": in{"deep": []any{in{"access_token": c.new("rest-import-deep")}}}})),
	}
	profile := func(fields in) clew.SaveModelProfileData {
		all := in{"provider": "openai", "model": "gpt-4o", "base_url": s.models.URL + "/v1"}
		for k, v := range fields {
			all[k] = v
		}
		return clew.SaveModelProfileData{Name: "own", APIConfiguration: all}
	}
	for _, cmd := range []struct {
		typ  clew.CommandType
		data any
		good bool
	}{
		{clew.CommandSaveModelProfile, profile(in{"api_key": c.new("profile")}), true},
		{clew.CommandSaveModelProfile, profile(in{"apiKey": c.new("profile-spelling")}), false},
		{clew.CommandSaveModelProfile, profile(in{"api_key": []string{c.new("profile-list")}}), false},
		{clew.CommandSaveModelProfile, profile(in{"headers": in{"X-Api-Key": c.new("profile-header")}}), false},
		{clew.CommandSaveModelProfile, profile(in{"headers": in{"Authorization": "Bearer " + c.new("profile-bearer")}}), false},
		{clew.CommandSaveModelProfile, profile(in{"base_url": "http://" + c.new("profile-user") + "@127.0.0.1/v1"}), false},
		{clew.CommandSaveModelProfile, profile(in{"base_url": "http://u:" + c.new("profile-password") + "@127.0.0.1/v1"}), false},
		{clew.CommandSaveModelProfile, profile(in{"base_url": "http://127.0.0.1/v1?api_key=" + c.new("profile-query")}), false},
		{clew.CommandSaveModelProfile, profile(in{"key_name": c.new("profile-key-name") + "/x"}), false},
		{clew.CommandImportSettings, clew.ImportSettingsData{Settings: in{"openai_api_key": c.new("import")}}, false},
		{clew.CommandImportSettings, clew.ImportSettingsData{Settings: in{"model_profiles": in{"x": in{"provider": "openai", "model": "m", "api_key": c.new("import-profile")}}}}, false},
		{clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: in{"my_api_key": c.new("update-session")}}, false},
		{clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: in{"anthropicApiKey": c.new("update-server")}, Scope: clew.SettingsServer}, false},
		{clew.CommandUpdateSettings, clew.UpdateSettingsData{Settings: in{"mistake_limit": c.new("update-wrong-type")}}, false},
	} {
		env, err := r.do(cmd.typ, cmd.data)
		if (err == nil) != cmd.good {
			s.t.Errorf("%s %v: %v %s", cmd.typ, cmd.data, err, env.Data)
		}
		answers = append(answers, fmt.Sprint(err), string(env.Data))
	}
	for _, answer := range answers {
		c.search(s.t, "an answer", answer)
	}
}

// failWithEcho has providers refuse the key and repeat it, in all the ways that
// an answer can fail.
func (s *secretServer) failWithEcho() {
	bodies := map[string]func(w http.ResponseWriter, key string){
		"denied": func(w http.ResponseWriter, key string) {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"authentication_error","message":"Incorrect API key provided: `+key+`. You can find yours"}}`)
		},
		"cut": func(w http.ResponseWriter, key string) {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<html>"+key[:len(key)-3]+"***</html>")
		},
		"invalid": func(w http.ResponseWriter, key string) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"error":{"message":"bad header Authorization: Bearer `+key+`","type":"invalid_request_error","param":"`+key+`"}}`)
		},
		"malformed": func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: "+key+"\ndata: {\"type\":\"message_start\", "+key+"\n\n")
		},
		"event": func(w http.ResponseWriter, key string) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\""+key+"\"}}\n\n")
		},
		"redirect": func(w http.ResponseWriter, key string) {
			w.Header().Set("Location", "http://127.0.0.1:1/?key="+key)
			w.WriteHeader(http.StatusFound)
		},
	}
	for how, fail := range bodies {
		for _, profile := range []string{"enemy", "plain", "named", "own"} {
			name := how + " " + profile
			s.models.set(name, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
				key := req.Header.Get("X-Api-Key")
				if key == "" {
					key = strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
				}
				if !strings.HasPrefix(key, "sk-") {
					s.t.Errorf("%s: the provider got the key %q", name, key)
					key = "none-none"
				}
				fail(w, key)
			}))
			r := openRun(s.t, s.srv, name, s.workspace())
			r.set(in{"model_profile": profile})
			r.begin()
			s.c.search(s.t, name+": the question", r.awaitQuestion().raw)
			r.finish()
			s.searchRecords(r)
		}
	}
}

func (s *secretServer) searchRecords(r *run) {
	for _, env := range r.all() {
		s.c.search(r.t, "a record "+env.Type, string(env.Data))
	}
}

// commandsLook has the model look for secrets with what runs unasked.
func (s *secretServer) commandsLook(r *run) {
	var calls []call
	for _, command := range []string{
		"env", "cat /proc/self/environ", "cat /proc/1/environ", "cat /proc/2/environ", "cat /proc/1/cmdline", "ls -la /proc/1/fd", "cat /proc/1/maps", "ls /proc",
		"cat " + filepath.Join(s.srv.Dir, "secrets.age"), "cat " + filepath.Join(s.srv.Dir, "token"), "ls -la " + s.srv.Dir, "find / -name 'secrets*'", "find / -name '*.age'",
		fmt.Sprintf("cat /proc/%d/environ", s.srv.Pid()), fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), "cat /run/clew/home/.bash_history", "find /run /tmp /home /root",
	} {
		calls = append(calls, call{tool: "execute_command", input: in{"command": command}})
	}
	for _, tool := range []string{"mcp__meant__tell", "mcp__meant__fail", "mcp__other__tell"} {
		calls = append(calls, call{tool: tool, input: in{}})
	}
	s.models.play("secrets", [][]call{calls})
	r.awaitState("Knows")
	for _, tool := range []struct{ server, name string }{{"meant", "tell"}, {"meant", "fail"}, {"other", "tell"}} {
		proc.Must(s.t, r.command(clew.CommandToggleToolAlwaysAllow, clew.ToggleToolAlwaysAllowData{Server: tool.server, Tool: tool.name, AlwaysAllow: true}))
	}
	r.begin()
	r.finish()
	told := s.models.told("secrets")
	s.c.search(s.t, "what the model was told", told)
	if strings.Contains(told, s.srv.token()) {
		s.t.Error("the model was told the owner's token")
	}
	if !strings.Contains(told, "PLAIN=visible") || !strings.Contains(told, "the key is [secret]") {
		s.t.Errorf("the commands or tools showed too little to prove anything: %d calls", len(r.outcomes()))
	}
	for id, o := range r.outcomes() {
		if !o.began {
			s.t.Errorf("call %s did not even run: %s", id, o.result)
		}
	}
}

// processesLook looks at all processes that the server started, while a command
// runs.
func (s *secretServer) processesLook() {
	dir := s.workspace()
	pipe := filepath.Join(dir, "pipe")
	mkfifo(s.t, pipe)
	s.models.play("processes", [][]call{{{tool: "execute_command", input: in{"command": "cat pipe"}}}})
	r := openRun(s.t, s.srv, "processes", dir)
	r.begin()
	// The pipe opens when the command reads it; without one it never would.
	late := time.AfterFunc(time.Minute, func() { panic("no command reads the pipe") })
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	late.Stop()
	proc.Must(s.t, err)
	pid := s.srv.Pid()
	s.c.search(s.t, "the server's command line", readProc(pid, "cmdline"))
	s.c.search(s.t, "the server's environment", readProc(pid, "environ"),
		"environment", "environment-mcp", "anthropic", "openai", "anthropic-variable", "openai-variable", "set-variable") // where they were put
	if limits := readProc(pid, "limits"); !coresOff(limits) {
		s.t.Errorf("the server may leave core dumps:\n%s", limits)
	}
	meant, children := 0, descendants(s.t, pid)
	for _, child := range children {
		s.c.search(s.t, "a process list", readProc(child, "cmdline"))
		env := readProc(child, "environ")
		if strings.Contains(env, "KEY=") && strings.Contains(env, peerVar) { // the one it is meant for
			meant++
			s.c.search(s.t, "the tool server's environment", env, "environment-mcp")
			continue
		}
		s.c.search(s.t, "the environment of "+readProc(child, "cmdline"), env)
	}
	if meant != 1 || len(children) < 4 {
		s.t.Errorf("%d processes, %d with the secret", len(children), meant)
	}
	_, err = w.WriteString("enough\n")
	proc.Must(s.t, err)
	proc.Must(s.t, w.Close())
	r.finish()
}

// searchAnswers reads all that the server tells.
func (s *secretServer) searchAnswers(r *run) {
	for _, path := range []string{
		"/api/v1/settings", "/api/v1/settings/export", "/api/v1/secrets", "/api/v1/secrets/rest_secret", "/api/v1/sessions", "/metrics", "/healthz", "/readyz", "/openapi.json",
		"/api/v1/sessions/" + string(r.session), "/api/v1/sessions/" + string(r.session) + "/messages", "/api/v1/keys",
	} {
		s.c.search(s.t, path, s.srv.rest("GET", path, ""))
	}
	for _, cmd := range []struct {
		typ  clew.CommandType
		data any
	}{{clew.CommandGetState, clew.GetStateData{Scope: clew.ScopeUI}}, {clew.CommandExportSettings, clew.ExportSettingsData{}}} {
		env, err := r.do(cmd.typ, cmd.data)
		s.c.search(s.t, string(cmd.typ), fmt.Sprint(string(env.Data), err))
	}
	s.searchRecords(r)
	again := follow(s.t, s.srv, "again", r.session)
	again.await("sync", func(seen []wire.Envelope) bool { return has(seen, clew.EventSyncComplete) })
	s.searchRecords(again)
}

// searchFiles looks through every byte that the server left.
func (s *secretServer) searchFiles() {
	files := 0
	proc.Must(s.t, filepath.WalkDir(s.srv.Dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		files++
		b, err := os.ReadFile(path)
		s.c.search(s.t, path, string(b))
		return err
	}))
	if _, err := os.Stat(filepath.Join(s.srv.Dir, "secrets.age")); err != nil || files < 5 {
		s.t.Errorf("%d files: %v", files, err)
	}
}
