package main

import (
	"fmt"
	"testing"
	"time"
)

func TestProbe(t *testing.T) {
	n, err := startNode(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := time.Now()
	lap := func(what string) { fmt.Println(what, time.Since(s)); s = time.Now() }
	if err := n.createSessions("a", 0, 20000); err != nil {
		t.Fatal(err)
	}
	lap("create 20000")
	n.unload()
	lap("unload")
	if err := n.seal(); err != nil {
		t.Fatal(err)
	}
	lap("seal")
	if err := n.createSessions("l", 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := n.fillRecords(sessionName("l", 0), 100000, 512); err != nil {
		t.Fatal(err)
	}
	lap("100000 records")
	if err := n.seal(); err != nil {
		t.Fatal(err)
	}
	lap("seal")
	n.stop()
	lap("stop")
}
