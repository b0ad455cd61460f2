package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/clew-run/clew"
)

// Options say where settings come from.
type Options struct {
	File    string   // JSON, or YAML by its extension; "" or a missing file is an empty layer
	Environ []string // as os.Environ gives it
	Store   Store
	// Secrets takes api keys that come with profiles. Without it they are
	// refused.
	Secrets SecretStore
	// Redactor, if set, learns of secrets that were found among settings.
	Redactor *Redactor
	// Providers are the names of the registered providers. With nil every name
	// is taken.
	Providers []string
	// Automatic are the profiles that keys in the environment make, the preferred
	// one first.
	Automatic []AutomaticProfile
	Log       *slog.Logger
}

// A SecretStore is what settings need of Secrets.
type SecretStore interface {
	Get(ctx context.Context, name string) (string, bool, error)
	Set(ctx context.Context, name, value string) error
	Delete(ctx context.Context, name string) error
	Names(ctx context.Context) ([]string, error)
}

// Settings holds all layers but the sessions' own. There is one per process,
// made by Open; nobody can have one that is not loaded. It is safe for
// concurrent use. Reads never touch the store, except for pass-through keys.
type Settings struct {
	opts Options
	keys index
	log  *slog.Logger

	// writing is held by whoever changes the store, from reading what is there
	// to the end. It comes before notifying, which comes before mu.
	writing sync.Mutex
	// notifying keeps the notices in the order of the changes.
	notifying sync.Mutex

	mu      sync.Mutex // guards what follows
	file    raw
	env     raw
	server  raw // as stored, without pass-through keys
	loading bool
	pending []notice // heard while loading
	base    *reading
	subs    map[int]func(changed []string)
	nextSub int

	stop context.CancelFunc // of the watching; set once by Open
}

// Open loads all layers, runs the migrations and from then on follows the store
// until ctx ends. Values that are not valid are reported by Problems and in the
// log; they stop nothing.
func Open(ctx context.Context, opts Options) (*Settings, error) {
	return open(ctx, opts, keyIndex)
}

func open(ctx context.Context, opts Options, keys index) (*Settings, error) {
	if opts.Store == nil {
		return nil, errors.New("settings: no store")
	}
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := &Settings{opts: opts, keys: keys, log: opts.Log, subs: map[int]func([]string){}, base: newReading(keys, opts.Providers)}
	// Watched before it is loaded, so that no change falls between the two.
	s.loading = true
	watching, stop := context.WithCancel(ctx)
	s.stop = stop
	if err := opts.Store.Watch(watching, s.heard); err != nil {
		stop()
		return nil, fmt.Errorf("settings: watch the store: %w", err)
	}
	if err := s.Reload(ctx); err != nil {
		stop()
		return nil, err
	}
	for _, p := range s.Problems() {
		s.log.Warn("setting not used", "key", p.Key, "layer", string(p.Layer), "problem", p.Message)
	}
	return s, nil
}

// Close stops following the store. What was read stays.
func (s *Settings) Close() { s.stop() }

// Reload reads file and store again.
func (s *Settings) Reload(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	file, err := readFile(s.opts.File)
	if err != nil {
		return err
	}
	env := readEnvironment(s.keys, s.opts.Environ)
	s.mu.Lock()
	s.file, s.env = file, env
	s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return err
	}
	s.learnSecrets(file, env)
	return s.migrateStored(ctx, file)
}

// learnSecrets makes sure that a key in the wrong place is at least not logged.
func (s *Settings) learnSecrets(layers ...raw) {
	if s.opts.Redactor == nil {
		return
	}
	for _, layer := range layers {
		for name, value := range layer {
			var decoded any
			if json.Unmarshal(value, &decoded) == nil {
				s.learn(looksSecret(name) && !s.keys[snake(name)].isState(), decoded)
			}
		}
	}
}

// learn adds every text in a value that is a secret, or has a field named like
// one. A reference to a stored secret is none.
func (s *Settings) learn(secret bool, value any) {
	switch v := value.(type) {
	case string:
		if secret && !strings.Contains(v, secretReference) {
			s.opts.Redactor.Add(v)
		}
	case []any:
		for _, inner := range v {
			s.learn(secret, inner)
		}
	case map[string]any:
		for name, inner := range v {
			s.learn(secret || looksSecret(name), inner)
		}
	}
}

func (k *Key) isState() bool { return k != nil && k.Home == HomeState }

// load reads the server layer from the store. writing is held.
func (s *Settings) load(ctx context.Context) error {
	s.mu.Lock()
	s.loading = true
	s.mu.Unlock()
	values, err := s.opts.Store.Load(ctx)
	s.change(func() {
		s.loading = false
		if err == nil {
			s.server = s.withoutPassthrough(values)
		}
		// What was heard meanwhile may be older than what was loaded; then
		// what follows it is still to be heard, and the end is the same.
		for _, n := range s.pending {
			s.take(n)
		}
		s.pending = nil
	})
	if err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the settings could not be read")
	}
	return nil
}

// migrateStored writes back what the migrations made of the server layer, and
// moves secrets to where they belong. The file is a person's and stays.
func (s *Settings) migrateStored(ctx context.Context, file raw) error {
	s.mu.Lock()
	stored := maps.Clone(s.server)
	s.mu.Unlock()
	server := migrate(stored, s.opts.Providers)
	for _, m := range []*migrating{migrate(file, s.opts.Providers), server} {
		if s.opts.Redactor != nil {
			for _, value := range m.found {
				s.opts.Redactor.Add(value)
			}
		}
		if err := s.moveSecrets(ctx, m.secrets); err != nil {
			return err
		}
	}
	changes := changesTo(stored, server.values)
	if len(changes) == 0 {
		return nil
	}
	if err := s.opts.Store.Save(ctx, changes); err != nil {
		return clew.WrapError(clew.StorageFailed, err, "the migrated settings could not be saved")
	}
	return s.load(ctx)
}

// moveSecrets never overwrites: a secret that is stored already is newer.
func (s *Settings) moveSecrets(ctx context.Context, secrets map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if s.opts.Secrets == nil {
			return clew.Errorf(clew.SettingsInvalid, "%s is a secret among the settings, and there is no secret store to move it to", name)
		}
		_, there, err := s.opts.Secrets.Get(ctx, name)
		if err == nil && !there {
			err = s.opts.Secrets.Set(ctx, name, secrets[name])
		}
		if err != nil {
			return fmt.Errorf("move %s to the secret store: %w", name, err)
		}
	}
	return nil
}

// A notice is what the store tells.
type notice struct {
	values map[string]json.RawMessage
	whole  bool
}

// heard takes a change from the store.
func (s *Settings) heard(values map[string]json.RawMessage, whole bool) {
	s.change(func() {
		if s.loading {
			s.pending = append(s.pending, notice{values, whole})
			return
		}
		s.take(notice{values, whole})
	})
}

func (s *Settings) take(n notice) {
	if n.whole {
		s.server = raw{}
	}
	s.mergeServer(n.values)
}

func (s *Settings) mergeServer(changed map[string]json.RawMessage) {
	if s.server == nil {
		s.server = raw{}
	}
	merge(s.server, s.withoutPassthrough(changed))
}

func (s *Settings) withoutPassthrough(values map[string]json.RawMessage) raw {
	out := maps.Clone(values)
	maps.DeleteFunc(out, func(name string, _ json.RawMessage) bool {
		k := s.keys[name]
		return k != nil && k.Passthrough
	})
	return out
}

// change lets mutate work on the layers, reads them anew and tells subscribers
// what came of it.
func (s *Settings) change(mutate func()) {
	s.notifying.Lock()
	defer s.notifying.Unlock()
	s.mu.Lock()
	mutate()
	old := s.base
	if !s.loading {
		s.base = s.read()
	}
	changed := difference(old, s.base)
	subs := make([]func([]string), 0, len(s.subs))
	for _, id := range slices.Sorted(maps.Keys(s.subs)) {
		subs = append(subs, s.subs[id])
	}
	s.mu.Unlock()
	if len(changed) == 0 {
		return
	}
	for _, tell := range subs {
		tell(slices.Clone(changed))
	}
}

// read puts the layers together. mu is held.
func (s *Settings) read() *reading {
	r := newReading(s.keys, s.opts.Providers)
	for _, l := range []struct {
		layer  Layer
		values raw
	}{{LayerFile, s.file}, {LayerEnvironment, s.env}, {LayerServer, s.server}} {
		values := l.values
		if l.layer != LayerEnvironment {
			m := migrate(values, s.opts.Providers)
			values = m.values
			for _, note := range m.notes {
				r.report(l.layer, note.Key, note.Message)
			}
		}
		r.add(l.layer, values)
	}
	return r
}

// difference lists the keys whose values differ, sorted.
func difference(a, b *reading) []string {
	if a == b {
		return nil
	}
	var changed []string
	for name, k := range b.keys {
		if k.field >= 0 && !reflect.DeepEqual(k.value(&a.values), k.value(&b.values)) {
			changed = append(changed, name)
		}
	}
	for name, value := range b.unknown {
		if string(a.unknown[name]) != string(value) {
			changed = append(changed, name)
		}
	}
	for name := range a.unknown {
		if _, still := b.unknown[name]; !still {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

// stored gives the settings as the layers have them, with a session's own on top.
func (s *Settings) stored(overlay map[string]any) (Values, []Problem) {
	s.mu.Lock()
	r := s.base.clone() // an agent asks at each step: reading the layers anew would take long
	s.mu.Unlock()
	values := raw{}
	for name, v := range overlay {
		encoded, err := json.Marshal(v)
		if err != nil {
			r.report(LayerSession, name, "is not a JSON value")
			continue
		}
		values[name] = encoded
	}
	r.add(LayerSession, values)
	return r.values, r.problems
}

// Problems lists what is wrong with the stored settings.
func (s *Settings) Problems() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.base.problems)
}

// Subscribe calls tell with the names of the keys after each change of the
// server's settings, made on this node or another. It is called by whoever made
// the change: it should return soon and must not change settings itself.
func (s *Settings) Subscribe(tell func(changed []string)) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextSub
	s.nextSub++
	s.subs[id] = tell
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, id)
	}
}
