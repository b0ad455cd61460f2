package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

const (
	mit    = "Permission is hereby granted, free of charge, to any person obtaining a copy of\nthis software"
	bsd2   = "Redistribution and use in source and\nbinary forms, with or without modification, are permitted"
	bsd3   = bsd2 + "\nNeither the name of X nor its contributors may be used\n  to endorse"
	isc    = "Permission to use, copy, modify, and/or distribute this software for any\npurpose is granted, provided that the above copyright notice"
	gpl    = "GNU GENERAL PUBLIC LICENSE\n   Version 3, 29 June 2007"
	quoted = "> Permission is hereby granted, free of charge, to any\n> person obtaining a copy"
)

func TestKinds(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{mit, "MIT"},
		{quoted, "MIT"},
		{bsd2, "BSD-2-Clause"},
		{bsd3, "BSD-3-Clause"},
		{isc, "ISC"},
		{strings.TrimSuffix(isc, "provided that the above copyright notice"), "0BSD"},
		{"                Apache License\n          Version 2.0, January 2004", "Apache-2.0"},
		{mit + "\n\n---\n\nLicensed under the Apache License, Version 2.0", "Apache-2.0 MIT"},
		{"Mozilla Public License Version 2.0\n… the GNU General Public License, Version 2.0, the GNU Lesser General", "MPL-2.0"},
		{unlicense, "Unlicense"},
		{"Creative Commons Attribution 4.0 International", "CC-BY-4.0"},
		{gpl, "GPL"},
		{mit + "\n“Commons Clause” License Condition v1.0\nThe Commons Clause says", "Commons-Clause MIT"},
		{"All rights reserved.", ""},
		{"", ""},
	} {
		if got := strings.Join(kinds(c.text), " "); got != c.want {
			t.Errorf("%q is %q, not %q", c.text, got, c.want)
		}
	}
}

// clew's own licence is known for what it is.
func TestOwnLicence(t *testing.T) {
	text, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if got := kinds(string(text)); !slices.Equal(got, []string{"Apache-2.0"}) {
		t.Errorf("got %q", got)
	}
}

func TestAllowed(t *testing.T) {
	for expression, ok := range map[string]bool{
		"MIT": true, "": true, "(MPL-2.0 OR Apache-2.0)": true, "MIT AND Zlib": true,
		"GPL-3.0-only": false, "(MIT OR GPL-2.0-or-later)": false, "SEE LICENSE IN LICENSE": false, "UNLICENSED": false,
	} {
		if err := check(declared(expression)); (err == nil) != ok {
			t.Errorf("%q: %v", expression, err)
		}
	}
	for _, name := range allowed { // else no text could be told to be it
		if !slices.ContainsFunc(known, func(k struct{ kind, words string }) bool { return k.kind == name }) {
			t.Errorf("%s is allowed, but nobody knows its text", name)
		}
	}
}
