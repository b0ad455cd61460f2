package shell

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/clew-run/clew/internal/toolchain"
)

// toolchains shows the person's toolchains, read-only, and the caches of the
// workspace.
func (v *view) toolchains(p plan, hidden []string) error {
	for _, b := range p.tools.Binds {
		if strings.HasPrefix(b.Dest, toolchain.CacheDir+"/") && len(p.tools.Caches) == 0 {
			continue
		}
		if err := v.readOnly(b.Source, b.Dest, hidden); err != nil {
			p.opts.log().Warn("toolchain not shown to commands", "dir", b.Source, "err", err)
		}
	}
	if p.tools.NeedsProgram {
		v.mounts = append(v.mounts, mount{kind: "--ro-bind", src: ownProgram(), dest: toolchain.Program})
	}
	if len(p.tools.Caches) == 0 {
		return nil
	}
	if err := os.MkdirAll(p.cache, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.cache, toolchain.OwnerFile), []byte(p.ws.Dir+"\n"), 0o600); err != nil {
		return err
	}
	for _, name := range p.tools.Caches {
		dir := filepath.Join(p.cache, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		v.mounts = append(v.mounts, mount{kind: "--bind", src: dir, dest: toolchain.CacheDir + "/" + name})
	}
	for _, c := range p.tools.Copies {
		if err := copyOnce(c.Source, filepath.Join(p.cache, strings.TrimPrefix(c.Dest, toolchain.CacheDir))); err != nil {
			p.opts.log().Warn("cache not copied for commands", "dir", c.Source, "err", err)
		}
	}
	return nil
}

// copyOnce copies a directory that is not there yet, so that half a copy is never
// taken for all of it.
func copyOnce(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	half, err := os.MkdirTemp(filepath.Dir(to), ".copy-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(half) }()
	if err := os.CopyFS(half, os.DirFS(from)); err != nil {
		return err
	}
	if err := os.Rename(half, to); err != nil && !errors.Is(err, fs.ErrExist) {
		return err // another command was quicker
	}
	return nil
}

// readOnly shows a directory or file to commands, unless it would show what is
// hidden or belongs to the system.
func (v *view) readOnly(dir, dest string, hidden []string) error {
	if !filepath.IsAbs(dir) {
		return errors.New("not an absolute path")
	}
	src, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	if src == "/" || slices.ContainsFunc(hidden, func(h string) bool { return inside(src, h) || inside(h, src) }) {
		return errors.New("it would show what is hidden")
	}
	for _, own := range []string{"/proc", "/sys", "/dev", "/run"} {
		if inside(src, own) || inside(dest, own) && !inside(dest, toolchain.CacheDir) {
			return errors.New("it belongs to the system")
		}
	}
	v.mounts = append(v.mounts, mount{kind: "--ro-bind", src: src, dest: dest})
	return nil
}

// shared puts directories with files of others over themselves, read-only. The
// directory above becomes a mount too, so that they cannot be moved aside for the
// next command.
func (v *view) shared(p plan, src, dest string) error {
	for _, dir := range p.shared {
		if above := filepath.Dir(dir); above != "." {
			if err := v.pin(p, src, dest, "--bind", above); err != nil {
				return err
			}
		}
		if err := v.pin(p, src, dest, "--ro-bind", dir); err != nil {
			return err
		}
	}
	return nil
}
