package settings

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// SaveProfile stores a model profile under a name. An api_key in it goes to the
// secret store under a name of its own, and nil there deletes it; the profile
// itself never has it.
func (s *Settings) SaveProfile(ctx context.Context, name string, profile map[string]any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.saveProfile(ctx, name, profile, nil)
}

// A draft is a profile that is checked and not stored yet.
type draft struct {
	all    map[string]Profile // that would be stored, this one among them
	hasKey bool               // an api_key came with it, and secret is that
	secret string
}

// draft makes a draft of what somebody sent. further is one more check of it, nil for
// none. writing is held.
func (s *Settings) draft(name string, profile map[string]any, further func(Profile) error) (d draft, err error) {
	fields := map[string]any{}
	maps.Copy(fields, profile)
	key, hasKey := fields["api_key"]
	delete(fields, "api_key")
	d.hasKey = hasKey
	if d.secret, err = s.checkAPIKey(key, hasKey); err != nil {
		return d, err
	}
	s.nameKey(name, ownKey(name), fields, hasKey, d.secret != "")
	// Checked on its own first, so that a stored profile with a fault does not
	// stand in the way of this one's message.
	checked, err := s.check(map[string]any{"model_profiles": map[string]any{name: fields}})
	if err != nil {
		return d, err
	}
	if d.all, err = s.withProfile(name, checked["model_profiles"]); err != nil {
		return d, err
	}
	if further != nil {
		if err := further(d.all[name]); err != nil {
			return d, err
		}
	}
	return d, checkFallback(d.all, name)
}

// saveProfile is SaveProfile with a further check of what will be stored, nil for
// none. writing is held.
func (s *Settings) saveProfile(ctx context.Context, name string, profile map[string]any, further func(Profile) error) error {
	d, err := s.draft(name, profile, further)
	if err != nil {
		return err
	}
	encoded, err := json.Marshal(d.all)
	if err != nil {
		return clew.WrapError(clew.Internal, err, "the profiles could not be written")
	}
	// The secret first: a profile that names a missing key is worse than a key
	// that no profile names.
	if d.hasKey {
		if err := s.saveAPIKey(ctx, ownKey(name), d.secret); err != nil {
			return err
		}
	}
	_, err = s.save(ctx, raw{"model_profiles": encoded})
	return err
}

// DraftProfile checks a profile as PutProfile does and stores nothing. key is the
// api_key that came with it, which then counts in place of a stored one.
func (s *Settings) DraftProfile(name string, profile map[string]any) (p Profile, key string, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	d, err := s.draft(name, patched(nil, profile), s.checkWhole)
	if err != nil {
		return Profile{}, "", err
	}
	if s.opts.Redactor != nil && d.secret != "" {
		s.opts.Redactor.Add(d.secret)
	}
	return d.all[name], d.secret, nil
}

// nameKey makes the profile point to its key. One that has a key of its own
// keeps it when it is saved again without one.
func (s *Settings) nameKey(name, keyName string, fields map[string]any, hasKey, set bool) {
	v, _ := s.stored(nil)
	_, named := fields["key_name"]
	switch own := v.Profiles[name].KeyName == keyName; {
	case hasKey && set, !hasKey && !named && own:
		fields["key_name"] = keyName
	case hasKey && fields["key_name"] == keyName:
		delete(fields, "key_name")
	}
}

func (s *Settings) checkAPIKey(key any, hasKey bool) (string, error) {
	if !hasKey || key == nil {
		return "", nil
	}
	text, ok := key.(string)
	if !ok {
		return "", clew.Errorf(clew.SettingsInvalid, "api_key must be text")
	}
	if s.opts.Secrets == nil {
		return "", clew.Errorf(clew.SettingsInvalid, "api_key cannot be stored: there is no secret store")
	}
	return text, nil
}

func (s *Settings) saveAPIKey(ctx context.Context, keyName, secret string) error {
	if secret == "" {
		if s.opts.Secrets == nil {
			return nil
		}
		return s.opts.Secrets.Delete(ctx, keyName)
	}
	return s.opts.Secrets.Set(ctx, keyName, secret)
}

// withProfile gives all profiles in force with the checked one put in.
func (s *Settings) withProfile(name string, checked json.RawMessage) (map[string]Profile, error) {
	var one map[string]Profile
	if err := json.Unmarshal(checked, &one); err != nil {
		return nil, clew.WrapError(clew.Internal, err, "the profile could not be read back")
	}
	v, _ := s.stored(nil)
	v.Profiles[name] = one[name]
	return v.Profiles, nil
}

// SecretName names the secret with the profile's key.
func (p Profile) SecretName() string {
	if p.KeyName != "" {
		return p.KeyName
	}
	return p.Provider + "_api_key"
}

// NeedsKey reports whether no call can be made without the key. Local servers that
// speak OpenAI's API often have none.
func (p Profile) NeedsKey() bool {
	return p.BaseURL == "" || p.KeyName != "" || p.Provider == "anthropic" || p.Provider == "azure"
}

// VendorKeyCounts reports whether the vendor's own variables may hold the key: a server
// at an address of one's own gets what was set for it. At Azure each customer has
// another address, so its profiles name it.
func (p Profile) VendorKeyCounts() bool {
	if p.BaseURL == "" || p.Provider != "azure" || p.KeyName != "" {
		return p.BaseURL == ""
	}
	u, err := url.Parse(p.BaseURL)
	return err == nil && u.Scheme == "https" && strings.HasSuffix(strings.ToLower(u.Hostname()), ".azure.com")
}

// LoadProfile gives a stored profile. To use it, set model_profile to its name,
// for the server or for a session.
func (s *Settings) LoadProfile(_ context.Context, name string) (Profile, error) {
	v, _ := s.For(nil)
	p, ok := v.Profiles[name]
	if !ok {
		return Profile{}, clew.Errorf(clew.SettingsInvalid, "there is no model profile of that name")
	}
	return p, nil
}

// SwitchServer turns a tool server on or off.
func (s *Settings) SwitchServer(ctx context.Context, server string, on bool) error {
	return s.editServer(ctx, server, func(m *McpServer) { m.Disabled = !on })
}

// AllowTool says whether a server's tool is always allowed. hash stands for the
// tool as it was when this was decided; a tool with another hash is asked about
// again.
func (s *Settings) AllowTool(ctx context.Context, server, tool string, allow bool, hash string) error {
	return s.editServer(ctx, server, func(m *McpServer) {
		m.AlwaysAllow = slices.DeleteFunc(m.AlwaysAllow, func(t string) bool { return t == tool })
		delete(m.ToolHashes, tool)
		if !allow {
			return
		}
		m.AlwaysAllow = append(m.AlwaysAllow, tool)
		if m.ToolHashes == nil {
			m.ToolHashes = map[string]string{}
		}
		m.ToolHashes[tool] = hash
	})
}

// SaveServer adds a tool server, or gives one that is there another form. The others
// stay as they are, and so does whether it is switched off. Tools that were always
// allowed need approval again if it starts or reaches something else.
func (s *Settings) SaveServer(ctx context.Context, name string, server McpServer) error {
	return s.editServers(ctx, func(all map[string]McpServer) error {
		if old, there := all[name]; there {
			server.Disabled = old.Disabled
			if old.sameProgram(server) { // another one is trusted anew
				server.AlwaysAllow, server.ToolHashes = old.AlwaysAllow, old.ToolHashes
			}
		}
		all[name] = server
		return nil
	})
}

// sameProgram reports whether two servers start, or reach, the same thing.
func (m McpServer) sameProgram(other McpServer) bool {
	return m.Command == other.Command && m.URL == other.URL && m.Dir == other.Dir &&
		slices.Equal(m.Args, other.Args) && maps.Equal(m.Env, other.Env) && maps.Equal(m.Headers, other.Headers)
}

// RemoveServer removes a tool server.
func (s *Settings) RemoveServer(ctx context.Context, name string) error {
	return s.editServers(ctx, func(all map[string]McpServer) error {
		if _, ok := all[name]; !ok {
			return noServer()
		}
		delete(all, name)
		return nil
	})
}

func (s *Settings) editServer(ctx context.Context, server string, edit func(*McpServer)) error {
	return s.editServers(ctx, func(all map[string]McpServer) error {
		m, ok := all[server]
		if !ok {
			return noServer()
		}
		edit(&m)
		all[server] = m
		return nil
	})
}

func noServer() error {
	return clew.Errorf(clew.SettingsInvalid, "there is no tool server of that name")
}

func (s *Settings) editServers(ctx context.Context, edit func(map[string]McpServer) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	v, _ := s.For(nil)
	all := maps.Clone(v.McpServers)
	if all == nil {
		all = map[string]McpServer{}
	}
	if err := edit(all); err != nil {
		return err
	}
	checked, err := s.check(map[string]any{"mcp_servers": all})
	if err != nil {
		return err
	}
	_, err = s.save(ctx, checked)
	return err
}
