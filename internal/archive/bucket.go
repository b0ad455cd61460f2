package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob" // the s3 scheme
	"gocloud.dev/gcerrors"
)

// A bucket is a store behind gocloud.dev/blob. Its writes are whole and
// durable when they return.
type bucket struct {
	b    *blob.Bucket
	name string
}

func openBucket(ctx context.Context, rawURL string) (*bucket, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	if u.User != nil {
		return nil, errors.New("credentials belong in the environment, not in the URL")
	}
	b, err := blob.OpenBucket(ctx, rawURL)
	if err != nil {
		return nil, err
	}
	return &bucket{b, u.Host}, nil
}

func (s *bucket) write(ctx context.Context, key string, data []byte, onlyNew bool) error {
	return s.b.WriteAll(ctx, key, data, &blob.WriterOptions{
		ContentType: "application/octet-stream", // else the library sniffs it
		IfNotExist:  onlyNew,
	})
}

func (s *bucket) create(ctx context.Context, key string, data []byte) (existed bool, err error) {
	err = s.write(ctx, key, data, true)
	if gcerrors.Code(err) == gcerrors.FailedPrecondition {
		return true, nil
	}
	return false, err
}

func (s *bucket) put(ctx context.Context, key string, data []byte) error {
	return s.write(ctx, key, data, false)
}

func (s *bucket) keep(ctx context.Context, key string, data []byte) error {
	have, err := s.b.ReadAll(ctx, key)
	if err == nil && bytes.Equal(have, data) {
		return nil
	}
	return s.write(ctx, key, data, false)
}

func (s *bucket) read(ctx context.Context, key string) ([]byte, error) {
	data, err := s.b.ReadAll(ctx, key)
	return data, notFound(err)
}

func (s *bucket) readRange(ctx context.Context, key string, off, n int64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	r, err := s.b.NewRangeReader(ctx, key, off, n, nil)
	if err != nil {
		return s.shortRange(ctx, key, off, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, n))
	return data, notFound(errors.Join(err, r.Close()))
}

// shortRange tells an object that ends before off, which S3 reports as an
// error of its own, from a store that does not answer.
func (s *bucket) shortRange(ctx context.Context, key string, off int64, err error) ([]byte, error) {
	if attrs, aerr := s.b.Attributes(ctx, key); aerr == nil && attrs.Size <= off {
		return nil, nil
	}
	return nil, notFound(err)
}

func notFound(err error) error {
	if gcerrors.Code(err) == gcerrors.NotFound {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

func (s *bucket) list(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	err := s.each(ctx, prefix, func(key string) bool {
		keys = append(keys, key)
		return true
	})
	return keys, err
}

func (s *bucket) each(ctx context.Context, prefix string, fn func(key string) bool) error {
	it := s.b.List(&blob.ListOptions{Prefix: prefix})
	for {
		obj, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !fn(obj.Key) {
			return errStop
		}
	}
}

var errStop = errors.New("stop")

// walk lists by the first two digits of the shard, which leaves the blobs out.
func (s *bucket) walk(ctx context.Context, fn func(key string) bool) error {
	for i := range 256 {
		err := s.each(ctx, fmt.Sprintf("%02x", i), fn)
		if errors.Is(err, errStop) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *bucket) remove(ctx context.Context, key string) error {
	err := s.b.Delete(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil
	}
	return err
}

func (s *bucket) sync(context.Context) error { return nil }

func (s *bucket) close() error { return s.b.Close() }
