// Package limit bounds what a command may use of the machine: memory, processes,
// processor, size of files, open files. A control group of the kernel (cgroup v2)
// holds them where the server has one to divide; else the limits of a process do
// (rlimits), which hold less. Filter takes system calls away that no build needs.
package limit

import "github.com/clew-run/clew"

// Limits are what one command with all that it starts may use. 0 is no limit.
type Limits struct {
	Memory    int64 // bytes
	Processes int   // processes and threads at once
	CPUWeight int   // against others when all want to compute; a server has 100
	FileSize  int64 // bytes of a file that it writes
	OpenFiles int   // in each process
}

const (
	mib = 1 << 20
	gib = 1 << 30

	mostMemory = 4 * gib // that a command gets unless somebody says otherwise
)

// Default is what a command gets where nobody says otherwise.
func Default() Limits {
	return Limits{Memory: defaultMemory(), Processes: 512, CPUWeight: 50, FileSize: 4 * gib, OpenFiles: 4096}
}

// DefaultTotal is what all commands of a user together get: half of the machine's
// memory, and as many processes as four commands.
func DefaultTotal() Limits {
	total := Default()
	total.Memory = max(total.Memory, machineMemory()/2)
	total.Processes *= 4
	return total
}

// Unusual are the limits that are not the usual ones, nil if all are.
func (l Limits) Unusual() *clew.CommandLimits {
	usual := Default()
	u := clew.CommandLimits{
		MemoryMB: other(l.Memory, usual.Memory) / mib, Processes: other(l.Processes, usual.Processes), CPUWeight: other(l.CPUWeight, usual.CPUWeight),
		FileMB: other(l.FileSize, usual.FileSize) / mib, OpenFiles: other(l.OpenFiles, usual.OpenFiles),
	}
	if u == (clew.CommandLimits{}) {
		return nil
	}
	return &u
}

func other[T int | int64](n, usual T) T {
	if n == usual {
		return 0
	}
	return n
}

// defaultMemory is half of what the machine has, at most 4 GiB.
func defaultMemory() int64 {
	half := machineMemory() / 2
	if half <= 0 {
		return mostMemory
	}
	return min(half, mostMemory)
}
