package cli

import "github.com/clew-run/clew/internal/cli/env"

// lookAtSkills names the skills and commands of this directory and of the person
// that are left out. Without any it says nothing.
func (x *doctor) lookAtSkills() {
	faults := env.HomeFaults(x.Environ)
	if folder, err := env.LookAt("."); err == nil {
		faults = append(folder.Faults, faults...)
	}
	for _, f := range faults {
		x.add(env.CheckOf("skills", env.CheckWarning, env.Plain(f), "mend it; docs/instructions.md says what a skill and a command have"))
	}
}
