package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"filippo.io/age"

	"github.com/clew-run/clew"
)

// A secretFile keeps secrets in DIR/secrets.age, encrypted to the identity in
// DIR/secrets.key or in a file elsewhere. Other processes may use the same
// file: it is read again when it has changed, and written under a lock.
type secretFile struct {
	path     string
	keyPath  string
	ownKey   bool // the key lies beside the file and is made when missing
	lockPath string
	redactor *Redactor

	mu     sync.Mutex // guards what follows
	cached map[string]string
	seen   os.FileInfo // of the file that cached is from
}

func newSecretFile(dir, keyFile string, redactor *Redactor) *secretFile {
	f := &secretFile{
		path:     filepath.Join(dir, "secrets.age"),
		keyPath:  keyFile,
		lockPath: filepath.Join(dir, "secrets.lock"),
		redactor: redactor,
	}
	if keyFile == "" {
		f.keyPath, f.ownKey = filepath.Join(dir, "secrets.key"), true
	}
	return f
}

func (f *secretFile) name() string { return "file" }

func (f *secretFile) exists() bool {
	_, err := os.Lstat(f.path)
	return err == nil
}

// check reads the file once, so that a wrong key is found at the start.
func (f *secretFile) check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.load()
	return unavailable(err, "the secrets file could not be read")
}

func (f *secretFile) get(_ context.Context, name string) (string, bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	values, err := f.load()
	value, found := values[name]
	return value, found, err
}

func (f *secretFile) names(context.Context) ([]string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	values, err := f.load()
	return slices.Collect(maps.Keys(values)), err
}

func (f *secretFile) set(_ context.Context, name, value string) error {
	return f.edit(func(values map[string]string) bool {
		old, there := values[name]
		values[name] = value
		return !there || old != value
	})
}

func (f *secretFile) delete(_ context.Context, name string) error {
	return f.edit(func(values map[string]string) bool {
		_, there := values[name]
		delete(values, name)
		return there
	})
}

// edit changes the file if change says that there is something to write.
func (f *secretFile) edit(change func(map[string]string) bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	unlock, err := lockFile(f.lockPath)
	if err != nil {
		return err
	}
	defer unlock()
	values, err := f.load()
	if err != nil {
		return err
	}
	values = maps.Clone(values)
	if values == nil {
		values = map[string]string{}
	}
	if !change(values) {
		return nil
	}
	return f.write(values)
}

// load gives what is in the file. mu is held.
func (f *secretFile) load() (map[string]string, error) {
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.cached, f.seen = nil, nil
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() {
		return f.cached, nil
	}
	values, err := f.decrypt()
	if err != nil {
		return nil, err
	}
	for _, value := range values {
		f.redactor.Add(value)
	}
	f.cached, f.seen = values, info
	return values, nil
}

func (f *secretFile) decrypt() (map[string]string, error) {
	encrypted, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	id, err := f.identity()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, clew.WrapError(clew.Unavailable, err, "there are secrets, but the key file that opens them is missing")
	}
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(encrypted), id)
	if err != nil {
		return nil, clew.WrapError(clew.Unavailable, err, "the key file does not open the secrets file")
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, clew.WrapError(clew.Unavailable, err, "the secrets file is damaged")
	}
	var values map[string]string
	if json.Unmarshal(plain, &values) != nil {
		// The cause could quote a secret, so it is left out.
		return nil, clew.Errorf(clew.Unavailable, "the secrets file is damaged")
	}
	return values, nil
}

// write encrypts and replaces the file. mu and the lock are held.
func (f *secretFile) write(values map[string]string) error {
	id, err := f.identity()
	if errors.Is(err, fs.ErrNotExist) && f.ownKey {
		id, err = f.makeIdentity()
	}
	if err != nil {
		return err
	}
	plain, err := json.Marshal(values)
	if err != nil {
		return errors.New("secrets could not be encoded")
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, id.Recipient())
	if err != nil {
		return err
	}
	if _, err := w.Write(plain); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	f.seen = nil
	return WriteFile(f.path, out.Bytes(), 0o600)
}

func (f *secretFile) identity() (*age.X25519Identity, error) {
	b, err := os.ReadFile(f.keyPath)
	if err != nil {
		return nil, err
	}
	ids, err := age.ParseIdentities(bytes.NewReader(b))
	if err != nil || len(ids) == 0 {
		// The cause quotes lines of the key file.
		return nil, clew.Errorf(clew.Unavailable, "the key file of the secrets is not an age identity")
	}
	id, ok := ids[0].(*age.X25519Identity)
	if !ok {
		return nil, clew.Errorf(clew.Unavailable, "the key file of the secrets must have an X25519 identity first")
	}
	f.redactor.Add(id.String())
	return id, nil
}

func (f *secretFile) makeIdentity() (*age.X25519Identity, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	f.redactor.Add(id.String())
	text := fmt.Sprintf("# opens secrets.age; keep it apart from copies of the data\n# public key: %s\n%s\n", id.Recipient(), id)
	return id, WriteFile(f.keyPath, []byte(text), 0o600)
}
