package vendor

import (
	"os"
	"path/filepath"
	"slices"
)

// Credentials looks for a cloud's credentials on this machine: variables, and files
// below home. missing says what a person can do; it is "" if some are there, or if the
// vendor is no cloud. Those of a machine's own role are not seen, as only a call to the
// cloud would tell.
func (v Vendor) Credentials(getenv func(string) string, home string) (missing string) {
	var variables, files []string
	switch v.API {
	case Bedrock:
		variables = []string{
			"AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE",
			"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
		}
		files = []string{".aws/credentials", ".aws/config"}
		missing = "no AWS credentials found: aws configure"
	case Vertex:
		variables = []string{"GOOGLE_APPLICATION_CREDENTIALS"}
		files = []string{".config/gcloud/application_default_credentials.json"}
		missing = "no Google credentials found: gcloud auth application-default login"
	}
	if slices.ContainsFunc(variables, func(name string) bool { return getenv(name) != "" }) {
		return ""
	}
	if slices.ContainsFunc(files, func(name string) bool {
		_, err := os.Stat(filepath.Join(home, filepath.FromSlash(name)))
		return home != "" && err == nil
	}) {
		return ""
	}
	return missing
}
