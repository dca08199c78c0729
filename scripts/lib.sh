# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# What the scripts share. Source it; it starts nothing.

# shellcheck disable=SC2034 # for those who source this
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Users other than root may not have them in their path.
PATH=$PATH:/usr/sbin:/sbin

die() { echo "${0##*/}: $*" >&2; exit 1; }
say() { echo "${0##*/}: $*" >&2; }

# The folder for what is fetched once and used by every tree of the project.
cache_dir() {
	local home=${XDG_CACHE_HOME:-${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}/.cache}

	echo "${SCALEFABRIC_CACHE:-$home/scalefabric}"
}

# Prints the header comment of the calling script, which is its help text.
usage() {
	sed -n '3,/^[^#]/{/^#/!q;s/^# \{0,1\}//;p}' "${BASH_SOURCE[1]}"
}

# Offline is not an error here: what is there may do.
apt_update() {
	[ "$(id -u)" = 0 ] || return 0
	say "refreshing the package lists (apt-get update)"
	apt-get -q update </dev/null >&2 || say "apt-get update failed, going on with the old lists"
}

# Lists older than a day point at packages that the archive no longer has.
apt_refresh() {
	local fresh

	fresh=$(find /var/lib/apt/lists/partial -maxdepth 0 -mtime -1 2>/dev/null)
	compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || fresh=
	[ -n "$fresh" ] || apt_update
}
