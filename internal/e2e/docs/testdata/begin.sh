# What every page finds done, and what hidden comments may call.

mkdir ~/project && cd ~/project
git config --global user.name Ada
git config --global user.email ada@example.org
git config --global init.defaultBranch main
printf '# Project\n\nA small one.\n' >README.md
printf 'package main\n\nfunc main() {}\n' >main.go
printf 'module example.org/project\n\ngo 1.24\n' >go.mod
git init -q && git add . && git commit -q -m 'The beginning'

# new_session has the agent write a file; SESSION is its id.
new_session() {
	SESSION=$(clew run --json --yes=read,write --session "" 'Write a greeting' 2>/dev/null | jq -r 'select(.type == "result").session_id')
	[ -n "$SESSION" ]
}

# new_question has the agent ask whether it may run a command; REQUEST is its id, of SESSION.
new_question() {
	SESSION=$(clew run --json 'Ask me' 2>/dev/null | jq -r 'select(.type == "result").session_id' || true)
	REQUEST=$(clew inbox --json | jq -r --arg s "$SESSION" '.items[] | select(.session_id == $s).question.request_id')
	[ -n "$REQUEST" ]
}

new_session
DATA=~/.local/share/clew
TOKEN=$(cat $DATA/token)
