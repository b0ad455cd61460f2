#!/usr/bin/env bash
# Gives a task to the clew server on this machine and prints the answer.
#
#   ask.sh "What is a clew?"
#
# It needs socat, which opens the socket, and jq, which reads JSON.
set -euo pipefail

fail() {
	echo "ask: $1" >&2
	exit 1
}

path=${CLEW_SOCKET:-${CLEW_DATA:-$HOME/.local/share/clew}/clew.sock}
# It goes on to take what is sent when socat has ended: bash forgets a coprocess
# that has, and its pipes with it.
coproc LOCAL {
	socat - "UNIX-CONNECT:$path" 2>/dev/null || true
	exec >&-
	cat >/dev/null
}

# One id for each command of each run: a second command of the same id has no
# second effect.
run=$$-$(date +%s)-$RANDOM
count=0

send() { # send NAME DATA: sends a command; its answer has the id $run-$count
	count=$((count + 1))
	jq -nc --arg name "$1" --arg id "$run-$count" --argjson data "$2" \
		'{type: "task_command", data: {command_name: $name, client_message_id: $id, data: $data}}' >&"${LOCAL[1]}"
}

session=
start=
while IFS= read -r line <&"${LOCAL[0]}"; do
	# What it is, whose it is, what it is about, and what it says, without what
	# would steer the terminal.
	{
		IFS= read -r kind
		IFS= read -r of
		IFS= read -r about
		text=$(cat; printf x)
	} < <(jq -j '(if .type == "ack" then "ack" else .data.type + (if .relay_client_id then "!" else "" end) + (if .data.data.parent_task_id? then " of a part" else "" end) end), "\n",
		(.data.session_id // ""), "\n", (.data.data | (.request_id // .client_message_id // "")), "\n",
		(.data.data | (.delta // .question // .result_summary // .reason // .message // "") | strings
			| gsub("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x{9f}]"; ""))' <<<"$line")
	text=${text%x}
	if [ "$kind" = message_accepted! ] && [ "$about" = "$start" ]; then session=$of; fi
	if [ -n "$session" ] && [ -n "$of" ] && [ "$of" != "$session" ]; then continue; fi
	case $kind in
	ack)
		send follow '{"scope": "own"}'
		send start_new_task "$(jq -nc --arg text "$*" '{text: $text}')"
		start=$run-$count
		;;
	agent_response) printf %s "$text" ;;
	hitl_input_request | hitl_clarification)
		printf '\n%s\n> ' "$text"
		IFS= read -r answer || fail "nobody answers"
		send send_message "$(jq -nc --arg text "$answer" '{text: $text}')"
		;;
	hitl_approval_request | hitl_plan_review) # words would be a no
		printf '\nIt asks for approval: clew answer %s\n' "$about"
		;;
	task_completed)
		printf '\n%s\n' "$text"
		exit 0
		;;
	task_idle)
		[ -n "$about" ] || { echo; exit 0; }
		;;
	task_aborted) fail "the task was stopped: $text" ;;
	error!) fail "$text" ;;
	esac
done
[ -n "$start" ] || fail "no server at $path; clew serve starts one"
fail "the server is gone"
