// Package checkpoint keeps exact snapshots of a workspace and takes files back
// to them.
//
// # What a checkpoint holds
//
// Bytes as they are, all twelve permission bits of files and directories,
// symbolic links with any target, empty directories, names of any bytes, and the
// files of repositories that lie inside. Hard links are saved as files of their
// own. Times, extended attributes and holes in files are not kept. Nor are owners:
// what is restored belongs to whoever runs the server or, if that is root, to the
// owner of what it replaces or of the directory it lies in.
//
// Left alone, on saving and on restoring, is
//   - everything named .git, at any depth: the person's history is theirs;
//   - what installs and caches put there, see [scan.DefaultExclude];
//   - what the settings or a .clewignore file exclude;
//   - files over [Options.MaxFile], pipes, sockets and devices, what may not be
//     read, and directories nested a thousand deep.
//
// A checkpoint remembers what it left alone, so a restore to it does not take
// such a file for one that was not there. A directory that should go but holds
// something left alone stays, with that alone in it. Names such as build, dist
// and target are saved: in many projects they hold sources.
//
// # How it is kept
//
// Each workspace has one bare git repository below the data directory, shared
// by all sessions that work there. It uses SHA-256, so that no made-up file can
// pass for another. git never sees the workspace: this package walks it through
// descriptors that follow no link, and writes packs of its own. git itself
// repacks, collects and checks, in an empty environment.
//
// A commit's tree has two entries: files, which is the workspace as git would
// show it, and meta, a tree of the same shape with a blob only where there is
// something that a git tree cannot say. A checkpoint has no parent, so any one
// can go while the others stay.
//
// # The packages below
//
// beneath opens files below a directory and follows no link; tree has what is
// known of a directory and how checkpoints differ; scan reads the workspace into
// a tree; apply makes the differences in the workspace; object stores bytes as
// git does; retention makes and drops the checkpoints of sessions.
//
// # What survives a crash
//
// A checkpoint that was reported is on disk. A restore first saves the present
// state and writes down what it is about to do; whoever opens the place next
// finishes it. One that fails is taken back, or else says ErrUnsettled and is
// taken back later. A restore is never half done.
//
// A restore replaces or removes nothing that is not in a checkpoint. What differs
// from the state just saved is left alone; what a restore finds that goes on
// after a crash, or goes back, must have the bytes of the one state or the other.
package checkpoint
