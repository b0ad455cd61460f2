// Package archive is the cold tier of the journal: sealed history and blobs in
// a directory or an S3-compatible store.
//
// The state of a session's sealing is one immutable object, the seal. It holds
// the head, the position in the engine up to which records are sealed, the
// folded state, a table of full segments, and the newest records that do not
// fill a segment yet. A small session is therefore exactly one file. A full
// segment is an immutable object of its own: zstd frames of up to 256 records
// and an index of them, in such a form that `zstd -dc` prints the lines.
//
// A session may begin with another one's records: a fork. Its seal then has a
// base, the other session and the record after which it goes on, and holds only
// what comes after. The records before are read with the other session's seal.
//
// Kept folds are states at earlier records, for a return to the past. They are a
// cache: no seal refers to them, and one that is damaged or gone is not used.
//
//	<shard>/<x>/<session>~<head seq>                    a seal
//	<shard>/<x>/<session>~<head seq>.<rev>              a later seal at the same head
//	<shard>/<x>/<session>.segments/<first seq>.<hash>   a full segment
//	<shard>/<x>/<session>.states/<seq>                  a kept fold
//	blobs/<hh>/<sha-256>                                a blob
//	pending/…                                           files that no Sync has covered
//
// The promises:
//   - Nothing is overwritten with other content. The seal with the highest seq
//     counts, so an owner that was replaced can write old seals and do no harm.
//   - What Latest finds is durable, and so is everything it refers to. In a
//     directory Put writes aside, and Sync flushes and only then gives the
//     names. A crash or a power cut at any moment leaves the former seal.
//   - What is taken in step by step (Filing) counts with its seal, written last.
//   - Every byte is covered by a checksum. A flipped bit, a cut tail or a
//     missing segment is a *DamagedError, never a shorter or other history.
//     Latest does not fall back to an older seal. One of a later form than this
//     program knows is ErrTooNew, which is no damage.
//   - Records are checked against the hash chain when they are put and again
//     when they are read.
//   - Latest and Read cost the same for a session of a thousand records and
//     one of a million: both touch the seal, two indexes and a few frames.
package archive
