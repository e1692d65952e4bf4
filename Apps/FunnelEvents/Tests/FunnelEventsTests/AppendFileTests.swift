@testable import FunnelEvents
import Foundation
import Testing

@Suite struct AppendFileTests {
  /// The number of bytes that each of the next calls takes; a negative one fails with that `errno`. Further calls take all.
  private final class Disk: Sendable {
    let script: Guarded<[Int]>

    init(_ script: [Int]) { self.script = Guarded(script) }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
      guard let next = script.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return SystemCalls.write(descriptor, bytes)
      }
      guard next < 0 else { return SystemCalls.write(descriptor, UnsafeRawBufferPointer(rebasing: bytes.prefix(next))) }
      errno = Int32(-next)
      return -1
    }
  }

  @Test func `a line is one call`() throws {
    let folder = try TemporaryFolder()
    let calls = Guarded(0)
    let file = try AppendFile(folder.path("a")) { descriptor, bytes in
      calls.withLock { $0 += 1 }
      return SystemCalls.write(descriptor, bytes)
    }
    for _ in 0..<3 { try file.append(Array("line\n".utf8)) }
    #expect(calls.withLock { $0 } == 3)
    #expect(file.byteCount == 15)
  }

  @Test func `a line that the disk takes in parts is whole`() throws {
    let folder = try TemporaryFolder()
    let disk = Disk([2, 1])
    let file = try AppendFile(folder.path("a"), write: disk.write)
    try file.append(Array("first\n".utf8))
    #expect(try folder.contents("a") == Array("first\n".utf8))
  }

  @Test(arguments: [[-Int(ENOSPC)], [3, -Int(ENOSPC)], [0], [2, 0]])
  func `of a line that does not fit nothing stays`(script: [Int]) throws {
    let folder = try TemporaryFolder()
    let disk = Disk(script)
    let file = try AppendFile(folder.path("a"), write: disk.write)
    #expect { try file.append(Array("first\n".utf8)) } throws: { error in
      "\(error)" == "storage: cannot write to \(folder.path("a")): No space left on device, free some space"
    }
    #expect(try folder.contents("a").isEmpty)
    try file.append(Array("second\n".utf8))
    #expect(try folder.contents("a") == Array("second\n".utf8))
    #expect(file.byteCount == 7)
  }

  @Test func `an event that can't be written is told, dropped and counted`() async throws {
    let place = try RecorderPlace()
    try place.folder.makeFolder("sub")
    let recorder = try place.recorder { $0.directory = URL(fileURLWithPath: place.folder.path("sub")) }
    try await recorder.sync()
    try place.folder.remove("sub")
    await #expect { try await recorder.append(FunnelEvent("a")) } throws: { ($0 as? EventRecorderError)?.code == .storage }
    let status = await recorder.status
    #expect(status.dropped == 1)
    #expect(status.nextSequence == 0)
  }
}
