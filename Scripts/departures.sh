#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the departures search of `transit search --departures --before --at 08:30` with its values.
cat <<'SQL'
SELECT t0.Z_PK FROM ZSTOP t0 WHERE
  (SELECT COUNT(t1.Z_PK) FROM ZSTOPTIME t1 WHERE (t0.Z_PK = t1.ZSTOP AND
    (30600 <= t1.ZDEPARTURETIME AND t1.ZDEPARTURETIME <= 31800))) <> 0
  AND 13.4168670 <= t0.ZLONGITUDE AND t0.ZLONGITUDE <= 13.4194670
  AND 52.4984576 <= t0.ZLATITUDE AND t0.ZLATITUDE <= 52.5000404
LIMIT 200
SQL
