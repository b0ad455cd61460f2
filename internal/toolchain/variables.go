package toolchain

import (
	"slices"
	"strings"
)

// names are the variables that a person's terminal may hand to commands. Each
// says where a toolchain is or how it builds; none holds a secret.
var names = strings.Fields(`PATH LANG LC_ALL LC_CTYPE TZ
 GOROOT GOPATH GOBIN GOMODCACHE GOCACHE GOFLAGS GOTOOLCHAIN GOPRIVATE GONOSUMDB GOEXPERIMENT GOARCH GOOS CGO_ENABLED CC CXX CFLAGS CXXFLAGS LDFLAGS PKG_CONFIG_PATH
 RUSTUP_HOME RUSTUP_TOOLCHAIN CARGO_HOME CARGO_TARGET_DIR RUSTFLAGS
 NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH PNPM_HOME NODE_PATH NODE_ENV NODE_EXTRA_CA_CERTS COREPACK_HOME BUN_INSTALL DENO_DIR
 PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV UV_PYTHON UV_PROJECT_ENVIRONMENT UV_CACHE_DIR PYTHONPATH
 JAVA_HOME SDKMAN_DIR GRADLE_USER_HOME MAVEN_HOME M2_HOME KOTLIN_HOME ANDROID_HOME DOTNET_ROOT GEM_HOME RBENV_ROOT
 ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR HOMEBREW_PREFIX NIX_PROFILES
 SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE GIT_SSL_CAINFO`)

// maxValue is the longest value that passes.
const maxValue = 8 << 10

// Allowed reports whether a variable may pass from a person's terminal to
// commands: its name is on the list, and its value is one line of usual length
// with no user part in an address.
func Allowed(name, value string) bool {
	if !slices.Contains(names, name) || len(value) > maxValue || strings.ContainsAny(value, "\x00\n\r") {
		return false
	}
	for rest := value; ; {
		_, after, ok := strings.Cut(rest, "://")
		if !ok {
			return true
		}
		host := after
		if i := strings.IndexAny(after, "/ ?#"); i >= 0 {
			host = after[:i]
		}
		if strings.Contains(host, "@") {
			return false
		}
		rest = after
	}
}

// Filter gives what may pass of an environment, a list of NAME=value.
func Filter(environ []string) map[string]string {
	kept := map[string]string{}
	for _, kv := range environ {
		if name, value, ok := strings.Cut(kv, "="); ok && Allowed(name, value) {
			kept[name] = value
		}
	}
	return kept
}

// Checked gives what may pass of variables that somebody sent.
func Checked(env map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range env {
		if Allowed(name, value) {
			kept[name] = value
		}
	}
	return kept
}
