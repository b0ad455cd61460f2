#!/bin/sh
# check.sh: tests till.sh with a few short days and compares the totals.
cd "$(dirname "$0")" || exit 2
run=0
failed=0

# check NAME WANT LINE...: the lines are the day's sales, WANT is the expected output.
check() {
	name=$1
	want=$2
	shift 2
	got=$(printf '%s\n' "$@" | sh till.sh 2>&1)
	run=$((run + 1))
	if [ "$got" = "$want" ]; then
		echo "ok    $name"
	else
		echo "FAIL  $name: want $want, got $got"
		failed=$((failed + 1))
	fi
}

check 'one item' 4.50 'bread,4.50'
check 'two items' 6.75 'bread,4.50' 'milk,2.25'
check 'a comment' 2.25 '# early shift' 'milk,2.25'
check 'eight cents' 1.08 'roll,1.08'
check 'nine cents' 3.18 'sugar,1.09' 'salt,2.09'
check 'one decimal place' 12.50 'wine,12.5'

if [ "$failed" -gt 0 ]; then
	echo "$run checks, $failed failed"
	exit 1
fi
echo "$run checks, all passed"
