package env

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// EnvPrefix begins the names of all variables that clew reads.
const EnvPrefix = "CLEW_"

// LoadConfig layers the configuration: defaults, then the file, then the
// environment, then the flags that were given. A key that the configuration
// does not have is an error in the file and ignored in the environment, where
// other programs' variables live too.
func (a *App) LoadConfig(configFile string, flags map[string]any) (Config, error) {
	cfg := DefaultConfig()
	data, err := a.defaultDataDir()
	if err != nil {
		return cfg, err
	}
	k := koanf.New(".")
	if err := k.Load(confmap.Provider(map[string]any{"data": data}, "."), nil); err != nil {
		return cfg, err
	}
	if configFile == "" {
		configFile = a.Getenv(EnvPrefix + "CONFIG")
	}
	if configFile != "" {
		if err := loadFile(k, configFile); err != nil {
			return cfg, err
		}
	}
	if err := k.Load(a.environment(), nil); err != nil {
		return cfg, err
	}
	if err := k.Load(confmap.Provider(flags, "."), nil); err != nil {
		return cfg, err
	}
	if err := decode(k, &cfg); err != nil {
		return cfg, &UsageError{fmt.Errorf("configuration: %w", err)}
	}
	return cfg, cfg.Absolute()
}

func loadFile(k *koanf.Koanf, name string) error {
	err := k.Load(file.Provider(name), yaml.Parser())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Usagef("no configuration file %s", name)
	case err != nil:
		return Usagef("configuration file %s: %w", name, err)
	}
	return nil
}

// environment maps CLEW_AUTH_QUERY_TOKEN to auth.query_token and so on. The
// keys are known, so an underscore inside a key is no riddle.
func (a *App) environment() *env.Env {
	known := map[string]string{EnvPrefix + "AUTH": "auth.mode"}
	for _, key := range configKeys(reflect.TypeFor[Config](), "") {
		known[EnvPrefix+strings.ToUpper(strings.ReplaceAll(key, ".", "_"))] = key
	}
	return env.Provider(".", env.Opt{
		Prefix:        EnvPrefix,
		EnvironFunc:   func() []string { return a.Environ },
		TransformFunc: func(name, value string) (string, any) { return known[name], value },
	})
}

// configKeys lists the keys of a configuration struct, "a.b" for nested ones.
func configKeys(t reflect.Type, prefix string) []string {
	var keys []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("koanf"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = strings.ToLower(f.Name)
		}
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, configKeys(f.Type, prefix+name+".")...)
			continue
		}
		keys = append(keys, prefix+name)
	}
	return keys
}

func decode(k *koanf.Koanf, cfg *Config) error {
	return k.UnmarshalWithConf("", cfg, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		DecodeHook: mapstructure.ComposeDecodeHookFunc(
			mapstructure.StringToTimeDurationHookFunc(),
			mapstructure.StringToSliceHookFunc(","),
			mapstructure.TextUnmarshallerHookFunc()),
		WeaklyTypedInput: true,
		ErrorUnused:      true,
	}})
}

// defaultDataDir is where a person's data lives unless said otherwise.
func (a *App) defaultDataDir() (string, error) {
	if dir := a.Getenv(EnvPrefix + "DATA"); dir != "" {
		return dir, nil
	}
	if dir := a.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "clew"), nil
	}
	home := a.Getenv("HOME")
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", Usagef("no home directory: give --data or set CLEW_DATA")
		}
	}
	return filepath.Join(home, ".local", "share", "clew"), nil
}
