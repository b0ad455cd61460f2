package transfer

import (
	"bufio"
	"context"
	"io"
)

// Receive puts a file on disk as it comes, and Import reads it from there. So a
// line that is slow costs neither memory nor time of a processor. What can be
// refused by how the file begins is refused at once.
func (x *Importer) Receive(ctx context.Context, body io.Reader, u Upload) (io.ReadCloser, error) {
	if x.Room != nil {
		if err := x.Room(); err != nil {
			return nil, err
		}
	}
	if _, err := x.place(u); err != nil {
		return nil, err
	}
	limits := x.Limits.filled()
	src := bufio.NewReaderSize(&capped{r: body, left: limits.Bytes}, 64<<10)
	if _, err := detect(src, u.Format); err != nil {
		return nil, err
	}
	s, err := x.newSpool(limits)
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(s, &contextReader{ctx, src}); err != nil {
		s.close()
		return nil, failed(err, "the file")
	}
	r, err := s.reader()
	if err != nil {
		s.close()
		return nil, err
	}
	return &received{r, s}, nil
}

// contextReader reads until there is no time left.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (p *contextReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}

// received is a file that is all here.
type received struct {
	io.Reader
	spool *spool
}

// Close removes it.
func (r *received) Close() error {
	r.spool.close()
	return nil
}
