package server

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/clew-run/clew/internal/clock"
	"github.com/clew-run/clew/internal/git"
	"github.com/clew-run/clew/internal/supervisor"
	"github.com/clew-run/clew/internal/tool/limit"
	"github.com/clew-run/clew/internal/tool/shell"
	"github.com/clew-run/clew/web"
)

// How a check went. Only problems keep clew from working.
const (
	CheckOK      = "ok"
	CheckNote    = "note"    // worth knowing
	CheckWarning = "warning" // something works less well, or is less safe
	CheckProblem = "problem"
)

// A Check is one thing that the doctor looked at.
type Check struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Found  string `json:"found"`
	Do     string `json:"do,omitempty"` // what to do about it
}

// Checkup looks at what a server with this configuration needs from the machine.
// It makes nothing but a file in the data directory, which it removes.
func Checkup(ctx context.Context, cfg Config) []Check {
	checks := dataChecks(cfg.Data)
	checks = append(checks, clockCheck(cfg.Data, clock.System().Now()), openFilesCheck())
	checks = append(checks, gitCheck(ctx), searchCheck(), sandboxCheck(shell.Probe()), limitsCheck(limit.LookForGroups()), pagesCheck(web.Files()))
	checks = append(checks, kernelChecks(supervisor.List(supervisor.LookForRoot(cfg.Data)), clock.System().Now())...)
	return append(checks, toolChecks(ctx, cfg.environ())...)
}

// The least room on the disk before a warning, and before a problem.
const (
	littleRoom = 1 << 30
	noRoom     = 64 << 20
)

func dataChecks(dir string) []Check {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		above := existing(dir)
		check := Check{"data directory", CheckNote, dir + " is not there yet", "clew serve makes it at its first start"}
		if err := tryWrite(above); err != nil {
			check = Check{"data directory", CheckProblem, fmt.Sprintf("%s is not there and cannot be made: %v", dir, err), "choose another one with --data or CLEW_DATA, or mend the rights of " + above}
		}
		return []Check{check, roomCheck(above)}
	case err != nil:
		return []Check{{"data directory", CheckProblem, err.Error(), "choose another one with --data or CLEW_DATA"}}
	case !info.IsDir():
		return []Check{{"data directory", CheckProblem, dir + " is no directory", "choose another one with --data or CLEW_DATA"}}
	}
	checks := []Check{{"data directory", CheckOK, dir, ""}}
	if err := tryWrite(dir); err != nil {
		checks[0] = Check{"data directory", CheckProblem, err.Error(), "run clew as the user who owns it, or mend its rights"}
	} else if mode := info.Mode().Perm(); mode&0o022 != 0 {
		checks[0] = Check{"data directory", CheckWarning, fmt.Sprintf("%s can be written by others (mode %04o)", dir, mode), "chmod 700 " + dir}
	}
	checks = append(checks, roomCheck(dir))
	if kind := filesystem(dir); kind != "" {
		checks = append(checks, Check{"filesystem", CheckWarning, dir + " is on " + kind, "keep the data directory on a local disk: locks and flushes may not hold here"})
	}
	return checks
}

// existing is the nearest directory above that is there.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

func tryWrite(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) { // the file's name says nothing to anybody
			return fmt.Errorf("%s cannot be written to: %w", dir, p.Err)
		}
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func roomCheck(dir string) Check {
	free, err := freeRoom(dir)
	found := fmt.Sprintf("%.1f GB free", float64(free)/1e9)
	switch {
	case err != nil:
		return Check{"disk space", CheckNote, "cannot be told: " + err.Error(), ""}
	case free < noRoom:
		return Check{"disk space", CheckProblem, found, "make room on the disk of " + dir}
	case free < littleRoom:
		return Check{"disk space", CheckWarning, found, "make room on the disk of " + dir}
	}
	return Check{"disk space", CheckOK, found, ""}
}

// clockCheck compares the clock with what was written last: a clock that went
// back mixes up times of sessions, deadlines and tokens.
func clockCheck(dir string, now time.Time) Check {
	info, err := os.Stat(filepath.Join(dir, "engine"))
	if err == nil && info.ModTime().Sub(now) > time.Minute {
		return Check{"clock", CheckWarning, fmt.Sprintf("it is %s here, but the store was written at %s", now.Format(time.DateTime), info.ModTime().Format(time.DateTime)), "set the clock: deadlines and tokens go by it"}
	}
	return Check{"clock", CheckOK, now.Format(time.RFC3339), ""}
}

// fewFiles is less than a server with some hundred clients needs.
const fewFiles = 1024

func openFilesCheck() Check {
	limit, err := openFiles()
	switch {
	case err != nil:
		return Check{"open files", CheckNote, "the limit cannot be told: " + err.Error(), ""}
	case limit < fewFiles:
		return Check{"open files", CheckWarning, fmt.Sprintf("at most %d", limit), "raise the limit: ulimit -n 65536, or LimitNOFILE= of the service"}
	}
	return Check{"open files", CheckOK, fmt.Sprintf("at most %d", limit), ""}
}

func gitCheck(ctx context.Context) Check {
	version, err := git.Version(ctx)
	if err != nil {
		return Check{"git", CheckWarning, "not found: files cannot be taken back, only conversations", "install git"}
	}
	return Check{"git", CheckOK, version, ""}
}

func searchCheck() Check {
	if path, err := exec.LookPath("rg"); err == nil {
		return Check{"ripgrep", CheckOK, path, ""}
	}
	return Check{"ripgrep", CheckNote, "not found: searching in files is slower", "install ripgrep, if workspaces are large"}
}

// allowBwrap loads the profile that Ubuntu 24.04 has, but does not use.
const allowBwrap = "sudo apt install apparmor-profiles && sudo install -m 0644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ && sudo apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict"

// sandboxCheck is about a command that was run in the sandbox, just now.
func sandboxCheck(kind, reason string) Check {
	if kind == shell.SandboxBwrap {
		return Check{"sandbox", CheckOK, "bubblewrap works: a command ran in it", ""}
	}
	if strings.Contains(reason, "setting up uid map: Permission denied") || strings.Contains(reason, "Failed RTM_NEWADDR") {
		return Check{"sandbox", CheckWarning, "AppArmor does not let bubblewrap make a sandbox: " + reason, allowBwrap}
	}
	return Check{"sandbox", CheckWarning, "commands of agents run without a sandbox: " + reason,
		"on Linux install bubblewrap and allow user namespaces; until then every command needs approval, and those of other users are refused"}
}

// limitsCheck is about what holds the memory and the processes of commands.
func limitsCheck(err error) Check {
	if err == nil {
		return Check{"command limits", CheckOK, "control groups hold each command, and each user's commands together", ""}
	}
	return Check{"command limits", CheckNote, "commands are limited process by process, not each as a whole: " + err.Error(),
		"give the server a control group of its own: Delegate=memory pids cpu in its systemd unit, or a container that may write /sys/fs/cgroup"}
}

func pagesCheck(files fs.FS) Check {
	if _, err := fs.Stat(files, "index.html"); err != nil {
		return Check{"web UI", CheckWarning, "this program was built without it", "make web build, or take a released program"}
	}
	return Check{"web UI", CheckOK, "part of the program", ""}
}
