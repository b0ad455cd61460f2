package agent

import (
	"fmt"
	"sync"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm"
	"github.com/clew-run/clew/internal/llm/vendor"
	"github.com/clew-run/clew/internal/session/decide"
	"github.com/clew-run/clew/internal/settings"
)

// restFor is how long a profile is left alone whose provider was at its limit or
// away. Those that it names as fallbacks are used meanwhile.
const restFor = 5 * time.Minute

// rests says which profiles are left alone, and since when. It is no truth of its own:
// who forgets it finds out anew, by one more call that fails.
type rests struct {
	mu    sync.Mutex
	since map[string]time.Duration
}

func (r *rests) note(profile string, now time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.since == nil {
		r.since = map[string]time.Duration{}
	}
	r.since[profile] = now
}

func (r *rests) resting(profile string, now time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	since, ok := r.since[profile]
	return ok && now-since < restFor
}

// useModel takes the profile that was picked or, while it rests, the first of its
// fallbacks that does not. If all of them rest, it is the one that was picked.
func (w *worker) useModel() error {
	name, p := w.picked, w.pickedAs
	if w.rests.resting(name, w.cfg.Clock.Elapsed()) {
		if next, ok := w.standIn(); ok {
			name, p = next, w.values.Profiles[next]
		}
	}
	if w.provider != nil && name == w.using {
		return nil
	}
	return w.use(name, p)
}

func (w *worker) use(name string, p settings.Profile) error {
	provider, err := w.cfg.Provider(p)
	if err != nil {
		return err
	}
	w.using, w.profile, w.model, w.provider = name, p, w.cfg.Model(p), provider
	return nil
}

// standIn names the first fallback of the picked profile that does not rest.
func (w *worker) standIn() (string, bool) {
	for _, name := range w.pickedAs.Fallback {
		if _, ok := w.values.Profiles[name]; ok && !w.rests.resting(name, w.cfg.Clock.Elapsed()) {
			return name, true
		}
	}
	return "", false
}

// fallBack goes on with another profile if one is named for a provider that is at
// its limit or away. It reports whether the call is to be made again.
func (w *worker) fallBack(f *llm.Error) (bool, error) {
	switch f.Kind {
	case llm.KindOverloaded, llm.KindUnstable, llm.KindQuota:
	case llm.KindAuth, llm.KindRequest, llm.KindContext: // another provider would not mend that, or hide it
		return false, nil
	}
	if len(w.pickedAs.Fallback) == 0 {
		return false, nil
	}
	if v, err := w.desk.View(); err != nil || v.Held { // the run was paused meanwhile: nothing new begins
		return false, nil
	}
	w.rests.note(w.using, w.cfg.Clock.Elapsed())
	next, ok := w.standIn()
	if !ok {
		return false, nil
	}
	from, who := w.using, providerTitle(w.profile.Provider)
	if err := w.use(next, w.values.Profiles[next]); err != nil {
		return false, err
	}
	state := "does not answer"
	if f.Kind != llm.KindUnstable {
		state = "is at its limit"
	}
	_, err := w.desk.Do(decide.Note{
		Say: clew.SayModelFallback, Text: fmt.Sprintf("%s %s. Switched to %s.", who, state, next),
		Metadata: map[string]any{"from": from, "to": next, "reason": string(f.Kind)},
	})
	return err == nil, err
}

// providerTitle is a provider's name for people.
func providerTitle(id string) string {
	if v, ok := vendor.Find(id); ok {
		return v.Title
	}
	return id
}
