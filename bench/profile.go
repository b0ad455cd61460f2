package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// profileEnv names the files that profiles go to.
const profileEnv = "CLEW_BENCH_PROFILE"

// profile writes a CPU profile of this process to PREFIX.ROLE.PID if the
// environment names a prefix. It returns what ends it.
func profile(role string) func() {
	prefix := os.Getenv(profileEnv)
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

// profileHeap writes what is in this process's memory beside the CPU profile.
func profileHeap() {
	prefix := os.Getenv(profileEnv)
	if prefix == "" {
		return
	}
	f, err := os.Create(fmt.Sprintf("%s.heap.%d", prefix, os.Getpid()))
	if err != nil {
		return
	}
	_ = pprof.Lookup("heap").WriteTo(f, 0)
	_ = f.Close()
}
