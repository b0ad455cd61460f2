// Command bench measures clew beside the bare engine and bare WebSocket servers
// in the same run, and prints ratios. README.md says what each figure means.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options is what the command line says.
type options struct {
	role         string
	dir          string
	lazy         bool
	model        string
	quick, smoke bool
	asJSON       bool
	scale        bool
	views        bool
	cache        string
	only         string
	sessions     int
	records      int
	out          io.Writer
}

func run(args []string, out io.Writer) error {
	o := options{out: out}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.role, "role", "", "used by the bench itself: the part that a child process plays")
	flags.StringVar(&o.dir, "dir", "", "directory for the stores (default: a temporary one)")
	flags.BoolVar(&o.lazy, "lazy", false, "used by the bench itself: the store of a child flushes once a minute")
	flags.StringVar(&o.model, "model", "", "used by the bench itself: a child has the usual agent, with the model at this address")
	flags.BoolVar(&o.quick, "quick", false, "smaller stores and fewer rounds; ends within 50 s")
	flags.BoolVar(&o.smoke, "smoke", false, "tiny sizes: shows that the bench works, measures nothing")
	flags.BoolVar(&o.asJSON, "json", false, "print one JSON object on stdout in place of the table")
	flags.BoolVar(&o.scale, "scale", false, "a million sessions, a million records, ten thousand connections")
	flags.BoolVar(&o.views, "views", false, "bytes to a watcher in each view, over the demo's story and a run")
	flags.StringVar(&o.cache, "cache", "", "keep the filled stores in this directory and use them again")
	flags.StringVar(&o.only, "only", "", "measure only these figures: append,fanout,replay,open,delta,checkpoint,rewind,turn")
	flags.IntVar(&o.sessions, "sessions", 0, "sessions in the large store")
	flags.IntVar(&o.records, "records", 0, "records in the long session")
	flags.Usage = func() { usage(flags) }
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	switch o.role {
	case "":
	case "clew":
		return roleClew(o)
	case "plain":
		return rolePlain()
	case "clients":
		return roleClients()
	default:
		return fmt.Errorf("no role %q", o.role)
	}
	if o.views {
		return views(o.out)
	}
	if o.scale {
		return scale(o)
	}
	return measure(o)
}

func usage(flags *flag.FlagSet) {
	out := flags.Output()
	fmt.Fprintln(out, "usage: go run ./bench [-quick] [-json] [-cache DIR] [-only LIST] | -scale | -views")
	flags.VisitAll(func(f *flag.Flag) {
		if f.Name != "role" && f.Name != "lazy" && f.Name != "model" && f.Name != "smoke" { // the bench's own
			fmt.Fprintf(out, "  -%-10s %s\n", f.Name, f.Usage)
		}
	})
	fmt.Fprintln(out, "\nFigures (ratios of medians in one run; higher is better unless said):")
	for _, d := range definitions {
		fmt.Fprintf(out, "  %-23s %s; target %s\n", d.name, d.meaning, d.target)
	}
}
