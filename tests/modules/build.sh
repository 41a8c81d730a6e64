#!/usr/bin/env bash
# Compiles the modules for the tests: those of this folder against the public headers of the ABI, those of `kernel/` against
# <tenspan/kernel.hpp>, into a folder `kernel` of their own.
#
#   build.sh <folder of the Python package apache-tvm-ffi> <folder for the modules> [flag of the compiler…]
#
# A module that is newer than its source and the headers of kernels stays.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
peer=$1
out=$2
shift 2
include=$here/../../bind-cpp/include
newest=$(find "$include/tenspan" -name '*.hpp' -printf '%T@ %p\n' | sort -n | tail -1 | cut -d' ' -f2-)
mkdir -p "$out/kernel"
jobs=()
for source in "$here"/*.c "$here"/*.cc "$here"/kernel/*.cc; do
  module=${source#"$here/"}
  module=$out/${module%.*}.so
  [ "$module" -nt "$source" ] && { [[ $module != */kernel/* ]] || [ "$module" -nt "$newest" ]; } && continue
  jobs+=("$source $module")
done
compile() {
  local source=$1 module=$2 compiler=${CXX:-g++} libraries=(-L"$PEER/lib" -ltvm_ffi)
  local flags=(-std=c++17 -isystem "$PEER/include")
  case $source in
    *.c)
      compiler=${CC:-gcc}
      flags=(-std=c11 -isystem "$PEER/include")
      ;;
    */kernel/*)
      flags=(-std=c++17 -Wpedantic -Wshadow -Wconversion -I "$INCLUDE")
      # Only g++ makes symbols that are unique in the process.
      case $compiler in *clang*) ;; *) flags+=(-fno-gnu-unique) ;; esac
      libraries=()
      ;;
  esac
  # Written beside it first: another run may read the module.
  "$compiler" "${flags[@]}" -O1 -g1 -shared -fPIC -fvisibility=hidden -Wall -Wextra -Werror "${@:3}" "$source" -o "$module.$$" \
    "${libraries[@]}"
  mv "$module.$$" "$module"
}
export -f compile
export PEER=$peer INCLUDE=$include
flags=$*
export flags
[ ${#jobs[@]} -eq 0 ] || printf "%s\n" "${jobs[@]}" | xargs -P "$(nproc)" -L 1 bash -c 'compile "$1" "$2" $flags || exit 255' _
