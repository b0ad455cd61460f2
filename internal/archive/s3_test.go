//go:build s3

package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/clew-run/clew"
)

// The tests in this file run against a real S3-compatible server:
//
//	go test -tags s3 -run TestS3 -timeout 20m ./internal/archive
//
// The server is built once into the user's cache directory, in a module of its
// own, so that it never becomes a dependency of this one. CLEW_S3_SERVER names
// a program that is there already.
const s3Module, s3Version = "github.com/versity/versitygw", "v1.8.0"

// Covers: C-06, C-74
func TestS3(t *testing.T) {
	endpoint, root := startS3(t)
	var buckets atomic.Int32
	testStore(t, func(t *testing.T) *Archive {
		name := fmt.Sprintf("bucket-%d", buckets.Add(1))
		if err := os.Mkdir(filepath.Join(root, name), 0o700); err != nil {
			t.Fatal(err)
		}
		a, err := Open(t.Context(), "s3://"+name+"?region=us-east-1&use_path_style=true&endpoint="+endpoint)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		return a
	})
}

// In a bucket with versions a deleted object is only hidden. Of what is erased no
// version is left, not even of what was replaced before.
func TestS3Versions(t *testing.T) {
	old := t.TempDir()
	endpoint, root := startS3(t, "--versioning-dir", old)
	if err := os.Mkdir(filepath.Join(root, "kept"), 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := Open(t.Context(), "s3://kept?region=us-east-1&use_path_style=true&endpoint="+endpoint)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	var client *s3.Client
	if !a.store.(*bucket).b.As(&client) {
		t.Fatal("no client")
	}
	on := &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}
	if _, err := client.PutBucketVersioning(t.Context(), &s3.PutBucketVersioningInput{Bucket: aws.String("kept"), VersioningConfiguration: on}); err != nil {
		t.Fatal(err)
	}
	ref, err := a.PutBlob(t.Context(), []byte("planted in a blob"))
	if err != nil {
		t.Fatal(err)
	}
	s := put(t, a, nil, "sess_v", chain("sess_v", clew.Head{}, 3, 30), "planted in a state")
	for _, state := range []string{"planted first", "planted second"} { // the second replaces the first
		if err := a.PutState(t.Context(), "sess_v", s.Head, []byte(state)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.store.remove(t.Context(), blobKey(ref)); err != nil {
		t.Fatal(err)
	}
	planted := func() (n int) {
		for _, dir := range []string{root, old} {
			_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err == nil && e.Type().IsRegular() {
					if b, _ := os.ReadFile(path); bytes.Contains(b, []byte("planted")) {
						n++
					}
				}
				return nil
			})
		}
		return n
	}
	if n := planted(); n < 3 {
		t.Fatalf("%d versions are there: the test shows nothing", n)
	}
	if err := errors.Join(a.EraseBlob(t.Context(), ref), a.Erase(t.Context(), "sess_v")); err != nil {
		t.Fatal(err)
	}
	if n := planted(); n > 0 {
		t.Errorf("%d versions are left", n)
	}
}

// startS3 runs the server on a loopback port with a directory of buckets.
func startS3(t *testing.T, flags ...string) (endpoint, root string) {
	t.Helper()
	program := s3Program(t)
	root = t.TempDir()
	addr := freeAddr(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "test-access")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test-secret-of-this-test-only")
	cmd := exec.Command(program, slices.Concat([]string{"--port", addr, "--quiet", "posix"}, flags, []string{root})...)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=test-access", "ROOT_SECRET_KEY=test-secret-of-this-test-only")
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-exited
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close()
			return "http://" + addr, root
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("the S3 server does not listen")
		case err := <-exited:
			exited <- err
			t.Fatalf("the S3 server ended: %v\n%s", err, out.String())
		}
	}
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// s3Program gives the path of the server and builds it if need be.
func s3Program(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("CLEW_S3_SERVER"); p != "" {
		return p
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(cache, "clew", "versitygw-"+s3Version)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	module := t.TempDir()
	run := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = module
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		t.Fatal(err)
	}
	run("mod", "init", "s3server")
	run("get", s3Module+"/cmd/versitygw@"+s3Version)
	built := program + fmt.Sprintf(".%d", os.Getpid())
	run("build", "-o", built, s3Module+"/cmd/versitygw")
	if err := os.Rename(built, program); err != nil {
		t.Fatal(err)
	}
	return program
}
