//go:build s3

package archive

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
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

// startS3 runs the server on a loopback port with a directory of buckets.
func startS3(t *testing.T) (endpoint, root string) {
	t.Helper()
	program := s3Program(t)
	root = t.TempDir()
	addr := freeAddr(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "test-access")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test-secret-of-this-test-only")
	cmd := exec.Command(program, "--port", addr, "--quiet", "posix", root)
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
