@testable import FunnelEvents
import Foundation
import Testing

/// What the next process makes of what a killed one left.
@Suite struct RestartTests {
  @Test func `wherever a kill cuts the last line, all others are read and the next event is whole`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    for name in ["one", "two", "three"] { recorder.record(FunnelEvent(name, props: ["text": "ä\"😀"])) }
    try await recorder.close()
    let file = try #require(try place.eventFiles().first)
    let bytes = try place.folder.contents(file)
    let lineBytes = bytes.count / 3
    for cut in (bytes.count - lineBytes - 3)...bytes.count {
      let after = try place.copy()
      try after.folder.write(Array(bytes[..<cut]), to: file)
      let next = try after.recorder()
      try await next.append(FunnelEvent("four"))
      try await next.close()
      let names = try after.events().map { $0["name"]?.string }
      let wholeCount = bytes[..<cut].count { $0 == 10 } + (cut < bytes.count && bytes[cut] == 10 ? 1 : 0)
      #expect(names == ["one", "two", "three"].prefix(wholeCount) + ["four"], "cut at \(cut)")
      let sequences = try after.sequences()
      #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count, "cut at \(cut)")
      let isTorn = bytes[..<cut].last != 10 && bytes[cut] != 10
      #expect(after.problemCodes == (isTorn ? [.tornLine] : []), "cut at \(cut)")
      #expect(try after.lines().count == wholeCount + 1 + (isTorn ? 1 : 0), "cut at \(cut)")
      #expect(try after.folder.contents(try #require(try after.eventFiles().last)).last == 10)
    }
  }

  @Test func `a file with nothing but a torn line is closed and followed by another`() async throws {
    let place = try RecorderPlace()
    try place.folder.write(Array("{\"name\":\"on".utf8), to: "open-000000000005-1795168800000.ndjson")
    for _ in 0..<3 {
      let recorder = try place.recorder()
      try await recorder.append(FunnelEvent("next"))
      try await recorder.closeFile()
      try await recorder.close()
    }
    #expect(try place.events().count == 3)
    #expect(try place.sequences() == [5, 6, 7])
    #expect(try place.eventFiles().count == 3)
  }

  @Test func `numbers go on over restarts, also when every file was uploaded and when the state is lost`() async throws {
    let place = try RecorderPlace()
    for round in 0..<4 {
      let recorder = try place.recorder()
      recorder.record(FunnelEvent("a"))
      recorder.record(FunnelEvent("b"))
      if round == 1 { try await recorder.closeFile() }
      try await recorder.close()
      if round == 2 { try place.folder.remove("recorder.state") }
    }
    #expect(try place.sequences() == Array(0..<8))
    let last = try place.recorder()
    try await last.closeFile()
    try await last.close()
    for name in try place.eventFiles() { try place.folder.remove(name) }
    let recorder = try place.recorder()
    try await recorder.append(FunnelEvent("c"))
    #expect(try place.sequences() == [8])
  }

  @Test func `a file that was closed and not yet deleted counts once`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    for _ in 0..<5 { recorder.record(FunnelEvent("a")) }
    try await recorder.sync()
    let before = try place.copy()
    try await recorder.closeFile()
    try await recorder.close()
    let open = try #require(try before.eventFiles().first)
    try place.folder.write(try before.folder.contents(open), to: open)
    try place.folder.write([1, 2, 3], to: "events-000000000000-5.ndjson.gz.tmp")
    let next = try place.recorder()
    try await next.append(FunnelEvent("b"))
    #expect(try place.sequences() == Array(0..<6))
    #expect(try place.folder.files().allSatisfy { !$0.hasSuffix(".tmp") })
  }

  @Test func `of several open files all but the newest are closed`() async throws {
    let place = try RecorderPlace()
    for (number, name) in ["open-000000000000-1795168800000.ndjson", "open-000000000001-1795168800000.ndjson"].enumerated() {
      try place.folder.write(Array("{\"name\":\"a\",\"seq\":\(number)}\n".utf8), to: name)
    }
    let recorder = try place.recorder()
    try await recorder.append(FunnelEvent("b"))
    let files = try place.eventFiles()
    #expect(
      files.count == 2 && files[0].hasPrefix("events-000000000000-1-") && files[1] == "open-000000000001-1795168800000.ndjson")
    #expect(try place.sequences() == [0, 1, 2])
  }

  @Test func `files of others and a broken state do no harm`() async throws {
    let place = try RecorderPlace()
    for name in ["open-x-1.ndjson", "events-1.ndjson.gz", "notes.txt", "recorder.state"] {
      try place.folder.write(Array("{\"next_seq\":-1}".utf8), to: name)
    }
    let recorder = try place.recorder()
    try await recorder.append(FunnelEvent("a"))
    try await recorder.closeFile()
    #expect(await recorder.status.nextSequence == 1)
    #expect(try place.folder.contents("notes.txt") == Array("{\"next_seq\":-1}".utf8))
    let problems = place.problems.withLock { $0 }
    #expect(problems.map(\.code) == [.storage])
    let message = "/recorder.state is damaged, and the current attempts are lost; begin them again, no event is lost"
    #expect(problems.allSatisfy { $0.message.hasSuffix(message) })
  }

  @Test func `of two recorders in one folder the second is refused until the first is closed`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.append(FunnelEvent("a"))
    let second = try place.recorder()
    second.record(FunnelEvent("b"))
    await #expect { try await second.sync() } throws: { ($0 as? EventRecorderError)?.code == .folderInUse }
    try await first.close()
    second.record(FunnelEvent("c"))
    try await second.sync()
    #expect(try place.events().map { $0["name"]?.string } == ["a", "b", "c"])
    #expect(place.problemCodes == [.folderInUse])
    await #expect { try await first.append(FunnelEvent("d")) } throws: { ($0 as? EventRecorderError)?.code == .closed }
  }

  @Test func `a recorder that is refused closes no file but its own`() throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (path, other) = (folder.path("lock"), folder.path)
    let lock = try FolderLock(path)
    let isOver = Guarded(false)
    let lostFiles = Guarded(0)
    // A thread of its own opens and closes another file all the time, which gets the number of each descriptor that was closed.
    let opener = Thread {
      while !isOver.withLock({ $0 }) {
        let descriptor = open(other, O_RDONLY | O_CLOEXEC)
        var status = stat()
        if fstat(descriptor, &status) != 0 || close(descriptor) != 0 { lostFiles.withLock { $0 += 1 } }
      }
    }
    opener.start()
    for _ in 0..<3000 { #expect(throws: EventRecorderError.self) { try FolderLock(path) } }
    isOver.withLock { $0 = true }
    while !opener.isFinished { usleep(1000) }
    #expect(lostFiles.withLock { $0 } == 0)
    withExtendedLifetime(lock) {}
  }

  @Test func `events wait in memory for a folder that can't be made yet`() async throws {
    let place = try RecorderPlace()
    try place.folder.write([], to: "a")
    let recorder = try place.recorder { $0.directory = URL(fileURLWithPath: place.folder.path("a/b")) }
    for name in ["one", "two"] { recorder.record(FunnelEvent(name)) }
    await #expect { try await recorder.append(FunnelEvent("refused")) } throws: {
      ($0 as? EventRecorderError)?.code == .storage
    }
    try place.folder.remove("a")
    recorder.record(FunnelEvent("three"))
    try await recorder.sync()
    let written = RecorderPlace(place.folder)
    let file = try #require(try written.folder.files().first { $0.hasPrefix("a/b/open-") })
    let names = String(decoding: try place.folder.contents(file), as: UTF8.self).split(separator: "\n").map { $0.prefix(16) }
    #expect(names == ["{\"name\":\"one\",\"t", "{\"name\":\"two\",\"t", "{\"name\":\"three\","])
  }
}
