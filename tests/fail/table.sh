#!/usr/bin/env bash
# The table of docs/errors.md from what one wrote to what one should write, from the lines "// wrote:" and "// write:" of
# the programs in tests/fail. usage: table.sh write|check
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
page=$root/docs/errors.md
export LC_ALL=C

cell() { sed 's/|/\\|/g'; }
rows() {
  local file wrote write
  for file in "$root"/tests/fail/*.cpp; do
    wrote=$(sed -n 's,^// wrote: *,,p' "$file" | cell)
    write=$(sed -n 's,^// write: *,,p' "$file" | cell)
    if [ -n "$wrote" ]; then
      case $write in
        "leave it out"*) echo "| \`$wrote\` | $write |" ;;
        *) echo "| \`$wrote\` | \`$write\` |" ;;
      esac
    fi
  done
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
