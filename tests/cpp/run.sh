#!/usr/bin/env bash
# All tests of the C++ front on Linux.
#
#   run.sh <libtenspan.so> <work folder> [step…]
#
#   exports   the library exports what bind-cpp/exports.txt lists, under its soname, and needs no C++ runtime
#   headers   every header alone and twice, then all of them with each compiler in each standard, and without exceptions
#   tests     the programs of this folder
#   sanitize  the same under AddressSanitizer and UndefinedBehaviorSanitizer
#   consume   find_package, FetchContent, add_subdirectory, pkg-config
#   interchange  values of the library in the hands of the public headers of its ABI, and theirs in ours, under AddressSanitizer;
#             PEER is the folder of the Python package that has these headers
#   modules   compiled modules under AddressSanitizer: those in the folder TENSPAN_MODULES, and all of them built with sanitizers themselves
#   linkers   modules linked by gold, and by the lld that comes with Rust
#
# Without steps, all of them; interchange, modules and linkers when these are set. CMAKE names the cmake to use, whose ninja is taken when it has one; clang++ is used where it is installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
library=$(realpath "$1")
work=$2
shift 2
steps=${*:-exports headers tests sanitize consume ${PEER:+interchange} ${TENSPAN_MODULES:+modules linkers}}
cmake=${CMAKE:-cmake}
tools=$(dirname "$(command -v "$cmake")")
if [ -z "${CMAKE_GENERATOR:-}" ] && [ -x "$tools/ninja" ]; then
  # The ninja that came with cmake: make may not be there.
  export CMAKE_GENERATOR=Ninja PATH="$tools:$PATH"
fi
include=$root/bind-cpp/include
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
mkdir -p "$work"
work=$(realpath "$work")

compilers() {
  echo g++
  if command -v clang++ >/dev/null; then echo clang++; fi
}

exports() {
  nm -D --defined-only "$library" | awk '{ print $3 }' | sort | diff "$root/bind-cpp/exports.txt" - ||
    { echo "< listed, > found"; return 1; }
  readelf -d "$library" | grep -q 'SONAME.*\[libtenspan.so\]' || { echo "the soname is not libtenspan.so"; return 1; }
  readelf -d "$library" | grep -q 'FLAGS_1.*NODELETE' || { echo "the library is not marked NODELETE"; return 1; }
  if readelf -d "$library" | grep 'NEEDED.*stdc++'; then return 1; fi
}

# Lines for xargs: compiler, standard, further flags, source.
header_jobs() {
  local compiler header standard
  for header in $(cd "$include" && find . -name '*.hpp' | sed 's|^\./||' | sort); do
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$work/headers/${header//\//_}.cpp"
    echo "g++ -std=c++17 $work/headers/${header//\//_}.cpp"
  done
  # As one source each, because most of the time goes into the headers.
  local as_one="-DTENSPAN_TESTS_AS_ONE -include $here/memory.cpp"
  while read -r compiler; do
    echo "$compiler -std=c++17 $as_one $here/object.cpp"
    for standard in c++20 c++2b; do
      echo "$compiler -std=$standard $as_one -include $here/value.cpp -include $here/mdspan.cpp $here/object.cpp"
    done
    echo "$compiler -std=c++17 -fno-exceptions $here/linkage/two.cpp"
    echo "$compiler -std=c++17 -fno-rtti $here/linkage/two.cpp"
  done < <(compilers)
}

headers() {
  mkdir -p "$work/headers"
  header_jobs >"$work/headers/jobs"
  # shellcheck disable=SC2016
  xargs -P "$(nproc)" -L 1 sh -c '"$0" "$@" || { echo "failed: $0 $*"; exit 255; }' <<<"$(
    awk -v flags="-fsyntax-only $warnings -I$include" '{ print $0, flags }' "$work/headers/jobs")"
  echo "$(wc -l <"$work/headers/jobs") compilations without a warning"
}

program_tests() {
  local folder=$1
  shift
  # A cache of another cmake or generator would be refused.
  rm -f "$folder/CMakeCache.txt"
  "$cmake" -S "$here" -B "$folder" -DTENSPAN_LIBRARY="$library" -DTENSPAN_TEST_HEADERS=OFF "$@" >"$folder.log" || { cat "$folder.log"; return 1; }
  "$cmake" --build "$folder" --parallel "$(nproc)" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
  "$tools/ctest" --test-dir "$folder" --output-on-failure --parallel "$(nproc)"
}

interchange() {
  local program
  mkdir -p "$work/interchange"
  for program in maps objects; do
    # Buffers of `operator new` in our lists are freed with `free`, as the ABI has it; the sanitizer is told so below.
    g++ -std=c++17 -O1 -g -fsanitize=address -Wall -Wextra -Wshadow -Werror -I"$include" -isystem "$PEER/include" \
      "$here/interchange/$program.cpp" -o "$work/interchange/$program" \
      "$library" -L"$PEER/lib" -ltvm_ffi -pthread -Wl,-rpath,"$(dirname "$library")" -Wl,-rpath,"$PEER/lib"
    ASAN_OPTIONS=alloc_dealloc_mismatch=0 timeout 300 "$work/interchange/$program"
  done
}

modules() {
  local folder program sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
  mkdir -p "$work/modules/sanitized"
  for program in modules examples; do
    # shellcheck disable=SC2086
    g++ -std=c++17 -O1 -g $sanitizers $warnings -I"$include" "$here/$program.cpp" -o "$work/modules/$program" \
      "$library" -pthread -Wl,-rpath,"$(dirname "$library")"
  done
  # shellcheck disable=SC2086
  "$root/tests/modules/build.sh" "$PEER" "$work/modules/sanitized" $sanitizers
  for folder in "$TENSPAN_MODULES" "$work/modules/sanitized"; do
    # What a list holds was allocated by `operator new` of a module, and goes by `free`, as the ABI has it.
    ASAN_OPTIONS=alloc_dealloc_mismatch=0 timeout 300 "$work/modules/modules" "$folder" "$root/tests/modules/calls.json"
    ASAN_OPTIONS=alloc_dealloc_mismatch=0 timeout 300 "$work/modules/examples" "$folder"
  done
}

# Folders of modules, one for each linker and what it is told.
linked() {
  local beside
  beside=$(echo "$(rustc --print sysroot)"/lib/rustlib/*/bin/gcc-ld)
  if command -v ld.gold >/dev/null; then echo "gold -fuse-ld=gold"; fi
  if [ -x "$beside/ld.lld" ]; then
    echo "lld -B$beside -fuse-ld=lld"
    echo "lld-relr -B$beside -fuse-ld=lld -Wl,-z,pack-relative-relocs -Wl,--hash-style=sysv -Wl,-z,now"
  fi
}

linkers() {
  local common="-O1 -g1 -fPIC -fvisibility=hidden -isystem $PEER/include" name flags module folders=()
  mkdir -p "$work/linkers"
  # shellcheck disable=SC2086
  gcc -std=c11 $common -c "$root/tests/modules/plain.c" -o "$work/linkers/plain.o"
  # shellcheck disable=SC2086
  g++ -std=c++17 $common -c "$root/tests/modules/errors.cc" -o "$work/linkers/errors.o"
  while read -r name flags; do
    mkdir -p "$work/linkers/$name"
    for module in plain errors; do
      # shellcheck disable=SC2086
      g++ -shared $flags "$work/linkers/$module.o" -o "$work/linkers/$name/$module.so" -L"$PEER/lib" -ltvm_ffi
    done
    folders+=("$work/linkers/$name")
  done < <(linked)
  # shellcheck disable=SC2086
  g++ -std=c++17 -O1 -g $warnings -I"$include" "$here/linkers.cpp" -o "$work/linkers/linkers" \
    "$library" -pthread -Wl,-rpath,"$(dirname "$library")"
  timeout 300 "$work/linkers/linkers" "${folders[@]}"
}

for step in $steps; do
  echo "== $step"
  case $step in
    exports) exports ;;
    headers) headers ;;
    tests) program_tests "$work/tests" ;;
    sanitize) program_tests "$work/sanitize" -DTENSPAN_SANITIZE=ON ;;
    consume) "$here/consume/run.sh" "$library" "$work/consume" ;;
    interchange) interchange ;;
    modules) modules ;;
    linkers) linkers ;;
    *) echo "$step is not a step"; exit 2 ;;
  esac
done
