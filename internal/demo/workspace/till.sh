#!/bin/sh
# till.sh: reads a day's sales, prints the total.
set -eu

# cents PRICE: the price in cents.
cents() {
	whole=${1%%.*}
	part=${1#*.}
	case $1 in
	*.*) echo $((whole * 100 + part)) ;;
	*) echo $((whole * 100)) ;;
	esac
}

total=0
while IFS=, read -r item price; do
	case $item in
	'' | '#'*) continue ;;
	esac
	amount=$(cents "$price")
	total=$((total + amount))
done
printf '%d.%02d\n' $((total / 100)) $((total % 100))
