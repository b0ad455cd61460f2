package shell

import "time"

// While the disk has no more room than its reserve, a command that still writes is
// ended: the reserve is for the records of all.
const (
	roomEvery  = 50 * time.Millisecond
	roomWrites = 32 << 10 // bytes from one look to the next that count as writing
	// A quick command needs little time for the reserve, so the second look that finds
	// no room follows sooner; not sooner than a disk.Reserve looks itself.
	roomAgain = 20 * time.Millisecond
)

// overFile is how large a file may become that a command writes if its user had too
// much when it began: it is there to delete.
const overFile = 1 << 20

// enterQuota has the command counted against its user's quota.
func (p *process) enterQuota() {
	if p.plan.ws == nil {
		return
	}
	p.use = p.plan.ws.Share.Begin()
	if size := &p.plan.opts.Limits.FileSize; p.use.Over() && (*size <= 0 || *size > overFile) {
		*size = overFile
	}
}

// watchRoom stops the command if it writes while there is no room, or when its
// user's workspaces have grown too large, until done is closed.
func (p *process) watchRoom(done <-chan struct{}) {
	t := time.NewTimer(roomEvery)
	defer t.Stop()
	for before := int64(-1); ; {
		select {
		case <-done:
			return
		case <-t.C:
		}
		t.Reset(roomEvery)
		if p.full = p.use.Grown(); p.full != nil {
			p.Stop(stoppedByQuota)
			return
		}
		if p.plan.opts.Room == nil || p.plan.opts.Room(p.plan.dir) == nil {
			before = -1
			continue
		}
		now := p.written()
		if before >= 0 && now-before >= roomWrites {
			p.Stop(stoppedByDisk)
			return
		}
		if before < 0 {
			t.Reset(roomAgain)
		}
		before = now
	}
}

// written is what the command's processes have written so far.
func (p *process) written() int64 {
	if p.group != nil {
		return written(p.group.Processes())
	}
	return written(below(p.cmd.Process.Pid, 0))
}
