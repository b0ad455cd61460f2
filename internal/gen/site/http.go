package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

type openAPI struct {
	Tags  []struct{ Name, Description string }
	Paths map[string]map[string]operation
	Info  struct{ Description string }

	Components struct{ Schemas map[string]schema }
}

type operation struct {
	Summary, Description string
	Tags                 []string
	Parameters           []struct {
		Name, In, Description string
		Required              bool
		Schema                schema
	}
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema schema }
	}
	Responses map[string]struct {
		Description string
		Content     map[string]struct{ Schema schema }
	}
	Security []map[string][]string
}

const httpTypes = "types.md"

// httpPages writes a page for each group of routes.
func (s *site) httpPages(document []byte) (section, error) {
	nav := section{title: "HTTP API"}
	var doc openAPI
	if err := json.Unmarshal(document, &doc); err != nil {
		return nav, fmt.Errorf("OpenAPI: %w", err)
	}
	index := "# HTTP API\n\nEvery route of a server, made of its [OpenAPI document](../../openapi.json), which the server gives at `/openapi.json`.\n" +
		"Send credentials as `Authorization: Bearer TOKEN`. An error is a [Problem](types.md#problem).\n\n| Route | |\n|---|---|\n"
	for _, tag := range doc.Tags {
		name := strings.ToLower(strings.ReplaceAll(tag.Name, " ", "-")) + ".md"
		page := fmt.Sprintf("# %s over HTTP\n\n%s A field or parameter with `?` is optional.\n", tag.Name, tag.Description)
		for _, route := range doc.routes(tag.Name) {
			page += fmt.Sprintf("\n## %s { #%s }\n\n%s", route.title(), route.anchor(), route.text(doc))
			index += fmt.Sprintf("| [`%s`](%s#%s) | %s |\n", route.title(), name, route.anchor(), cell(route.op.Summary))
		}
		s.files["api/http/"+name] = []byte(page)
		nav.pages = append(nav.pages, link{tag.Name, "api/http/" + name})
	}
	s.files["api/http/index.md"] = []byte(index)
	s.files["api/http/types.md"] = []byte(typesPage("Types of the HTTP API", "What bodies consist of. A field with `?` is optional.", doc.Components.Schemas))
	nav.pages = append([]link{{"All routes", "api/http/index.md"}}, append(nav.pages, link{"Types", "api/http/types.md"})...)
	return nav, nil
}

type route struct {
	method, path string
	op           operation
}

var methods = []string{"get", "post", "put", "patch", "delete"}

// routes are those of a group, by path.
func (d openAPI) routes(tag string) []route {
	var all []route
	for path, ops := range d.Paths {
		for method, op := range ops {
			if slices.Contains(op.Tags, tag) {
				all = append(all, route{method, path, op})
			}
		}
	}
	slices.SortFunc(all, func(a, b route) int {
		if c := strings.Compare(a.path, b.path); c != 0 {
			return c
		}
		return slices.Index(methods, a.method) - slices.Index(methods, b.method)
	})
	return all
}

func (r route) title() string { return strings.ToUpper(r.method) + " " + r.path }

func (r route) anchor() string {
	return strings.Trim(strings.NewReplacer("/", "-", "{", "", "}", "", ".", "-").Replace(r.method+r.path), "-")
}

func (r route) text(doc openAPI) string {
	var b strings.Builder
	b.WriteString(r.op.Summary + "\n\n")
	if r.op.Description != "" {
		b.WriteString(r.op.Description + "\n\n")
	}
	if len(r.op.Security) == 0 {
		b.WriteString("Needs no credentials.\n\n")
	}
	if len(r.op.Parameters) > 0 {
		b.WriteString("| Parameter | In | Type | Meaning |\n|---|---|---|---|\n")
		for _, p := range r.op.Parameters {
			mark := "?"
			if p.Required {
				mark = ""
			}
			meaning := strings.Trim(p.Description+"; "+p.Schema.limits(), "; ")
			fmt.Fprintf(&b, "| `%s%s` | %s | %s | %s |\n", p.Name, mark, p.In, cell(p.Schema.words(httpTypes)), cell(meaning))
		}
		b.WriteByte('\n')
	}
	if body := r.op.RequestBody; body != nil {
		for kind, c := range body.Content {
			b.WriteString(doc.content("Body", kind, c.Schema))
		}
	}
	b.WriteString(r.answers(doc))
	return b.String()
}

// content is a body. One that has a type of its own only because it is a body stands
// where it belongs.
func (d openAPI) content(what, kind string, s schema) string {
	if kind != "application/json" {
		return fmt.Sprintf("**%s**: `%s`\n\n", what, kind)
	}
	if strings.HasSuffix(s.Ref, "Body") {
		s = d.Components.Schemas[s.name()]
	}
	if len(s.Properties) > 0 {
		return fmt.Sprintf("**%s**\n\n%s\n", what, s.fields(httpTypes))
	}
	return fmt.Sprintf("**%s**: %s\n\n", what, s.words(httpTypes))
}

// answers are what a route gives if all is well, and which errors.
func (r route) answers(doc openAPI) string {
	var b strings.Builder
	var errors []string
	var codes []string
	for code := range r.op.Responses {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		response := r.op.Responses[code]
		if code >= "4" {
			if code != "default" {
				errors = append(errors, code)
			}
			continue
		}
		what := "Answer " + code
		if len(response.Content) == 0 {
			fmt.Fprintf(&b, "**%s**: %s\n\n", what, response.Description)
		}
		for kind, c := range response.Content {
			b.WriteString(doc.content(what, kind, c.Schema))
		}
	}
	if len(errors) > 0 {
		fmt.Fprintf(&b, "**Errors**: %s, each a [Problem](%s#problem).\n", strings.Join(errors, ", "), httpTypes)
	}
	return b.String()
}
