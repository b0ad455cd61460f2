// Command record compares the requirements with the types that passed through the
// tests' servers, which append them to the file that RECORD_CLEW_TYPES names.
//
//	go run ./internal/requirements/record FILE
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/requirements"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "requirements:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("usage: record FILE")
	}
	f, err := os.Open(args[0])
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
