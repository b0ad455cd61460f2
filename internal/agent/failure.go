package agent

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/llm"
)

// advice says what a person can do about a model call that failed, "" if there
// is nothing but to try again.
func (w *worker) advice(f *llm.Error) string {
	switch {
	case f.Kind == llm.KindAuth && !strings.Contains(f.Message, "clew secret set"): // what is missing names itself
		return fmt.Sprintf("Set the key with `clew secret set %s`.", w.keyName())
	case f.Kind == llm.KindQuota:
		return "See to your account there."
	case f.Status == http.StatusNotFound:
		return fmt.Sprintf("Does it have the model %q? The name is in the profile (setting model_profiles), or in the setting model. %s", w.profile.Model, w.modelList())
	}
	return ""
}

// keyName is the secret that the profile's key is in.
func (w *worker) keyName() string {
	if w.profile.KeyName != "" {
		return w.profile.KeyName
	}
	return w.profile.Provider + "_api_key"
}

// modelList says where a provider lists its models.
func (w *worker) modelList() string {
	if w.profile.BaseURL != "" && w.profile.Provider == "openai" {
		return "Servers like this one list those they have at /models, below base_url."
	}
	return "Its documentation lists those it has."
}

// explained is a failure for people, with what to do about it.
func (w *worker) explained(f *llm.Error) string {
	return strings.TrimSpace(sentence(f.Error()) + " " + w.advice(f))
}

// seconds writes a time to wait as people do.
func seconds(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%g s", d.Round(100*time.Millisecond).Seconds())
}

// sentence makes one of what providers say: it begins with a capital and ends
// with a full stop.
func sentence(text string) string {
	text = strings.TrimRight(text, ". ") + "."
	if rest, ok := strings.CutPrefix(text, "the "); ok {
		text = "The " + rest
	}
	return text
}
