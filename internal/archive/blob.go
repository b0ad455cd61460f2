package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// PutBlob stores data once, under its SHA-256, and returns the reference to
// it: 64 hex digits. It is durable on return. A damaged copy in the store is
// replaced by the sound one.
func (a *Archive) PutBlob(ctx context.Context, data []byte) (ref string, err error) {
	sum := sha256.Sum256(data)
	ref = hex.EncodeToString(sum[:])
	key := blobKey(ref)
	if err := a.store.keep(ctx, key, data); err != nil {
		return "", fmt.Errorf("archive: write %s: %w", key, err)
	}
	return ref, nil
}

// Blob gives what ref stands for, checked against its hash. It fails with
// ErrNotFound if there is no such blob and with *DamagedError if it is not
// what was stored.
func (a *Archive) Blob(ctx context.Context, ref string) ([]byte, error) {
	if len(ref) != 2*sha256.Size || strings.Trim(ref, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("archive: %q is not a blob reference", ref)
	}
	key := blobKey(ref)
	data, err := a.store.read(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNotFound, key)
	}
	if err != nil {
		return nil, fmt.Errorf("archive: read %s: %w", key, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != ref {
		return nil, &DamagedError{Object: key, Reason: "its content does not match its hash"}
	}
	return data, nil
}

func blobKey(ref string) string { return blobPrefix + ref[:2] + "/" + ref }
