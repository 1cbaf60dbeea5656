#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Holds what leaves the machine against the programs that take it.
#   test-fleet.sh otlp        the protocol's own definitions
#   test-fleet.sh logs        recordings of the programs that wrote the logs of Rails, Django, SQLAlchemy and the shell
#   test-fleet.sh mcp         the client of PyPI's mcp
#   test-fleet.sh rows        the recipes of dashboards/sql on DuckDB, ClickHouse and Spark
#   test-fleet.sh commands    every command of Documentation/Fleet.md, as it stands there; as root
#   test-fleet.sh scale       1,000 hosts and 100,000,000 rows in DuckDB and ClickHouse: an hour, 20 GB of disk
#   test-fleet.sh prometheus  rules and alerts, and a real Prometheus that scrapes `serve`
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/common.sh

venv=.build/fleet-venv
install_packages() {
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  say "installing $* into $venv"
  "$venv/bin/pip" install --quiet "$@"
  export FLEET_PYTHON="$PWD/$venv/bin/python"
}

case "${1:-}" in
otlp)
  install_packages opentelemetry-proto
  swift test --filter OTLPCommandTests
  ;;
logs)
  install_packages django sqlalchemy
  swift test --filter LogAgreementTests
  ;;
mcp)
  install_packages mcp
  swift test --filter MCPCommandTests
  ;;
rows)
  install_packages duckdb chdb pyspark
  FLEET_ENGINES=duckdb,clickhouse,spark swift test --filter RowsCommandTests
  ;;
commands)
  install_packages duckdb-cli
  swift build --product trace-report
  "$FLEET_PYTHON" Tests/FleetTests/commands.py "$(swift build --show-bin-path)/trace-report" .
  ;;
scale)
  install_packages duckdb chdb
  swift build --product trace-report
  "$FLEET_PYTHON" Tests/FleetTests/scale.py "$(swift build --show-bin-path)/trace-report" .build/fleet-scale
  ;;
prometheus)
  command -v promtool >/dev/null || {
    say "installing prometheus"
    $([ "$(id -u)" = 0 ] || echo sudo) apt-get install -y --no-install-recommends prometheus >&2
  }
  (cd dashboards/prometheus && promtool check rules rules.yml && promtool test rules rules-test.yml)
  swift build --product trace-report
  python3 Tests/FleetTests/prometheus.py "$(swift build --show-bin-path)/trace-report"
  ;;
*)
  sed -n '/^#   /s/^#   //p' "$0" >&2
  exit 64
  ;;
esac
