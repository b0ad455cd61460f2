package clew

// Level is this program's level: it knows all record types up to it. It is raised
// by one with a release that brings record types. A node writes a type only when
// every live node knows it, so that any of them can carry a session on.
//
// Level 1 is everything up to the first tree that has levels; a node that does not
// name its level is of level 1.
const Level = 2

// since has the levels of the record types that came after level 1.
var since = map[EventType]int{
	EventMonitorAdded: 2, EventMonitorRemoved: 2, EventAppRegistered: 2, EventAppCalled: 2, EventUserInteracted: 2, EventRenderingFailed: 2, EventToastDismissed: 2, EventMonitorHeld: 2,
	EventNotebookOpened: 2, EventNotebookRead: 2, EventNotebookChanged: 2, EventNotebookSaveRequested: 2, EventNotebookSaved: 2, EventNotebookClosed: 2,
	EventCellQueued: 2, EventCellStarted: 2, EventCellFinished: 2, EventKernelChanged: 2,
	EventKernelRerunRequested: 2, EventKernelRerunStarted: 2, EventKernelRerunFinished: 2,
}

// Level says which level a program needs for records of this type, 0 if they are
// never on record.
func (i EventInfo) Level() int {
	if !i.Kind.Journaled() {
		return 0
	}
	return LevelOf(i.Type)
}

// LevelOf says which level a program needs for records of a type. One that the
// catalogue does not know is above this program's.
func LevelOf(t EventType) int {
	if _, known := eventIndex[t]; !known {
		return Level + 1
	}
	if level, later := since[t]; later {
		return level
	}
	return 1
}
