package settings

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/clew-run/clew"
	"github.com/clew-run/clew/internal/llm/vendor"
)

// Variables that say how secrets are kept.
const (
	// EnvSecretsBackend forces a backend: keyring or file. Otherwise the
	// keyring is used if it answers and no file is there yet.
	EnvSecretsBackend = "CLEW_SECRETS_BACKEND"
	// EnvSecretsKeyFile names a file with the age identity that the secrets
	// file is encrypted to, so that the key can live apart from the data.
	EnvSecretsKeyFile = "CLEW_SECRETS_KEY_FILE"
	// EnvSecretPrefix stands before the upper-cased name of a secret.
	EnvSecretPrefix = "CLEW_SECRET_"
)

// vendorVariables are what other programs call the same secrets.
var vendorVariables = func() map[string][]string {
	all := map[string][]string{}
	for _, v := range vendor.All() {
		if v.Secret != "" {
			all[v.Secret] = v.Env
		}
	}
	return all
}()

// A backend keeps secrets. delete of what is not there is no error.
type backend interface {
	name() string
	get(ctx context.Context, name string) (string, bool, error)
	set(ctx context.Context, name, value string) error
	delete(ctx context.Context, name string) error
	names(ctx context.Context) ([]string, error)
}

// SecretsOptions say where secrets are kept.
type SecretsOptions struct {
	Dir     string   // for the encrypted file
	Environ []string // as os.Environ gives it
	// Redactor learns every secret; nil for one of the store's own.
	Redactor *Redactor
	Log      *slog.Logger
}

// Secrets keeps secrets apart from all other data: in the system's keyring, or
// encrypted in a file. What is not stored is looked for in the environment,
// which is never written. It is safe for concurrent use.
type Secrets struct {
	backend  backend
	env      map[string]string
	redactor *Redactor
}

// OpenSecrets chooses the backend. It does not hang if there is a keyring that
// does not answer.
func OpenSecrets(ctx context.Context, opts SecretsOptions) (*Secrets, error) {
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	if opts.Redactor == nil {
		opts.Redactor = NewRedactor()
	}
	env := environment(opts.Environ)
	s := &Secrets{env: env, redactor: opts.Redactor}
	for name, value := range env {
		if strings.HasPrefix(name, EnvSecretPrefix) {
			s.redactor.Add(value)
		}
	}
	for _, variables := range vendorVariables {
		for _, name := range variables {
			s.redactor.Add(env[name])
		}
	}
	var err error
	s.backend, err = chooseBackend(ctx, opts, env)
	if err != nil {
		return nil, err
	}
	opts.Log.Info("secrets", "backend", s.backend.name())
	return s, nil
}

func chooseBackend(ctx context.Context, opts SecretsOptions, env map[string]string) (backend, error) {
	file := newSecretFile(opts.Dir, env[EnvSecretsKeyFile], opts.Redactor)
	switch env[EnvSecretsBackend] {
	case "file":
		return file, file.check()
	case "keyring":
		ring := newKeyring()
		if err := ring.probe(ctx, env); err != nil {
			return nil, clew.WrapError(clew.Unavailable, err, "the system's keyring does not answer")
		}
		return ring, nil
	case "":
	default:
		return nil, clew.Errorf(clew.SettingsInvalid, "%s must be keyring or file", EnvSecretsBackend)
	}
	// Once there is a file, it stays: a keyring that answers today and not
	// tomorrow must not make secrets come and go.
	if env[EnvSecretsKeyFile] != "" || file.exists() {
		return file, file.check()
	}
	ring := newKeyring()
	if err := ring.probe(ctx, env); err != nil {
		opts.Log.Debug("no keyring", "err", err)
		return file, file.check()
	}
	return ring, nil
}

// Backend says where secrets are kept: keyring or file.
func (s *Secrets) Backend() string { return s.backend.name() }

// Redactor knows every secret that the store has handed out.
func (s *Secrets) Redactor() *Redactor { return s.redactor }

// Get gives a secret, from the environment if it is not stored.
func (s *Secrets) Get(ctx context.Context, name string) (string, bool, error) {
	return s.get(ctx, name, true)
}

// Own is Get without the variables that vendors' own programs read: a key that
// was put there for the vendor is for nobody else.
func (s *Secrets) Own(ctx context.Context, name string) (string, bool, error) {
	return s.get(ctx, name, false)
}

func (s *Secrets) get(ctx context.Context, name string, vendors bool) (string, bool, error) {
	if err := CheckSecretName(name); err != nil {
		return "", false, err
	}
	value, found, err := s.backend.get(ctx, name)
	if err != nil {
		return "", false, unavailable(err, "the secret could not be read")
	}
	if !found {
		value, found = s.fromEnvironment(name, vendors)
	}
	if found {
		s.redactor.Add(value)
	}
	return value, found, nil
}

func (s *Secrets) fromEnvironment(name string, vendors bool) (string, bool) {
	variable, found := s.variable(name, vendors)
	return s.env[variable], found
}

// variable names the variable that has a secret.
func (s *Secrets) variable(name string, vendors bool) (string, bool) {
	variables := []string{EnvSecretPrefix + variableName(name)}
	if vendors {
		variables = append(variables, vendorVariables[name]...)
	}
	for _, variable := range variables {
		if s.env[variable] != "" {
			return variable, true
		}
	}
	return "", false
}

// Source says whether there is a secret, and names the variable of the environment
// that has it, "" if it is stored. Without vendors it looks where Own does.
func (s *Secrets) Source(ctx context.Context, name string, vendors bool) (variable string, found bool, err error) {
	if err := CheckSecretName(name); err != nil {
		return "", false, err
	}
	if _, found, err = s.backend.get(ctx, name); err != nil {
		return "", false, unavailable(err, "the secret could not be read")
	}
	if found {
		return "", true, nil
	}
	variable, found = s.variable(name, vendors)
	return variable, found, nil
}

// Variable names the variable of the environment that has a secret, whether or not one
// is stored.
func (s *Secrets) Variable(name string) (string, bool) { return s.variable(name, true) }

// Set stores a secret.
func (s *Secrets) Set(ctx context.Context, name, value string) error {
	if err := CheckSecretName(name); err != nil {
		return err
	}
	if err := checkSecretValue(value); err != nil {
		return err
	}
	s.redactor.Add(value)
	return unavailable(s.backend.set(ctx, name, value), "the secret could not be stored")
}

// Delete removes a stored secret. One of the environment stays.
func (s *Secrets) Delete(ctx context.Context, name string) error {
	if err := CheckSecretName(name); err != nil {
		return err
	}
	return unavailable(s.backend.delete(ctx, name), "the secret could not be deleted")
}

// Names lists all secrets, stored ones and those of the environment, sorted.
func (s *Secrets) Names(ctx context.Context) ([]string, error) {
	names, err := s.backend.names(ctx)
	if err != nil {
		return nil, unavailable(err, "the secrets could not be listed")
	}
	for name, value := range s.env {
		short, ok := strings.CutPrefix(name, EnvSecretPrefix)
		if ok && value != "" && CheckSecretName(strings.ToLower(short)) == nil {
			names = append(names, strings.ToLower(short))
		}
	}
	for name, variables := range vendorVariables {
		if slices.ContainsFunc(variables, func(v string) bool { return s.env[v] != "" }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func unavailable(err error, message string) error {
	if err == nil {
		return nil
	}
	var e *clew.Error
	if errors.As(err, &e) {
		return err
	}
	return clew.WrapError(clew.Unavailable, err, "%s", message)
}

func variableName(name string) string {
	return strings.NewReplacer(".", "_", "-", "_").Replace(strings.ToUpper(name))
}

func environment(environ []string) map[string]string {
	env := map[string]string{}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		env[name] = value
	}
	return env
}
