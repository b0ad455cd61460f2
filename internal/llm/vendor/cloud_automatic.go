package vendor

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// A Place is where a cloud serves models for the credentials that a variable names.
type Place struct {
	Variable        string
	Region, Project string
}

// Variables are those that say how a cloud is called.
func (v Vendor) Variables() []string {
	switch v.API {
	case Bedrock:
		return []string{
			bedrockKey, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
			"AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE",
		}
	case Vertex:
		return []string{googleFile, "ANTHROPIC_VERTEX_PROJECT_ID", "GOOGLE_CLOUD_PROJECT", "CLOUD_ML_REGION", "GOOGLE_CLOUD_LOCATION"}
	}
	return nil
}

const (
	bedrockKey = "AWS_BEARER_TOKEN_BEDROCK"
	googleFile = "GOOGLE_APPLICATION_CREDENTIALS"
)

// Chosen finds the credentials that somebody put into the environment for a cloud, with
// what a call needs beside them. It looks at variables and at the files that they name,
// and calls nobody: what only the cloud could tell does not count, nor do files that are
// there for other programs.
func (v Vendor) Chosen(getenv func(string) string, home string) (Place, bool) {
	switch v.API {
	case Bedrock:
		return chosenAWS(getenv, home)
	case Vertex:
		return chosenGoogle(getenv)
	}
	return Place{}, false
}

func chosenAWS(getenv func(string) string, home string) (Place, bool) {
	p := Place{Region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION"))}
	profile := getenv("AWS_PROFILE")
	switch {
	case getenv(bedrockKey) != "":
		p.Variable = bedrockKey
	case getenv("AWS_ACCESS_KEY_ID") != "" && getenv("AWS_SECRET_ACCESS_KEY") != "":
		p.Variable = "AWS_ACCESS_KEY_ID"
	case profile != "":
		title := "profile " + profile
		if profile == "default" {
			title = profile
		}
		config := section(cmp.Or(getenv("AWS_CONFIG_FILE"), filepath.Join(home, ".aws", "config")), title)
		keys := section(cmp.Or(getenv("AWS_SHARED_CREDENTIALS_FILE"), filepath.Join(home, ".aws", "credentials")), profile)
		if config == nil && keys == nil {
			return Place{}, false
		}
		p.Variable, p.Region = "AWS_PROFILE", cmp.Or(p.Region, config["region"], keys["region"])
	}
	return p, p.Variable != "" && p.Region != ""
}

// section reads a part of one of Amazon's files, nil if there is none.
func section(file, name string) map[string]string {
	text, err := os.ReadFile(file) //nolint:gosec // the person's own file, where Amazon's programs look for it
	if err != nil {
		return nil
	}
	var found map[string]string
	here := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "["); ok {
			title, _, _ = strings.Cut(title, "]")
			if here = strings.Join(strings.Fields(title), " ") == name; here && found == nil {
				found = map[string]string{}
			}
			continue
		}
		if key, value, ok := strings.Cut(line, "="); ok && here {
			found[strings.TrimSpace(key)] = strings.TrimSpace(value)
		}
	}
	return found
}

func chosenGoogle(getenv func(string) string) (Place, bool) {
	text, err := os.ReadFile(getenv(googleFile))
	if err != nil {
		return Place{}, false
	}
	var file struct {
		Project string `json:"project_id"`
	}
	if json.Unmarshal(text, &file) != nil {
		return Place{}, false
	}
	p := Place{
		Variable: googleFile, Region: cmp.Or(getenv("CLOUD_ML_REGION"), getenv("GOOGLE_CLOUD_LOCATION")),
		Project: cmp.Or(getenv("ANTHROPIC_VERTEX_PROJECT_ID"), getenv("GOOGLE_CLOUD_PROJECT"), file.Project),
	}
	return p, p.Project != ""
}
