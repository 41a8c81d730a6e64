#!/bin/sh
# A project that asks pkg-config; PKG_CONFIG_PATH names the moved prefix.
#
#   build.sh <program to make>
set -e
cd "$(dirname "$0")"
# shellcheck disable=SC2046
${CXX:-g++} -std=c++17 $(pkg-config --cflags tenspan) ../program.cpp -o "$1" $(pkg-config --libs tenspan) \
  "-Wl,-rpath,$(pkg-config --variable=libdir tenspan)"
