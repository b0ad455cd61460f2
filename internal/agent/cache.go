package agent

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/clew-run/clew/internal/session"
	"github.com/clew-run/clew/internal/settings"
)

// cache keeps what is made from the settings for as long as they stay the same.
// A run starts many agents with the same kit, one for each todo.
type cache struct {
	mu      sync.Mutex
	version uint64
	values  map[string]settings.Values
	kits    map[string]toolSet
}

const cacheMax = 256

// fresh empties the cache when the settings have changed, or when it is full.
// The caller holds mu.
func (c *cache) fresh(version uint64) {
	if c.values == nil || c.version != version || len(c.values)+len(c.kits) > cacheMax {
		c.version, c.values, c.kits = version, map[string]settings.Values{}, map[string]toolSet{}
	}
}

// valuesFor gives the settings of a session. They are shared: nobody changes
// them.
func (a *Agent) valuesFor(overlay map[string]any) settings.Values {
	if a.cfg.Version == nil || len(overlay) > overlayMax {
		v, _ := a.cfg.Settings.For(overlay)
		return v
	}
	key, version := overlayKey(overlay), a.cfg.Version()
	a.cache.mu.Lock()
	a.cache.fresh(version)
	v, ok := a.cache.values[key]
	a.cache.mu.Unlock()
	if ok {
		return v
	}
	v, _ = a.cfg.Settings.For(overlay)
	a.cache.mu.Lock()
	defer a.cache.mu.Unlock()
	if a.cache.fresh(version); a.cfg.Version() == version {
		a.cache.values[key] = v
	}
	return v
}

// overlayKey names settings of a session so that no others have the same name:
// people write their texts, and sessions of others share the cache.
func overlayKey(overlay map[string]any) string {
	if len(overlay) == 0 {
		return ""
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		return fmt.Sprintf("%#v", overlay)
	}
	return string(b)
}

// overlayMax is how many settings of its own a session may have for them to be
// compared at each step.
const overlayMax = 8

// keyOf names everything that a kit depends on.
func keyOf(version string, v session.View) string {
	return fmt.Sprintf("%q %q %s", v.Session, v.Owner, version)
}

// borrow takes the kit of another worker in the same place. The workspace is
// opened anew: each worker closes its own.
func (w *worker) borrow(version string, v session.View) bool {
	w.cache.mu.Lock()
	k, ok := w.cache.kits[keyOf(version, v)]
	w.cache.mu.Unlock()
	if !ok {
		return false
	}
	k.workspace, k.noPlace, k.place, k.opened = w.workspace, w.noPlace, w.place, w.opened
	w.toolSet = k
	if w.workspace == nil && w.later != "" && w.stands() {
		return w.plain() // many todos need no file
	}
	w.openPlace(v)
	return w.noPlace == nil && w.plain()
}

// lend keeps the kit for others.
func (w *worker) lend(version string, v session.View) {
	k := w.toolSet
	k.later = w.workspace.Dir
	k.workspace, k.opened, k.place = nil, nil, ""
	w.cache.mu.Lock()
	defer w.cache.mu.Unlock()
	if w.cache.fresh(w.cfg.Version()); w.version(v) == version {
		w.cache.kits[keyOf(version, v)] = k
	}
}
