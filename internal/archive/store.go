package archive

import "context"

// A store keeps objects by key. Keys are made by this package only. Reading an
// object that is not there fails with fs.ErrNotExist.
type store interface {
	// create writes a new object. One that is there already is left alone,
	// and existed is true. The object shows up in list once it is durable,
	// after sync at the latest; read finds it at once.
	create(ctx context.Context, key string, data []byte) (existed bool, err error)
	// put is create for an object whose name says its content: a copy that is
	// there already may be replaced.
	put(ctx context.Context, key string, data []byte) error
	// keep is put, durable on return. A sound copy that is there already is
	// not written again, a damaged one is replaced.
	keep(ctx context.Context, key string, data []byte) error

	read(ctx context.Context, key string) ([]byte, error)
	// readRange reads n bytes at off, or fewer if the object ends before.
	readRange(ctx context.Context, key string, off, n int64) ([]byte, error)

	// list gives the keys with this prefix, sorted. The prefix reaches past
	// the last slash of the keys.
	list(ctx context.Context, prefix string) ([]string, error)
	// walk calls fn with every key of a session, leaf by leaf, until it returns
	// false. A directory of segments may stand for what is in it.
	walk(ctx context.Context, fn func(key string) bool) error
	// all calls fn with every key.
	all(ctx context.Context, fn func(key string)) error
	// remove deletes an object; one that is gone already is no error.
	remove(ctx context.Context, key string) error
	// erase is remove for good, durable on return: no older version of the
	// object is left either.
	erase(ctx context.Context, key string) error
	// erased is called with the leaf and name of a session after its objects
	// were erased.
	erased(ctx context.Context, session string) error

	// sync makes durable what was created before. After an error the outcome
	// is open and the store takes no more writes.
	sync(ctx context.Context) error
	close() error
}
