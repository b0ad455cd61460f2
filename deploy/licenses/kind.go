package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// allowed are the licences that parts of clew may have: whoever passes the program
// on has to bring their texts, and need not give away anything of their own.
var allowed = []string{
	"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC-BY-4.0", "CC0-1.0",
	"ISC", "MIT", "MPL-2.0", "OFL-1.1", "Public-Domain", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "Zlib",
}

// known tells licences by words that each has and no other. What is not allowed is
// here too where it could stand beside a text that is, so that it does not hide.
var known = []struct{ kind, words string }{
	{"AGPL", `gnu affero general public license version`},
	{"Apache-2.0", `apache license,? version 2\.0`},
	{"BSD-4-Clause", `all advertising materials mentioning`},
	{"BSD-3-Clause", `redistribution and use in source and binary forms.*may be used to endorse`},
	{"BSD-2-Clause", `redistribution and use in source and binary forms`},
	{"BSL-1.0", `boost software license - version 1\.0`},
	{"BUSL", `business source license`},
	{"CC-BY-4.0", `creative commons attribution 4\.0`},
	{"CC-BY with conditions", `creative commons attribution-`},
	{"CC0-1.0", `cc0 1\.0 universal`},
	{"CDDL", `common development and distribution license`},
	{"Commons-Clause", `commons clause`},
	{"EPL", `eclipse public license`},
	{"Elastic", `elastic license`},
	{"GPL", `gnu general public license version`},
	{"ISC", `permission to use, copy, modify,? and(/or)? distribute this software .*provided that the above copyright notice`},
	{"0BSD", `permission to use, copy, modify,? and(/or)? distribute this software`},
	{"JSON", `shall be used for good, not evil`},
	{"LGPL", `gnu (lesser|library) general public license version`},
	{"MIT", `permission is hereby granted, free of charge, to any person obtaining a copy`},
	{"MPL-2.0", `mozilla public license,? version 2\.0`},
	{"OFL-1.1", `sil open font license version 1\.1`},
	{"Public-Domain", `(has been dedicated|dedicated all of it) to the public domain`},
	{"SSPL", `server side public license`},
	{"Unicode-3.0", `unicode license v3`},
	{"Unicode-DFS-2016", `unicode, inc\. license agreement - data files and software`},
	{"Unlicense", `this is free and unencumbered software released into the public domain`},
	{"Zlib", `this software is provided 'as-is', without any express or implied warranty`},
}

// stronger names, for a licence, the one whose words hold its words too.
var stronger = map[string]string{"BSD-2-Clause": "BSD-3-Clause", "0BSD": "ISC"}

var patterns = func() []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, k := range known {
		list = append(list, regexp.MustCompile(k.words))
	}
	return list
}()

// kinds says which licences a text is, by their SPDX names. A file may hold several.
func kinds(text string) []string {
	// Quotes of Markdown and comments stand at the beginning of lines.
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(">*#", r) })
	text = strings.Join(words, " ")
	var found []string
	for i, k := range known {
		if patterns[i].MatchString(text) && !slices.Contains(found, stronger[k.kind]) {
			found = append(found, k.kind)
		}
	}
	return found
}

// declared gives the names in an SPDX expression. All of them are looked at, also of
// those that one may choose among.
func declared(expression string) []string {
	names := strings.FieldsFunc(expression, func(r rune) bool { return strings.ContainsRune("() ", r) })
	return slices.DeleteFunc(names, func(s string) bool { return s == "AND" || s == "OR" })
}

// check fails for a licence that is not allowed.
func check(kinds []string) error {
	for _, k := range kinds {
		if !slices.Contains(allowed, k) {
			return fmt.Errorf("its licence, %s, is not among those that parts of clew may have", k)
		}
	}
	return nil
}
