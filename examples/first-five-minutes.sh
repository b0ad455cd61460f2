#!/bin/sh
# Walks through README's first five minutes and fails at the first step that
# does not do what it says: build, serve, make a session, send, watch, kill the
# server, start it again, go on.
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
		tail -n 20 "$work/server.err" >&2 2>/dev/null || true
	fi
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

# serve ADDRESS: starts the server and sets $url from its ready line.
serve() {
	: >"$work/server.out"
	"$work/clew" serve --listen "$1" --data "$work/data" >"$work/server.out" 2>>"$work/server.err" &
	server=$!
	within 30 grep -q '^clew: ready http' "$work/server.out"
	url=$(sed -n 's/^clew: ready //p' "$work/server.out")
}

# api METHOD PATH [BODY]: a request with the owner token.
api() {
	if [ $# -gt 2 ]; then
		curl -fsS -X "$1" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d "$3" "$url$2"
	else
		curl -fsS -X "$1" -H "Authorization: Bearer $token" "$url$2"
	fi
}

say() { api POST "/api/v1/sessions/$session/commands" "{\"type\":\"user_message\",\"data\":{\"text\":\"$1\"}}"; }

# once TEXT: the watcher has shown the user's message exactly once.
once() { [ "$(grep -c "owner: $1\$" "$work/watch.out")" -eq 1 ]; }

step "build"
go build -o "$work/clew" ./cmd/clew
go build -o "$work/watch" ./examples/watch

step "serve"
serve 127.0.0.1:0
token=$(cat "$work/data/token")
echo "$url"

step "nobody gets in without the token"
status=$(curl -s -o /dev/null -w '%{http_code}' "$url/api/v1/sessions")
[ "$status" = 401 ]

step "make a session"
session=$(api POST /api/v1/sessions '{"title":"First"}' | sed -n 's/.*"session_id":"\([^"]*\)".*/\1/p')
[ -n "$session" ]
echo "$session"

step "watch it"
mkfifo "$work/keys"
"$work/watch" --server "$url" --session "$session" --token-file "$work/data/token" \
	<"$work/keys" >"$work/watch.out" 2>"$work/watch.err" &
watcher=$!
exec 3>"$work/keys"
within 10 grep -q 'in sync' "$work/watch.out"

step "send with curl, and by typing"
say hello
echo
within 10 once hello
echo 'typed here' >&3
within 10 once 'typed here'

step "kill -9"
kill -9 "$server"
wait "$server" 2>/dev/null || true
within 10 grep -q "connection lost" "$work/watch.err"

step "restart"
serve "${url#http://}"

step "the watcher resumes"
within 40 sh -c "[ \$(grep -c 'in sync' '$work/watch.out') -ge 2 ]"
say 'hello again'
echo
within 10 once 'hello again'
once hello
once 'typed here'

step "nothing is lost"
within 10 sh -c "curl -fsS -H 'Authorization: Bearer $token' '$url/api/v1/sessions/$session/messages' | grep -q 'hello again'"
api GET "/api/v1/sessions/$session/messages" | grep -q '"text":"hello"'

step "stop"
kill -TERM "$server"
wait "$server"
server=
echo "all steps passed"
