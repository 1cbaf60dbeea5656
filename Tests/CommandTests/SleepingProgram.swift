// SPDX-License-Identifier: Apache-2.0

/// A program that a script has put in the background, and that sleeps in the kernel.
enum SleepingProgram {
  /// Where it sleeps, by the kernel's function.
  enum Place: String {
    /// It has read all available data, and waits for more.
    case pipeRead = "pipe_read"
    /// It opens a pipe without a writer.
    case pipeOpen = "wait_for_partner"
  }

  /// Lines of shell that send a signal to `$!` once it sleeps there, and end as it ends.
  static func signal(_ signal: String, in place: Place) -> String {
    """
    reader=$!
    for i in $(seq 1 600); do
      grep -q \(place.rawValue) /proc/$reader/wchan 2>/dev/null && break
      sleep 0.1
    done
    kill -\(signal) $reader
    wait $reader
    """
  }
}
