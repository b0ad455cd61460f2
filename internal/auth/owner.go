package auth

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	ownerFile   = "token"
	ownerPrefix = "clew_owner_"
	// minOwner is the shortest token that is taken from a file somebody wrote
	// by hand.
	minOwner = 24
)

// LoadOwnerToken reads the owner token from DIR/token. If there is none it
// makes one; a crash leaves either no token or a whole one. A file that others
// may read is closed to them, with a warning: whoever could read it may have.
func LoadOwnerToken(dir string) (string, error) {
	path := filepath.Join(dir, ownerFile)
	token, err := readOwnerToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if err := createOwnerToken(dir, path); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make owner token: %w", err)
	}
	return readOwnerToken(path) // ours, or that of a process that was faster
}

func readOwnerToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := closeToOthers(f); err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read owner token: %w", err)
	}
	token := strings.TrimSpace(string(b))
	if len(token) < minOwner {
		return "", fmt.Errorf("the owner token in %s is shorter than %d characters; remove the file to get a new one", path, minOwner)
	}
	return token, nil
}

func closeToOthers(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", f.Name())
	}
	if runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := f.Chmod(0o600); err != nil {
		return fmt.Errorf("others may read %s, and that cannot be changed: %w", f.Name(), err)
	}
	slog.Warn("the owner token could be read by others; the file's mode is now 0600",
		"file", f.Name(), "mode", info.Mode().Perm().String())
	return nil
}

// createOwnerToken links the finished file into place, which fails if another
// process was faster; where links are not to be had it renames.
func createOwnerToken(dir, path string) error {
	tmp, err := os.CreateTemp(dir, ".token-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(tmp.Name()) }()
	_, err = tmp.WriteString(ownerPrefix + randomSecret() + "\n")
	if err == nil {
		err = tmp.Sync()
	}
	if err := errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	if err := os.Link(tmp.Name(), path); errors.Is(err, fs.ErrExist) {
		return err
	} else if err != nil {
		if err := os.Rename(tmp.Name(), path); err != nil {
			return err
		}
	}
	return syncDir(dir)
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if runtime.GOOS == "windows" { // a directory cannot be synced there
		err = nil
	}
	return errors.Join(err, d.Close())
}

// randomSecret gives 32 random bytes as base64url.
func randomSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b[:])
}
