package ipynb

import (
	"bytes"
	"slices"
	"strings"
)

// A rule says whether a value of metadata that the schema knows fits it.
type rule func(value []byte) bool

var (
	notebookRules = map[string]rule{
		"kernelspec":    objectOf(map[string]rule{"name": isText, "display_name": isText}, "name", "display_name"),
		"language_info": objectOf(languageRules, "name"),
		"title":         isText,
		"authors":       isList,
	}
	languageRules = map[string]rule{
		"name": isText, "file_extension": isText, "mimetype": isText, "pygments_lexer": isText,
		"codemirror_mode": func(v []byte) bool { return isText(v) || isObject(v) },
	}
	cellRules = map[CellType]map[string]rule{
		Code: {
			"name": isName, "tags": areTags, "jupyter": isObject, "execution": areTexts,
			"collapsed": isBool, "scrolled": func(v []byte) bool { return isBool(v) || string(v) == `"auto"` },
		},
		Markdown: {"name": isName, "tags": areTags, "jupyter": isObject},
		Raw:      {"name": isName, "tags": areTags, "jupyter": isObject, "format": isText},
	}
)

// What nbformat takes out whenever it reads or writes: it is of one opening of a file.
var (
	notebookTransient = []string{"orig_nbformat", "orig_nbformat_minor", "signature"}
	cellTransient     = []string{"trusted"}
)

func objectOf(rules map[string]rule, required ...string) rule {
	return func(value []byte) bool {
		if !isObject(value) {
			return false
		}
		missing := len(required)
		for key, v := range members(value) {
			if r, known := rules[key]; known && !r(v) {
				return false
			}
			for _, name := range required {
				if key == name {
					missing--
				}
			}
		}
		return missing == 0
	}
}

func isBool(value []byte) bool { return string(value) == "true" || string(value) == "false" }

func isName(value []byte) bool {
	return isText(value) && len(value) > 2 && !bytes.ContainsRune(unquote(value), '\n')
}

func areTags(value []byte) bool {
	if !isTexts(value) {
		return false
	}
	seen := map[string]bool{}
	for v := range elements(value) {
		tag := string(unquote(v))
		if tag == "" || strings.ContainsRune(tag, ',') || seen[tag] || len(seen) == maxTags {
			return false
		}
		seen[tag] = true
	}
	return true
}

// maxTags bounds what a cell's tags need while they are compared.
const maxTags = 10_000

func areTexts(value []byte) bool {
	if !isObject(value) {
		return false
	}
	for _, v := range members(value) {
		if !isText(v) {
			return false
		}
	}
	return true
}

// tidyNotebook leaves out what a file must not have. A kernel without a name to show is
// shown by its name: to forget it would run the notebook with another one.
func (m Metadata) tidyNotebook() {
	if spec := m["kernelspec"]; isObject(spec) {
		has := fields(spec, "name", "display_name")
		if isText(has["name"]) && has["display_name"] == nil {
			fixed := slices.Concat([]byte(`{"display_name":`), has["name"], []byte(","), spec[1:])
			if sorted, err := canonical(fixed, Default, 0); err == nil {
				m["kernelspec"] = sorted
			}
		}
	}
	m.tidy(notebookRules, notebookTransient)
}

func (m Metadata) tidyCell(t CellType) { m.tidy(cellRules[t], cellTransient) }

func (m Metadata) tidy(rules map[string]rule, transient []string) {
	for key, fits := range rules {
		if value, ok := m[key]; ok && !fits(value) {
			delete(m, key)
		}
	}
	for _, key := range transient {
		delete(m, key)
	}
}
