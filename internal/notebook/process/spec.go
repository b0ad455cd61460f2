package process

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// The largest kernelspec that is read, and how many of a directory.
const (
	maxSpec  = 64 << 10
	maxSpecs = 200
)

// A kernelspec is the file kernel.json of Jupyter.
type kernelspec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	Env           map[string]string `json:"env"`
	InterruptMode string            `json:"interrupt_mode"`
}

// addSpecs takes the kernelspecs of a directory.
func (f *finder) addSpecs(ctx context.Context, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for i, e := range entries {
		if i == maxSpecs {
			return
		}
		resources := filepath.Join(dir, e.Name())
		spec, err := readSpec(filepath.Join(resources, "kernel.json"))
		if err != nil {
			continue // not a kernelspec, or not one that anybody could start
		}
		f.add(f.spec(ctx, strings.ToLower(e.Name()), resources, spec))
	}
}

func readSpec(name string) (spec kernelspec, err error) {
	file, err := os.Open(name)
	if err != nil {
		return spec, err
	}
	defer func() { _ = file.Close() }()
	b, err := io.ReadAll(io.LimitReader(file, maxSpec+1))
	if err == nil && len(b) > maxSpec {
		err = errors.New("too large")
	}
	if err == nil {
		err = json.Unmarshal(b, &spec)
	}
	if err == nil && len(spec.Argv) == 0 {
		err = errors.New("no argv")
	}
	return spec, err
}

// spec makes a kernel of a kernelspec.
func (f *finder) spec(ctx context.Context, name, resources string, k kernelspec) Spec {
	prefix := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(resources)))) // PREFIX/share/jupyter/kernels/NAME
	s := Spec{Name: name, Display: k.DisplayName, Language: strings.ToLower(k.Language), Interrupt: InterruptSignal, Env: k.Env}
	if k.InterruptMode == InterruptMessage {
		s.Interrupt = InterruptMessage
	}
	if s.Display == "" {
		s.Display = name
	}
	words := strings.NewReplacer("{resource_dir}", resources, "{prefix}", prefix)
	for _, word := range k.Argv {
		s.Argv = append(s.Argv, words.Replace(word))
	}
	program := s.Argv[0]
	switch own := filepath.Join(prefix, "bin", program); {
	case filepath.IsAbs(program):
	case !strings.ContainsRune(program, filepath.Separator) && executable(own):
		program = own // as Jupyter does, whose "python" is its own
	default:
		program = f.onPath(program)
	}
	s.FromWorkspace = f.inWorkspace(resources) || program != "" && f.inWorkspace(program)
	if program == "" || !executable(program) {
		s.Missing = s.Argv[0] + " is not there; install it, or remove the kernelspec in " + resources
		return s
	}
	s.Argv[0] = program
	s.Read = f.outside(resources, filepath.Dir(filepath.Dir(program)))
	if s.Language == "python" && !s.FromWorkspace && isPython(program) {
		if p := inspect(ctx, program, f.Environ); p.Executable != "" {
			f.equip(&s, p)
		}
	} else if real, err := filepath.EvalSymlinks(program); err == nil && !s.FromWorkspace {
		s.Read = f.outside(append(s.Read, filepath.Dir(filepath.Dir(real)))...)
	} else if s.FromWorkspace {
		s.Read = f.outside(base(program)...)
	}
	return s
}
