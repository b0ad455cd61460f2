package limit

import "testing"

func TestLocate(t *testing.T) {
	const (
		v2        = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		hybrid    = "30 24 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro\n31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		container = "700 600 0:30 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n"
	)
	for _, c := range []struct{ mounts, groups, dir, path string }{
		{v2, "0::/system.slice/clew.service\n", "/sys/fs/cgroup/system.slice/clew.service", "/system.slice/clew.service"},
		{v2, "0::/\n", "/sys/fs/cgroup", "/"},
		{hybrid, "4:memory:/x\n0::/y\n", "/sys/fs/cgroup/unified/y", "/y"},
		{container, "0::/docker/abc\n", "/sys/fs/cgroup", "/docker/abc"},
		{container, "0::/docker/abc/server\n", "/sys/fs/cgroup/server", "/docker/abc/server"},
		{"31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/x\n0::/\n", "", ""},
		{hybrid, "4:memory:/x\n", "", ""},
	} {
		dir, path, err := locate(c.mounts, c.groups)
		if dir != c.dir || err == nil && path != c.path || (err != nil) != (c.dir == "") {
			t.Errorf("%q: %s, %s, %v", c.groups, dir, path, err)
		}
	}
}

// A plain name is read by people, another one is not part of a path.
func TestUserGroupNames(t *testing.T) {
	seen := map[string]bool{}
	for user, want := range map[string]string{"ann": "user-ann", "Ann-2_x": "user-Ann-2_x", "../x": "", "": "", "a.b": "", "a/b": "", "\x00": ""} {
		got := userGroup(user)
		if seen[got] || want != "" && got != want || want == "" && (len(got) != 21 || got[:5] != "user.") {
			t.Errorf("%q: %s", user, got)
		}
		seen[got] = true
	}
}
