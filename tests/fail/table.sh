#!/usr/bin/env bash
# The table of docs/errors.md from what one wrote to what one should write, from the lines "// wrote:" and "// write:" of
# the programs in tests/fail. usage: table.sh write|check
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
page=$root/docs/errors.md
export LC_ALL=C

rows() {
  awk '
    function row() {
      if (wrote == "") return
      if (write !~ /^leave it out/) write = "`" write "`"
      print "| `" wrote "` | " write " |"
    }
    FNR == 1 {row(); wrote = write = ""}
    sub(/^\/\/ wrote: */, "") {gsub(/\|/, "\\|"); wrote = $0}
    sub(/^\/\/ write: */, "") {gsub(/\|/, "\\|"); write = $0}
    END {row()}' "$root"/tests/fail/*.cpp
}
made() {
  sed '/^<!-- Made by tests\/fail\/table.sh/,$d' "$page"
  echo '<!-- Made by tests/fail/table.sh from the programs in tests/fail. -->'
  echo
  echo '| what one wrote | what one should write |'
  echo '|---|---|'
  rows
}

case ${1-} in
  write)
    text=$(made)
    printf '%s\n' "$text" >"$page"
    ;;
  check)
    if [ "$(made)" != "$(cat "$page")" ]; then
      echo "docs/errors.md is not what the programs in tests/fail give: bash tests/fail/table.sh write"
      exit 1
    fi
    ;;
  *)
    echo "usage: table.sh write|check" >&2
    exit 2
    ;;
esac
