# SPDX-License-Identifier: Apache-2.0
# Prints the swift blocks of a Markdown file, each under a #sourceLocation of its own line.
/^ *```swift/ { inside = 1; printf "#sourceLocation(file: \"%s\", line: %d)\n", FILENAME, FNR + 1; next }
/^ *```/ { inside = 0; next }
inside { print }
