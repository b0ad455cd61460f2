package push

import (
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/inbox"
	"github.com/clew-run/clew/internal/journal"
)

// A Subscription is a browser of somebody that can be told. Its endpoint is a
// secret: whoever has it and the keys can reach that browser.
type Subscription struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Endpoint  string    `json:"endpoint"`
	P256dh    []byte    `json:"p256dh"`           // the browser's public key
	Auth      []byte    `json:"auth"`             // what it shares with us
	KeyID     string    `json:"key_id,omitempty"` // the API key that it was made with
	Role      clew.Role `json:"role,omitempty"`   // of whoever made it
	CreatedMS int64     `json:"created_ms"`
	RenewedMS int64     `json:"renewed_ms"`
	LastMS    int64     `json:"last_ms,omitempty"` // when it was last told something
}

// subscriber is a row: all subscriptions of somebody, so that telling a person
// costs one read.
type subscriber struct {
	User          clew.UserID    `json:"user"`
	Subscriptions []Subscription `json:"subscriptions"`
}

const (
	maxSubscriptions = 20
	maxName          = 100
	maxEndpoint      = 2048
	// holdsFor is how long a subscription holds that no page renews: credentials
	// that cannot be asked after, such as those of an outside issuer, end too.
	holdsFor = 90 * 24 * time.Hour
)

// A NewSubscription is what a browser gives of a subscription.
type NewSubscription struct {
	Endpoint, P256dh, Auth, Name string
}

func userRow(user clew.UserID) string    { return "user." + digest(string(user)) }
func endpointRow(endpoint string) string { return "endpoint." + digest(endpoint) }

func digest(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:16])
}

// PublicKey is what browsers subscribe with.
func (p *Push) PublicKey() string { return p.o.Key.public }

// List gives somebody's subscriptions, oldest first. Those that hold no more
// are removed on the way.
func (p *Push) List(ctx context.Context, by clew.Principal) ([]Subscription, error) {
	if !inbox.Reads(by) {
		return []Subscription{}, nil
	}
	return p.of(ctx, by)
}

// of gives those of somebody's subscriptions that these credentials are for. With
// some that were given away for less, one sees and changes what was made with
// them, and no other browser of their owner.
func (p *Push) of(ctx context.Context, by clew.Principal) ([]Subscription, error) {
	list, err := p.inForce(ctx, by.User)
	if err != nil || by.Role == clew.RoleOwner || by.Role == clew.RoleAdmin {
		return list, err
	}
	return slices.DeleteFunc(list, func(s Subscription) bool { return s.KeyID != by.KeyID || s.KeyID == "" && s.Role != by.Role }), nil
}

// inForce gives the subscriptions that still hold.
func (p *Push) inForce(ctx context.Context, user clew.UserID) ([]Subscription, error) {
	b, _, err := p.o.Table.Get(ctx, userRow(user))
	if errors.Is(err, journal.ErrNoRow) {
		return []Subscription{}, nil
	}
	if err != nil {
		return nil, err
	}
	var row subscriber
	if err := json.Unmarshal(b, &row); err != nil {
		return nil, err
	}
	hold := []Subscription{}
	for _, s := range row.Subscriptions {
		ok := p.now()-s.RenewedMS < holdsFor.Milliseconds()
		if ok && s.KeyID != "" {
			if ok, err = p.o.KeyInForce(ctx, s.KeyID); err != nil {
				return nil, err
			}
		}
		if ok {
			hold = append(hold, s)
		} else if err := p.remove(ctx, user, s); err != nil {
			return nil, err
		}
	}
	return hold, nil
}

// Subscribe adds a browser, or renews it. A browser belongs to whoever came
// last: it would be wrong to show one person's questions to the next.
func (p *Push) Subscribe(ctx context.Context, by clew.Principal, n NewSubscription) (Subscription, error) {
	if !inbox.Reads(by) {
		return Subscription{}, errNoQuestions
	}
	s, err := p.read(n)
	if err != nil {
		return Subscription{}, err
	}
	s.KeyID, s.Role, s.CreatedMS, s.RenewedMS = by.KeyID, by.Role, p.now(), p.now()
	if err := p.takeOver(ctx, by.User, s); err != nil {
		return Subscription{}, err
	}
	err = p.change(ctx, by.User, func(list []Subscription) ([]Subscription, error) {
		at := slices.IndexFunc(list, func(o Subscription) bool { return o.ID == s.ID })
		if at >= 0 {
			s.CreatedMS, s.LastMS = list[at].CreatedMS, list[at].LastMS
			list[at] = s
			return list, nil
		}
		if len(list) >= maxSubscriptions {
			return nil, clew.Errorf(clew.SessionInvalidState, "you have %d subscriptions; remove one first", maxSubscriptions)
		}
		return append(list, s), nil
	})
	return s, err
}

var errNoQuestions = clew.Errorf(clew.Forbidden, "these credentials may not answer questions, so there is nothing to tell")

// read checks what a browser gave. The endpoint is an address of a stranger's
// choice.
func (p *Push) read(n NewSubscription) (Subscription, error) {
	invalid := func(what string) (Subscription, error) {
		return Subscription{}, clew.Errorf(clew.InvalidMessage, "%s", what)
	}
	if len(n.Name) > maxName {
		return invalid("name is too long")
	}
	endpoint, err := p.o.Check(n.Endpoint)
	if err != nil || len(n.Endpoint) > maxEndpoint || !strings.HasPrefix(endpoint, "https://") {
		return invalid("endpoint must be an https address that is public")
	}
	s := Subscription{ID: "psh_" + digest(endpoint)[:24], Name: n.Name, Endpoint: endpoint}
	if s.P256dh, err = base64URL(n.P256dh); err == nil {
		_, err = ecdh.P256().NewPublicKey(s.P256dh)
	}
	if err != nil {
		return invalid("keys.p256dh is not a public key of P-256")
	}
	if s.Auth, err = base64URL(n.Auth); err != nil || len(s.Auth) != 16 {
		return invalid("keys.auth is not 16 bytes")
	}
	return s, nil
}

func base64URL(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}

// takeOver notes whose browser this is, after it was taken from whoever had it.
func (p *Push) takeOver(ctx context.Context, user clew.UserID, s Subscription) error {
	b, _, err := p.o.Table.Get(ctx, endpointRow(s.Endpoint))
	if err != nil && !errors.Is(err, journal.ErrNoRow) {
		return err
	}
	if before := clew.UserID(b); before != "" && before != user {
		if err := p.drop(ctx, before, s.ID); err != nil {
			return err
		}
	}
	return p.o.Table.Put(ctx, endpointRow(s.Endpoint), []byte(user))
}

// Unsubscribe removes one of somebody's subscriptions. It reports whether there
// was one.
func (p *Push) Unsubscribe(ctx context.Context, by clew.Principal, id string) (bool, error) {
	if !inbox.Reads(by) {
		return false, errNoQuestions
	}
	list, err := p.of(ctx, by)
	if err != nil {
		return false, err
	}
	for _, s := range list {
		if s.ID == id {
			return true, p.remove(ctx, by.User, s)
		}
	}
	return false, nil
}

// remove forgets a subscription and whose browser it was.
func (p *Push) remove(ctx context.Context, user clew.UserID, s Subscription) error {
	if err := p.drop(ctx, user, s.ID); err != nil {
		return err
	}
	return p.o.Table.Change(ctx, endpointRow(s.Endpoint), func(old []byte) ([]byte, error) {
		if clew.UserID(old) != user { // it has a new owner
			return old, nil
		}
		return nil, nil
	})
}

func (p *Push) drop(ctx context.Context, user clew.UserID, id string) error {
	return p.change(ctx, user, func(list []Subscription) ([]Subscription, error) {
		return slices.DeleteFunc(list, func(s Subscription) bool { return s.ID == id }), nil
	})
}

// note writes down that subscriptions were told something just now.
func (p *Push) note(ctx context.Context, user clew.UserID, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return p.change(ctx, user, func(list []Subscription) ([]Subscription, error) {
		for i := range list {
			if slices.Contains(ids, list[i].ID) {
				list[i].LastMS = p.now()
			}
		}
		return list, nil
	})
}

func (p *Push) change(ctx context.Context, user clew.UserID, fn func([]Subscription) ([]Subscription, error)) error {
	return p.o.Table.Change(ctx, userRow(user), func(old []byte) ([]byte, error) {
		var row subscriber
		if old != nil {
			if err := json.Unmarshal(old, &row); err != nil {
				return nil, err
			}
		}
		list, err := fn(row.Subscriptions)
		if err != nil || len(list) == 0 {
			return nil, err
		}
		return json.Marshal(subscriber{user, list})
	})
}
