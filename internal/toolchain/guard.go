package toolchain

import (
	"path/filepath"
	"slices"
)

// secrets are the places below a home where programs keep what nobody else may
// read.
var secrets = []string{
	".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".config", ".mozilla", ".netrc", ".npmrc", ".yarnrc", ".yarnrc.yml",
	".pypirc", ".git-credentials", ".vault-token", ".bash_history", ".zsh_history", ".m2/settings.xml", ".m2/settings-security.xml",
	".cargo/credentials", ".cargo/credentials.toml", ".cargo/config.toml", ".gem/credentials", ".gradle/gradle.properties", ".sdkman/etc",
	".local/share/keyrings", ".local/share/clew", ".nuget/NuGet", ".npm/_logs", ".cache/mozilla", ".terraform.d",
}

// ours are the directories that belong to the system or to clew.
var ours = []string{"/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/tmp", "/var"}

// shareable reports whether a real directory or file may be shown to commands: a
// leaf that holds no home and no credentials, and is in none.
func (s *search) shareable(path string) bool {
	if !filepath.IsAbs(path) || path == "/" || slices.Contains(systemDirs, path) || slices.Contains([]string{"/home", "/root", "/opt", "/srv", "/mnt", "/media", "/Users"}, path) {
		return false
	}
	if workspace, err := filepath.EvalSymlinks(s.Workspace); within(s.Workspace, path) && s.Workspace != "" || err == nil && within(workspace, path) {
		return false // an agent could have made it look like a toolchain
	}
	if s.Home == "" {
		return !slices.ContainsFunc(ours, func(dir string) bool { return within(path, dir) })
	}
	homes := []string{s.Home}
	if real, err := filepath.EvalSymlinks(s.Home); err == nil && real != s.Home {
		homes = append(homes, real)
	}
	below := false
	for _, home := range homes {
		if within(home, path) {
			return false
		}
		below = below || within(path, home)
		for _, name := range secrets {
			if secret := filepath.Join(home, name); within(path, secret) || within(secret, path) {
				return false
			}
		}
		for _, name := range []string{".cargo", ".npm", ".m2", ".config", ".cache", ".local", ".local/share", ".local/bin"} {
			if path == filepath.Join(home, name) {
				return false
			}
		}
	}
	return below || !slices.ContainsFunc(ours, func(dir string) bool { return within(path, dir) })
}
