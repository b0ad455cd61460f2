package files

import (
	"path"
	"slices"
	"strings"
)

// secretDirs are directories, anywhere in the workspace, whose files are keys or
// passwords.
var secretDirs = []string{".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud", ".secrets"}

// secretFiles are names of files that usually hold keys or passwords.
var secretFiles = []string{
	".env", ".envrc", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".my.cnf", ".git-credentials", ".npmrc", ".pypirc", ".htpasswd",
	".dockercfg", ".vault-token", ".s3cfg", ".boto", ".terraformrc", "terraform.rc", "terraform.tfvars", "kubeconfig",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "master.key",
	"credentials", "credentials.json", "credentials.toml", "credentials.yml", "credentials.yaml",
	"client_secret.json", "service-account.json", "service_account.json", "serviceaccountkey.json",
	"secret.json", "secret.yml", "secret.yaml", "secret.toml", "secrets.json", "secrets.yml", "secrets.yaml", "secrets.toml", "secrets.env",
}

// secretEndings are endings of files of keys, and of what keeps them.
var secretEndings = []string{
	".pem", ".key", ".p12", ".pfx", ".p8", ".jks", ".keystore", ".kdbx", ".ppk", ".tfstate", ".tfstate.backup", ".auto.tfvars", ".env",
}

// samples are endings of files that show how such a file looks.
var samples = []string{".example", ".sample", ".template", ".dist", ".tmpl"}

// holdsSecrets judges a path without links by its name: whether reading it is asked
// about though reading is allowed. Case does not count, nor does what some file
// systems drop from the end of a name.
func holdsSecrets(real string) bool {
	parts := strings.Split(strings.ToLower(real), "/")
	for i := range parts {
		parts[i] = strings.TrimRight(parts[i], " .")
	}
	if slices.ContainsFunc(parts, func(c string) bool { return slices.Contains(secretDirs, c) }) {
		return true
	}
	name := path.Base(strings.Join(parts, "/"))
	if i := slices.IndexFunc(parts, isGit); i >= 0 && (name == "config" || name == "config.worktree") {
		return true // addresses in there may have a password
	}
	if slices.ContainsFunc(samples, func(end string) bool { return strings.HasSuffix(name, end) }) {
		return false
	}
	return slices.Contains(secretFiles, name) || strings.HasPrefix(name, ".env.") ||
		slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(name, end) })
}

// secret reports whether a place holds secrets, by either of its names.
func (p place) secret() bool { return holdsSecrets(p.asked) || holdsSecrets(p.real) }

// Guards says how a path of a workspace is kept from commands that nobody was asked
// about: a secret is hidden, and what is protected otherwise cannot be changed. Git's
// own folder is looked after by the sandbox.
func Guards(real string) (hide, readOnly bool) {
	if parts := strings.Split(strings.ToLower(real), "/"); slices.ContainsFunc(parts, isGit) {
		return false, false
	}
	return holdsSecrets(real), guardOf(real) != guardNone
}
