// Package jupytertest finds the Python with Jupyter's kernel, for tests that hold clew
// against the real one.
package jupytertest

import (
	"bytes"
	"os"
	"os/exec"
	"testing"
)

// Variable names the Python to use. `.ci/run` sets it to one with the packages of
// tools/jupyter/requirements.txt.
const Variable = "CLEW_TEST_PYTHON"

// Python gives the path of a Python that can import ipykernel: the one that
// CLEW_TEST_PYTHON names, else python3. Without one the test is skipped, and fails in CI.
func Python(t testing.TB) string {
	t.Helper()
	path, why := find(os.Getenv(Variable), usable)
	switch {
	case why == "":
	case os.Getenv(Variable) != "" || os.Getenv("CI") != "":
		t.Fatalf("%s; install tools/jupyter/requirements.txt and set %s", why, Variable)
	default:
		t.Skipf("%s; tests with Jupyter need %s", why, Variable)
	}
	return path
}

// Run runs a program of that Python and gives what it prints. It leaves nothing behind.
func Run(t testing.TB, program string, input []byte) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), Python(t), "-c", program)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "IPYTHONDIR="+cmd.Dir, "JUPYTER_RUNTIME_DIR="+cmd.Dir, "MPLCONFIGDIR="+cmd.Dir)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.Bytes())
	}
	return out
}

// find gives the path of a usable Python, or says why there is none.
func find(named string, usable func(path string) bool) (path, why string) {
	name := named
	if name == "" {
		name = "python3"
	}
	path, err := exec.LookPath(name)
	switch {
	case err != nil:
		return "", "there is no " + name
	case !usable(path):
		return "", path + " cannot import ipykernel"
	}
	return path, ""
}

func usable(path string) bool { return exec.Command(path, "-c", "import ipykernel").Run() == nil }
