# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The cache of kernels: fetching packages into it, one run at a time. Sourced by
# scripts/kernel-cache and scripts/kernel, after lib.sh.

cache=$(cache_dir)

# Downloads into the current folder; a file that is complete is not fetched again.
download() {
	local options=(-q)

	# Root's downloads would run as a user who may not read the cache.
	[ "$(id -u)" != 0 ] || options+=(-o APT::Sandbox::User=root)
	say "downloading: $*"
	apt-get "${options[@]}" download "$@" </dev/null >&2 && return
	[ "$(id -u)" = 0 ] || die "download failed; perhaps the lists are old: sudo apt-get update"
	apt_update
	apt-get "${options[@]}" download "$@" </dev/null >&2
}

# Runs in $cache, under the lock: fetches PACKAGE... and leaves their contents in
# ./unpack. The packages are kept until the caller is done, for a later attempt.
unpack() {
	local package

	mkdir -p "$1"
	(cd "$1" && download "${@:2}")
	rm -rf unpack
	mkdir unpack
	for package in "$1"/*.deb; do
		say "unpacking: ${package##*/}"
		dpkg-deb --fsys-tarfile "$package" | tar -x -C unpack --no-same-owner \
			--exclude=./usr/share
	done
}

# One at a time may write; whoever waited finds the work done.
locked() {
	mkdir -p "$cache"
	cd "$cache" || exit
	exec 9>lock
	flock -n 9 || { say "waiting for another run"; flock 9; }
	rm -rf unpack ./*.tmp
	"$@"
	flock -u 9
	cd "$OLDPWD" || exit
}
