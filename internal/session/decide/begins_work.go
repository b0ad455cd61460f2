package decide

import "github.com/clew-run/clew"

// BeginsWork reports whether a command begins something new, which a server that
// is low on disk space refuses. Whatever ends, answers or takes back is no such
// command: it must always find its way.
func BeginsWork(data any) bool {
	switch data.(type) {
	case *CreateCommand, *clew.UserMessageData, *clew.NewTaskData, *clew.ResumeTaskData,
		*clew.ControlRetryData, *clew.EditMessageConfirmData, *clew.ForkSessionData,
		*clew.CheckpointSaveData, *clew.SendQueuedData,
		*clew.NotebookOpenData, *clew.NotebookRunData, *clew.KernelExecuteData:
		return true
	}
	return false
}
