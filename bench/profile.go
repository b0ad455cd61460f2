package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// profile writes a CPU profile of this process to PREFIX.ROLE.PID if the
// environment names a prefix. It returns what ends it.
func profile(role string) func() {
	prefix := os.Getenv("CLEW_BENCH_PROFILE")
	if prefix == "" {
		return func() {}
	}
	f, err := os.Create(fmt.Sprintf("%s.%s.%d", prefix, role, os.Getpid()))
	if err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
		return func() {}
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		fmt.Fprintln(os.Stderr, "profile:", err)
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}
}
