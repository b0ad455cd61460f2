package archive

import (
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/clew-run/clew"
)

// shards is part of the layout on disk and never changes. It is the same
// spread as the engine's shards, so a shard's cold sessions lie together.
const shards = 4096

const (
	blobPrefix  = "blobs/"
	segmentsDir = ".segments"
	foldsDir    = ".states"
	leafLen     = len("000/0/")
)

// leafOf gives the directory of a session, with the slash. The second hash
// splits a shard in sixteen, so that a million sessions make about fifteen
// entries per directory.
func leafOf(id clew.SessionID) string {
	h := fnv.New64()
	_, _ = h.Write([]byte(id))
	return fmt.Sprintf("%03x/%x/", shardOf(id), h.Sum64()>>60)
}

func shardOf(id clew.SessionID) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return h.Sum32() % shards
}

func sealPrefix(id clew.SessionID) string { return leafOf(id) + string(id) + "~" }

// sealKey names a seal. The lexical order of a session's seals is their order
// by seq and then by rev.
func sealKey(id clew.SessionID, seq uint64, rev uint16) string {
	if rev == 0 {
		return fmt.Sprintf("%s%016x", sealPrefix(id), seq)
	}
	return fmt.Sprintf("%s%016x.%04x", sealPrefix(id), seq, rev)
}

// segmentKey names a segment by its place and by the start of its index's
// digest. Two owners that cut the same records differently thus write two
// objects, and neither replaces the other's. The segments of a session have
// their own directory: hundreds of them would slow down the list of seals.
func segmentKey(id clew.SessionID, first uint64, digest [32]byte) string {
	return fmt.Sprintf("%s%016x.%s", segmentPrefix(id), first, hex.EncodeToString(digest[:8]))
}

func segmentPrefix(id clew.SessionID) string { return leafOf(id) + string(id) + segmentsDir + "/" }

// foldPrefix starts the names of a session's kept folds.
func foldPrefix(id clew.SessionID) string { return leafOf(id) + string(id) + foldsDir + "/" }

func foldKey(id clew.SessionID, seq uint64) string {
	return fmt.Sprintf("%s%016x", foldPrefix(id), seq)
}

// isFoldKey tells kept folds, which nothing depends on, from the rest.
func isFoldKey(key string) bool { return strings.Contains(key, foldsDir+"/") }

// isSealKey tells seals from segments, folds and blobs.
func isSealKey(key string) bool { return strings.IndexByte(key, '~') >= 0 }

// validSealName reports whether what follows the "~" is a seq with or without
// a rev. Other files beside ours are not taken for seals.
func validSealName(rest string) bool {
	seq, rev, ok := strings.Cut(rest, ".")
	return isHex(seq, 16) && (!ok || isHex(rev, 4))
}

func isHex(s string, n int) bool {
	if len(s) != n {
		return false
	}
	_, err := strconv.ParseUint(s, 16, 64)
	return err == nil && strings.ToLower(s) == s && s[0] != '+' && s[0] != '-'
}

// sessionOfKey gives the session that an object, or a directory of segments or
// folds, belongs to.
func sessionOfKey(key string) (clew.SessionID, bool) {
	if len(key) < leafLen {
		return "", false
	}
	name := key[leafLen:]
	end := strings.IndexAny(name, "~.")
	if end < 0 {
		return "", false
	}
	id := clew.SessionID(name[:end])
	return id, id.Valid()
}
