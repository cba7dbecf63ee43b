#!/usr/bin/env bash
# A SLURM of two nodes on this machine, for tests: its daemons, its own munge, all ports on loopback. Needs root and the
# Debian packages slurmctld slurmd slurm-client munge.
#
#   slurm.sh start FOLDER   FOLDER is empty; then: SLURM_CONF=FOLDER/slurm.conf sbatch …
#   slurm.sh stop FOLDER    ends the daemons
set -euo pipefail

die() {
    printf 'slurm.sh: %s\n' "$*" >&2
    exit 1
}

free_ports() {
    python3 - "$1" <<'PY'
import socket, sys
sockets = [socket.socket() for _ in range(int(sys.argv[1]))]
for one in sockets:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in sockets))
PY
}

configure() {
    local folder=$1 host=$2 ports
    read -ra ports <<<"$(free_ports 3)"
    cat >"$folder/slurm.conf" <<CONF
ClusterName=two
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool-%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldPort=${ports[0]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SchedulerParameters=bf_interval=1
ReturnToService=2
MpiDefault=none
KillWait=10
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=2 State=UNKNOWN
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=2 State=UNKNOWN
PartitionName=test Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
CONF
}

start() {
    local folder=$1 node
    [ "$(id -u)" -eq 0 ] || die "its daemons need root."
    for node in slurmctld slurmd sbatch munged; do
        command -v "$node" >/dev/null || die "$node is not installed."
    done
    # Every user has to reach the socket; the key is root's alone.
    chmod 755 "$folder"
    mkdir "$folder/munge" "$folder/state" "$folder/spool-n1" "$folder/spool-n2"
    (umask 077 && head -c 128 /dev/urandom >"$folder/munge/key")
    munged --key-file="$folder/munge/key" --socket="$folder/munge/socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/munge/log" --seed-file="$folder/munge/seed"
    configure "$folder" "$(hostname -s)"
    export SLURM_CONF=$folder/slurm.conf
    slurmctld -L "$folder/slurmctld.log"
    for node in n1 n2; do slurmd -N "$node" -L "$folder/$node.log"; done
    for _ in $(seq 60); do
        [ "$(sinfo --noheader --Node --format=%T 2>/dev/null | grep -c idle)" -lt 2 ] || return 0
        sleep 0.5
    done
    die "the nodes did not become idle: $folder/*.log tell why."
}

# Waits for the end of a daemon of ours, and sees to it.
end() {
    local process=$1
    kill "$process" 2>/dev/null || return 0
    for _ in $(seq 50); do
        kill -0 "$process" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -KILL "$process" 2>/dev/null || true
}

stop() {
    local file
    for file in "$1"/slurmd-*.pid "$1/slurmctld.pid" "$1/munged.pid"; do
        if [ -f "$file" ]; then end "$(cat "$file")"; fi
    done
}

case "${1:-}" in
start | stop)
    [ $# -eq 2 ] || die "slurm.sh start FOLDER | stop FOLDER"
    "$1" "$2"
    ;;
*) die "slurm.sh start FOLDER | stop FOLDER" ;;
esac
