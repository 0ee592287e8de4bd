#!/usr/bin/env bash
# What the software device must say of faults in calls of NCCL. usage: planted.sh FOLDER PROGRAM
set -u
here=$(dirname "${BASH_SOURCE[0]}")
problems=0
# plant CASE STATUS TEXT: that of the ranks, and what one says
plant() {
  local said status
  said=$(timeout -k 5 30 bash "$here/launch.sh" "$folder" 2 "$program" "$1" 2>&1)
  status=$?
  [ "$status" -eq "$2" ] && grep -q -- "$3" <<<"$said" && return
  printf 'FAIL: %s, status %s, nobody said "%s":\n%s\n' "$1" "$status" "$3" "$said"
  problems=1
}
folder=$1 program=$2
export WEFT_NCCL_SOFTGPU=1 # whatever GPUs there are
plant none 0 '^$'
plant count 86 'ranks that part: rank 1 expects ncclBroadcast of 32 elements.* from rank 0, which calls ncclBroadcast of 64'
plant order 86 'ranks that part: rank 1 expects ncclAllGather .* from rank 0, which calls ncclBroadcast'
plant unwritten 86 'uninitialised read: ncclAllGather of 256 bytes: nobody has written at'
plant freed 86 'freed memory: ncclAllGather: 256 bytes'
plant behind 86 'out of bounds: ncclBroadcast: 260 bytes'
plant overlap 86 'overlapping buffers: ncclAllGather'
plant destroyed 86 'invalid handle: ncclAllGather: a communicator that was destroyed'
plant null 86 'null pointer: ncclSend: 256 bytes at 0x0'
plant device 86 "another device's memory: ncclAllGather: 256 bytes"
plant nobody 86 'ranks that part: ncclBroadcast: rank 2 is none'
plant left 86 'never destroyed: 1 communicators'
plant itself 86 'group semantics: ncclGroupEnd: a message to oneself that the same group does not take'
plant streams 86 'group semantics: ncclGroupEnd: two streams in one group'
plant open 86 'group semantics: a group that was begun and never ended'
plant unopened 86 'group semantics: ncclGroupEnd: no group was begun'
plant captured 86 'illegal under capture: ncclCommDestroy'
plant held 86 'still in use: ncclCommDestroy: a graph holds the communicator'
exit "$problems"
