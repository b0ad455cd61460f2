package server

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/clew-run/clew/internal/project"
	"github.com/clew-run/clew/internal/settings"
)

// personal is a file in the folder where the person who runs the server keeps what
// agents shall know, "" without a home.
func (c Config) personal(name string) string {
	if dir := c.getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "clew", name)
	}
	if home := c.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "clew", name)
	}
	return ""
}

func (c Config) getenv(name string) string {
	for _, pair := range c.environ() {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// personalSkills are the skills of the person who runs the server.
func (c Config) personalSkills(log *slog.Logger) project.Folder {
	home := c.getenv("HOME")
	if !filepath.IsAbs(home) {
		return project.Folder{}
	}
	files, err := settings.ReadHome(os.DirFS(home), project.SkillFolders...)
	if err != nil {
		log.Warn("skills of the person who runs the server", "err", err)
	}
	return project.Folder{Files: files, Label: "~/"}
}

// personalCommands are their commands.
func (c Config) personalCommands(log *slog.Logger) project.Folder {
	dir := c.personal("")
	if dir == "" {
		return project.Folder{}
	}
	files, err := settings.ReadHome(os.DirFS(dir), project.PersonalCommands)
	if err != nil {
		log.Warn("commands of the person who runs the server", "err", err)
	}
	return project.Folder{Files: files, Label: "~/.config/clew/"}
}

// HomeFaults lists the skills and commands of the person with this environment that
// are left out, and why.
func HomeFaults(environ []string) (list []string) {
	if environ == nil {
		return nil
	}
	c, quiet := Config{Environ: environ}, slog.New(slog.DiscardHandler)
	_, skills := project.Skills(c.personalSkills(quiet))
	_, commands := project.Commands(c.personalCommands(quiet))
	for _, f := range append(skills, commands...) {
		list = append(list, f.String())
	}
	return list
}
