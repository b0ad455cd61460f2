package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	flakyVariable   = "CLEW_FLAKY"   // names the file to which suites add tests that passed when tried again
	timingsVariable = "CLEW_TIMINGS" // names the file to which they add how long things took
)

// mostFlaky is how many tests of a run may fail at first: more are no accident.
const mostFlaky = 3

// A flaky test failed, and passed when it was tried again.
type flaky struct {
	Suite  string `json:"suite"`
	Test   string `json:"test"`
	Output string `json:"output"` // of its first failure
}

func add(variable string, lines ...string) error {
	file := os.Getenv(variable)
	if file == "" || len(lines) == 0 {
		return nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strings.Join(lines, "\n") + "\n")
	return errors.Join(err, f.Close())
}

// again adds the flaky tests of one suite to those of the run.
func again(file string) error { return add(flakyVariable, lines(file)...) }

// report prints what was flaky and how long all took, keeps both as files of the run, and
// fails if too much was flaky.
func report(w io.Writer) error {
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	results := cmp.Or(os.Getenv("CI_RESULTS"), ".ci")
	if err := reportTimings(w, os.Getenv(timingsVariable), filepath.Join(results, "timings.txt"), filepath.Join(cache, "clew-ci", "timings.txt")); err != nil {
		return err
	}
	return reportFlaky(w, os.Getenv(flakyVariable), filepath.Join(results, "flaky.txt"))
}

func reportFlaky(w io.Writer, from, to string) error {
	var tests []flaky
	for _, line := range lines(from) {
		var f flaky
		if err := json.Unmarshal([]byte(line), &f); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		tests = append(tests, f)
	}
	var b strings.Builder
	for _, f := range tests {
		fmt.Fprintf(&b, "--- FLAKY: %s: %s\n", f.Suite, f.Test)
		for line := range strings.Lines(strings.TrimRight(f.Output, "\n")) {
			fmt.Fprintf(&b, "    %s\n", strings.TrimRight(line, "\n"))
		}
	}
	if err := os.WriteFile(to, []byte(b.String()), 0o644); err != nil {
		return err
	}
	if len(tests) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nflaky: %d tests failed and then passed, each with its first failure\n%s", len(tests), b.String())
	if len(tests) > mostFlaky {
		return fmt.Errorf("%d tests are flaky, at most %d may be", len(tests), mostFlaky)
	}
	return nil
}

// A timing is how long one thing took: its name is the kind, a tab and what it is.
type timing struct{ wall, cpu float64 }

func readTimings(file string) (map[string]timing, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) || file == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	all := map[string]timing{}
	for s := bufio.NewScanner(f); s.Scan(); {
		part := strings.Split(s.Text(), "\t")
		if len(part) < 3 {
			continue
		}
		var n [2]float64
		for i, text := range part[2:min(4, len(part))] {
			n[i], _ = strconv.ParseFloat(text, 64)
		}
		t := all[part[0]+"\t"+part[1]]
		all[part[0]+"\t"+part[1]] = timing{t.wall + n[0], t.cpu + n[1]} // a suite may run in pieces
	}
	return all, nil
}

func reportTimings(w io.Writer, from, to, last string) error {
	now, err := readTimings(from)
	if err != nil || len(now) == 0 {
		return err
	}
	before, err := readTimings(last)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(now))
	for n := range now {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if c := int(now[b].wall*1000) - int(now[a].wall*1000); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	var table, raw strings.Builder
	fmt.Fprintf(&table, "%8s %8s %8s  %s\n", "seconds", "cpu", "last", "what")
	kept := before
	if kept == nil {
		kept = map[string]timing{}
	}
	for _, n := range names {
		t, was := now[n], "–"
		if b, ok := before[n]; ok {
			was = fmt.Sprintf("%.1f", b.wall)
		}
		fmt.Fprintf(&table, "%8.1f %8.1f %8s  %s\n", t.wall, t.cpu, was, strings.ReplaceAll(n, "\t", " "))
	}
	if err := os.WriteFile(to, []byte(table.String()), 0o644); err != nil {
		return err
	}
	shown := strings.SplitAfter(table.String(), "\n")
	fmt.Fprintf(w, "\ntimings, slowest first; all are in %s\n%s", to, strings.Join(shown[:min(len(shown), 31)], ""))
	for n, t := range now {
		kept[n] = t
	}
	for _, n := range slices.Sorted(maps.Keys(kept)) {
		fmt.Fprintf(&raw, "%s\t%.1f\t%.1f\n", n, kept[n].wall, kept[n].cpu)
	}
	if err := os.MkdirAll(filepath.Dir(last), 0o755); err != nil {
		return err
	}
	return os.WriteFile(last, []byte(raw.String()), 0o644)
}
