#!/usr/bin/env bash
# Installs tenspan, moves the prefix, and builds and runs a program in every way that users have.
#
#   run.sh <libtenspan.so> <work folder>
#
# CMAKE names the cmake to use, CMAKE_GENERATOR what it writes for.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
library=$(realpath "$1")
work=$2
cmake=${CMAKE:-cmake}
rm -rf "$work"
mkdir -p "$work"

quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "failed: $*"; exit 1; }; }

quiet "$cmake" -S "$root/bind-cpp" -B "$work/build" -DTENSPAN_LIBRARY="$library" -DTENSPAN_TESTS=OFF
quiet "$cmake" --install "$work/build" --prefix "$work/first"
mv "$work/first" "$work/moved"
if grep -rIl "$work\|$root" "$work/moved"; then
  echo "the files above hold absolute paths"
  exit 1
fi

consume() {
  local way=$1
  shift
  quiet "$cmake" -S "$here/$way" -B "$work/$way" "$@"
  quiet "$cmake" --build "$work/$way"
  echo "$way: $("$work/$way/consumer")"
}

consume find_package -DCMAKE_PREFIX_PATH="$work/moved"
consume fetch_content -DTENSPAN_SOURCE="$root" -DTENSPAN_LIBRARY="$library"
consume add_subdirectory -DTENSPAN_SOURCE="$root" -DTENSPAN_LIBRARY="$library"
if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$work/moved/lib/pkgconfig
  quiet "$here/pkg_config/build.sh" "$work/pkg_config"
  echo "pkg_config: $("$work/pkg_config")"
else
  echo "pkg_config: not run, pkg-config is not installed (Debian package pkg-config)"
fi
