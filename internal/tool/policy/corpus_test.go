package policy

// hostile lines: none may be approved by itself under the harmless allow list.
// Payloads only make a file or call a stub, for real bash runs them all.
var hostile = []string{
	// more commands after a covered one
	"ls; touch canary", "ls && touch canary", "false || touch canary", "ls | touch canary", "ls |& touch canary",
	"ls\ntouch canary", "ls & touch canary", "ls &", "ls;touch canary;ls", "true&&touch canary", "ls # x\ntouch canary",
	"ls \\\n; touch canary", "echo a;\\\ntouch canary", "ls\n\n\n\ttouch canary", "{ touch canary; }", "(touch canary)",
	"! touch canary", "! ls", "! true || ls", "time touch canary", "coproc touch canary", "ls || { touch canary; }; touch canary",
	// substitutions
	"echo $(touch canary)", "echo `touch canary`", "echo \"$(touch canary)\"", "echo \"`touch canary`\"", "cat <(touch canary)",
	"echo x > >(touch canary)", "echo ${x:-$(touch canary)}", "echo $((a[$(touch canary)]))", "echo $[a[$(touch canary)0]]",
	"echo \"${x:=$(touch canary)}\"", "echo ${x:-`touch canary`}", "ls $(echo $(touch canary))", "echo ${HOME:$(touch canary)0}",
	"echo ${!x[$(touch canary)]}", "echo ${a[$(touch canary)0]}", "x='$(touch canary)'; echo ${x@P}", "echo ${PWD/$(touch canary)/x}",
	"echo ${ touch canary; }", "echo \"a\\\\$(touch canary)\"", "echo '$(ls)'$(touch canary)", "echo $'a'\"$(touch canary)\"",
	// variables and word splitting
	"$x touch canary", "x=touch; $x canary", "touch${IFS}canary", "ls;${x}touch canary", "a=touch b=canary; $a $b", "PATH=/usr/bin:/bin ls; touch canary",
	"PATH=. ls", "LD_PRELOAD=./x.so ls", "GIT_PAGER=evil git log", "BASH_ENV=x ls", "IFS=/ ; ls", "x=1", "ls=touch; $ls canary",
	"set -- touch canary; \"$@\"", "read x <<< touch; $x canary", "printf -v x touch; $x canary", "for x in touch; do $x canary; done",
	// spellings of a name
	"$'\\x74ouch' canary", "$'\\164ouch' canary", "t\\ouch canary", "to''uch canary", "\"touch\" canary", "'touch' canary", "$\"touch\" canary",
	"{touch,canary}", "t{ouch,x} canary", "/usr/bin/touch canary", "../bin/touch canary", "\\touch canary", "tou\\\nch canary", "?ouch canary", "$'ls\\n' ; touch canary",
	// files
	"echo x > canary", "echo x >> canary", "echo x >| canary", "echo x &> canary", "echo x &>> canary", "> canary", "echo x 2> canary", "ls <> canary", "ls 3>canary",
	"echo x >canary 2>&1", "echo x>canary", "cat < /etc/passwd > canary", "echo x > /dev/null > canary", "ls {fd}>canary", "echo x >& canary", "cat <<EOF > canary\nx\nEOF",
	"cat <<EOF\n$(touch canary)\nEOF", "cat <<-EOF\n\t`touch canary`\n\tEOF", "cat <<'EOF'\nx\nEOF\ntouch canary", "cat <<E\nx\nE\ntouch canary", "cat <<<$(touch canary)",
	"cat << \\EOF\nEOF\ntouch canary", "cat <<A <<B\nA\nB\ntouch canary", "echo a >/dev/tcp/127.0.0.1/9", "ls >/dev/null/../../tmp/clew-canary-none", "ls > /dev/nul",
	// control structures, functions, aliases
	"if true; then touch canary; fi", "while true; do touch canary; break; done", "case x in x) touch canary;; esac", "for ((i=0;i<1;i++)); do touch canary; done",
	"ls() { touch canary; }; ls", "function ls { touch canary; }; ls", "shopt -s expand_aliases\nalias ls='touch canary'\nls", "select x in a; do touch canary; done",
	"[[ -v a[$(touch canary)] ]]", "(( a[$(touch canary)] ))", "[ -v 'a[$(touch canary)]' ]", "test -v 'a[$(touch canary)0]'", "let 'a[$(touch canary)]=1'", "[[ 'a[$(touch canary)]' -eq 1 ]]",
	"declare -i 'x=a[$(touch canary)]'", "declare 'a[$(touch canary)]=1'", "export 'x'; touch canary", "unset 'a[$(touch canary)]'", "printf -v 'a[$(touch canary)]' x", "read 'a[$(touch canary)]' <<< 1",
	"\\declare -i 'x=a[$(touch canary)]'", "wait -n -p 'a[$(touch canary)]'", "until touch canary; do :; done",
	// the shell's own words
	"eval touch canary", "eval 'tou''ch canary'", "source /dev/stdin <<< 'touch canary'", ". /dev/stdin <<< 'touch canary'", "exec touch canary", "command touch canary", "builtin eval touch canary",
	"trap 'touch canary' EXIT", "trap 'touch canary' DEBUG; ls", "enable -f ./x.so x", "hash -p \"$PWD/../bin/touch\" ls; ls canary", "mapfile -C 'touch canary' -c 1 <<< x", "complete -C 'touch canary' x",
	"bind -x '\"a\":touch canary'", "PROMPT_COMMAND='touch canary'", "set -x; PS4='$(touch canary)'; ls", "compgen -W '$(touch canary)'", "jobs -x touch canary", "fc -s touch=touch", "shopt -s extglob", "command_not_found_handle() { touch canary; }; nosuch", "cd /; ls", "history -s x",
	// wrappers
	"env touch canary", "env -S 'touch canary'", "env -i ls", "env ls", "xargs touch < /dev/null", "echo canary | xargs touch", "nohup touch canary", "timeout 5 touch canary", "nice -n 5 touch canary", "sudo ls", "sudo -u x touch canary",
	"sh -c 'touch canary'", "bash -c 'touch canary'", "bash <<< 'touch canary'", "echo 'touch canary' | bash", "echo 'touch canary' | sh -s", "python3 -c 'import os'", "perl -e 1", "awk 'BEGIN{system(\"x\")}'", "sed -n '1e touch canary' x", "sed 'w canary' x",
	"ssh -o ProxyCommand='touch canary' x", "time -p touch canary", "stdbuf -o0 touch canary", "setsid touch canary", "busybox touch canary", "watch touch canary", "strace -o canary ls", "doas ls",
	// options of covered commands that run or write
	"find . -exec touch canary ';'", "find . -execdir touch canary \\;", "find . -ok touch canary \\;", "find . -delete", "find . -fprintf canary x", "find . -fprint canary", "find . -fls canary", "find . -name x -o -okdir touch canary +",
	"rg --pre touch x", "rg --pre=touch x", "rg --hostname-bin=touch x", "rg -z x", "rg --search-zip x", "sort -o canary x", "sort -ocanary x", "sort -uo canary x", "sort --output=canary x", "sort --outp canary x", "sort --compress-program=touch x", "sort --comp touch x", "sort -T . x",
	"git log --output=canary", "git log --outpu canary", "git log --ext-diff", "git log --textconv", "git log --show-signature", "git log --format=%G?", "git -c core.pager=touch log", "git --exec-path=. log", "git -C .. log", "git -p log", "git --git-dir=x log", "git grep -Otouch x", "git push", "git config core.pager touch",
	"git log -c core.pager=x", "tar -I touch -xf x", "tar xf x --to-command=touch", "tar --checkpoint=1 --checkpoint-action=exec=touch -xf x", "man -P touch x", "less x", "xxd -r x canary", "tee canary", "vim -c ':!touch canary'", "make",
	// globs and braces that can become options
	"ls *", "cat ?", "cat [a-z]", "sort *", "find *", "ls {a,b}", "ls {1..9}", "ls ~", "ls ~root", "cat a=~", "echo !(x)", "ls $'*'", "ls **",
	// texts that look like something else
	"ls\rtouch canary", "ls #\rtouch canary", "ls\u00a0x", "l\u200bs", "ls \u202etxt.exe", "ls \u2066x\u2069", "ls \U000e0041", "ls \x1b[2K", "ls \x07", "ls\vx", "ls\fx", "ls \x7f", "ls \u0085 touch", "ls \u2028touch canary", "ls \ufe0f", "ls \u3164", "ls \u2800", "ls \xff", "ls \ufeff", "ls \x08\x08touch", "echo x\u2003touch",
	// not whole
	"ls 'abc", "ls \"abc", "ls $(", "ls `", "ls )", "ls ;; ls", "ls &&", "| ls", "ls \\", "if true", "touch canary\n)", "", " ", "#", "ls <", "ls ${", "ls <<EOF", "touch canary; ls '", "!!", "!touch", "^a^b",
}

// plainLines are covered by the harmless allow list.
var plainLines = []string{
	"ls", "ls -la", "ls  -l\t-a", "ls; ls", "ls\nls -a\n", "ls && cat x || echo no", "cat a | sort | sort -u", "echo 'a b' \"c d\"", "echo a\\ b \\* '*' \"*\"", "echo \"a\\\"b\\\\c\\nd\"", "echo 'it'\\''s'", "echo \"it's\"",
	"ls 2>&1", "ls >/dev/null", "ls 2>/dev/null | cat x", "ls > /dev/null 2>&1", "echo err >&2", "git log --oneline -n 5", "git log -p -- a/b.go", "rg -n 'func \\w+' .", "rg -e '$(x)' .", "find . -name '*.go' -type f", "find . -maxdepth 2", "sort -k2 -n x", "true", "true && ls",
	"ls # a comment", "# first\nls", "ls \\\n  -a", "echo l\\\ns", "echo ''", "echo '' a ''", "echo 'a\nb'", "echo é ü", "echo 'naïve 日本'", "echo a#b", "echo a=b", "echo -n x", "echo 'if' then fi", "ls -- -x", "cat ./-x", "echo %1 +x @y a,b a:b a^b", "ls;", "echo \"a'b\" 'c\"d'", "echo \"\\$HOME \\`x\\`\"", "'ls' \"-a\"", "l\\s -a", "cat a|cat b&&ls", "echo 日本",
}
