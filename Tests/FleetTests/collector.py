#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A collector that writes each request it takes as a line, and can be away, slow or broken.

    collector.py FILE [--port N] [--away SECONDS] [--fail COUNT STATUS] [--slow SECONDS] [--drop]

Prints its port. --away: does not listen at first; --fail: answers the first COUNT requests with
STATUS; --slow: waits before each answer; --drop: takes requests and reports that it dropped spans.
"""
import argparse
import http.server
import os
import signal
import socket
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--away", type=float, default=0)
parser.add_argument("--fail", nargs=2, type=int, default=(0, 503))
parser.add_argument("--slow", type=float, default=0)
parser.add_argument("--drop", action="store_true")
options = parser.parse_args()
# A child of a Swift thread may inherit blocked signals; and no collector outlives its test.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [])
parent = os.getppid()


def end_with_parent():
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
left = options.fail[0]


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global left
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(options.slow)
        status, answer = 200, b'{"partialSuccess":{}}'
        if left > 0:
            left, status, answer = left - 1, options.fail[1], b"not now"
        elif self.path not in ("/v1/traces", "/v1/metrics"):
            status, answer = 404, b"no such path"
        elif self.headers["Content-Type"] != "application/json":
            status, answer = 415, b"JSON only"
        else:
            if options.drop:
                answer = b'{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}'
            with open(options.file, "ab") as file:
                file.write(body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


# Bound while it does not listen: connections are refused, and no other server takes the port.
held = socket.socket()
held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
held.bind(("127.0.0.1", options.port))
port = held.getsockname()[1]
print(port, flush=True)
sys.stdout.close()
time.sleep(options.away)
held.close()
http.server.ThreadingHTTPServer(("127.0.0.1", port), Collector).serve_forever()
