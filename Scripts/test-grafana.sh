#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tries every query of dashboards/grafana/ on a real Prometheus that scrapes our own export.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

python=/usr/bin/python3 # Debian's, which sees Debian's packages

install_prometheus() {
  command -v prometheus >/dev/null && "$python" -c 'import prometheus_client' 2>/dev/null && return
  say "installing prometheus, promtool and python3-prometheus-client"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get install -y --no-install-recommends prometheus python3-prometheus-client >&2
}

install_prometheus
build_programs debug
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT

heading "Export"
"$trace_report" export traces/before --format openmetrics -o "$folder/metrics"
promtool check metrics <"$folder/metrics" >/dev/null 2>&1 || true # advice on names
"$python" Scripts/grafana.py strict "$folder/metrics"

heading "Prometheus"
"$python" Scripts/grafana.py serve "$folder/metrics" >"$folder/port" &
for _ in $(seq 50); do
  [ -s "$folder/port" ] && break
  sleep 0.2
done
cat >"$folder/prometheus.yml" <<YAML
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: ["$PWD/dashboards/prometheus/rules.yml"]
scrape_configs:
  - job_name: storescope
    static_configs: [{targets: ["127.0.0.1:$(cat "$folder/port")"]}]
YAML
port=$("$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
prometheus --config.file="$folder/prometheus.yml" --storage.tsdb.path="$folder/data" \
  --web.listen-address="127.0.0.1:$port" >"$folder/prometheus.log" 2>&1 &

heading "Queries"
"$python" Scripts/grafana.py try "http://127.0.0.1:$port" dashboards/grafana/*.json || {
  tail -20 "$folder/prometheus.log" >&2
  exit 1
}
