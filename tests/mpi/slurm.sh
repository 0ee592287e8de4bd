#!/usr/bin/env bash
# Starts the ranks of a program as Slurm does, srun --mpi=pmix, on a cluster of this one machine that lives in a folder of its
# own and ends with the test. usage: slurm.sh RANKS PROGRAM [ARGUMENT...]; 77 where Slurm or its PMIx is missing
set -u
ranks=$1
shift

for tool in slurmctld slurmd srun sinfo; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
plugins=$(dirname "$(find /usr/lib /usr/lib64 -name mpi_pmix.so 2>/dev/null | head -1)")
for plugin in mpi_pmix auth_none cred_none; do
  [ -e "$plugins/$plugin.so" ] || { echo "skipped: Slurm has no $plugin" && exit 77; }
done

folder=$(mktemp -d)
leave() {
  for daemon in slurmd slurmctld; do
    [ -e "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" 2>/dev/null
  done
  sleep 0.5
  rm -rf "$folder"
}
trap leave EXIT
host=$(hostname -s) user=$(id -un) port=$((20000 + $$ % 10000 * 2))
mkdir "$folder/d" "$folder/state"
export SLURM_CONF=$folder/slurm.conf
cat >"$SLURM_CONF" <<TEXT
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmdSpoolDir=$folder/d
StateSaveLocation=$folder/state
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES State=UP
TEXT
if ! { slurmctld && slurmd; } >"$folder/started" 2>&1; then
  cat "$folder/started"
  echo "skipped: Slurm does not start here"
  exit 77
fi
for _ in {1..100}; do
  sinfo -h -o %t 2>/dev/null | grep -qx idle && break
  sleep 0.2
done

timeout -k 5 280 srun --mpi=pmix -n "$ranks" --overcommit "$@"
status=$?
[ "$status" -eq 0 ] || tail -n 20 "$folder"/*.log
exit "$status"
