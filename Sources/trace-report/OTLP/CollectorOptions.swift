// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The destination of OTLP.
struct CollectorOptions: ParsableArguments {
  @Option(help: "Send OTLP to this collector, such as http://localhost:4318, in place of a file.")
  var endpoint: String?

  @Option(
    help: "With --endpoint: the folder for requests that could not be sent yet.",
    completion: .directory)
  var spool: String?

  @Option(help: "With --spool: the folder's maximum size in MiB; if full, reading waits.")
  var spoolSize = 256

  @Option(help: "With --endpoint: seconds to wait for a collector that does not answer.")
  var patience = 120

  func validate() throws {
    guard let endpoint else {
      if spool != nil { throw ValidationError("--spool needs --endpoint URL.") }
      return
    }
    guard (1...1_000_000).contains(spoolSize) else {
      throw ValidationError("--spool-size takes MiB from 1 up, not \(spoolSize).")
    }
    guard (0...86_400).contains(patience) else {
      throw ValidationError("--patience takes seconds from 0 to 86400, not \(patience).")
    }
    do throws(HTTPAddress.Problem) {
      _ = try HTTPAddress(endpoint)
    } catch {
      throw ValidationError(
        error == .encrypted
          ? "--endpoint takes http:// only: send to a collector on this host, which forwards with TLS."
          : "--endpoint takes an address such as http://localhost:4318, not '\(endpoint)'.")
    }
  }

  /// Nil without an endpoint.
  func sender() throws -> OTLPSender? {
    guard let endpoint, let address = try? HTTPAddress(endpoint) else { return nil }
    let spool = try spool.map { try OTLPSpool(folder: $0, maxBytes: spoolSize << 20) }
    return try OTLPSender(address: address, spool: spool, patience: patience)
  }
}
