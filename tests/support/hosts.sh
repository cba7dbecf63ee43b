#!/usr/bin/env bash
# N hosts on one machine: network namespaces w1 … wN with one address each (10.77.0.1 … 10.77.0.N on eth0), joined by a
# bridge in a namespace of its own, every link shaped to RATE in both directions. Needs root and iproute2.
#
#   hosts.sh with N RATE COMMAND…   the hosts live as long as COMMAND, however it ends
#   hosts.sh up N [RATE [MTU]]      e.g. up 2 250mbit 9000 (jumbo frames); then: ip netns exec w1 COMMAND
#   hosts.sh down                   ends what still runs on the hosts and takes them away
#
# Only bandwidth is shaped: the latency of a link would take netem, which many kernels lack.
set -euo pipefail

switch=wswitch

die() {
    printf 'hosts.sh: %s\n' "$*" >&2
    exit 1
}

exists() { ip netns list | grep -qw "^$1"; }

# The switch knows its hosts: port pI belongs to host wI.
hosts() { ip -n "$switch" -o link show type veth | sed -n 's/^[0-9]*: p\([0-9]*\)@.*/w\1/p'; }

down() {
    exists "$switch" || return 0
    local host
    for host in $(hosts); do
        ip netns pids "$host" | xargs -r kill -KILL 2>/dev/null || true
        ip netns del "$host"
    done
    ip netns del "$switch"
}

add_host() {
    local number=$1 rate=$2 mtu=$3 host=w$1
    ! exists "$host" || die "a namespace $host is there already and not ours: ip netns del $host"
    ip netns add "$host"
    ip link add eth0 netns "$host" type veth peer name "p$number" netns "$switch"
    ip -n "$switch" link set "p$number" mtu "$mtu" master br0 up
    ip -n "$host" addr add "10.77.0.$number/24" dev eth0
    ip -n "$host" link set lo up
    ip -n "$host" link set eth0 mtu "$mtu" up
    if [ -n "$rate" ]; then
        # What a host sends is shaped where it leaves: with every host so, both directions are.
        tc -n "$host" qdisc add dev eth0 root tbf rate "$rate" burst 256kb latency 200ms
    fi
}

up() {
    local count=$1 rate=$2 mtu=${3:-1500} number
    [ "$(id -u)" -eq 0 ] || die "making network namespaces needs root."
    down
    ip netns add "$switch"
    ip -n "$switch" link add br0 type bridge
    ip -n "$switch" link set br0 up
    for ((number = 1; number <= count; ++number)); do add_host "$number" "$rate" "$mtu"; done
}

usage() { die "hosts.sh with N RATE COMMAND… | up N [RATE [MTU]] | down"; }

case "${1:-}" in
up)
    [ $# -ge 2 ] || usage
    up "$2" "${3:-}" "${4:-}"
    ;;
down) down ;;
with)
    [ $# -ge 4 ] || usage
    trap down EXIT
    up "$2" "$3"
    "${@:4}"
    ;;
*) usage ;;
esac
