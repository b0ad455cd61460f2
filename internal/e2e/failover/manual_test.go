package failover

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clew-run/clew/client"
	"github.com/clew-run/clew/internal/e2e/proc"
	"github.com/clew-run/clew/internal/journal"
	"github.com/clew-run/clew/internal/journal/journaltest"
	"github.com/clew-run/clew/internal/nightly"
)

// The names of the machines in the manual, and the password that it suggests.
var manualHosts = []string{"a.example", "b.example", "c.example"}

const manualPassword = "choose-your-own"

// A manual is what docs/cluster.md says, on three machines that are directories
// and loopback addresses of this one. Nothing but their names and paths is changed.
type manual struct {
	t        *testing.T
	text     string
	blocks   map[string]string
	dir      string // of all machines: programs, and what they share
	machines []*machine
}

// A machine has an engine server and a node, below a directory of its own.
type machine struct {
	m    *manual
	host string // in the manual
	addr string
	root string
}

var named = regexp.MustCompile("(?ms)^```[a-z]+ name=([a-z.-]+)\n(.*?)^```$")

func newManual(t *testing.T) *manual {
	t.Helper()
	m := &manual{t: t, blocks: map[string]string{}, dir: t.TempDir(), text: proc.ReadFile(t, "../../../docs/cluster.md")}
	for _, block := range named.FindAllStringSubmatch(m.text, -1) {
		m.blocks[block[1]] = block[2]
	}
	m.programs()
	for i, host := range manualHosts {
		pid := os.Getpid()
		x := &machine{m: m, host: host, addr: fmt.Sprintf("127.%d.%d.%d", 64+pid%128, pid/128%256, i+1), root: filepath.Join(m.dir, host)}
		m.machines = append(m.machines, x)
	}
	for _, x := range m.machines {
		x.install()
	}
	return m
}

// programs puts what the manual calls on a path of its own.
func (m *manual) programs() {
	m.t.Helper()
	engine, err := journaltest.Program()
	proc.Must(m.t, err)
	bin := filepath.Join(m.dir, "bin")
	proc.Must(m.t, os.MkdirAll(bin, 0o700))
	proc.Must(m.t, os.Symlink(engine, filepath.Join(bin, "nats-server")))
	proc.Must(m.t, os.Symlink(proc.Program(m.t, ""), filepath.Join(bin, "clew")))
	m.write(filepath.Join(bin, "systemctl"), systemctl)
}

// systemctl stands in for systemd on one machine.
const systemctl = `#!/bin/bash
set -e
up() { [ -e "$1" ] && [ -e /proc/$(cat "$1") ] && ! grep -q '^State:.Z' /proc/$(cat "$1")/status; }
verb=$1; shift
for unit; do
	pid=$MACHINE/run/$unit.pid
	if [ $verb != start ] && up "$pid"; then
		kill -TERM $(cat "$pid")
		while up "$pid"; do sleep 0.05; done
	fi
	if [ $verb != stop ] && ! up "$pid"; then
		setsid "$MACHINE/run/$unit" >>"$MACHINE/run/$unit.log" 2>&1 </dev/null &
		echo $! >"$pid"
	fi
done
`

func (m *manual) write(path, text string) {
	m.t.Helper()
	proc.Must(m.t, os.MkdirAll(filepath.Dir(path), 0o700))
	proc.Must(m.t, os.WriteFile(path, []byte(text), 0o700))
}

// here is a text of the manual with the names and paths of this machine.
func (x *machine) here(text string) string {
	pairs := []string{"/etc/", x.root + "/etc/", "/var/lib/", x.root + "/var/lib/", "/srv/", x.m.dir + "/srv/"}
	for _, other := range x.m.machines {
		pairs = append(pairs, other.host, other.addr)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// block is a named block of the manual.
func (x *machine) block(name string) string {
	x.m.t.Helper()
	text, ok := x.m.blocks[name]
	if !ok {
		x.m.t.Fatalf("the manual has no block %q", name)
	}
	return x.here(text)
}

// install writes the files of the manual, and the services.
func (x *machine) install() {
	t := x.m.t
	t.Helper()
	own := strings.Replace(x.m.blocks["environment"], "NODE="+manualHosts[0], "NODE="+x.host, 1)
	x.m.write(filepath.Join(x.root, "etc/clew/environment"), x.here(own))
	x.m.write(filepath.Join(x.root, "etc/clew/clew.yaml"), x.block("clew.yaml"))
	x.m.write(filepath.Join(x.root, "etc/nats/clew.conf"), x.block("nats.conf"))
	proc.Must(t, os.MkdirAll(filepath.Join(x.m.dir, "srv/clew/archive"), 0o700))
	for line := range strings.Lines(x.block("services")) {
		name := strings.TrimSuffix(strings.Fields(line)[0], "-server")
		// It ends with the test, however that ends.
		x.m.write(filepath.Join(x.root, "run", name), "#!/bin/bash\n"+x.block("shell")+
			"(while kill -0 "+strconv.Itoa(os.Getpid())+" 2>/dev/null && kill -0 $$ 2>/dev/null; do sleep 1; done; kill -9 $$ 2>/dev/null) &\nexec "+line)
	}
	t.Cleanup(func() {
		for _, unit := range []string{"clew", "nats"} {
			if t.Failed() {
				log, _ := os.ReadFile(filepath.Join(x.root, "run", unit+".log"))
				t.Logf("%s of %s:\n%s", unit, x.host, log[max(0, len(log)-3000):])
			}
		}
		out, err := x.command(context.Background(), "systemctl stop clew nats").CombinedOutput()
		if err != nil {
			t.Errorf("stop %s: %v\n%s", x.host, err, out)
		}
	})
}

func (x *machine) command(ctx context.Context, script string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "bash", "-e", "-c", script)
	cmd.Env = append(proc.Environment(nil), "MACHINE="+x.root, "PATH="+filepath.Join(x.m.dir, "bin")+":"+os.Getenv("PATH"))
	return cmd
}

// follow does what a block of the manual says.
func (x *machine) follow(name string) {
	x.m.t.Helper()
	ctx, cancel := context.WithTimeout(x.m.t.Context(), 3*time.Minute)
	defer cancel()
	began := time.Now()
	out, err := x.command(ctx, x.block("shell")+x.block(name)).CombinedOutput()
	if err != nil {
		x.m.t.Errorf("%s on %s: %v\n%s", name, x.host, err, out)
	}
	x.m.t.Logf("%s on %s: %s", name, x.host, time.Since(began).Round(100*time.Millisecond))
}

// everywhere follows a block on all machines at once.
func (m *manual) everywhere(name string) {
	m.t.Helper()
	var all sync.WaitGroup
	for _, x := range m.machines {
		all.Go(func() { x.follow(name) })
	}
	all.Wait()
	if m.t.Failed() {
		m.t.FailNow()
	}
}

func (x *machine) api() *client.API {
	x.m.t.Helper()
	return client.NewAPI("http://"+x.addr+":8000", x.token())
}

func (x *machine) token() string {
	x.m.t.Helper()
	return strings.TrimSpace(proc.ReadFile(x.m.t, x.root, "var/lib/clew/token"))
}

// hasMetrics checks that a node has the metrics that the manual names.
func (x *machine) hasMetrics() {
	x.m.t.Helper()
	req, err := http.NewRequestWithContext(x.m.t.Context(), http.MethodGet, "http://"+x.addr+":8000/metrics", nil)
	proc.Must(x.m.t, err)
	req.Header.Set("Authorization", "Bearer "+x.token())
	resp, err := http.DefaultClient.Do(req)
	proc.Must(x.m.t, err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	proc.Must(x.m.t, err)
	_, watched, _ := strings.Cut(proc.ReadFile(x.m.t, "../../../docs/monitoring.md"), "## What to watch")
	watched, _, _ = strings.Cut(watched, "\n## ")
	names := regexp.MustCompile("`((?:clew|process)_[a-z_]+)`").FindAllStringSubmatch(watched, -1)
	for _, name := range names {
		if !strings.Contains(string(body), "\n"+name[1]+" ") {
			x.m.t.Errorf("the manual names %s, and there is no such metric", name[1])
		}
	}
	if len(names) < 10 {
		x.m.t.Errorf("the manual names %d metrics", len(names))
	}
}

// journal opens the store beside the nodes.
func (m *manual) journal() *journal.Journal {
	m.t.Helper()
	engine := fmt.Sprintf("nats://clew:%s@%s:4222", manualPassword, m.machines[0].addr)
	j, err := journal.Open(m.t.Context(), journal.Config{
		Dir: m.t.TempDir(), Engine: engine, Archive: "file://" + filepath.Join(m.dir, "srv/clew/archive"),
	}, slog.New(slog.DiscardHandler))
	proc.Must(m.t, err)
	return j
}

// loseQuorum kills two servers of three, and brings them back.
func (m *manual) loseQuorum(l *load) {
	t := m.t
	t.Helper()
	for _, x := range m.machines[1:] {
		x.must("kill -9 $(cat $MACHINE/run/nats.pid)")
	}
	first := m.machines[0]
	proc.Eventually(t, "the node is not ready", time.Minute, func() bool { return first.status("/readyz") == http.StatusServiceUnavailable })
	for _, x := range m.machines[1:] {
		x.must("systemctl start nats")
	}
	took := l.allSince(time.Now(), time.Minute)
	t.Logf("two servers of three were killed: all sessions are written %s after these are back", took.Round(100*time.Millisecond))
}

// must runs a command on the machine.
func (x *machine) must(script string) {
	x.m.t.Helper()
	if out, err := x.command(x.m.t.Context(), script).CombinedOutput(); err != nil {
		x.m.t.Fatalf("%s on %s: %v\n%s", script, x.host, err, out)
	}
}

// status is how the node answers, 0 if not at all.
func (x *machine) status(path string) int {
	return statusOf("http://" + x.addr + ":8000" + path)
}

// The manual is followed to the letter: three machines are set up, restarted one
// after the other under load, one of them loses its disk, a backup is made, and the
// store is made anew from it. Nothing that was acknowledged is lost.
//
// Covers: C-66
func TestManual(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("starts six processes, on loopback addresses that only Linux has")
	}
	m := newManual(t)
	m.everywhere("first-start")
	l := startLoad(t, 12, m.machines[0].api(), m.machines[1].api(), m.machines[2].api())
	l.allSince(time.Now(), time.Minute)
	for range nightly.Size(1, 3) {
		for i, x := range m.machines {
			x.follow("restart-clew")
			if i == 0 || nightly.On() {
				x.follow("restart-engine")
			}
			l.allSince(time.Now(), time.Minute)
		}
	}
	if nightly.On() {
		m.loseQuorum(l)
	}
	last := m.machines[2]
	last.follow("empty-node")
	l.allSince(time.Now(), time.Minute)
	m.machines[0].follow("backup")
	l.allSince(time.Now(), time.Minute)
	before := m.journal()
	records, acked := l.end(before)
	before.Close(t.Context())
	t.Logf("under load: %d acknowledged, 0 lost, %d records, refused meanwhile: %v", acked, records, l.refused)

	m.machines[0].follow("backup") // all that was written, on top of the first one
	m.everywhere("clear")
	m.everywhere("start-engine")
	m.machines[0].follow("restore")
	m.everywhere("first-start")
	after := m.journal()
	defer after.Close(t.Context())
	restored, acked := l.check(after)
	t.Logf("after the restore: %d acknowledged, 0 lost, %d records", acked, restored)
	if restored < records {
		t.Errorf("%d records were restored of %d", restored, records)
	}
	m.machines[0].hasMetrics()
	for _, x := range m.machines {
		if _, err := x.api().GetSession(t.Context(), l.ids[0]); err != nil {
			t.Errorf("%s after the restore: %v", x.host, err)
		}
	}
}
