package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/clew-run/clew"
)

// A Fingerprint tells turns apart by what they began with.
type Fingerprint struct {
	Words   string `json:"words"`   // hash of what was said
	Windows string `json:"windows"` // hash of the windows that were open
	Label   string `json:"label"`   // what was said, in short
}

// NewFingerprint is the fingerprint of a turn. Case and spaces make no difference.
func NewFingerprint(words, label, windows string) Fingerprint {
	return Fingerprint{Words: hash(strings.ToLower(strings.Join(strings.Fields(words), " "))), Windows: windows, Label: label}
}

// A ReloadEntry is what a turn showed, to be shown again.
type ReloadEntry struct {
	ID string `json:"id"`
	Fingerprint
	Actions []clew.Action `json:"actions"`
	Failed  bool          `json:"failed,omitempty"` // somebody did not want it: it is not offered again
}

// Reload holds what turns showed lately, the newest last.
type Reload struct {
	Entries []ReloadEntry `json:"entries,omitempty"`
	Made    int           `json:"made,omitempty"` // entries so far, for their names
}

// What the cache has room for, and how much of it is offered at once.
const (
	reloadMax = 50
	offersMax = 3
)

// With adds what a turn showed. It takes the place of what an earlier turn showed that
// began alike.
func (r Reload) With(f Fingerprint, acts Acts) Reload {
	if acts.Cut || len(acts.List) == 0 {
		return r
	}
	r.Made++
	list := slices.DeleteFunc(slices.Clone(r.Entries), func(e ReloadEntry) bool { return e.Words == f.Words && e.Windows == f.Windows })
	list = append(list, ReloadEntry{ID: fmt.Sprint("reload_", r.Made), Fingerprint: f, Actions: acts.List})
	r.Entries = list[max(0, len(list)-reloadMax):]
	return r
}

// Find gives an entry that may be shown again, nil if there is none of that name.
func (r Reload) Find(id string) *ReloadEntry {
	for i := range r.Entries {
		if r.Entries[i].ID == id && !r.Entries[i].Failed {
			return &r.Entries[i]
		}
	}
	return nil
}

// Fail has an entry not offered again.
func (r Reload) Fail(id string) Reload {
	if r.Find(id) == nil {
		return r
	}
	r.Entries = slices.Clone(r.Entries)
	r.Find(id).Failed = true
	return r
}

// Offer tells what can be shown again in a turn that begins like this, "" if nothing
// can: what began exactly alike first, then the newest.
func (r Reload) Offer(f Fingerprint) string {
	var exact, similar []string
	for _, e := range slices.Backward(r.Entries) {
		if e.Failed || e.Words != f.Words {
			continue
		}
		if e.Windows == f.Windows {
			exact = append(exact, e.offer("exact"))
		} else {
			similar = append(similar, e.offer("similar"))
		}
	}
	all := slices.Concat(exact, similar)
	if len(all) == 0 {
		return ""
	}
	return "<reload_options>\n" + strings.Join(all[:min(len(all), offersMax)], "") + "</reload_options>"
}

func (e ReloadEntry) offer(match string) string {
	does := Acts{List: e.Actions}.Sentences()
	return fmt.Sprintf("<option id=\"%s\" match=\"%s\" for=\"%s\">%s</option>\n", escaped(e.ID), match, escaped(e.Label), escaped(does))
}
