package settings

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/vendor"
)

// The checks below never put a value into their message: it may be a secret
// that someone put into the wrong place.

var (
	placePattern      = regexp.MustCompile(`^[a-z0-9][a-z0-9:.-]{0,63}$`)
	profilePattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	serverPattern     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$`)
	slugPattern       = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
	experimentPattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
	variablePattern   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	headerPattern     = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$")
	hostNamePattern   = regexp.MustCompile(`^(\*\.)?([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(:[0-9]{1,5})?$`)
	hashPattern       = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func between(low, high float64) func(any) error {
	return func(v any) error {
		if n := number(v); math.IsNaN(n) || n < low || n > high {
			return fmt.Errorf("must be between %.0f and %.0f", low, high)
		}
		return nil
	}
}

// zeroOr is between for limits where 0 leaves the choice to the server.
func zeroOr(low, high float64) func(any) error {
	return func(v any) error {
		if number(v) == 0 || between(low, high)(v) == nil {
			return nil
		}
		return fmt.Errorf("must be 0, or between %.0f and %.0f", low, high)
	}
}

func number(v any) float64 {
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return float64(r.Int())
	case r.CanFloat():
		return r.Float()
	}
	return math.NaN()
}

func oneOf(names ...string) func(any) error {
	return func(v any) error {
		if s, ok := v.(string); !ok || !slices.Contains(names, s) {
			return fmt.Errorf("must be one of %s", strings.Join(names, ", "))
		}
		return nil
	}
}

func entries(most int) func(any) error {
	return func(v any) error {
		if reflect.ValueOf(v).Len() > most {
			return fmt.Errorf("must not have more than %d entries", most)
		}
		return nil
	}
}

func textUpTo(most int) func(any) error {
	return func(v any) error {
		if len(v.(string)) > most {
			return fmt.Errorf("must not be longer than %d bytes", most)
		}
		return nil
	}
}

func optional(check func(string) error) func(any) error {
	return func(v any) error {
		if s := v.(string); s != "" {
			return check(s)
		}
		return nil
	}
}

func matching(pattern *regexp.Regexp, s, what string) error {
	if !pattern.MatchString(s) {
		return errors.New("must be " + what)
	}
	return nil
}

// apis are the wires that a profile can name.
var apis = func() (names []string) {
	for _, api := range vendor.APIs() {
		names = append(names, string(api))
	}
	return names
}()

// placeName checks the name of a region or a project of a cloud: it becomes part of
// an address.
func placeName(s string) error {
	return matching(placePattern, s, "a name of small letters, digits, dash and colon, up to 64")
}

func profileName(s string) error {
	return matching(profilePattern, s, "a name of letters, digits, dot, dash and underscore, up to 64")
}

func slugText(v any) error {
	return matching(slugPattern, v.(string), "a slug of small letters, digits and dashes, up to 64")
}

// oneLine refuses control characters, which no pattern or path needs and which
// could forge lines where the value is shown.
func oneLine(_ string, v any) error {
	s := v.(string)
	if strings.TrimSpace(s) == "" || len(s) > 4096 || strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("must be one line of text, up to 4096 bytes")
	}
	return nil
}

func commandPattern(name string, v any) error {
	if err := oneLine(name, v); err != nil {
		return err
	}
	words := strings.Fields(v.(string))
	if slices.Contains(words[:len(words)-1], "*") {
		return errors.New("may have * as its last word only")
	}
	return nil
}

func absolutePath(name string, v any) error {
	if err := oneLine(name, v); err != nil {
		return err
	}
	if s := v.(string); !filepath.IsAbs(s) || filepath.Clean(s) != s {
		return errors.New("must be a clean absolute path")
	}
	return nil
}

func trustEntry(dir string, v any) error {
	if err := absolutePath("", dir); err != nil {
		return err
	}
	return matching(hashPattern, v.(string), "the hash of the workspace's .clew folder")
}

func hostPattern(_ string, v any) error {
	if s := v.(string); len(s) > 260 || !hostNamePattern.MatchString(s) {
		return errors.New("must be a host, or *. and a domain; an address in full is written without brackets or scheme")
	}
	return nil
}

func retentionEntry(user string, v any) error {
	if !clew.ValidID(user) {
		return errors.New("must be named by a user's id")
	}
	return between(0, 36_500)(v)
}

func experimentName(name string, _ any) error {
	return matching(experimentPattern, name, "named with letters, digits, dot, dash and underscore")
}

func environmentEntry(name string, v any) error {
	if !variablePattern.MatchString(name) {
		return errors.New("must be named like a variable")
	}
	return plainText(name, v.(string))
}

// commandVariable takes no secrets, not even by name: which environment a
// command gets is shown to people and recorded.
func commandVariable(name string, v any) error {
	value := v.(string)
	if strings.Contains(value, secretReference) || looksSecret(name) && value != "" || noPassword(value) != nil {
		return errors.New("must not hold a secret: the environment of commands is shown to people and recorded")
	}
	return environmentEntry(name, v)
}

// plainText refuses what looks like a secret in the open. A reference to a
// stored secret is fine.
func plainText(name, value string) error {
	switch {
	case len(value) > 32<<10 || strings.ContainsRune(value, 0):
		return errors.New("must be text up to 32 KiB")
	case strings.Contains(value, secretReference):
		return nil
	case looksSecret(name) && value != "":
		return errors.New("looks like a secret: store it with `clew secret set NAME` and write $SECRET:NAME here")
	}
	return noPassword(value)
}

// noPassword refuses an address that carries a password.
func noPassword(s string) error {
	if !strings.Contains(s, "://") {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.User == nil {
		return nil
	}
	if _, has := u.User.Password(); has {
		return errors.New("has a password in its address: store it with `clew secret set NAME` and write $SECRET:NAME here")
	}
	return nil
}

func webAddress(s string) error {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.Fragment != "" {
		return errors.New("must be an http or https address without user, password or fragment")
	}
	for name := range u.Query() {
		if looksSecret(name) {
			return errors.New("has a secret in its address: send it as a header with $SECRET:NAME instead")
		}
	}
	return nil
}

func checkProfile(name string, v any) error {
	p := v.(Profile)
	if err := profileName(name); err != nil {
		return err
	}
	if p.BaseURL != "" {
		if err := webAddress(p.BaseURL); err != nil {
			return in("base_url", err)
		}
	}
	if p.API != "" {
		if err := oneOf(apis...)(p.API); err != nil {
			return in("api", err)
		}
	}
	for _, place := range []struct{ name, value string }{{"region", p.Region}, {"project", p.Project}} {
		if err := optional(placeName)(place.value); err != nil {
			return in(place.name, err)
		}
	}
	for _, next := range p.Fallback {
		if err := profileName(next); err != nil {
			return in("fallback", err)
		}
	}
	if p.KeyName != "" && CheckSecretName(p.KeyName) != nil {
		return in("key_name", errors.New("must be the name of a secret"))
	}
	if p.Thinking != "" {
		if err := oneOf("off", "low", "medium", "high")(p.Thinking); err != nil {
			return in("thinking", err)
		}
	}
	for h, value := range p.Headers {
		if err := headerEntry(h, value); err != nil {
			return in("headers."+h, err)
		}
	}
	return profileNumbers(p)
}

func profileNumbers(p Profile) error {
	numbers := []struct {
		name  string
		value any
		high  float64
	}{
		{"max_tokens", p.MaxTokens, 10_000_000}, {"context_window", p.ContextWindow, 100_000_000},
		{"price_in", p.PriceIn, 1e6}, {"price_out", p.PriceOut, 1e6},
		{"price_cache_write", p.PriceCacheWrite, 1e6}, {"price_cache_read", p.PriceCacheRead, 1e6},
	}
	for _, n := range numbers {
		if err := between(0, n.high)(n.value); err != nil {
			return in(n.name, err)
		}
	}
	if p.Temperature != nil {
		return in("temperature", between(0, 2)(*p.Temperature))
	}
	return nil
}

func headerEntry(name, value string) error {
	if !headerPattern.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
		return errors.New("must be an HTTP header on one line")
	}
	return plainText(name, value)
}

func checkMcpServer(name string, v any) error {
	m := v.(McpServer)
	if !serverPattern.MatchString(name) {
		return errors.New("must be named with letters, digits, dot, dash and underscore, up to 64")
	}
	if (m.Command == "") == (m.URL == "") {
		return errors.New("must have either command or url")
	}
	if m.URL != "" {
		if err := webAddress(m.URL); err != nil {
			return in("url", err)
		}
	}
	if m.Dir != "" {
		if err := absolutePath("", m.Dir); err != nil {
			return in("dir", err)
		}
	}
	for n, value := range m.Env {
		if err := environmentEntry(n, value); err != nil {
			return in("env."+n, err)
		}
	}
	for n, value := range m.Headers {
		if err := headerEntry(n, value); err != nil {
			return in("headers."+n, err)
		}
	}
	return in("timeout_sec", between(0, 86_400)(m.TimeoutSec))
}

func checkMode(m Mode) error {
	if err := slugText(m.Slug); err != nil {
		return in("slug", err)
	}
	if err := oneLine("", m.Name); err != nil {
		return in("name", err)
	}
	if len(m.Prompt)+len(m.WhenToUse) > 64<<10 {
		return in("prompt", errors.New("must not be longer than 64 KiB"))
	}
	for _, g := range m.Groups {
		if err := oneOf(ToolGroups...)(g); err != nil {
			return in("groups", err)
		}
	}
	if m.EditPattern != "" && !doublestar.ValidatePattern(m.EditPattern) {
		return in("edit_pattern", errors.New("must be a pattern of paths"))
	}
	if m.Source != "" {
		if err := oneOf(SourceGlobal, SourceWorkspace)(m.Source); err != nil {
			return in("source", err)
		}
	}
	return in("model_profile", optional(profileName)(m.ModelProfile))
}

func uniqueModes(v any) error {
	seen := map[[2]string]bool{}
	for _, m := range v.([]Mode) {
		id := [2]string{m.Slug, m.Source}
		if seen[id] {
			return errors.New("must not have two modes with the same slug")
		}
		seen[id] = true
	}
	return entries(100)(v)
}

// in says in which part of a value something is wrong; nil stays nil.
func in(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %w", part, err)
}

func lower(server, session any) bool { return number(session) <= number(server) }

// lowerLimit is lower for limits where 0 means none.
func lowerLimit(server, session any) bool {
	return number(server) == 0 || number(session) > 0 && lower(server, session)
}

func onlyOff(server, session any) bool { return server.(bool) || !session.(bool) }

func onlyOffChoice(server, session any) bool { return server != "off" || session == "off" }

// searchPath wants a PATH in which no entry depends on where a command runs.
func searchPath(s string) error {
	if len(s) > 8<<10 {
		return errors.New("is too long")
	}
	for dir := range strings.SplitSeq(s, ":") {
		if err := absolutePath("", dir); err != nil {
			return err
		}
	}
	return nil
}

func strongerSandbox(server, session any) bool {
	strength := map[any]int{"none": 0, "auto": 1, "bwrap": 2}
	return strength[session] >= strength[server]
}
