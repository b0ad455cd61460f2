package settings

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zalando/go-keyring"
)

const (
	keyringService = "clew"
	// keyringIndex is the item that lists the names of all others, because
	// keyrings cannot be listed everywhere. No secret can have this name.
	keyringIndex = "*names"
	// A keyring may ask a person to unlock it, or not answer at all.
	keyringProbeTime = 2 * time.Second
	keyringTime      = 30 * time.Second
)

// A ring keeps secrets in the keyring of the system.
type ring struct {
	mu sync.Mutex // held over reading and writing the list of names

	read   func(service, user string) (string, error)
	write  func(service, user, value string) error
	remove func(service, user string) error
}

func newKeyring() *ring {
	return &ring{read: keyring.Get, write: keyring.Set, remove: keyring.Delete}
}

func (r *ring) name() string { return "keyring" }

// probe finds out whether the keyring can be used.
func (r *ring) probe(ctx context.Context, env map[string]string) error {
	if !busThere(runtime.GOOS, env) {
		return errors.New("there is no session bus")
	}
	ctx, cancel := context.WithTimeout(ctx, keyringProbeTime)
	defer cancel()
	_, err := r.list(ctx)
	return err
}

// busThere keeps the library from starting a bus of its own, as it would where
// it finds none.
func busThere(system string, env map[string]string) bool {
	if slices.Contains([]string{"darwin", "windows"}, system) {
		return true
	}
	if address := env["DBUS_SESSION_BUS_ADDRESS"]; address != "" {
		return !strings.HasPrefix(address, "autolaunch:")
	}
	dir := env["XDG_RUNTIME_DIR"]
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}

// limited runs a call that takes no context. One that never returns costs a
// goroutine; its result is thrown away.
func limited[T any](ctx context.Context, call func() (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, keyringTime)
	defer cancel()
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := call()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, errors.New("the keyring did not answer in time")
	}
}

func (r *ring) get(ctx context.Context, name string) (string, bool, error) {
	value, err := limited(ctx, func() (string, error) { return r.read(keyringService, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, nil
	}
	return value, err == nil, err
}

func (r *ring) set(ctx context.Context, name, value string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	// The name first: a name without a secret is harmless, a secret without a
	// name could not be found to be deleted.
	if err := r.editNames(ctx, func(names []string) []string { return append(names, name) }); err != nil {
		return err
	}
	return r.put(ctx, name, value)
}

func (r *ring) delete(ctx context.Context, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, err := limited(ctx, func() (struct{}, error) { return struct{}{}, r.remove(keyringService, name) })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return err
	}
	return r.editNames(ctx, func(names []string) []string {
		return slices.DeleteFunc(names, func(n string) bool { return n == name })
	})
}

func (r *ring) names(ctx context.Context) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list(ctx)
}

func (r *ring) list(ctx context.Context) ([]string, error) {
	text, found, err := r.get(ctx, keyringIndex)
	if err != nil || !found {
		return nil, err
	}
	var names []string
	if json.Unmarshal([]byte(text), &names) != nil {
		return nil, errors.New("the list of names in the keyring is damaged")
	}
	return names, nil
}

func (r *ring) editNames(ctx context.Context, edit func([]string) []string) error {
	names, err := r.list(ctx)
	if err != nil {
		return err
	}
	before := slices.Clone(names)
	names = edit(names)
	slices.Sort(names)
	names = slices.Compact(names)
	if slices.Equal(before, names) {
		return nil
	}
	b, err := json.Marshal(names)
	if err != nil {
		return err
	}
	return r.put(ctx, keyringIndex, string(b))
}

func (r *ring) put(ctx context.Context, name, value string) error {
	_, err := limited(ctx, func() (struct{}, error) { return struct{}{}, r.write(keyringService, name, value) })
	return err
}
