// Package faults is the campaign: it breaks the real program in every way that is
// known how to be brought about, while people write, watch, approve and go back,
// and then holds what is left against sixteen promises. The kinds of faults are in
// kinds_*_test.go, the promises in audit_test.go, the people in the files named
// after them.
//
// CLEW_FAULTS_SEEDS=3 plays each kind with three seeds, CLEW_SEED=n repeats one,
// and CLEW_FAULTS_TABLE=file has the run write its table. CLEW_UPGRADE_OLD and
// CLEW_ENGINE_OLD name an older clew and an older nats-server, for mixed versions.
package faults

import (
	"os"
	"strconv"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/nightly"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(peerVariable); dir != "" {
		bePeer(dir)
		return
	}
	os.Exit(proc.Main(m))
}

// seeds are those of a run.
func seeds(t testing.TB, usual int) []uint64 {
	t.Helper()
	first := nightly.Seed(t)
	if os.Getenv("CLEW_SEED") != "" {
		return []uint64{first}
	}
	if n, ok := number(t, "CLEW_FAULTS_SEEDS"); ok {
		usual = int(n)
	}
	list := make([]uint64, usual)
	for i := range list {
		list[i] = first + uint64(i)
	}
	return list
}

func number(t testing.TB, name string) (uint64, bool) {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is no number", name, text)
	}
	return n, true
}
