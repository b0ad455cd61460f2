package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/clock"
)

// JWTConfig says whose JWTs are taken. With both a secret and a key set, the
// token's algorithm picks which of them must have signed it.
type JWTConfig struct {
	// SecretFile holds the shared secret of HS256, at least 32 bytes; a line
	// end after it does not count.
	SecretFile string
	// JWKSURL or JWKSFile gives the public keys of RS256 and ES256. A URL must
	// be https, or http on loopback.
	JWKSURL  string
	JWKSFile string
	// Issuer and Audience must be in the token when they are set.
	Issuer   string
	Audience string
	// RoleClaim names the claim with the caller's role; "" = clew_role.
	RoleClaim string
	// AllowAdmin lets that claim make administrators. Without it, admin counts
	// as owner, an ordinary user.
	AllowAdmin bool

	Now  func() time.Time // nil = the machine's
	HTTP *http.Client     // for JWKSURL; nil = one with short timeouts
	Log  *slog.Logger     // nil = slog.Default()
}

const (
	defaultRoleClaim = "clew_role"
	minSecret        = 32   // RFC 7518 §3.2: as long as the hash
	minRSABits       = 2048 // RFC 7518 §3.3
)

// A JWT checks the tokens of outside issuers. It is safe for concurrent use.
//
// There is no leeway: a token ends when it says so, on the server's clock, and
// so does a connection that came with it.
type JWT struct {
	parser     *jwt.Parser
	keys       keyring
	roleClaim  string
	allowAdmin bool
}

// NewJWT reads the keys. Keys from a URL are fetched anew from time to time
// until ctx ends; an issuer that cannot be reached now is tried again later.
func NewJWT(ctx context.Context, c JWTConfig) (*JWT, error) {
	if c.Now == nil {
		c.Now = clock.System().Now
	}
	if c.RoleClaim == "" {
		c.RoleClaim = defaultRoleClaim
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	keys, err := newKeyring(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("jwt: %w", err)
	}
	opts := []jwt.ParserOption{
		jwt.WithValidMethods(keys.methods()), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(c.Now), jwt.WithStrictDecoding(),
	}
	if c.Issuer != "" {
		opts = append(opts, jwt.WithIssuer(c.Issuer))
	}
	if c.Audience != "" {
		opts = append(opts, jwt.WithAudience(c.Audience))
	}
	return &JWT{parser: jwt.NewParser(opts...), keys: keys, roleClaim: c.RoleClaim, allowAdmin: c.AllowAdmin}, nil
}

func (j *JWT) verify(ctx context.Context, token string) (clew.Principal, error) {
	claims := jwt.MapClaims{}
	_, err := j.parser.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		return j.keys.find(ctx, t)
	})
	switch {
	case err == nil:
	case errors.Is(err, errNoKeys):
		return clew.Principal{}, clew.WrapError(clew.Unavailable, err, "the token cannot be checked right now")
	case onlyExpired(err):
		return clew.Principal{}, expired(err)
	default:
		return clew.Principal{}, refused(err)
	}
	p, err := j.principal(claims)
	if err != nil {
		return clew.Principal{}, refused(err)
	}
	return p, nil
}

// onlyExpired reports that nothing but the time is wrong. The parser looks at
// claims only after the signature held.
func onlyExpired(err error) bool {
	if !errors.Is(err, jwt.ErrTokenExpired) {
		return false
	}
	for _, other := range []error{
		jwt.ErrTokenMalformed, jwt.ErrTokenUnverifiable, jwt.ErrTokenSignatureInvalid, jwt.ErrTokenInvalidIssuer,
		jwt.ErrTokenInvalidAudience, jwt.ErrTokenNotValidYet, jwt.ErrTokenRequiredClaimMissing, jwt.ErrInvalidType,
	} {
		if errors.Is(err, other) {
			return false
		}
	}
	return true
}

// maxExp is the year 9999; what lies beyond is no date but an attempt at an
// overflow.
const maxExp = 253402300799

func (j *JWT) principal(claims jwt.MapClaims) (clew.Principal, error) {
	sub, err := claims.GetSubject()
	if err != nil || !clew.ValidID(sub) {
		return clew.Principal{}, errors.New("sub is not a valid user id")
	}
	user := clew.UserID(sub)
	if user == OwnerUser || user == LocalUser {
		return clew.Principal{}, errors.New("sub is a reserved user id")
	}
	if exp, ok := claims["exp"].(float64); !ok || math.IsNaN(exp) || exp > maxExp {
		return clew.Principal{}, errors.New("exp is out of range")
	}
	exp, err := claims.GetExpirationTime()
	if err != nil || exp == nil {
		return clew.Principal{}, errors.New("exp is missing")
	}
	role, err := j.role(claims)
	if err != nil {
		return clew.Principal{}, err
	}
	return clew.Principal{User: user, Role: role, ExpiresMS: exp.UnixMilli()}, nil
}

// role reads the role claim. A role that is not known is refused rather than
// taken for an ordinary user's: it may have meant less.
func (j *JWT) role(claims jwt.MapClaims) (clew.Role, error) {
	claim, ok := claims[j.roleClaim]
	if !ok {
		return clew.RoleOwner, nil
	}
	s, _ := claim.(string)
	role := clew.Role(s)
	switch {
	case !validRole(role):
		return clew.RoleNone, errors.New("the role claim is not a role")
	case role == clew.RoleAdmin && !j.allowAdmin:
		return clew.RoleOwner, nil
	}
	return role, nil
}
