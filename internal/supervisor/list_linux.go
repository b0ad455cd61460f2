package supervisor

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"time"
)

// List gives the programs below a root: those that run, those whose end nobody has
// forgotten yet, and those that a server was killed over before they began. It takes no locks and changes nothing.
func List(root string) []Found {
	entries, _ := os.ReadDir(root)
	var list []Found
	for _, e := range entries {
		dir := filepath.Join(root, e.Name())
		if e.IsDir() && private(dir) == nil {
			list = append(list, look(dir))
		}
	}
	return list
}

func look(dir string) Found {
	f := Found{Dir: dir, Running: supervised(dir)}
	var st state
	if !f.Running || ask(dir, &st) != nil {
		_ = readJSON(filepath.Join(dir, "state.json"), &st) // not there if it never ran
	}
	f.ID, f.About, f.PID, f.Supervisor, f.Started, f.Orphan = st.ID, st.About, st.PID, st.Supervisor, st.Started, st.Orphan
	if f.Running {
		f.Held, f.AloneSince = st.Held, st.AloneSince
	} else if ended, err := readEnded(dir); err == nil {
		f.Ended = &ended
	}
	return f
}

// ask reads a supervisor's greeting.
func ask(dir string, st *state) error {
	c, err := net.DialTimeout("unix", filepath.Join(dir, "control"), time.Second)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	line, err := bufio.NewReader(c).ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, st)
}
