@testable import FunnelEvents
import Foundation
import Testing

/// Who events are about, and whether any are recorded.
@Suite struct IdentityTests {
  private func fields(_ place: RecorderPlace, _ keys: String...) throws -> [[String?]] {
    try place.events().map { event in keys.map { event[$0]?.string } }
  }

  @Test func `a folder without a subject gets a random one and keeps it`() async throws {
    let place = try RecorderPlace()
    var subjects: [String?] = []
    for _ in 0..<2 {
      let recorder = try place.recorder { $0.subject = nil }
      try await recorder.append(FunnelEvent("a"))
      subjects.append(await recorder.status.subject)
      try await recorder.close()
    }
    #expect(subjects[0]?.count == 36 && subjects[0] == subjects[1])
    #expect(try fields(place, "subject") == subjects.map { [$0] })
  }

  @Test func `a reinstall gives another subject, other IDs and other names of files`() async throws {
    var ids: Set<String> = []
    var names: Set<String> = []
    for _ in 0..<3 {
      let place = try RecorderPlace()
      let recorder = try place.recorder { $0.subject = nil }
      try await recorder.append(FunnelEvent("a"))
      try await recorder.closeFile()
      for event in try fields(place, "subject", "id") { ids.formUnion(event.compactMap { $0 }) }
      names.formUnion(try place.eventFiles())
      try await recorder.close()
    }
    #expect(ids.count == 6 && names.count == 3)
  }

  /// Makes the state of a recorder impossible to store, as on a full disk, until the returned closure is called.
  private func blockState(of place: RecorderPlace) throws -> () throws -> Void {
    try place.folder.remove("recorder.spare")
    let names = ["recorder.state.tmp", "recorder.spare"]
    for name in names { try place.folder.makeFolder(name) }
    return { for name in names { try place.folder.remove(name) } }
  }

  @Test func `an opt-out that can't be stored is in force at once, and stored when there is room`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    try await recorder.append(FunnelEvent("before"))
    let unblock = try blockState(of: place)
    recorder.optOut()
    recorder.record(FunnelEvent("after"))
    #expect(await recorder.status.isOptedOut)
    #expect(place.problemCodes.contains(.storage))
    #expect(try place.events().isEmpty)
    try unblock()
    try await recorder.close()
    let next = try place.recorder()
    #expect(await next.status.isOptedOut)
  }

  @Test func `a reset that can't be stored holds for the next events, and for the next launch`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder { $0.subject = nil }
    recorder.identify(user: "ann")
    recorder.record(FunnelEvent("of_ann"))
    try await recorder.sync()
    let unblock = try blockState(of: place)
    recorder.reset()
    recorder.record(FunnelEvent("of_bob"))
    for _ in 0..<2 {
      await #expect { try await recorder.sync() } throws: { ($0 as? EventRecorderError)?.code == .storage }
    }
    await #expect { try await recorder.close() } throws: { ($0 as? EventRecorderError)?.code == .storage }
    try unblock()
    try await recorder.sync()
    recorder.record(FunnelEvent("later"))
    try await recorder.close()
    let next = try place.recorder { $0.subject = nil }
    next.record(FunnelEvent("next_launch"))
    try await next.sync()
    let events = try fields(place, "name", "subject", "user")
    let subject = try #require(events.first { $0[0] == "of_bob" })[1]
    #expect(subject != events[0][1])
    #expect(events.suffix(3) == [["of_bob", subject, nil], ["later", subject, nil], ["next_launch", subject, nil]])
  }

  @Test func `a login that is refused signs out, so that nobody gets the events of another`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    recorder.identify(user: "ann")
    recorder.identify(user: "bob@example.com")
    recorder.record(FunnelEvent("of_bob"))
    try await recorder.sync()
    #expect(try fields(place, "name", "user").last == ["of_bob", nil])
    #expect(!place.problemCodes.isEmpty)
  }

  @Test func `a login links once, and later events carry the user over launches until the logout`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    first.record(FunnelEvent("before"))
    first.identify(user: "u-17")
    first.identify(user: "u-17")
    first.record(FunnelEvent("after"))
    try await first.close()
    let second = try place.recorder()
    second.identify(user: "u-17")
    second.record(FunnelEvent("next_launch"))
    second.signOut()
    second.record(FunnelEvent("signed_out"))
    try await second.sync()
    #expect(
      try fields(place, "name", "subject", "user") == [
        ["before", "install-1", nil], ["user_linked", "install-1", "u-17"], ["after", "install-1", "u-17"],
        ["next_launch", "install-1", "u-17"], ["signed_out", "install-1", nil],
      ])
    #expect(try place.lines()[1].contains(#""subject":"install-1","user":"u-17","app":"cleaner""#))
  }

  @Test func `a subject that is set stays, whatever the configuration says later`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    first.setSubject("other")
    first.record(FunnelEvent("a"))
    try await first.close()
    let second = try place.recorder()
    try await second.append(FunnelEvent("b"))
    #expect(try fields(place, "subject") == [["other"], ["other"]])
  }

  @Test func `a reset begins anew for another person`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    recorder.identify(user: "u-17")
    recorder.beginAttempt(of: "paywall")
    recorder.record(FunnelEvent("a", flow: "paywall"))
    recorder.reset()
    recorder.record(FunnelEvent("b", flow: "paywall"))
    try await recorder.sync()
    let events = try place.events()
    let (before, after) = (try #require(events.dropLast().last), try #require(events.last))
    #expect(after["subject"]?.string?.count == 36 && after["user"] == nil && after["attempt"] == nil)
    // Neither do the IDs lead from one person to the other.
    #expect(before["id"]?.string?.split(separator: "-").first != after["id"]?.string?.split(separator: "-").first)
    #expect(try place.sequences() == [0, 1, 2])
  }

  @Test(arguments: [
    ("ann@example.org", "personal_data: user is an e-mail address; use a pseudonymous id"),
    ("", "invalid_field: user is empty; give one"),
    ("a\u{7}b", "invalid_field: user contains a control character; use a pseudonymous id"),
    (
      "Anonymous",
      "invalid_field: user is a placeholder, such as anonymous or null; give the ID of an account, or call signOut()"
    ),
  ])
  func `a user that is personal or invalid is told and not kept`(user: String, sentence: String) async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    recorder.identify(user: user)
    recorder.record(FunnelEvent("a"))
    #expect(await recorder.status.user == nil)
    #expect(place.problems.withLock { $0.map(\.description) } == [sentence])
    #expect(try fields(place, "name") == [["a"]])
  }

  @Test func `while opted out nothing is recorded or kept, over launches, until opted in`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    first.identify(user: "u-17")
    try await first.closeFile()
    first.record(FunnelEvent("a"))
    first.optOut()
    first.record(FunnelEvent("b"))
    first.identify(user: "u-18")
    await #expect { try await first.append(FunnelEvent("c")) } throws: { ($0 as? EventRecorderError)?.code == .optedOut }
    #expect(await first.status.isOptedOut)
    #expect(try place.eventFiles().isEmpty)
    try await first.close()
    #expect(try place.folder.files() == ["lock", "recorder.spare", "recorder.state"])
    let state = String(decoding: try place.folder.contents("recorder.state"), as: UTF8.self)
    #expect(!state.contains("u-1") && !state.contains("install-1"))
    let second = try place.recorder()
    second.record(FunnelEvent("d"))
    second.optIn()
    second.record(FunnelEvent("e"))
    try await second.sync()
    #expect(try fields(place, "name", "user") == [["e", nil]])
    #expect(place.problemCodes.isEmpty)
  }

  @Test func `an opt-in after an opt-out begins with a new subject and other IDs`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    try await recorder.append(FunnelEvent("a"))
    let before = try #require(try fields(place, "subject", "id").first)
    recorder.optOut()
    #expect(await recorder.status.subject == nil)
    recorder.optIn()
    try await recorder.append(FunnelEvent("b"))
    let after = try #require(try fields(place, "subject", "id").first)
    #expect(before[0] == "install-1" && after[0]?.count == 36)
    #expect(before[1]?.split(separator: "-").first != after[1]?.split(separator: "-").first)
    // A second opt-in is none.
    recorder.optIn()
    #expect(await recorder.status.subject == after[0])
  }

  @Test func `a user who signs in before the consent is in memory alone until the opt-in, and then linked`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder { $0.startsOptedOut = true }
    recorder.identify(user: "u-17")
    #expect(await recorder.status.user == nil)
    try await recorder.sync()
    for name in try place.folder.files() {
      #expect(!String(decoding: try place.folder.contents(name), as: UTF8.self).contains("u-17"), "\(name)")
    }
    recorder.optIn()
    recorder.record(FunnelEvent("a"))
    try await recorder.sync()
    #expect(
      try fields(place, "name", "subject", "user") == [["user_linked", "install-1", "u-17"], ["a", "install-1", "u-17"]])
  }

  @Test func `a user who is gone before the consent is not signed in`() async throws {
    for leave in [
      { $0.signOut() }, { $0.reset() }, { $0.optOut() }, { $0.identify(user: "ann@example.org") },
    ] as [@Sendable (EventRecorder) -> Void] {
      let place = try RecorderPlace()
      let recorder = try place.recorder { $0.startsOptedOut = true }
      recorder.identify(user: "u-17")
      leave(recorder)
      recorder.optIn()
      recorder.record(FunnelEvent("a"))
      try await recorder.sync()
      #expect(try fields(place, "name", "user") == [["a", nil]])
    }
  }

  @Test func `an opt-out before the folder can be made is in force at once`() async throws {
    let place = try RecorderPlace()
    let disk = TestDisk()
    disk.isFull = true
    let recorder = try place.recorder { $0.write = disk.write }
    recorder.identify(user: "u-17")
    recorder.record(FunnelEvent("a"))
    recorder.optOut()
    recorder.record(FunnelEvent("b"))
    let status = await recorder.status
    #expect(status.isOptedOut && status.waiting == 0)
    await #expect { try await recorder.append(FunnelEvent("c")) } throws: { ($0 as? EventRecorderError)?.code == .optedOut }
    await #expect { try await recorder.sync() } throws: { ($0 as? EventRecorderError)?.code == .storage }
    disk.isFull = false
    try await recorder.close()
    #expect(try place.eventFiles().isEmpty)
    #expect(await (try place.recorder()).status.isOptedOut)
  }

  @Test func `before consent nothing is recorded and no ID is made, over launches, until the person opts in`() async throws {
    let place = try RecorderPlace()
    for _ in 0..<2 {
      let recorder = try place.recorder {
        $0.subject = nil
        $0.startsOptedOut = true
        $0.upload { _ in }
      }
      #expect(await recorder.status.isOptedOut)
      recorder.record(FunnelEvent("a"))
      recorder.identify(user: "u-17")
      recorder.setSubject("other")
      recorder.reset()
      try await recorder.deleteAll()
      await #expect { try await recorder.append(FunnelEvent("b")) } throws: { ($0 as? EventRecorderError)?.code == .optedOut }
      #expect(await recorder.status.subject == nil)
      #expect(try place.eventFiles().isEmpty)
      try await recorder.close()
    }
    #expect(place.problemCodes.isEmpty)
    let third = try place.recorder {
      $0.subject = nil
      $0.startsOptedOut = true
    }
    third.optIn()
    third.record(FunnelEvent("c"))
    try await third.close()
    let fourth = try place.recorder {
      $0.subject = nil
      $0.startsOptedOut = true
    }
    try await fourth.append(FunnelEvent("d"))
    #expect(try fields(place, "name") == [["c"], ["d"]])
    #expect(Set(try fields(place, "subject")).count == 1)
  }

  @Test func `a choice holds, whatever a later version of the app starts with`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder { $0.startsOptedOut = true }
    first.optOut()
    try await first.close()
    let second = try place.recorder()
    #expect(await second.status.isOptedOut)
    second.optIn()
    try await second.close()
    let third = try place.recorder { $0.startsOptedOut = true }
    #expect(await third.status.isOptedOut == false)
  }

  @Test func `an app that begins to ask for consent deletes what was recorded without`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.append(FunnelEvent("a"))
    try await first.close()
    let second = try place.recorder { $0.startsOptedOut = true }
    #expect(await second.status.isOptedOut)
    #expect(try place.eventFiles().isEmpty)
  }

  @Test func `an opt-out before the folder can be opened holds for what waits`() async throws {
    let place = try RecorderPlace()
    let blocking = try place.recorder()
    try await blocking.sync()
    let recorder = try place.recorder()
    recorder.record(FunnelEvent("a"))
    recorder.optOut()
    recorder.record(FunnelEvent("b"))
    _ = await recorder.status
    try await blocking.close()
    try await recorder.close()
    #expect(try place.eventFiles().isEmpty)
  }

  @Test func `files that a kill left after an opt-out are deleted at the next launch`() async throws {
    let place = try RecorderPlace()
    let first = try place.recorder()
    try await first.append(FunnelEvent("a"))
    let before = try place.copy()
    first.optOut()
    try await first.close()
    for name in try before.eventFiles() { try place.folder.write(try before.folder.contents(name), to: name) }
    let second = try place.recorder()
    #expect(await second.status.isOptedOut)
    #expect(try place.eventFiles().isEmpty)
  }

  @Test func `deleteAll leaves a folder as after a reinstall`() async throws {
    let place = try RecorderPlace()
    let isStarted = Guarded(false)
    let recorder = try place.recorder {
      $0.subject = nil
      $0.upload { _ in
        isStarted.withLock { $0 = true }
        try await Task.sleep(nanoseconds: 3_600_000_000_000)
      }
    }
    recorder.identify(user: "u-17")
    try await recorder.closeFile()
    #expect(await eventually { isStarted.withLock { $0 } })
    recorder.record(FunnelEvent("a"))
    let before = await recorder.status
    try await recorder.deleteAll()
    let after = await recorder.status
    #expect(try place.eventFiles().isEmpty)
    #expect(after.subject != before.subject && after.user == nil)
    try await recorder.append(FunnelEvent("b"))
    #expect(try fields(place, "name") == [["b"]])
    try await recorder.close()
  }
}
