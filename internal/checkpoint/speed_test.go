package checkpoint_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/clew-run/clew/internal/checkpoint"
)

var (
	speed      = flag.Bool("speed", false, "measure checkpoints against git and against the bare walk")
	speedFiles = flag.Int("speed.files", 50_000, "files of the tree")
	speedBytes = flag.Int64("speed.bytes", 1<<30, "bytes of the tree")
)

// makeBig makes a tree of text files, a hundred to a directory.
func makeBig(t testing.TB, root string, files int, size int64) {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([][]byte, 4000)
	for i := range words {
		words[i] = fmt.Appendf(nil, "%x", r.Uint64()>>(r.IntN(40)+8))
	}
	var b bytes.Buffer
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("group%02d", i/100%25), fmt.Sprintf("dir%03d", i/100))
		if i%100 == 0 {
			must(t, os.MkdirAll(dir, 0o755))
		}
		b.Reset()
		for int64(b.Len()) < size/int64(files) {
			b.Write(words[r.IntN(len(words))])
			b.WriteByte(" \n\t("[r.IntN(4)])
		}
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%05d.txt", i)), b.Bytes()[:size/int64(files)], 0o644))
	}
}

// statWalk looks at every file and does nothing else, with all processors.
func statWalk(t testing.TB, root string) {
	var wait sync.WaitGroup
	tasks := make(chan string, 1<<16)
	var open sync.WaitGroup
	open.Add(1)
	tasks <- root
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for dir := range tasks {
				fd, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY, 0)
				if err != nil {
					t.Error(err)
				}
				f := os.NewFile(uintptr(fd), dir)
				names, err := f.Readdirnames(-1)
				if err != nil {
					t.Error(err)
				}
				for _, name := range names {
					var st unix.Stat_t
					if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
						t.Error(err)
					}
					if st.Mode&unix.S_IFMT == unix.S_IFDIR {
						open.Add(1)
						tasks <- dir + "/" + name
					}
				}
				_ = f.Close()
				open.Done()
			}
		})
	}
	open.Wait()
	close(tasks)
	wait.Wait()
}

// writeObject stores one file's bytes as git would, flushed.
func writeObject(t testing.TB, dir string, data []byte) {
	var b bytes.Buffer
	z, _ := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	_, _ = z.Write(data)
	_ = z.Close()
	writeFlushed(t, filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256(data))), b.Bytes())
}

// writeFlushed writes a file beside its place, flushes it and moves it there.
func writeFlushed(t testing.TB, name string, data []byte) {
	f, err := os.Create(name + ".tmp")
	must(t, err)
	_, err = f.Write(data)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
	must(t, os.Rename(name+".tmp", name))
	d, err := os.Open(filepath.Dir(name))
	must(t, err)
	must(t, d.Sync())
	must(t, d.Close())
}

func took(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// median runs the alternatives in turns, so that a busy machine is busy for all.
func median(n int, fs ...func(i int)) []time.Duration {
	all := make([][]time.Duration, len(fs))
	for i := range n {
		for j, f := range fs {
			all[j] = append(all[j], took(func() { f(i) }))
		}
	}
	out := make([]time.Duration, len(fs))
	for j := range all {
		slices.Sort(all[j])
		out[j] = all[j][n/2]
	}
	return out
}

func plainGit(t testing.TB, root string, args ...string) {
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x", "-c", "gc.auto=0"}, args...)...)
	cmd.Dir = root
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent"}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v %s", args, err, out)
	}
}

func TestSpeed(t *testing.T) {
	if !*speed {
		t.Skip("only with -speed")
	}
	p, root := place(t, nil, checkpoint.Options{}, checkpoint.Rules{})
	makeBig(t, root, *speedFiles, *speedBytes)
	must(t, unix.Fsync(must1(t, root)))
	t.Logf("%d files, %d MB", *speedFiles, *speedBytes>>20)

	statWalk(t, root)
	ours := took(func() { save(t, p) })
	gits := took(func() {
		plainGit(t, root, "init", "-q")
		plainGit(t, root, "add", "-A")
		plainGit(t, root, "commit", "-q", "-m", "first")
	})
	t.Logf("first checkpoint %v, git add+commit %v: %.2f (limit 1.2)", ours, gits, ratio(ours, gits))
	save(t, p) // files that were young are settled now

	size := int(*speedBytes / int64(*speedFiles))
	name := "group00/dir000/file00007.txt"
	content := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "line %d of it\n", i), size/12)[:size] }
	objects := t.TempDir()
	times := median(9,
		func(i int) { statWalk(t, root); writeObject(t, objects, content(i)) },
		func(i int) { _ = os.WriteFile(filepath.Join(root, name), content(i), 0o644) },
		func(int) { save(t, p) },
		func(int) { plainGit(t, root, "add", "-A"); plainGit(t, root, "commit", "-q", "-m", "next") },
		func(int) { save(t, p) },
	)
	t.Logf("one changed file: checkpoint %v, walk and object %v: %.2f (limit 1.5); git %v: %.2f (limit 1); unchanged %v",
		times[2], times[0], ratio(times[2], times[0]), times[3], ratio(times[2], times[3]), times[4])
	measureRestore(t, p, root, name, content)
}

func measureRestore(t *testing.T, p *checkpoint.Place, root, name string, content func(int) []byte) {
	target := filepath.Join(root, name)
	var hashes []string
	for i := range 2 {
		must(t, os.WriteFile(target, content(i), 0o644))
		hashes = append(hashes, save(t, p).Hash)
	}
	times := median(21,
		func(i int) { writeFlushed(t, filepath.Join(root, "group00/other"), content(i)) },
		func(i int) { restore(t, p, hashes[i%2], name) },
	)
	t.Logf("one restored file: %v, written %v: %.2f (limit 2)", times[1], times[0], ratio(times[1], times[0]))
}

func must1(t testing.TB, dir string) int {
	fd, err := unix.Open(dir, unix.O_RDONLY, 0)
	must(t, err)
	t.Cleanup(func() { _ = unix.Close(fd) })
	return fd
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
