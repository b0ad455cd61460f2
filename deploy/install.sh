#!/bin/sh
# Installs clew from its release page, after comparing its checksum:
#
#   curl --proto '=https' --tlsv1.2 -fsSL https://github.com/clew-run/clew/releases/latest/download/install.sh | sh
#
# CLEW_VERSION=v1.2.3 takes that one, CLEW_INSTALL_DIR=DIR another place than
# ~/.local/bin. No root is needed, and nothing else is changed.
set -eu

releases=${CLEW_RELEASES:-https://github.com/clew-run/clew/releases}
dir=${CLEW_INSTALL_DIR:-$HOME/.local/bin}

fail() {
	echo "clew: $*" >&2
	exit 1
}

main() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no program for $(uname -s) here; on Windows take the zip file from $releases" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	aarch64 | arm64) arch=arm64 ;;
	*) fail "there is no program for $(uname -m); build it: https://github.com/clew-run/clew/blob/main/docs/install.md" ;;
	esac
	from=$releases/latest/download
	[ -z "${CLEW_VERSION:-}" ] || from=$releases/download/$CLEW_VERSION
	archive=clew_${os}_$arch.tar.gz

	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	echo "fetching $from/$archive"
	get "$from/$archive" "$work/$archive"
	get "$from/checksums.txt" "$work/checksums.txt"

	want=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$work/checksums.txt")
	[ -n "$want" ] || fail "checksums.txt does not name $archive"
	got=$(sum "$work/$archive")
	[ "$want" = "$got" ] || fail "the checksum of $archive is wrong: $got instead of $want. Nothing was installed."

	tar -xzf "$work/$archive" -C "$work" clew
	mkdir -p "$dir"
	# In place at once: a running clew keeps the file that it was started from.
	cp "$work/clew" "$dir/.clew.new"
	chmod 0755 "$dir/.clew.new"
	mv -f "$dir/.clew.new" "$dir/clew"
	"$dir/clew" version
	case ":$PATH:" in
	*":$dir:"*) echo "Try it: clew demo" ;;
	*)
		echo "$dir is not in your PATH. Type this, and put it into ~/.profile:"
		echo "  export PATH=\"$dir:\$PATH\""
		echo "Then try it: clew demo"
		;;
	esac
}

# The checksums come from the same place as the archive, so what vouches for both is
# the certificate of that place: nothing is fetched without it.
get() {
	if command -v curl >/dev/null; then
		curl --proto '=https' --tlsv1.2 -fsSL --retry 3 -o "$2" "$1" || fail "could not fetch $1"
	elif wget --version 2>/dev/null | grep -q GNU; then # others may not look at certificates
		case $1 in https://*) ;; *) fail "could not fetch $1: https only" ;; esac
		wget -q --https-only --secure-protocol=TLSv1_2 -O "$2" "$1" || fail "could not fetch $1"
	else
		fail "curl is needed, or GNU wget"
	fi
}

sum() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$1" | cut -d ' ' -f 1
	elif command -v shasum >/dev/null; then
		shasum -a 256 "$1" | cut -d ' ' -f 1
	else
		fail "sha256sum or shasum is needed to verify what was fetched"
	fi
}

main # at the end, so that half a script does nothing
