@testable import FunnelEvents
import Foundation
import Testing

@Suite struct RotationTests {
  @Test func `a file is closed before it exceeds its size, and holds whole lines that gzip reads`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder { $0.fileBytesMax = 4096 }
    for number in 0..<200 { recorder.record(FunnelEvent("tapped", props: ["number": .integer(number)])) }
    try await recorder.sync()
    let files = try place.eventFiles()
    #expect(files.count > 5)
    #expect(files.count { $0.hasPrefix("open-") } == 1)
    for name in files where name.hasSuffix(".gz") {
      let bytes = try gunzip(place.folder.path(name))
      #expect(bytes.count <= 4096 && bytes.count > 3800 && bytes.last == 10)
    }
    #expect(try place.sequences() == Array(0..<200))
    #expect(await recorder.status.closedFiles == files.count - 1)
  }

  @Test func `a file is closed when it is old enough, without a further event`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder { $0.fileAgeMax = 600 }
    try await recorder.append(FunnelEvent("a"))
    #expect(await eventually { place.time.sleeperCount == 1 })
    place.time.advance(by: 599)
    #expect(await recorder.status.closedFiles == 0)
    place.time.advance(by: 1)
    #expect(await eventually { await recorder.status.closedFiles == 1 })
    #expect(place.time.delays == [600])
  }

  @Test func `an event finds a new file where the open one is too old, or the clock was set back`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.append(FunnelEvent("a"))
    try await first.close()
    place.time.advance(by: 3600)
    let second = try place.recorder()
    try await second.append(FunnelEvent("b"))
    #expect(try place.eventFiles().count == 2)
    place.time.advance(by: -7200)
    try await second.append(FunnelEvent("c"))
    #expect(try place.eventFiles().count == 3)
    #expect(try place.sequences() == [0, 1, 2])
  }

  @Test func `a file without events is not closed`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    try await recorder.closeFile()
    #expect(try place.eventFiles().isEmpty)
  }

  @Test(arguments: [0, 1, 2, 100, 5000, 70_000, 300_000])
  func `what gzip inflates is what was compressed`(count: Int) throws {
    var random = SeededGenerator(seed: UInt64(count))
    let folder = try TemporaryFolder()
    let texts: [[UInt8]] = [
      Array(repeating: 97, count: count), (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) },
      (0..<count).map { _ in UInt8.random(in: 97...104, using: &random) },
    ]
    for text in texts {
      try folder.write(GzipFile.compress(text), to: "a.gz")
      #expect(try gunzip(folder.path("a.gz")) == text)
    }
  }

  @Test func `events shrink to a tenth`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder {
      $0.fileBytesMax = 64 << 10
      $0.context = ["app_version": "5.2.1", "os": "ios", "device": "iPhone15,3", "locale": "de_DE"]
    }
    for number in 0..<1000 {
      recorder.record(
        FunnelEvent("step_viewed", flow: "onboarding", step: "step_\(number % 7)"), at: place.time.now - Double(number * 13))
    }
    try await recorder.closeFile()
    let raw = try place.lines().reduce(0) { $0 + $1.utf8.count + 1 }
    #expect(await recorder.status.diskBytes * 10 < raw)
  }
}
