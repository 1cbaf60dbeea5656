#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A relay daemon and two hosts, each with a network, a name, processes and daemons of its own; as root.
#   hosts.sh TOOL FOLDER two       both hosts stream; FOLDER/relay is what the relay keeps
#   hosts.sh TOOL FOLDER lost      the relay is killed while a program runs
#   hosts.sh TOOL FOLDER stalled   the relay hangs while a program runs
#   hosts.sh TOOL FOLDER refused   no relay, another server, an unknown name
# What a recorder of host H printed is in FOLDER/H.out and FOLDER/H.err, its exit code in FOLDER/H.code.
set -euo pipefail

# A host: a name, then the arguments of record.
if [ "$1" = host ]; then
  hostname "$2"
  mkdir -p -m 700 /tmp/trace-report-0
  for folder in /run/lttng /tmp/trace-report-0 /dev/shm; do
    mkdir -p "$folder"
    mount -t tmpfs -o mode=0700 tmpfs "$folder"
  done
  shift 2
  exec "$@"
fi

tool=$1 folder=$2 scenario=$3
if [ "${HOSTS_INSIDE-}" != 1 ]; then
  export HOSTS_INSIDE=1
  exec unshare --net --mount --pid --fork --kill-child --mount-proc --propagation private -- "$0" "$@"
fi

# Each namespace is in a file of its own here, so nothing of them stays.
mount -t tmpfs tmpfs /run
ip link set lo up
ip link add fleet type bridge
ip address add 10.77.0.1/24 dev fleet
ip link set fleet up
for number in 7 8; do
  ip netns add "kiosk-$number"
  ip link add "fleet-$number" type veth peer name eth0 netns "kiosk-$number"
  ip link set "fleet-$number" master fleet up
  ip -n "kiosk-$number" link set lo up
  ip -n "kiosk-$number" address add "10.77.0.$number/24" dev eth0
  ip -n "kiosk-$number" link set eth0 up
done

on() {
  local name=$1 code=0
  shift
  ip netns exec "$name" unshare --uts --mount --pid --fork --mount-proc --propagation private \
    -- "$0" host "$name" "$@" >"$folder/$name.out" 2>"$folder/$name.err" || code=$?
  echo "$code" >"$folder/$name.code"
}

relay() {
  mkdir -p "$folder/relay"
  mount -t tmpfs tmpfs /run/lttng 2>/dev/null || true
  LTTNG_HOME=$folder lttng-relayd --output="$folder/relay" --control-port=tcp://10.77.0.1:5342 \
    --data-port=tcp://10.77.0.1:5343 --live-port=tcp://10.77.0.1:5344 </dev/null >/dev/null 2>&1 &
  relay=$!
  until (exec 3<>/dev/tcp/10.77.0.1/5344) 2>/dev/null; do sleep 0.05; done
}

wait_for() {
  for _ in $(seq 600); do
    if [ -e "$1" ]; then return; fi
    sleep 0.1
  done
  echo "$1 did not appear within 60 s" >&2
  exit 1
}

# Streams with events, of which the program has made some 200 KiB: the first packets may have none.
wait_for_streams() {
  for _ in $(seq 600); do
    if find "$folder/relay" -name metadata -size +0 | grep -q . \
      && find "$folder/relay" -name 'objectstore_*' -size +16k | grep -q .; then return; fi
    sleep 0.1
  done
  echo "no streams came within 60 s" >&2
  exit 1
}

program=$(dirname "$0")/hosts_program.py
case $scenario in
two)
  relay
  on kiosk-7 "$tool" record --relay 10.77.0.1 --label version=1.4 --label 'note=a/b % ü' \
    -- python3 "$program" "$folder/seven.db" 300 &
  on kiosk-8 "$tool" record --relay 10.77.0.1:5342 --label version=1.5 --label host=till-3 \
    -- python3 "$program" "$folder/eight.db" 200 3 &
  wait %2 %3
  ;;
lost | stalled)
  relay
  on kiosk-7 "$tool" record --relay 10.77.0.1 \
    -- python3 "$program" "$folder/seven.db" 1000 0 "$folder/half" "$folder/go" &
  wait_for "$folder/half"
  wait_for_streams
  if [ "$scenario" = lost ]; then kill -KILL "$relay"; else kill -STOP "$relay"; fi
  touch "$folder/go"
  wait %2
  ;;
refused)
  # None listens, a server that says something else, a name that no one has.
  on kiosk-7 "$tool" record --relay 10.77.0.1 -- python3 "$program" "$folder/a.db" 1
  python3 -c '
import socket, sys
server = socket.create_server(("10.77.0.1", 5342))
open(sys.argv[1], "w").close()
client = server.accept()[0]
client.recv(100)
client.sendall(b"HTTP/1.0 400 Bad Request\r\n\r\n")
' "$folder/listens" &
  wait_for "$folder/listens"
  on kiosk-8 "$tool" record --relay 10.77.0.1 -- python3 "$program" "$folder/b.db" 1
  mv "$folder/kiosk-8.err" "$folder/other.err"
  on kiosk-8 "$tool" record --relay no-such-host.invalid -- python3 "$program" "$folder/c.db" 1
  ;;
esac
