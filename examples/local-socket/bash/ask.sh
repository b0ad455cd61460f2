#!/usr/bin/env bash
# Gives a task to the clew server on this machine and prints the answer.
#
#   ask.sh "What is a clew?"
#
# It needs socat, which opens the socket, and jq, which reads JSON.
set -euo pipefail

data=${CLEW_DATA:-$HOME/.local/share/clew}
coproc LOCAL { exec socat - "UNIX-CONNECT:${CLEW_SOCKET:-$data/clew.sock}"; }

send() { # send NAME DATA: sends a command
	jq -nc --arg name "$1" --argjson data "$2" \
		'{type: "task_command", data: {command_name: $name, client_message_id: $name, data: $data}}' >&"${LOCAL[1]}"
}

fail() {
	echo "ask: $1" >&2
	exit 1
}

session=
while IFS= read -r line <&"${LOCAL[0]}"; do
	# One word for what it is, whose it is, what it says, and what it is about.
	{
		IFS= read -r kind
		IFS= read -r of
		IFS= read -r about
		text=$(cat; printf x)
	} < <(jq -j '(if .type == "ack" then "ack" else .data.type + (if .relay_client_id then "!" else "" end) end), "\n",
		(.data.session_id // ""), "\n", (.data.data | (.request_id // .client_message_id // "")), "\n",
		(.data.data | (.delta // .question // .result_summary // .reason // .message // "") | strings)' <<<"$line")
	text=${text%x}
	if [ "$kind" = message_accepted! ] && [ "$about" = start_new_task ]; then session=$of; fi
	if [ -n "$session" ] && [ "$of" != "$session" ]; then continue; fi
	case $kind in
	ack)
		send follow '{"scope": "own"}'
		send start_new_task "$(jq -nc --arg text "$*" '{text: $text}')"
		;;
	agent_response) printf %s "$text" ;;
	hitl_input_request)
		printf '\n%s\n> ' "$text"
		IFS= read -r answer || fail "nobody answers"
		send send_message "$(jq -nc --arg text "$answer" '{text: $text}')"
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
fail "the server is gone"
