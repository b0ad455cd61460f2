package checkpoint

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Places belong to users, and those of one user take room together. Whose a place is
// stands in a file of it: the first who saved there. Places without one, of older
// versions, get one with their next save.

// usage is what the places of users take on disk. It is safe for concurrent use.
type usage struct {
	mu     sync.Mutex
	read   time.Duration
	places map[string]taken // by the name of the place's directory
}

type taken struct {
	user  string
	bytes int64
}

// usageAge is how old it may be. What a place takes is known exactly when something
// is saved there; this is about the user's other places.
const usageAge = 10 * time.Second

// For gives the place for somebody whose quota counts unless it is another user's.
func (p *Place) For(user string) *Place {
	return &Place{repository: p.repository, rules: p.rules, user: user}
}

func (d *repository) userFile() string { return d.path("user") }

// owner says whose the place is, "" if nobody knows.
func (d *repository) owner() string {
	b, _ := os.ReadFile(d.userFile())
	return string(b)
}

// claim makes the place that of its first user.
func (p *Place) claim() error {
	if p.user == "" {
		return nil
	}
	f, err := os.OpenFile(p.repository.userFile(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(p.user)
	return errors.Join(err, f.Close())
}

// room is how much a checkpoint may add, -1 for any amount.
func (p *Place) room() int64 {
	d := p.repository
	quota := d.store.quota.Load()
	if quota <= 0 {
		return -1
	}
	return max(0, quota-d.objects.Size()-d.store.others(d.owner(), d.dir))
}

// others sums what a user's places take beside one.
func (s *Store) others(user, dir string) (sum int64) {
	if user == "" {
		return 0
	}
	for name, t := range s.taken(usageAge) {
		if t.user == user && name != filepath.Base(dir) {
			sum += t.bytes
		}
	}
	return sum
}

// Used sums what the places of a user take.
func (s *Store) Used(user string) int64 { return s.others(user, "") }

// taken gives what places take, at most so old.
func (s *Store) taken(age time.Duration) map[string]taken {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.usage.places != nil && s.elapsed.Elapsed()-s.usage.read < age {
		return s.usage.places
	}
	places := map[string]taken{}
	entries, _ := os.ReadDir(s.dir) // what cannot be read stops nobody
	for _, e := range entries {
		dir := filepath.Join(s.dir, e.Name())
		if user, err := os.ReadFile(filepath.Join(dir, "user")); err == nil {
			places[e.Name()] = taken{string(user), packed(filepath.Join(dir, "repo", "objects", "pack"))}
		}
	}
	s.usage.places, s.usage.read = places, s.elapsed.Elapsed()
	return places
}

// noteUsage remembers what the place takes now. The caller has its lock.
func (d *repository) noteUsage() {
	u := &d.store.usage
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.places != nil && d.objects != nil {
		u.places = maps.Clone(u.places) // somebody may be reading it
		u.places[filepath.Base(d.dir)] = taken{d.owner(), d.objects.Size()}
	}
}

// forget has the next one look anew: something was dropped.
func (u *usage) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.places = nil
}

func packed(dir string) (sum int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), ".pack") {
			sum += info.Size()
		}
	}
	return sum
}
