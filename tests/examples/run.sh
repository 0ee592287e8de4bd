#!/usr/bin/env bash
# Runs the examples as a user does and checks what they say and leave.
# usage: run.sh autoencoder|digits|digits_cnn|gpt|lstm_forecast|neighbours|number_format|regression PROGRAM, run.sh ddp MPIEXEC PROGRAM, run.sh distributed MPIEXEC FIRST PROGRAM, run.sh readme COMPILER, run.sh readme_cuda FOLDER NVCC, run.sh cuda FOLDER PROGRAMS, run.sh pages, run.sh program PROGRAM SOURCE, run.sh embed CMAKE BUILD COMPILER GENERATOR MAKE
set -u
export LC_ALL=C
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE # a note about them is not what is looked at
name=$1
shift
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

bad() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}
expect() { # expect FILE PATTERN: a line that matches
  grep -qE -- "$2" "$1" || { bad "no line like: $2" && sed 's/^/  /' "$1"; }
}
narrow() { # no line of the file is wider than a terminal
  awk 'length($0) > 79 {print FILENAME ": " length($0) " columns: " $0; wide = 1} END {exit wide}' "$1" || bad "wide lines"
}
refuses() { # refuses PATTERN COMMAND...: fails, says so in a line that matches, and does not crash
  local pattern=$1 status
  shift
  "$@" >"$scratch/refused" 2>&1
  status=$?
  if [ $status -ne 1 ] && [ $status -ne 2 ]; then bad "status $status of: $*"; fi
  expect "$scratch/refused" "$pattern"
}

on_digits() { # on_digits NAME EPOCHS FIGURE PROGRAM
  local what=$1 epochs=$2 figure=$3 program=$4 threads left
  for threads in 1 2; do
    mkdir "$scratch/$threads"
    OMP_NUM_THREADS=$threads "$program" --out "$scratch/$threads" >"$scratch/$threads/said" 2>"$scratch/$threads/progress" ||
      bad "$what failed with $threads threads"
    narrow "$scratch/$threads/progress"
    expect "$scratch/$threads/progress" "^epoch $epochs/$epochs .* loss [0-9.e-]+ .* samples/s +ETA 0:00$"
    tail -1 "$scratch/$threads/said" >"$scratch/line"
    expect "$scratch/line" "^$what: $figure in [0-9]+\.[0-9][0-9] s \(cpu, [0-9]+ threads?\)$"
    expect "$scratch/$threads/$what.svg" '^<polyline '
  done
  rm "$scratch"/[12]/{said,progress}
  for left in "$scratch/1/"*; do # parameters and pictures
    cmp "$left" "$scratch/2/${left##*/}" || bad "1 and 2 threads give a different ${left##*/}"
  done
  "$program" --out "$scratch/2" --seed 5 >"$scratch/said" 2>/dev/null
  cmp -s "$scratch/1/$what.safetensors" "$scratch/2/$what.safetensors" && bad "another seed gives the same parameters"
  tail -1 "$scratch/said" >"$scratch/line"
  expect "$scratch/line" "$figure"
  refuses 'file/open.*nothing-here' "$program" --data "$scratch/nothing-here"
  refuses 'file/create' "$program" --epochs 1 --out "$scratch/nothing-here"
  refuses "^$what: --epochs takes a whole number from 1 to 100000, not .many.$" "$program" --epochs many
  refuses 'there is no option --epoch$' "$program" --epoch 3
  head -c 5000 "$source/examples/data/digits.bin" >"$scratch/cut.bin"
  refuses 'digits/format' "$program" --data "$scratch/cut.bin"
}
digits() { on_digits digits 60 'test accuracy 0\.9[7-9][0-9]' "$1"; }
digits_cnn() { on_digits digits_cnn 25 'test accuracy 0\.9(8[5-9]|9[0-9])' "$1"; }
autoencoder() { # of the mean digit 0.073, of the two first principal components 0.051
  on_digits autoencoder 60 'reconstruction error 0\.0(2[0-9]|3[0-3])[0-9]' "$1"
  [ "$(grep -c '<rect x=' "$scratch/1/autoencoder_pairs.svg")" -eq $((30 * 2 * 64)) ] || bad "not 30 pairs of digits"
  [ "$(grep -c '<text ' "$scratch/1/autoencoder_plane.svg")" -eq 360 ] || bad "not every held-out digit is in the plane"
  expect "$scratch/1/autoencoder_plane.svg" '>9</text>$'
}

neighbours() {
  "$1" >"$scratch/said" || bad "neighbours failed"
  expect "$scratch/said" '^neighbours: accuracy 0\.98[0-9] in [0-9]+\.[0-9][0-9] s \(cpu, [0-9]+ threads?\)$'
  refuses '^neighbours: --digits takes a whole number from 1 to 100000, not .0.$' "$1" --digits 0
  refuses 'file/open.*nothing-here' "$1" --data "$scratch/nothing-here"
}

number_format() { # the pass runs: its products learn less
  "$1" >"$scratch/said" || bad "number_format failed"
  narrow "$scratch/said"
  expect "$scratch/said" "^test accuracy: f32 0\.9[6-9][0-9], multiples of 1/1024 0\.9[4-9][0-9], of 1/64 0\.[0-9]+$"
  tail -1 "$scratch/said" >"$scratch/line"
  expect "$scratch/line" "^number_format: test accuracy lost by 1/64 0\.[0-9]+ in [0-9]+\.[0-9][0-9] s \(cpu, [0-9]+ threads?\)$"
  refuses "^number_format: --epochs takes a whole number from 1 to 100000, not .many.$" "$1" --epochs many
}

regression() {
  local program=$1 houses=$source/examples/data/houses.csv
  "$program" --data "$houses" --target price --out "$scratch" >"$scratch/said" 2>"$scratch/progress" || bad "regression failed"
  narrow "$scratch/said"
  narrow "$scratch/progress"
  tail -1 "$scratch/said" >"$scratch/line"
  expect "$scratch/line" "^regression: 'price' on 120 held-out rows: R\^2 0\.9[89][0-9], RMSE [0-9.e+]+$"
  expect "$scratch/regression.svg" '^<polyline '
  # what predicts nothing scores about nothing: the figure can be low
  awk 'BEGIN {srand(3); print "a,b"; for (i = 0; i < 300; ++i) print rand() "," rand()}' >"$scratch/noise.csv"
  "$program" --data "$scratch/noise.csv" --target b --out "$scratch" 2>/dev/null | tail -1 >"$scratch/line"
  expect "$scratch/line" 'R\^2 (-|0\.0)'

  write() { printf '%b' "$2" >"$scratch/$1.csv"; }
  try() { "$program" --data "$scratch/$1.csv" --target "${2-y}" --out "$scratch"; }
  write text 'x,y\n1,2\nParis,3\n'
  write nan 'x,y\n1,2\n2,nan\n'
  write empty ''
  write header 'x,y\n'
  write few 'x,y\n1,2\n2,3\n'
  write alone 'y\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n'
  write constant 'x,y\n1,4\n2,4\n3,4\n4,4\n5,4\n6,4\n7,4\n8,4\n9,4\n10,4\n'
  awk 'BEGIN {for (i = 0; i < 70; ++i) printf "c%d,", i; print "y"}' >"$scratch/wide.csv"
  for _ in 1 2 3 4 5 6 7 8 9 10; do awk -v s="$RANDOM" 'BEGIN {srand(s); for (i = 0; i < 70; ++i) printf "1,"; print rand()}'; done \
    >>"$scratch/wide.csv"
  refuses 'file/open.*missing.csv' try missing
  refuses "csv/missing-column.*'z'" try few z
  refuses "line 3: column 'x': 'Paris' is not a number" try text
  refuses "line 3: column 'y': 'nan' is not finite" try nan
  refuses 'csv/empty.*is empty' try empty
  refuses 'has a header but no rows' try header
  refuses 'regression/rows' try few
  refuses 'has no column beside the target' try alone
  refuses 'holds one value' try constant
  refuses 'has 70 features and this program takes 64' try wide
  refuses 'regression: --data FILE is missing' "$program" --target y
  refuses 'regression: --target COLUMN is missing' "$program" --data "$houses"
}

lstm_forecast() {
  local program=$1 demand=$source/examples/data/demand.csv
  "$program" --data "$demand" --column demand --out "$scratch" >"$scratch/said" 2>"$scratch/progress" || bad "lstm_forecast failed"
  narrow "$scratch/said"
  narrow "$scratch/progress"
  tail -1 "$scratch/said" >"$scratch/line"
  expect "$scratch/line" "^lstm_forecast: 'demand': RMSE 1\.[345][0-9]*, of repeating the last value 2\.589$"
  expect "$scratch/lstm_forecast.svg" '^<polyline '
  # of a walk at random the last value is the best forecast: no better than it
  awk 'BEGIN {srand(3); print "a"; for (i = 0; i < 400; ++i) print x += rand() - 0.5}' >"$scratch/walk.csv"
  "$program" --data "$scratch/walk.csv" --column a --epochs 3 --out "$scratch" 2>/dev/null | tail -1 >"$scratch/line"
  awk '{sub(",", "", $4); exit !($4 > 0.97 * $NF)}' "$scratch/line" || bad "a forecast of what cannot be forecast: $(cat "$scratch/line")"

  write() { printf '%b' "$2" >"$scratch/$1.csv"; }
  try() { "$program" --data "$scratch/$1.csv" --column "${2-y}" --out "$scratch"; }
  write text 'x,y\n1,2\n2,Paris\n'
  write few 'y\n1\n2\n3\n'
  awk 'BEGIN {print "y"; for (i = 0; i < 300; ++i) print 4}' >"$scratch/constant.csv"
  refuses 'file/open.*missing.csv' try missing
  refuses "csv/missing-column.*'z'" try few z
  refuses "line 3: column 'y': 'Paris' is not a number" try text
  refuses 'forecast/rows' try few
  refuses 'holds one value' try constant
  refuses 'lstm_forecast: --data FILE is missing' "$program" --column y
  refuses 'lstm_forecast: --column NAME is missing' "$program" --data "$demand"
}

gpt() {
  local program=$1 said left threads
  run() { # run FOLDER OPTIONS...: what it says goes to FOLDER.said, without the closing line to FOLDER.text
    local folder=$scratch/$1
    shift
    mkdir -p "$folder"
    "$program" --out "$folder" "$@" >"$folder.said" 2>"$folder.progress" || bad "gpt failed: $*"
    narrow "$folder.progress"
    tail -1 "$folder.said" >"$scratch/line"
    sed '$d' "$folder.said" | sed -n '/^wrote /,$p' | sed 1d >"$folder.text"
  }
  for threads in 1 2; do
    OMP_NUM_THREADS=$threads run "$threads" --steps 14 --every 7 --tokens 200 --prompt 'Of Man'
  done
  expect "$scratch/1.progress" '^epoch 1/1 .* loss [0-9.]+ .* samples/s +ETA 0:00$'
  expect "$scratch/line" '^gpt: validation loss [0-9.]+, tokens/s: [0-9]+ in training, [0-9]+ in sampling \(cpu, 2 threads\)$'
  awk '/^step 7: / {first = $6 + 0} /^step 14: / {last = $6 + 0} END {exit !(last < first && last < 3.5 && first < 4.5)}' \
    "$scratch/1.said" || bad "the validation loss does not fall: $(grep '^step' "$scratch/1.said")"
  expect "$scratch/1/gpt.svg" '^<polyline '
  for left in 1/gpt_best.safetensors 1/gpt_last.safetensors 1/gpt.svg 1.text; do
    cmp "$scratch/$left" "$scratch/2${left#1}" || bad "1 and 2 threads give a different $left"
  done
  [ "$(head -c 6 "$scratch/1.text")" = 'Of Man' ] || bad "the samples do not begin with the prompt"
  [ "$(wc -c <"$scratch/1.text")" -eq $((6 + 200 + 1)) ] || bad "$(wc -c <"$scratch/1.text") bytes of samples"

  # stopped and resumed, with other seeds for what the checkpoint has: every bit of a run that never stopped
  run stopped --steps 14 --every 7 --stop 5 --tokens 0
  run resumed --steps 14 --every 7 --resume "$scratch/stopped/gpt_last.safetensors" --seed 8 --tokens 200 --prompt 'Of Man'
  for left in gpt_best.safetensors gpt_last.safetensors; do
    cmp "$scratch/1/$left" "$scratch/resumed/$left" || bad "a resumed run gives a different $left"
  done
  cmp -s "$scratch/1.text" "$scratch/resumed.text" && bad "another seed samples the same text"
  expect "$scratch/resumed.said" '^step 14: '
  grep -q '^step 5: ' "$scratch/resumed.said" && bad "a resumed run begins anew"

  # samples alone: of the same checkpoint and seed the same, beyond the context, too
  said=$scratch/samples
  sample() { "$program" --resume "$scratch/1/gpt_last.safetensors" --threads 1 --steps 0 --tokens 200 --prompt 'Of Man' "$@" 2>&1; }
  sample >"$said" || bad "gpt does not sample"
  sed '$d' "$said" | cmp - "$scratch/1.text" || bad "a checkpoint samples another text than the run that saved it"
  expect "$said" '^gpt: validation loss [0-9.]+, tokens/s: 0 in training, '
  [ "$(sample --temperature 0 --seed 1 | sed '$d')" = "$(sample --top-k 1 --seed 2 | sed '$d')" ] || bad "the likeliest byte is several"
  [ "$(sample --temperature 0 --seed 1 | sed '$d')" = "$(sample --top-p 0 --seed 2 | sed '$d')" ] || bad "the likeliest byte is several"
  # of a long prompt the last bytes count, and all of it is shown
  local long=thousand
  while [ ${#long} -lt 300 ]; do long+=" $long"; done
  [ "$(sample --prompt "$long")" != "$(sample --prompt "${long: -128}")" ] || bad "a long prompt is not shown"
  cmp <(sample --prompt "$long" --tokens 60 | sed '$d' | tail -c 61) <(sample --prompt "${long: -128}" --tokens 60 | sed '$d' | tail -c 61) ||
    bad "more than the context of a prompt counts"
  [ "$(sample --prompt '' | sed '$d' | wc -c)" -eq $((1 + 200 + 1)) ] || bad "an empty prompt is no newline"

  head -c 1289 "$source/examples/data/verse.txt" >"$scratch/short.txt"
  : >"$scratch/empty.txt"
  refuses 'gpt: .*file/open.*missing.txt' "$program" --data "$scratch/missing.txt"
  refuses "gpt: .*empty.txt' has 0 bytes; learning and validating take 1290$" "$program" --data "$scratch/empty.txt"
  refuses "gpt: .*short.txt' has 1289 bytes; learning and validating take 1290$" "$program" --data "$scratch/short.txt"
  refuses 'file/open.*nothing-here' "$program" --resume "$scratch/nothing-here"
  refuses 'file/create' "$program" --steps 1 --out "$scratch/nothing-here"
  refuses "^gpt: --steps takes a whole number from 0 to 1000000000, not '-1'$" "$program" --steps -1
  refuses "^gpt: --top-k takes a whole number from 0 to 256, not '257'$" "$program" --top-k 257
  refuses "^gpt: --temperature takes a number from 0 to 1000, not 'hot'$" "$program" --temperature hot
  refuses "^gpt: --temperature takes a number from 0 to 1000, not ''$" "$program" --temperature ''
  refuses "^gpt: --top-p takes a number from 0 to 1, not '1.5'$" "$program" --top-p 1.5
  refuses "^gpt: --top-p takes a number from 0 to 1, not 'nan'$" "$program" --top-p nan
  cat "$scratch/short.txt" <(printf x) >"$scratch/enough.txt"
  run enough --data "$scratch/enough.txt" --steps 1 --tokens 1 --every 5
}

ddp() { # ddp MPIEXEC PROGRAM
  local mpiexec=$1 program=$2 what closing
  run() { # run NAME RANKS OPTIONS...: alone, without mpiexec, for 0 ranks; parameters go to NAME.safetensors
    local name=$1 ranks=$2 start=()
    shift 2
    if [ "$ranks" -gt 0 ]; then start=("$mpiexec" -n "$ranks"); fi
    "${start[@]}" "$program" --save "$scratch/$name.safetensors" "$@" >"$scratch/$name.said" 2>"$scratch/$name.progress" ||
      bad "ddp failed on $ranks ranks: $* $(cat "$scratch/$name.progress")"
    narrow "$scratch/$name.progress"
  }
  same() { cmp "$scratch/$1.safetensors" "$scratch/$2.safetensors" || bad "$3"; }
  for what in digits gpt; do
    closing='test accuracy 0\.9[3-9][0-9]+, [0-9]+ samples/s'
    local steps=(--what digits --steps 200 --every 100)
    if [ $what = gpt ]; then
      closing='validation loss [34]\.[0-9]+, [0-9]+ tokens/s'
      steps=(--what gpt --steps 6 --every 3)
    fi
    run alone_$what 0 "${steps[@]}" --accumulate 2
    run two_$what 2 "${steps[@]}"
    run other_$what 2 "${steps[@]}" --seed 1
    [ "$(wc -l <"$scratch/two_$what.said")" -eq 3 ] || bad "not rank 0 alone speaks: $(cat "$scratch/two_$what.said")"
    tail -1 "$scratch/alone_$what.said" >"$scratch/line"
    expect "$scratch/line" "^ddp: $closing \(ranks: 1, threads of each: 1\)$"
    tail -1 "$scratch/two_$what.said" >"$scratch/line"
    expect "$scratch/line" "^ddp: $closing \(ranks: 2, threads of each: 1\)$"
    # what 2 ranks train is what one process does that gathers the gradients of 2 batches, and so is the figure
    same alone_$what two_$what "$what: 2 ranks end elsewhere than one that accumulates 2 batches"
    diff <(sed '$d' "$scratch/alone_$what.said") <(sed '$d' "$scratch/two_$what.said") || bad "$what: other figures on 2 ranks"
    cmp -s "$scratch/two_$what.safetensors" "$scratch/other_$what.safetensors" && bad "$what: another seed gives the same parameters"
    # stopped and resumed, with another seed than the checkpoint's
    run stopped_$what 2 "${steps[@]}" --stop $((${steps[3]} / 2 - 1)) --checkpoint "$scratch/checkpoint"
    run resumed_$what 2 "${steps[@]}" --resume "$scratch/checkpoint" --seed 8
    same two_$what resumed_$what "$what: a resumed run ends elsewhere"
    cmp -s "$scratch/two_$what.safetensors" "$scratch/stopped_$what.safetensors" && bad "$what: --stop does not stop"
  done
  run gathered 2 --accumulate 2 --steps 200
  tail -1 "$scratch/gathered.said" >"$scratch/line"
  expect "$scratch/line" '^ddp: test accuracy 0\.9[3-9][0-9]+, '
  # alone and on ranks, all of which end with the one that fails
  refuses 'ddp: rank 0: file/open.*nothing-here' "$program" --data "$scratch/nothing-here"
  refuses 'ddp: rank [01]: file/open.*nothing-here' timeout 60 "$mpiexec" -n 2 "$program" --data "$scratch/nothing-here"
  refuses 'ddp: rank 0: file/create.*nothing-here' timeout 60 "$mpiexec" -n 2 "$program" --steps 1 --save "$scratch/nothing-here/x"
  refuses 'ddp: rank [01]: (file/create|comm/rank)' timeout 60 "$mpiexec" -n 2 "$program" --steps 1 --checkpoint "$scratch/nothing-here/x"
  refuses 'train/mismatch' "$program" --resume "$scratch/checkpoint"
  refuses "^ddp: --what takes digits or gpt, not 'faces'$" "$program" --what faces
  refuses "^ddp: --accumulate takes a whole number from 1 to 2, not '3'$" "$program" --accumulate 3
}

distributed() { # distributed MPIEXEC FIRST PROGRAM: the programs of docs/distributed.md, on 1 to 3 ranks
  local ranks
  ln -s "$source/examples" "$scratch/examples"
  for ranks in 1 2 3; do
    (cd "$scratch" && "$1" -n $ranks "$2") >"$scratch/said" || bad "the first program fails on $ranks ranks"
    [ "$(wc -l <"$scratch/said")" -eq 1 ] || bad "not rank 0 alone speaks"
    expect "$scratch/said" "^ranks: $ranks, test accuracy 0\.9[4-9][0-9]$"
    [ -s "$scratch/digits.safetensors" ] || bad "the first program saved nothing"
    rm "$scratch/digits.safetensors"
    "$1" -n $ranks "$3" "$scratch" || bad "docs/distributed.md: not as the page says on $ranks ranks"
  done
}

first_program() { # the first block of C++ in a page
  awk '/^```cpp$/ {inside = 1; next} /^```$/ {if (inside) exit} inside' "$1"
}

readme() {
  first_program "$source/README.md" >"$scratch/readme.cpp"
  expect "$scratch/readme.cpp" '^int main\(\) \{$'
  ln -s "$source/examples" "$scratch/examples"
  (cd "$scratch" && "$1" -std=c++20 -O2 -march=native -Wall -Wextra -Wconversion -Wshadow -Werror "-I$source/include" readme.cpp \
    -o readme && ./readme) || bad "the README's program does not build and run"
  [ -s "$scratch/digits.safetensors" ] || bad "the README's program saved nothing"
}

cuda() { # cuda FOLDER PROGRAMS: the examples as CUDA, some steps each, on the software device in FOLDER
  local lib=$1 programs=$2 data=$source/examples/data program
  steps() { # steps NAME OPTIONS...: runs it, and the last line says where
    local name=$1
    shift
    mkdir -p "$scratch/$name"
    (cd "$scratch/$name" && LD_LIBRARY_PATH=$lib timeout 300 "$programs/${name}_cuda" "$@") >"$scratch/said" 2>"$scratch/errors" ||
      bad "$name failed as CUDA: $(tail -3 "$scratch/errors")"
    ! grep '^softgpu: .* findings' "$scratch/errors" || bad "$name: $(head -5 "$scratch/errors")"
    tail -1 "$scratch/said" >"$scratch/line"
  }
  head -c 3000 "$data/verse.txt" >"$scratch/verse.txt"
  head -61 "$data/houses.csv" >"$scratch/houses.csv"
  head -301 "$data/demand.csv" >"$scratch/demand.csv"
  for program in "$programs"/*_cuda; do
    program=$(basename "$program" _cuda)
    case $program in
      autoencoder | digits | digits_cnn) steps "$program" --epochs 1 --data "$data/digits.bin" ;;
      number_format) steps "$program" --epochs 1 ;;
      neighbours) steps "$program" --digits 50 ;;
      regression) steps "$program" --data "$scratch/houses.csv" --target price --epochs 1 ;;
      lstm_forecast) steps "$program" --data "$scratch/demand.csv" --column demand --epochs 1 ;;
      gpt) steps "$program" --data "$scratch/verse.txt" --steps 3 --every 3 --tokens 4 ;;
      *) bad "no steps of $program are known" ;;
    esac
    case $program in
      regression) expect "$scratch/line" '^regression: .*RMSE [0-9]' ;;
      lstm_forecast) expect "$scratch/line" '^lstm_forecast: .*RMSE [0-9]' ;;
      number_format) expect "$scratch/said" '^test accuracy: ' ;;
      *) expect "$scratch/line" "^$program: .*\(cuda\)$" ;;
    esac
  done
}

readme_cuda() { # readme_cuda FOLDER NVCC: the README's own line for nvcc, on the software device in FOLDER
  local line any='-gencode arch=compute_80,code=[compute_80,sm_80]'
  first_program "$source/README.md" >"$scratch/prog.cpp"
  ln -s "$source/examples" "$source/include" "$scratch"
  line=$(grep '^nvcc ' "$source/README.md")
  expect "$scratch/prog.cpp" '^int main\(\) \{$'
  [[ "$line" == *' -arch=native '*' && ./prog' ]] || bad "the README's line for nvcc builds for another machine, or runs nothing: $line"
  # no GPU says what is native; the device reads PTX that is not compressed and stands in for a runtime that is shared
  line=${line/-arch=native/$any -cudart shared -no-compress}
  (cd "$scratch" && PATH=$(dirname "$2"):$PATH LD_LIBRARY_PATH=$1 bash -c "$line") >"$scratch/said" 2>&1 ||
    bad "the README's line for nvcc does not build and run: $(cat "$scratch/said")"
  [ -s "$scratch/digits.safetensors" ] || bad "the README's program saved nothing"
}

program() { # program PROGRAM SOURCE: says what its source's last lines say that it prints
  "$1" >"$scratch/said" || bad "$2 failed"
  sed -n 's,^// prints: ,,p' "$2" | diff - "$scratch/said" || bad "$2 prints something else (< said to, > does)"
}

# Code in pages is cut from tests; every error id is on its page.
pages() {
  local page from mark
  for page in "$source"/docs/*.md "$source/README.md"; do
    while IFS= read -r mark; do
      from=$source/${mark%%: *}
      mark=${mark#*: }
      awk -v mark="[$mark]" -v end="[/$mark]" 'index($0, "// " mark) {inside = 1; next} index($0, "// " end) {inside = 0} inside' "$from" |
        awk '{line[NR] = $0; match($0, /^ */); if ($0 != "" && (NR == 1 || RLENGTH < least)) least = RLENGTH}
             END {for (i = 1; i <= NR; ++i) print substr(line[i], least + 1)}' >"$scratch/cut"
      awk -v mark="<!-- cut from ${from#"$source"/}: $mark -->" '$0 == mark {found = 1; next} found && /^```cpp$/ {inside = 1; next}
             inside && /^```$/ {exit} inside' "$page" >"$scratch/shown"
      [ -s "$scratch/cut" ] || bad "$page: $from has no part [$mark]"
      diff "$scratch/cut" "$scratch/shown" || bad "$page shows another [$mark] than $from"
    done < <(sed -n 's/^<!-- cut from \(.*\) -->$/\1/p' "$page")
    while IFS= read -r from; do
      sed -n 's,^// prints: ,,p' "$source/$from" >"$scratch/cut"
      awk -v mark="<!-- printed by $from -->" '$0 == mark {found = 1; next} found && /^```text$/ {inside = 1; next}
             inside && /^```$/ {exit} inside' "$page" >"$scratch/shown"
      [ -s "$scratch/cut" ] || bad "$page: $from prints nothing"
      diff "$scratch/cut" "$scratch/shown" || bad "$page shows something else than $from prints"
    done < <(sed -n 's/^<!-- printed by \(.*\) -->$/\1/p' "$page")
    # one C++ block for each mark; the README's first is tested by itself
    local blocks marks
    blocks=$(grep -c '^```cpp$' "$page")
    marks=$(grep -c '^<!-- cut from ' "$page")
    if [ "$page" = "$source/README.md" ]; then marks=$((marks + 1)); fi
    [ "$blocks" -eq "$marks" ] || bad "$page: $blocks blocks of C++, $marks of them from tests"
  done
  # what docs/from_pytorch.md tells to write is in programs that were compiled
  local spelled span
  spelled=$(cat "$source"/tests/examples/from_pytorch*_program.cpp | tr -d ' \n')
  awk -F ' [|] ' '/^[|] / && NF > 1 {print $2}' "$source/docs/from_pytorch.md" | grep -oE '`[^`]+`' | tr -d '`' | sed 's/\\|/|/g' >"$scratch/spans"
  [ "$(wc -l <"$scratch/spans")" -gt 200 ] || bad "docs/from_pytorch.md: $(wc -l <"$scratch/spans") spellings, which are not its tables"
  while IFS= read -r span; do
    [[ "$spelled" == *"${span// /}"* ]] || bad "docs/from_pytorch.md: no program of it has: $span"
  done <"$scratch/spans"
  {
    grep -rhE '"[a-z0-9]+/[a-z0-9-]+"' "$source/include/weft" | grep -v '#include' | grep -oE '"[a-z0-9]+/[a-z0-9-]+"' | tr -d '"' |
      grep -vx 'area/kind'
    grep -oE 'fail\("[a-z-]+"' "$source/include/weft/io/safetensors.hpp" | sed 's,fail(",safetensors/,; s,"$,,'
  } | sort -u >"$scratch/thrown"
  sed -n 's,^| `\([a-z0-9]*/[a-z0-9-]*\)` |.*,\1,p' "$source/docs/errors.md" | sort >"$scratch/described"
  diff "$scratch/thrown" "$scratch/described" || bad "docs/errors.md and the errors in include/weft differ (< thrown, > described)"
}

embed() {
  local cmake=$1 build=$2 compiler=$3 generator=$4 make=$5
  {
    "$cmake" --install "$build" --prefix "$scratch/prefix" &&
      "$cmake" -S "$source/examples/embed" -B "$scratch/build" -G "$generator" "-DCMAKE_MAKE_PROGRAM=$make" \
        "-DCMAKE_CXX_COMPILER=$compiler" -DCMAKE_CUDA_COMPILER=NOTFOUND "-DCMAKE_PREFIX_PATH=$scratch/prefix" \
        "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wconversion -Wshadow -Werror -march=native" &&
      "$cmake" --build "$scratch/build"
  } >"$scratch/log" 2>&1 || { tail -40 "$scratch/log" && bad "examples/embed does not build" && return; }
  (cd "$scratch" && ./build/embed "$source/examples/data/digits.bin") >"$scratch/said" || bad "embed failed"
  tail -1 "$scratch/said" >"$scratch/line"
  expect "$scratch/line" '^embed: test accuracy 0\.9[6-9][0-9] \(cpu\)$'
}

case $name in
  autoencoder | ddp | digits | digits_cnn | distributed | gpt | lstm_forecast | neighbours | number_format | regression | readme | readme_cuda | cuda | pages | program | embed) "$name" "$@" ;;
  *) echo "there is no example test '$name'" && exit 2 ;;
esac
[ "$failures" -eq 0 ] && echo "examples: $name as expected"
[ "$failures" -eq 0 ]
