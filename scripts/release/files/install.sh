#!/bin/sh
# Installs Lodeline for this user, without Node:  sh install.sh [--from URL|FOLDER] [--prefix FOLDER]
#
# The package of this system comes from --from: an address (HTTPS) or a folder; without it from where this release was published, or
# else from the folder of this script. Its SHA-256 sum must be the one that stands below.
# The program goes to PREFIX/share/lodeline, a link to it to PREFIX/bin/lode. PREFIX is ~/.local unless told.
set -eu

version='@VERSION@'
from='@URL@'
prefix=${HOME:?HOME is not set}/.local
sums='
@SUMS@
'

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --from) from=${2:?--from needs an address or a folder} && shift 2 ;;
    --prefix) prefix=${2:?--prefix needs a folder} && shift 2 ;;
    --help | -h) sed -n '2,6s/^# \{0,1\}//p' "$0" && exit 0 ;;
    *) fail "$1 is not known. Options: --from URL|FOLDER, --prefix FOLDER." ;;
  esac
done
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=darwin ;;
  *) fail "there is no release for $(uname -s). On Windows use install.ps1." ;;
esac
case $(uname -m) in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) fail "there is no release for the processor $(uname -m)." ;;
esac
# A shell that Rosetta translates says x86_64 on an Apple processor.
if [ "$os $cpu" = 'darwin x64' ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then cpu=arm64; fi
name=$os-$cpu
if [ "$os" = linux ] && (ldd --version 2>&1 || true) | grep -qi musl; then name=$name-musl; fi
file=lodeline-$name-$version.tgz

wanted=$(printf '%s\n' "$sums" | sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p")
[ -n "$wanted" ] || fail "this release has no package for $name."

place=$prefix/share/lodeline
if [ -e "$place" ] && [ ! -f "$place/installed-by" ]; then fail "$place is there already, and is not Lodeline."; fi
if [ -e "$prefix/bin/lode" ] && [ "$(readlink "$prefix/bin/lode")" != "$place/bin/lode" ]; then
  fail "$prefix/bin/lode is there already, and is not of this installation. Remove it, or name another folder with --prefix."
fi

mkdir -p "$prefix/share" "$prefix/bin"
# Beside its place, so that it is renamed into it.
work=$(mktemp -d "$prefix/share/.lodeline-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

[ -n "$from" ] || from=$(dirname "$0")
case $from in
  https://* | http://127.0.0.1:* | http://localhost:*)
    if command -v curl >/dev/null; then curl -fsSL --retry 2 -o "$work/$file" "${from%/}/$file" || fail "could not fetch ${from%/}/$file."
    elif command -v wget >/dev/null; then wget -q -O "$work/$file" "${from%/}/$file" || fail "could not fetch ${from%/}/$file."
    else fail 'curl or wget is needed.'; fi ;;
  *://*) fail "$from: only https is fetched from." ;;
  *) cp "$from/$file" "$work/$file" 2>/dev/null || fail "$from has no $file. Name the place with --from." ;;
esac

if command -v sha256sum >/dev/null; then sum=$(sha256sum "$work/$file")
elif command -v shasum >/dev/null; then sum=$(shasum -a 256 "$work/$file")
else fail 'sha256sum or shasum is needed.'; fi
[ "${sum%% *}" = "$wanted" ] || fail "$file has the SHA-256 sum ${sum%% *}, but $wanted is wanted. Nothing was installed."

tar -xzf "$work/$file" -C "$work"
# Read by 'lode upgrade' and 'lode uninstall'.
printf 'script\n%s\n' "$from" >"$work/package/installed-by"
case $name in
  *-musl) needs=' It needs libstdc++; on Alpine Linux: apk add libstdc++' ;;
  *) needs= ;;
esac
"$work/package/bin/lode" version >/dev/null || fail "the program does not start here. Nothing was installed.$needs"

if [ -e "$place" ]; then mv "$place" "$work/before"; fi
mv "$work/package" "$place"
ln -sfn "$place/bin/lode" "$prefix/bin/lode"
echo "installed lode $version in $place"
case :$PATH: in
  *:"$prefix/bin":*) echo "Start it:  lode up" ;;
  *) echo "Add $prefix/bin to your PATH, or start it so:  $prefix/bin/lode up" ;;
esac
