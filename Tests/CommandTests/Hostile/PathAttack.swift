import Foundation
import FunnelTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A change to a store by an attacker, who wants the tool to change or read files outside of it.
struct PathAttack: Sendable, CustomTestStringConvertible {
  var testDescription: String
  /// Changes the store. Afterwards no command may change anything in the folder `outside`.
  var set: @Sendable (_ store: String, _ outside: String) throws -> Void
  /// Whether an ingest must fail. Otherwise it may also succeed, as long as nothing outside changes.
  var mustRefuse = true

  static let all: [PathAttack] = links + others + namesInStore

  /// Symbolic links in place of files and folders of a store. They lead to the moved originals, to other files, or nowhere.
  private static let links: [PathAttack] =
    [
      "log/journal.ndjson", "log/journal.head", "log/dt=2026-11-20/part-00000.ndjson.gz", "log/dt=2026-11-20", "log", "lock",
      "schemas",
    ].map { name in
      PathAttack("a link for \(name)") { store, outside in
        try moveOut(name, store, outside)
        try FileManager.default.createSymbolicLink(atPath: "\(store)/\(name)", withDestinationPath: "\(outside)/moved")
      }
    } + [
      PathAttack("a dangling link for the lock") { store, outside in
        try FileManager.default.removeItem(atPath: "\(store)/lock")
        try FileManager.default.createSymbolicLink(atPath: "\(store)/lock", withDestinationPath: "\(outside)/made")
      },
      PathAttack("a dangling link for the journal") { store, outside in
        try FileManager.default.removeItem(atPath: "\(store)/log/journal.ndjson")
        try FileManager.default.createSymbolicLink(
          atPath: "\(store)/log/journal.ndjson", withDestinationPath: "\(outside)/made")
      },
      PathAttack("a dangling link for the head") { store, outside in
        try FileManager.default.removeItem(atPath: "\(store)/log/journal.head")
        try FileManager.default.createSymbolicLink(
          atPath: "\(store)/log/journal.head", withDestinationPath: "\(outside)/made")
      },
      PathAttack("a link for a flow definition") { store, outside in
        try FileManager.default.createSymbolicLink(
          atPath: "\(store)/schemas/mine.json", withDestinationPath: "\(outside)/secret")
      },
      PathAttack("a link for the folder flows of schemas/") { store, outside in
        try FileManager.default.createSymbolicLink(atPath: "\(store)/schemas/flows", withDestinationPath: outside)
      },
      PathAttack("a link for rejected/") { store, outside in
        try FileManager.default.removeItem(atPath: "\(store)/rejected")
        try FileManager.default.createSymbolicLink(atPath: "\(store)/rejected", withDestinationPath: outside)
      },
      PathAttack("a link for the next day's folder") { store, outside in
        try FileManager.default.createSymbolicLink(atPath: "\(store)/log/dt=2026-11-21", withDestinationPath: outside)
      },
      PathAttack("a link for the next day's part", mustRefuse: false) { store, outside in
        let day = "\(store)/log/dt=2026-11-21"
        try FileManager.default.createDirectory(atPath: day, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
          atPath: "\(day)/part-00000.ndjson.gz", withDestinationPath: "\(outside)/secret")
      },
      PathAttack("a link for the index", mustRefuse: false) { store, outside in
        try moveOut("index", store, outside)
        try FileManager.default.createSymbolicLink(atPath: "\(store)/index", withDestinationPath: "\(outside)/moved")
      },
      PathAttack("a link for the index's manifest", mustRefuse: false) { store, outside in
        try moveOut("index/manifest", store, outside)
        try FileManager.default.createSymbolicLink(atPath: "\(store)/index/manifest", withDestinationPath: "\(outside)/moved")
      },
    ]

  private static let others: [PathAttack] = [
    PathAttack("a hard link for the journal") { store, outside in
      try FileManager.default.linkItem(atPath: "\(store)/log/journal.ndjson", toPath: "\(outside)/made")
    },
    PathAttack("a hard link for the head") { store, outside in
      try FileManager.default.linkItem(atPath: "\(store)/log/journal.head", toPath: "\(outside)/made")
    },
    PathAttack("a hard link for a part") { store, outside in
      try FileManager.default.linkItem(
        atPath: "\(store)/log/dt=2026-11-20/part-00000.ndjson.gz", toPath: "\(outside)/made")
    },
    PathAttack("a hard link for a part that no commit covers", mustRefuse: false) { store, outside in
      try FileManager.default.linkItem(
        atPath: "\(outside)/secret", toPath: "\(store)/log/dt=2026-11-20/part-00001.ndjson.gz")
    },
    PathAttack("a hard link for the index's manifest", mustRefuse: false) { store, outside in
      try FileManager.default.linkItem(atPath: "\(store)/index/manifest", toPath: "\(outside)/made")
    },
    PathAttack("a FIFO for the journal") { store, _ in try replace("log/journal.ndjson", store) { mkfifo($0, 0o600) } },
    PathAttack("a FIFO for the head") { store, _ in try replace("log/journal.head", store) { mkfifo($0, 0o600) } },
    PathAttack("a FIFO for a part") { store, _ in
      try replace("log/dt=2026-11-20/part-00000.ndjson.gz", store) { mkfifo($0, 0o600) }
    },
    PathAttack("a FIFO for the lock") { store, _ in try replace("lock", store) { mkfifo($0, 0o600) } },
    PathAttack("a FIFO for the index's manifest", mustRefuse: false) { store, _ in
      try replace("index/manifest", store) { mkfifo($0, 0o600) }
    },
    PathAttack("a FIFO for a flow definition") { store, _ in
      try replace("schemas/mine.json", store) { mkfifo($0, 0o600) }
    },
    PathAttack("a socket for the journal") { store, _ in try replace("log/journal.ndjson", store, with: bindSocket) },
    PathAttack("a socket for the lock") { store, _ in try replace("lock", store, with: bindSocket) },
    PathAttack("a folder for the journal") { store, _ in try replace("log/journal.ndjson", store) { mkdir($0, 0o700) } },
    PathAttack("a folder for the head") { store, _ in try replace("log/journal.head", store) { mkdir($0, 0o700) } },
    PathAttack("a folder for a part") { store, _ in
      try replace("log/dt=2026-11-20/part-00000.ndjson.gz", store) { mkdir($0, 0o700) }
    },
    PathAttack("a folder for the lock") { store, _ in try replace("lock", store) { mkdir($0, 0o700) } },
    PathAttack("a folder for a part that no commit covers") { store, _ in
      try replace("log/dt=2026-11-20/part-00001.ndjson.gz", store) { mkdir($0, 0o700) }
    },
    PathAttack("a file for rejected/") { store, _ in
      try replace("rejected", store) { close(open($0, O_CREAT | O_WRONLY, 0o600)) }
    },
    PathAttack("a file for schemas/") { store, _ in
      try replace("schemas", store) { close(open($0, O_CREAT | O_WRONLY, 0o600)) }
    },
    PathAttack("a folder for the index's manifest", mustRefuse: false) { store, _ in
      try replace("index/manifest", store) { mkdir($0, 0o700) }
    },
    PathAttack("a file for index/", mustRefuse: false) { store, _ in
      try replace("index", store) { close(open($0, O_CREAT | O_WRONLY, 0o600)) }
    },
    PathAttack("a store that all may write to", mustRefuse: false) { store, _ in chmod(store, 0o777) },
    // Only root can give files away. For others this changes nothing.
    PathAttack("a store of another owner", mustRefuse: false) { store, _ in _ = chown(store, 65534, 65534) },
  ]

  /// Paths in the journal that lead out of the store.
  private static let namesInStore: [PathAttack] = [
    PathAttack("a path with .. in the journal") { store, outside in
      try mendJournal(store) { $0.replacingOccurrences(of: "log/dt=2026-11-20/part", with: "log/../../outside/part") }
    },
    PathAttack("an absolute path in the journal") { store, outside in
      try mendJournal(store) { $0.replacingOccurrences(of: "log/dt=2026-11-20/", with: "\(outside)/") }
    },
  ]

  init(_ name: String, mustRefuse: Bool = true, set: @escaping @Sendable (String, String) throws -> Void) {
    testDescription = name
    self.set = set
    self.mustRefuse = mustRefuse
  }

  private static func moveOut(_ name: String, _ store: String, _ outside: String) throws {
    try FileManager.default.moveItem(atPath: "\(store)/\(name)", toPath: "\(outside)/moved")
  }

  private static func replace(_ name: String, _ store: String, with make: (String) -> Int32) throws {
    let path = "\(store)/\(name)"
    try? FileManager.default.removeItem(atPath: path)
    guard make(path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM) }
  }

  private static func bindSocket(_ path: String) -> Int32 {
    #if canImport(Glibc)
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return -1 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  /// Changes a journal of one line, gives it the matching hash, and removes the head. Whoever can write to the store can do
  /// so.
  private static func mendJournal(_ store: String, _ change: (String) -> String) throws {
    try FileManager.default.removeItem(atPath: "\(store)/log/journal.head")
    let path = "\(store)/log/journal.ndjson"
    let line = change(try String(contentsOfFile: path, encoding: .utf8)).split(separator: "\n")[0]
    let body = String(line.dropLast(77))
    let digest = PlainSHA256.hexadecimal(Array(body.utf8))
    try (body + ",\"sha256\":\"\(digest)\"}\n").write(toFile: path, atomically: true, encoding: .utf8)
  }
}
