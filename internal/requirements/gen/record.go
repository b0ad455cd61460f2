package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/requirements"
)

// compare prints what no server saw, and says which rows claim more.
func compare(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	record, err := requirements.ReadRecord(f)
	if err != nil {
		return err
	}
	rows, err := requirements.List()
	if err != nil {
		return err
	}
	events, commands := record.Unseen()
	fmt.Printf("%d of %d types of events were never sent: %s\n", len(events), len(clew.Events), strings.Join(events, " "))
	fmt.Printf("%d of %d types of commands never took effect: %s\n", len(commands), len(clew.Commands), strings.Join(commands, " "))
	return requirements.CheckRecord(rows, record)
}
