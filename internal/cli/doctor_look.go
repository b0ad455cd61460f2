package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/cli/env"
)

// lookWithin bounds each thing that is asked of a server or a provider.
const lookWithin = 10 * time.Second

// lookAtServer looks at who answers, with which version, whether the credentials
// are right, and which model is asked.
func (x *doctor) lookAtServer(ctx context.Context, cfg env.Config) {
	c, err := x.Connect(x.remote)
	var none *env.NoTokenError
	if clew.CodeOf(err) == clew.ConnectionFailed {
		x.add(nobodyCheck(cfg), x.tokenCheck())
		return
	}
	if err != nil && !errors.As(err, &none) {
		x.add(env.CheckOf("server", env.CheckProblem, err.Error(), "see clew help doctor"))
		return
	}
	version, err := version(ctx, c)
	if err != nil {
		x.add(env.CheckOf("server", env.CheckProblem, fmt.Sprintf("no clew answers at %s: %v", c.Base, err), "start it there, or name another one with --server or CLEW_SERVER"), x.tokenCheck())
		return
	}
	ours := env.BuildInfo().Version
	if version != ours {
		x.add(env.CheckOf("server", env.CheckWarning, fmt.Sprintf("%s runs version %s, this program is %s", c.Base.Host, version, ours), "restart the server with the same program"))
	} else {
		x.add(env.CheckOf("server", env.CheckOK, fmt.Sprintf("running at %s, version %s", c.Base, version), ""))
	}
	var me struct {
		User string `json:"user"`
		Role string `json:"role"`
		Auth string `json:"auth"`
	}
	if err := c.CallWithin(ctx, lookWithin, http.MethodGet, "me", nil, &me); err != nil {
		x.add(env.CheckOf("credentials", env.CheckProblem, "the server refuses them: "+env.ErrorText(err), env.FirstOf(env.Advice(err), env.Next[clew.AuthFailed])))
		return
	}
	if me.Auth == "off" {
		x.add(env.CheckOf("credentials", env.CheckWarning, "the server lets everybody on this machine in", "start it without --auth off"))
	} else {
		x.add(x.tokenCheck())
	}
	x.lookAtSandbox(ctx, c)
	x.lookAtLimits(ctx, c)
	list, err := settings(ctx, c)
	if err != nil {
		x.add(env.CheckOf("model", env.CheckNote, "these credentials may not see the settings", ""))
		return
	}
	x.lookAtRules(list)
	x.lookAtModels(ctx, c)
}

// lookAtRules says what stars stand for that somebody wrote into the settings: they are
// not held to the options that are known to be harmless, as those that are remembered are.
func (x *doctor) lookAtRules(list []setting) {
	var patterns []string
	if s, ok := find(list, "allowed_commands"); ok {
		_ = json.Unmarshal(s.Value, &patterns)
	}
	patterns = slices.DeleteFunc(patterns, func(p string) bool { return !strings.HasSuffix(p, " *") })
	if len(patterns) > 0 {
		x.add(env.CheckOf("rules", env.CheckNote, "in allowed_commands a star stands for any words but those known to be dangerous: "+strings.Join(patterns, ", "),
			"write whole lines for what can run other programs, such as make or docker run; see docs/command-rules.md"))
	}
}

// lookAtSandbox mends what was found out about the sandbox in this process: a
// service may be allowed less than the person who asks, or more.
func (x *doctor) lookAtSandbox(ctx context.Context, c *env.Rest) {
	i := slices.IndexFunc(x.Checks, func(c env.Check) bool { return c.Name == "sandbox" })
	has, err := sandboxed(ctx, c)
	if i < 0 || err != nil || has == (x.Checks[i].Status == env.CheckOK) {
		return
	}
	x.Checks[i] = env.CheckOf("sandbox", env.CheckOK, "the server that runs has one, though this process has not", "")
	if !has {
		x.Checks[i] = env.CheckOf("sandbox", env.CheckWarning, "the server that runs has none, though this process has: commands of agents run without it",
			"its log says why when it starts; look at command_sandbox, and at what the service or container may do")
	}
}

// lookAtLimits does the same for the control groups of commands: those that the
// server has count, and not those that this process would have.
func (x *doctor) lookAtLimits(ctx context.Context, c *env.Rest) {
	i := slices.IndexFunc(x.Checks, func(c env.Check) bool { return c.Name == "command limits" })
	has, err := gauged(ctx, c, "clew_command_groups")
	if i < 0 || err != nil || has == (x.Checks[i].Status == env.CheckOK) {
		return
	}
	x.Checks[i] = env.CheckOf("command limits", env.CheckOK, "control groups hold each command of the server that runs, and each user's commands together", "")
	if !has {
		x.Checks[i] = env.CheckOf("command limits", env.CheckNote, "the server that runs limits commands process by process, not each as a whole",
			"its log says why when it starts; a systemd unit needs Delegate=memory pids cpu")
	}
}

// sandboxed asks a server whether it runs commands in a sandbox.
func sandboxed(ctx context.Context, c *env.Rest) (bool, error) {
	return gauged(ctx, c, "clew_sandbox")
}

// gauged asks a server for a metric that is 0 or 1.
func gauged(ctx context.Context, c *env.Rest, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base.JoinPath("/metrics").String(), nil)
	if err != nil {
		return false, err
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return false, err
	}
	defer func() { _ = resp.Body.Close() }()
	for lines := bufio.NewScanner(io.LimitReader(resp.Body, env.MaxAnswer)); lines.Scan(); {
		switch lines.Text() {
		case name + " 1":
			return true, nil
		case name + " 0":
			return false, nil
		}
	}
	return false, errors.New("it does not say")
}

// version asks a server what it is, which needs no credentials.
func version(ctx context.Context, c *env.Rest) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base.JoinPath("/openapi.json").String(), nil)
	if err != nil {
		return "", err
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	var doc struct {
		Info struct{ Title, Version string }
	}
	err = json.NewDecoder(io.LimitReader(resp.Body, env.MaxAnswer)).Decode(&doc)
	if err == nil && !strings.EqualFold(doc.Info.Title, "clew") {
		err = errors.New("it is not clew")
	}
	return doc.Info.Version, err
}

// nobodyCheck tells a machine on which no server runs from one where another
// program has its place.
func nobodyCheck(cfg env.Config) env.Check {
	l, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return env.CheckOf("server", env.CheckWarning, fmt.Sprintf("none is running, and %s cannot be had: %v", cfg.Listen, err), "end the program that listens there, or choose another address: clew serve --listen 127.0.0.1:0")
	}
	_ = l.Close()
	return env.CheckOf("server", env.CheckNote, "none is running; "+cfg.Listen+" is free", "clew run starts one; so does clew serve --detach")
}

func (x *doctor) tokenCheck() env.Check {
	name, err := x.TokenFile(x.remote)
	if x.Getenv(env.EnvPrefix+"TOKEN") != "" {
		return env.CheckOf("credentials", env.CheckOK, "CLEW_TOKEN", "")
	}
	info, err2 := os.Stat(name)
	if errors.Is(err2, fs.ErrNotExist) {
		return env.CheckOf("credentials", env.CheckNote, "there is no owner token yet", "the first start of clew serve makes it; for a server elsewhere set CLEW_TOKEN")
	}
	switch {
	case errors.Join(err, err2) != nil:
		return env.CheckOf("credentials", env.CheckProblem, errors.Join(err, err2).Error(), "mend the rights of the data directory, or set CLEW_TOKEN")
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return env.CheckOf("credentials", env.CheckWarning, fmt.Sprintf("%s can be read by others (mode %04o)", name, info.Mode().Perm()), "chmod 600 "+name)
	}
	return env.CheckOf("credentials", env.CheckOK, name, "")
}

// vendors are the addresses of providers whose profile names none.
var vendors = map[string]string{"anthropic": "https://api.anthropic.com", "openai": "https://api.openai.com", "openrouter": "https://openrouter.ai/api/v1"}

// lookAtModels looks at the model in use: whether there is one, whether it has a
// key, and, if somebody wants to know, whether its provider answers.
func (x *doctor) lookAtModels(ctx context.Context, c *env.Rest) {
	var used usedModel
	if err := c.CallWithin(ctx, lookWithin, http.MethodGet, "model", nil, &used); err != nil {
		x.add(env.CheckOf("model", env.CheckNote, "the server does not say: "+env.ErrorText(err), ""))
		return
	}
	name := fmt.Sprintf("%s of %s (profile %s)", used.Name, used.Provider, used.Profile)
	switch {
	case used.WhyCode == modelNone:
		x.add(env.CheckOf("model", env.CheckWarning, "none is set up", "clew login connects one; docs/connect-a-model.md says more"))
		return
	case used.WhyCode == modelMissing:
		x.add(env.CheckOf("model", env.CheckWarning, used.Why, "clew model ls lists what there is"))
		return
	case used.Provider == echoModel:
		x.add(env.CheckOf("model", env.CheckWarning, "the built-in echo is chosen: it repeats what it is told", "clew login connects a model"))
		return
	case !used.Usable:
		x.add(env.CheckOf("model", env.CheckWarning, name+" cannot be used yet: "+used.WhyNot, "clew model ls says what each model needs"))
		return
	}
	x.add(env.CheckOf("model", env.CheckOK, name, ""))
	var profile struct {
		BaseURL string `json:"base_url"`
	}
	if !x.online || c.CallWithin(ctx, lookWithin, http.MethodGet, profilePath(used.Profile), nil, &profile) != nil {
		return
	}
	if address := env.FirstOf(profile.BaseURL, vendors[used.Provider]); address != "" {
		x.add(reachCheck(ctx, address))
	}
}

// reachCheck asks for anything: every answer shows that somebody is there. No key
// is sent.
func reachCheck(ctx context.Context, address string) env.Check {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err == nil {
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			_ = resp.Body.Close()
			return env.CheckOf("provider", env.CheckOK, address+" answers", "")
		}
	}
	return env.CheckOf("provider", env.CheckWarning, fmt.Sprintf("no answer from here: %v", err), "check the network, a proxy (HTTPS_PROXY), and base_url of the profile")
}

func (x *doctor) browserCheck() env.Check {
	name, _ := opener(x.App)
	if name == "" {
		return env.CheckOf("browser", env.CheckNote, "there is no screen here", "clew open --no-open prints an address for a browser elsewhere")
	}
	if _, err := exec.LookPath(name); err != nil {
		return env.CheckOf("browser", env.CheckNote, name+" is not there to open one", "install xdg-utils, or set BROWSER; clew open --no-open prints the address")
	}
	return env.CheckOf("browser", env.CheckOK, "opened with "+filepath.Base(name), "")
}

func (x *doctor) terminalCheck() env.Check {
	f, ok := x.Out.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return env.CheckOf("terminal", env.CheckNote, "the output is not a terminal: nothing is asked, no colours", "")
	}
	width, height, err := term.GetSize(f.Fd())
	switch {
	case x.Getenv("TERM") == "" || x.Getenv("TERM") == "dumb":
		return env.CheckOf("terminal", env.CheckNote, "TERM says that it can do little", "set TERM, for instance to xterm-256color, for clew attach")
	case err == nil && (width < 80 || height < 24):
		return env.CheckOf("terminal", env.CheckNote, fmt.Sprintf("%dx%d is small", width, height), "80x24 is what clew attach is made for")
	}
	return env.CheckOf("terminal", env.CheckOK, fmt.Sprintf("%dx%d, %s", width, height, x.Getenv("TERM")), "")
}
