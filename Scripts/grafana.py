#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Helps Scripts/test-grafana.sh: reads metrics strictly, serves them, tries a dashboard's queries."""
import http.server
import json
import sys
import time
import urllib.error
import urllib.parse
import urllib.request


def strict(path):
    """Reads the file by the strict parser of Prometheus's own Python client."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    with open(path) as file:
        families = list(text_string_to_metric_families(file.read()))
    samples = sum(len(family.samples) for family in families)
    print(f"valid OpenMetrics: {len(families)} families, {samples} samples")


def serve(path):
    """Serves the file as a program serves its metrics; prints the port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            with open(path, "rb") as file:
                body = file.read()
            self.send_response(200)
            self.send_header(
                "Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()


def ask(server, path, **parameters):
    url = f"{server}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def wait_for(server):
    """Waits until two scrapes have succeeded, which a rate needs, and a rule was evaluated after them."""
    for _ in range(60):
        try:
            answer = ask(server, "query", query='count_over_time(storescope_fetches_total[1m])')
            results = answer.get("data", {}).get("result", [])
            recorded = ask(server, "query", query="storescope:run_duration:p95_5m")
            if results and float(results[0]["value"][1]) >= 3 and recorded["data"]["result"]:
                return
        except (OSError, ValueError):  # starting
            pass
        time.sleep(1)
    targets = ask(server, "targets")
    sys.exit(f"Prometheus did not scrape: {json.dumps(targets)[:2000]}")


def filled(expression):
    for name, value in {
        "$__rate_interval": "1m", "$__range": "5m", "$__interval": "15s", "$job": ".+",
    }.items():
        expression = expression.replace(name, value)
    return expression


def try_queries(server, paths):
    """Runs each query as Grafana does; one that fails or finds nothing fails the test."""
    wait_for(server)
    count, failures = 0, []
    for path in paths:
        with open(path) as file:
            dashboard = json.load(file)
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                count += 1
                query = filled(target["expr"])
                if target.get("instant"):
                    answer = ask(server, "query", query=query)
                else:
                    now = time.time()
                    answer = ask(
                        server, "query_range", query=query, start=now - 60, end=now, step=5)
                series = answer.get("data", {}).get("result", [])
                values = [v for s in series for v in s.get("values", [s.get("value")])]
                ok = answer["status"] == "success" and len(values) > 0
                shown = values[-1][1] if values else answer.get("error", "no data")
                print(f"{'ok  ' if ok else 'FAIL'} {panel['title']}: {len(series)} series, {shown}")
                if not ok:
                    failures.append(query)
        variables = dashboard["templating"]["list"]
        for variable in (v for v in variables if v["type"] == "query"):
            metric, label = variable["definition"][len("label_values("):-1].split(", ")
            count += 1
            answer = ask(server, f"label/{label}/values", **{"match[]": metric})
            print(f"{'ok  ' if answer.get('data') else 'FAIL'} ${variable['name']}: {answer.get('data')}")
            if not answer.get("data"):
                failures.append(variable["definition"])
    print(f"{count} queries, {len(failures)} failed")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "strict":
        strict(*arguments)
    elif command == "serve":
        serve(*arguments)
    else:
        try_queries(arguments[0], arguments[1:])
