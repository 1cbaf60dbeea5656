# SPDX-License-Identifier: Apache-2.0
"""Has the library open, and works until it is killed, or for SECONDS_TO_SERVE; one statement is slow."""
import os
import time

import app

db = app.connect()
db.execute("INSERT INTO loan VALUES (1, 'late')")
db.commit()
print("ready", flush=True)
end = time.monotonic() + float(os.environ.get("SECONDS_TO_SERVE", 4))
while time.monotonic() < end:
    app.loans(db)
    app.search(db, "title 9")
    db.execute("WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 600000) SELECT max(i) FROM n").fetchall()
    time.sleep(0.3)
