#!/bin/sh
# Walks through README's first five minutes and fails at the first step that
# does not do what it says: build, demo, run, watch, kill the server, go on with
# another one, take it back, verify. CLEW_PROGRAM names a program that is built
# already.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
server= watcher=
finish() {
	code=$?
	[ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	wait 2>/dev/null || true
	if [ $code -ne 0 ]; then
		echo "failed; the server's last words:" >&2
		clew serve logs -n 20 >&2 2>/dev/null || true
	fi
	clew serve stop >/dev/null 2>&1 || true
	rm -rf "$work"
	exit $code
}
trap finish EXIT

step() { echo "== $*"; }

# within SECONDS COMMAND...: runs the command until it succeeds.
within() {
	tries=$(($1 * 10))
	shift
	until "$@" >/dev/null 2>&1; do
		tries=$((tries - 1))
		if [ $tries -le 0 ]; then
			echo "gave up waiting for: $*" >&2
			return 1
		fi
		sleep 0.1
	done
}

# running: sets $url and $pid of the server in the background.
running() {
	clew serve status >"$work/status"
	url=$(sed -n 's/^A server runs at \(.*\) (pid .*/\1/p' "$work/status")
	pid=$(sed -n 's/.*(pid \([0-9]*\)).*/\1/p' "$work/status")
}

# once TEXT: the watcher has shown what was said exactly once.
once() { [ "$(grep -c "^> $1\$" "$work/watch.out")" -eq 1 ]; }

step "build"
mkdir -p "$work/bin" "$work/home" "$work/project"
if [ -n "${CLEW_PROGRAM:-}" ]; then
	cp "$CLEW_PROGRAM" "$work/bin/clew"
else
	go build -o "$work/bin/clew" ./cmd/clew
fi
# A clean machine: an empty home, and nothing of ours in the environment.
unset CI CLEW_AUTOSTART CLEW_DATA CLEW_SERVER CLEW_TOKEN CLEW_CONFIG CLEW_SOCKET XDG_DATA_HOME DISPLAY WAYLAND_DISPLAY BROWSER
export HOME="$work/home" PATH="$work/bin:$PATH" CLEW_LISTEN=127.0.0.1:0
cd "$work/project"
began=$(date +%s)

step "doctor"
clew doctor | tail -n 1

step "demo"
clew demo --fast --no-open --listen 127.0.0.1:0 >"$work/demo.out" 2>"$work/demo.err" &
server=$!
within 60 grep -q 'The agent asks' "$work/demo.err"
kill -TERM "$server" # Ctrl-C does not reach what a script runs in the background
wait "$server"
server=

step "run, which starts a server"
clew run -q --model echo 'hello' | tee "$work/answer"
grep -q 'You said: hello' "$work/answer"
echo "the first task was done $(($(date +%s) - began)) s after the first command"
session=$(clew ls | awk 'NR == 2 { print $1 }')

step "nobody gets in without the token"
running
echo "$url"
status=$(curl -s -o /dev/null -w '%{http_code}' "$url/api/v1/sessions")
[ "$status" = 401 ]

step "watch"
clew attach --plain "$session" </dev/null >"$work/watch.out" 2>&1 &
watcher=$!
within 30 once hello

step "kill -9"
kill -9 "$pid"

step "go on: another server starts, on another port"
clew run -q -c 'hello again' # goes on in the session of this directory
within 60 once 'hello again'
once hello

step "take it back, and forth"
clew rewind -1 --yes >"$work/rewind.out"
if clew show | grep -q 'hello again'; then
	echo "it was not taken back" >&2
	exit 1
fi
clew undo >>"$work/rewind.out"
clew show "$session" | grep -q 'user  hello again'

step "stop, and verify"
kill "$watcher"
wait "$watcher" 2>/dev/null || true
watcher=
clew serve stop
clew doctor | tail -n 3
echo "all steps passed"
