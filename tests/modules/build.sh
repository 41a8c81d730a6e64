#!/usr/bin/env bash
# Compiles the modules against the public headers of the ABI.
#
#   build.sh <folder of the Python package apache-tvm-ffi> <folder for the modules> [flag of the compiler…]
#
# A module that is newer than its source stays.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peer=$1
out=$2
shift 2
mkdir -p "$out"
jobs=()
for source in "$here"/*.c "$here"/*.cc; do
  name=$(basename "${source%.*}")
  [ "$out/$name.so" -nt "$source" ] && continue
  jobs+=("$source $name")
done
compile() {
  local standard=-std=c++17 compiler=${CXX:-g++}
  case $1 in *.c) standard=-std=c11 compiler=${CC:-gcc} ;; esac
  # Written beside it first: another run may read the module.
  "$compiler" $standard -O1 -g1 -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror -isystem "$PEER/include" "${@:3}" \
    "$1" -o "$OUT/$2.so.$$" -L"$PEER/lib" -ltvm_ffi
  mv "$OUT/$2.so.$$" "$OUT/$2.so"
}
export -f compile
export PEER=$peer OUT=$out
flags=$*
export flags
[ ${#jobs[@]} -eq 0 ] || printf "%s\n" "${jobs[@]}" | xargs -P "$(nproc)" -L 1 bash -c 'compile "$1" "$2" $flags || exit 255' _
