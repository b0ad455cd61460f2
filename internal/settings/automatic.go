package settings

import (
	"net"
	"net/url"
	"strings"
)

// Echo is the provider that repeats what it is told, and the name of a profile that
// every server has: whoever wants it names it.
const Echo = "echo"

// An AutomaticProfile is there without being stored: a key in the environment makes it.
type AutomaticProfile struct {
	Name     string
	Variable string // that has the key; "" for a profile that is stored
	Profile
}

// For gives the settings as they hold for a session with the given settings of
// its own. What the session may not set is left out and reported. The result is
// the caller's alone.
//
// Automatic profiles are among the model profiles, and one of them is in use where
// nobody chose another.
func (s *Settings) For(overlay map[string]any) (Values, []Problem) {
	v, problems := s.stored(overlay)
	use, _ := s.automatic(v)
	for _, a := range s.opts.Automatic {
		if _, there := v.Profiles[a.Name]; !there {
			v.Profiles[a.Name] = a.Profile
		}
	}
	if v.ModelProfile == "" {
		v.ModelProfile = use.Name
	}
	if _, there := v.Profiles[Echo]; !there && v.ModelProfile == Echo {
		v.Profiles[Echo] = Profile{Provider: Echo}
	}
	return v, problems
}

// Automatic gives the profile that the server uses although nobody chose one. ok is
// false if somebody did, or if there is nothing to use.
func (s *Settings) Automatic() (use AutomaticProfile, ok bool) {
	v, _ := s.stored(nil)
	if v.ModelProfile != "" {
		return use, false
	}
	return s.automatic(v)
}

// automatic finds what is used if nobody chooses: the first vendor whose key is in the
// environment, else the one model on this machine.
func (s *Settings) automatic(v Values) (AutomaticProfile, bool) {
	for _, a := range s.opts.Automatic {
		p, there := v.Profiles[a.Name]
		if !there {
			return a, true
		}
		if p.Provider == a.Provider && p.KeyName == "" && p.VendorKeyCounts() {
			return AutomaticProfile{Name: a.Name, Variable: a.Variable, Profile: p}, true
		}
	}
	var local []AutomaticProfile
	for name, p := range v.Profiles {
		if p.Local() {
			local = append(local, AutomaticProfile{Name: name, Profile: p})
		}
	}
	if len(local) != 1 {
		return AutomaticProfile{}, false
	}
	return local[0], true
}

// automaticName reports whether a name stands for a profile that is not stored.
func (s *Settings) automaticName(name string) bool {
	if name == Echo {
		return true
	}
	for _, a := range s.opts.Automatic {
		if a.Name == name {
			return true
		}
	}
	return false
}

// Local reports whether the profile's model runs on this machine. It costs nothing
// there. A server that wants a key may be a gateway to one elsewhere, and is none.
func (p Profile) Local() bool {
	u, err := url.Parse(p.BaseURL)
	if err != nil || p.NeedsKey() {
		return false
	}
	host := u.Hostname()
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
