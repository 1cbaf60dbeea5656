#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A collector that writes each request it takes as a line: collector.py FILE [--port N]. Prints its port."""
import argparse
import http.server
import os
import signal
import sys
import threading
import time

parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--port", type=int, default=0)
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


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status, answer = 200, b'{"partialSuccess":{}}'
        if self.path not in ("/v1/traces", "/v1/metrics"):
            status, answer = 404, b"no such path"
        elif self.headers["Content-Type"] != "application/json":
            status, answer = 415, b"JSON only"
        else:
            with open(options.file, "ab") as file:
                file.write(body)
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Collector)
print(server.server_address[1], flush=True)
sys.stdout.close()
server.serve_forever()
