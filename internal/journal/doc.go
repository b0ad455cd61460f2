// Package journal keeps the records of all sessions on NATS JetStream. It is
// the only importer of NATS.
//
// # Streams
//
// Sessions are spread over partitions by shard, one stream each, with two kinds
// of subjects:
//
//	<prefix>.j.<partition>.s.<shard>.<session>   batches of records
//	<prefix>.j.<partition>.f.<shard>             the shard's fence
//
// One engine message holds one batch: one to many records, one line each. A
// batch is therefore stored whole or not at all, at the price of one flush.
//
// # Fence
//
// A node owns a shard by having written the last message on its fence subject;
// the engine's sequence of that message is the term. Every append names the
// term as the expected last sequence of the fence subject, so the engine itself
// refuses the append of a node whose shard was taken over, however late it
// arrives. Node leases (nodes.go) only decide when a take-over is polite.
//
// # Tiers
//
// The stream holds what was written lately. Sealing copies a session's records
// and its folded state into the archive; the sweeper (sweep.go) then cuts the
// front off the stream. Nothing is deleted message by message.
//
// # Forks
//
// A fork begins as a seal without records of its own that names its parent and
// the record it follows (found.go). Reading goes back from session to session
// to whoever wrote the records asked for, and compares the record at each seam
// (read.go). Nothing is copied, and the parent does not know.
//
// # Damage
//
// The engine drops what it cannot read after a crash or a flipped bit, with one
// line in its log. So records carry their own seq and are chained by hash, and
// a witness file on each node (witness.go) holds the last head it saw
// acknowledged. A session whose records do not reach that head is refused.
package journal
