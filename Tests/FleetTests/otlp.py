#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks lines of OTLP/JSON against the protocol's own definitions (PyPI: opentelemetry-proto).

    otlp.py FILE [--forbid TEXT]...    prints the counts; exits with 1 and the first problem, 77 without the package
"""
import base64
import json
import re
import sys

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError as error:
    print(f"skipped: {error}; install opentelemetry-proto", file=sys.stderr)
    sys.exit(77)

IDS = {"traceId": 32, "spanId": 16, "parentSpanId": 16}


def fail(sentence):
    sys.exit(sentence)


def with_bytes(value, line):
    """OTLP/JSON has ids in hexadecimal digits where JSON of Protocol Buffers has base64."""
    if isinstance(value, list):
        return [with_bytes(item, line) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        if key in IDS:
            if not re.fullmatch(f"[0-9a-f]{{{IDS[key]}}}", item) or set(item) == {"0"}:
                fail(f"line {line}: {key} is {item!r}")
            result[key] = base64.b64encode(bytes.fromhex(item)).decode()
        else:
            result[key] = with_bytes(item, line)
    return result


def attributes(thing):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in thing.attributes}


def main(path, forbidden):
    counts = {"requests": 0, "spans": 0, "points": 0, "parents": 0}
    spans, parents = {}, []
    text = open(path, encoding="utf-8").read()
    for word in forbidden:
        if word in text:
            fail(f"the text holds {word!r}")
    for number, line in enumerate(text.splitlines(), 1):
        counts["requests"] += 1
        content = with_bytes(json.loads(line), number)
        if "resourceSpans" in content:
            request = trace_service_pb2.ExportTraceServiceRequest()
            json_format.ParseDict(content, request)  # fails on a field that is not the protocol's
            for resource in request.resource_spans:
                assert attributes(resource.resource)["service.name"]
                for span in (s for scope in resource.scope_spans for s in scope.spans):
                    counts["spans"] += 1
                    if not span.name or span.end_time_unix_nano < span.start_time_unix_nano:
                        fail(f"line {number}: {span}")
                    if span.span_id in spans:
                        fail(f"line {number}: two spans have the id {span.span_id.hex()}")
                    spans[span.span_id] = span
                    if span.kind == span.SPAN_KIND_CLIENT:
                        keys = attributes(span)
                        assert keys["db.system.name"] == "sqlite", span
                    if span.parent_span_id:
                        parents.append(span)
        else:
            request = metrics_service_pb2.ExportMetricsServiceRequest()
            json_format.ParseDict(content, request)
            for resource in request.resource_metrics:
                for metric in (m for scope in resource.scope_metrics for m in scope.metrics):
                    kind = metric.WhichOneof("data")
                    for point in getattr(metric, kind).data_points:
                        counts["points"] += 1
                        if kind == "histogram":
                            assert sum(point.bucket_counts) == point.count, metric.name
                            assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
    for span in parents:
        parent = spans.get(span.parent_span_id)
        if parent is None:
            continue  # its end is not in the trace
        counts["parents"] += 1
        if parent.trace_id != span.trace_id:
            fail(f"{span.name} has another trace than its parent {parent.name}")
    print(json.dumps(counts))


if __name__ == "__main__":
    words = [b for a, b in zip(sys.argv, sys.argv[1:]) if a == "--forbid"]
    main(sys.argv[1], words)
