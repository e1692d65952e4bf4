#if FUNNEL_SERVER
  import Foundation
  import FunnelTestSupport
  import Testing

  /// `funnel serve` with the folder `store` of a place, which ends with the object.
  final class StoreServer {
    let process = Process()
    let port: Int

    init(_ place: TemporaryFolder, _ arguments: String...) throws {
      process.executableURL = FunnelRun.executable
      process.arguments = ["serve", "--store", "store", "--listen", "127.0.0.1:0"] + arguments
      process.currentDirectoryURL = URL(filePath: place.path)
      let output = Pipe()
      process.standardOutput = output
      process.standardError = FileHandle.nullDevice
      try process.run()
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      port = try #require(Int(line.split(separator: ":").last?.prefix { $0.isNumber } ?? ""), "\(line)")
    }

    func get(_ target: String, host: String? = nil, headers: [String] = []) throws -> LoopbackClient.Response {
      try LoopbackClient.response("GET", target, port: port, host: host, headers: headers)
    }

    func post(_ target: String, _ body: String) throws -> LoopbackClient.Response {
      try LoopbackClient.response("POST", target, port: port, body: body)
    }

    deinit {
      process.terminate()
      process.waitUntilExit()
    }
  }
#endif
