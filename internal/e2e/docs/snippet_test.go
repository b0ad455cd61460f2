//go:build linux

package docs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/clew-run/clew/internal/e2e/proc"
)

// here is where a block stands in the hidden comment around it.
const here = "// here"

// Go in a page compiles: alone, or in the program of the hidden comment above it.
func TestGoCompiles(t *testing.T) {
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	var packages []string
	where := map[string]string{}
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.lang != "go" || strings.HasPrefix(b.run, "no, ") {
				continue
			}
			name := fmt.Sprintf("snippet%d", len(packages))
			file := filepath.Join(dir, name+".go")
			proc.Must(t, os.WriteFile(file, []byte(b.whole()), 0o600))
			overlay["Replace"][filepath.Join(proc.Root(), "internal/e2e/docs", name, "snippet.go")] = file
			packages = append(packages, "./internal/e2e/docs/"+name)
			where[name] = fmt.Sprintf("%s:%d", p.name, b.line)
		}
	}
	if len(packages) == 0 {
		t.Fatal("there is no Go")
	}
	text, err := json.Marshal(overlay)
	proc.Must(t, err)
	proc.Must(t, os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"build", "-overlay", filepath.Join(dir, "overlay.json")}, packages...)...)
	cmd.Dir = proc.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", where, err, out)
	}
}

// whole is the block in the program around it.
func (b block) whole() string {
	if before, after, ok := strings.Cut(b.around, here); ok {
		return before + b.text + after
	}
	return b.text
}

// TypeScript in a page has no mistakes of types, in the program of the comment above it.
func TestTypeScriptCompiles(t *testing.T) {
	web, src := filepath.Join(proc.Root(), "web"), filepath.Join(proc.Root(), "sdk", "typescript", "src")
	compiler := filepath.Join(web, "node_modules", ".bin", "tsc")
	if missing(t, "node") || missing(t, compiler) {
		t.Skip("web/node_modules is not here; make web/node_modules")
	}
	dir, installed := t.TempDir(), filepath.Join(web, "node_modules", "@types")
	where := map[string]string{}
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.lang != "ts" && b.lang != "tsx" || strings.HasPrefix(b.run, "no, ") {
				continue
			}
			name := fmt.Sprintf("snippet%d.%s", len(where), b.lang)
			where[name] = fmt.Sprintf("%s:%d", p.name, b.line)
			proc.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(b.whole()+"\nexport {};\n"), 0o600))
		}
	}
	config, err := json.Marshal(map[string]any{"include": []string{"*.ts", "*.tsx"}, "compilerOptions": map[string]any{
		"noEmit": true, "strict": true, "noImplicitAny": false, "skipLibCheck": true, "target": "ES2022", "module": "ESNext", "moduleResolution": "Bundler",
		"lib": []string{"ES2022", "DOM", "DOM.Iterable"}, "jsx": "react-jsx", "types": []string{"node"}, "typeRoots": []string{installed},
		"paths": map[string][]string{
			"@clew-run/client": {filepath.Join(src, "index.ts")}, "@clew-run/client/react": {filepath.Join(src, "react.ts")},
			"react": {filepath.Join(installed, "react")}, "react/*": {filepath.Join(installed, "react", "*")},
		},
	}})
	proc.Must(t, err)
	proc.Must(t, os.WriteFile(filepath.Join(dir, "tsconfig.json"), config, 0o600))
	cmd := exec.CommandContext(t.Context(), compiler, "-p", dir)
	cmd.Dir = web
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", where, err, out)
	}
}
