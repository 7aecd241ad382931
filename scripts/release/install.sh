#!/bin/sh
# Installs Quern: downloads the archive for this system, verifies its checksum, and puts the executable into a folder.
# Does nothing else: no service, no user, no changes to shell profiles.
#
#   sh install.sh [--from URL] [--version VERSION] [--to FOLDER]
#
# --from: where the files of the release are. --to: /usr/local/bin for root, otherwise ~/.local/bin.
set -eu

version=@VERSION@
from=@BASE_URL@
to=

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Prints the name of this system in the names of the archives.
detect_system() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) fail "no executable for $(uname -s); Linux and macOS are supported" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "no executable for the processor $(uname -m); x86-64 and 64-bit ARM are supported" ;;
  esac
  libc=
  if [ "$os" = linux ] && (ldd --version 2>&1 || true) | grep -qi musl; then libc=-musl; fi
  echo "$os-$cpu$libc"
}

# download URL FILE
download() {
  if has curl; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif has wget; then
    wget --quiet --output-document="$2" "$1"
  else
    fail "curl or wget is required"
  fi || fail "cannot download $1"
}

# Prints the SHA-256 checksum of a file.
checksum() {
  if has sha256sum; then
    sha256sum "$1"
  elif has shasum; then
    shasum -a 256 "$1"
  else
    fail "sha256sum or shasum is required"
  fi | cut -d ' ' -f 1
}

main() {
  while [ $# -gt 0 ]; do
    [ $# -gt 1 ] || fail "$1 needs a value"
    case $1 in
      --from) from=${2%/} ;;
      --version) version=$2 ;;
      --to) to=$2 ;;
      *) fail "unknown option $1" ;;
    esac
    shift 2
  done
  if [ -z "$to" ]; then
    if [ "$(id -u)" = 0 ]; then to=/usr/local/bin; else to=$HOME/.local/bin; fi
  fi
  has zstd || fail "zstd is required to unpack the archive: install the package zstd"
  system=$(detect_system)
  name=quern-$version-$system
  archive=$name.tar.zst

  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  download "$from/SHA256SUMS" "$work/SHA256SUMS"
  expected=$(awk -v name="$archive" '$2 == name { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$from/SHA256SUMS has no checksum for $archive"
  download "$from/$archive" "$work/$archive"
  actual=$(checksum "$work/$archive")
  [ "$actual" = "$expected" ] ||
    fail "the checksum of $archive is $actual instead of $expected: the file is damaged or was tampered with; nothing was installed"

  zstd --quiet --decompress --stdout "$work/$archive" | tar -xf - -C "$work"
  # Runs before it is installed, so that an executable that does not work here replaces nothing.
  "$work/$name/quern" version >/dev/null || fail "the executable does not run on this system ($system)"
  mkdir -p "$to"
  # Renamed into place: a running server keeps the old file.
  cp "$work/$name/quern" "$to/.quern.new"
  chmod 0755 "$to/.quern.new"
  mv -f "$to/.quern.new" "$to/quern"
  echo "Installed quern $version to $to/quern"
  case :$PATH: in
    *":$to:"*) ;;
    *) echo "Add $to to your PATH to run it as \"quern\"." ;;
  esac
}

# Called in the last line, so that an incomplete download of this script does nothing.
main "$@"
