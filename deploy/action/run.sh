#!/usr/bin/env bash
# The step of the GitHub Action: starts a server unless one is named, gives the agent
# its work, and writes outputs and a summary. Everything comes by the environment, and
# nothing of it becomes code. What the model says is data here, too: it may hold lines
# that the runner would take for commands.
set -euo pipefail

temp=${RUNNER_TEMP:-${TMPDIR:-/tmp}}
clew=${CLEW_ACTION_PROGRAM:-$temp/clew-bin/clew}
work=$(mktemp -d "$temp/clew.XXXXXX")
server= running=

stop() {
	trap - EXIT
	# A job that is cancelled stops its work, also on a server of somebody's own.
	[ -z "$running" ] || { kill "$running" 2>/dev/null || true; wait "$running" 2>/dev/null || true; }
	[ -z "$server" ] || { kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; }
}
trap stop EXIT
trap 'exit 143' INT TERM

# A word that nobody can have guessed.
mark() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# output NAME VALUE
output() {
	local end
	end=clew_$(mark)
	printf '%s<<%s\n%s\n%s\n' "$1" "$end" "$2" "$end" >>"${GITHUB_OUTPUT:-/dev/null}"
}

# field NAME: of the result, "" if it has none.
field() { jq -r "$1 // \"\"" <"$work/result.json"; }

start_server() {
	: >"$work/ready"
	# The agent's commands have no business with the files of the runner.
	env -u GITHUB_OUTPUT -u GITHUB_ENV -u GITHUB_PATH -u GITHUB_STATE -u GITHUB_STEP_SUMMARY \
		"$clew" serve --listen 127.0.0.1:0 --data "$work/data" >"$work/ready" 2>"$work/server.log" &
	server=$!
	until grep -q '^clew: ready ' "$work/ready"; do
		if ! kill -0 "$server" 2>/dev/null; then
			echo "the clew server did not start:" >&2
			tail -n 20 "$work/server.log" >&2
			return 1
		fi
		sleep 0.1
	done
}

# fenced FILE: its text as a block that no line of it can end.
fenced() {
	local fence='```'
	while grep -qF -- "$fence" "$1"; do fence+='`'; done
	printf '%stext\n' "$fence"
	cat "$1"
	printf '\n%s\n' "$fence"
}

summary() {
	printf '### clew: %s\n\n' "$1"
	[ ! -s "$work/message" ] || { fenced "$work/message" && echo; }
	[ ! -s "$work/answer" ] || { fenced "$work/answer" && echo; }
	printf '| Cost | Tokens in | Tokens out | Session |\n|---|---|---|---|\n| %s USD | %s | %s | `%s` |\n' \
		"$(field .usage.cost_usd)" "$(field .usage.tokens_in)" "$(field .usage.tokens_out)" "$(field .session_id)"
	[ "$1" != needs_answer ] || printf '\nNobody here can answer. Allow it with `approve` or `allow`, or use a `server` where somebody answers.\n'
	[ "$1" != budget ] || printf '\nThe budget was %s USD (`max-cost`).\n' "$CLEW_ACTION_MAX_COST"
}

args=(run --json --no-input --stop-on-exit "--max-cost=$CLEW_ACTION_MAX_COST")
[ -z "$CLEW_ACTION_APPROVE" ] || args+=("--yes=$CLEW_ACTION_APPROVE")
[ -z "$CLEW_ACTION_MODEL" ] || args+=("--model=$CLEW_ACTION_MODEL")
[ "$CLEW_ACTION_PLAN" != true ] || args+=(--plan)
while IFS= read -r line; do
	[ -z "$line" ] || args+=("--allow=$line")
done <<<"$CLEW_ACTION_ALLOW"

export CLEW_DATA=$work/data
[ -z "$CLEW_ACTION_SETTINGS" ] || export CLEW_SETTINGS=$CLEW_ACTION_SETTINGS
if [ -n "$CLEW_ACTION_SERVER" ]; then
	export CLEW_SERVER=$CLEW_ACTION_SERVER
else
	start_server
	unset CLEW_SERVER
fi

printf '%s' "$CLEW_ACTION_PROMPT" >"$work/prompt"
"$clew" "${args[@]}" <"$work/prompt" >"$work/records" 2>"$work/errors" &
running=$!
code=0
wait "$running" || code=$?
running=

# The last line is the result. Without one it did not begin.
tail -n 1 "$work/records" | jq 'select(.type == "result")' >"$work/result.json" 2>/dev/null || true
if [ ! -s "$work/result.json" ]; then
	jq -n --rawfile message "$work/errors" '{status: "error", message: $message, answer: "", usage: {}}' >"$work/result.json"
	[ "$code" -ne 0 ] || code=1
fi
status=$(field .status)
field .answer >"$work/answer.all"
field .message >"$work/message.all"
# An empty text is an empty file.
for part in answer message; do
	if [ -n "$(tr -d '[:space:]' <"$work/$part.all")" ]; then mv "$work/$part.all" "$work/$part"; else : >"$work/$part"; fi
done

output status "$status"
output exit-code "$code"
output answer "$(cat "$work/answer")"
output session-id "$(field .session_id)"
output cost-usd "$(field .usage.cost_usd)"
output result-file "$work/result.json"
summary "$status" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"

echo "clew: $status, exit code $code"
word=$(mark)
echo "::stop-commands::$word"
cat "$work/message" "$work/answer"
echo
echo "::$word::"
exit "$code"
