@testable import FunnelEvents
import Foundation
import Testing

@Suite struct DiskBoundTests {
  private func folderBytes(_ place: RecorderPlace) throws -> Int {
    try place.folder.files().reduce(0) { $0 + (try place.folder.contents($1)).count }
  }

  /// Records events that hardly shrink.
  private func fill(_ recorder: EventRecorder, _ place: RecorderPlace, count: Int, bound: Int) async throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<count {
      let text = String((0..<500).map { _ in Character(Unicode.Scalar(UInt8.random(in: 97...122, using: &random))) })
      try await recorder.append(FunnelEvent("noted", props: ["text": .string(text)]))
      #expect(try folderBytes(place) <= bound)
    }
  }

  @Test func `the folder stays within its bound, and every dropped event is counted and told`() async throws {
    let place = try RecorderPlace()
    let bound = 16 << 10
    var total = 0
    for _ in 0..<2 {
      let recorder = try place.recorder {
        $0.fileBytesMax = 4 << 10
        $0.diskBytesMax = bound
      }
      try await fill(recorder, place, count: 100, bound: bound)
      total += 100
      let status = await recorder.status
      #expect(status.dropped == total - (try place.events().count))
      #expect(status.dropped > 50)
      #expect(status.diskBytes <= bound)
      try await recorder.close()
    }
    let numbers = place.problems.withLock { $0.compactMap { Int($0.message.prefix { $0.isNumber }) } }
    #expect(numbers.reduce(0, +) == total - (try place.events().count))
    // The newest events are the ones that stay.
    #expect(try place.sequences() == Array(total - (try place.events().count)..<total))
  }

  @Test func `the file that is being uploaded stays, also while the upload hangs`() async throws {
    let place = try RecorderPlace()
    let hanging = Guarded<[URL]>([])
    let recorder = try place.recorder {
      $0.fileBytesMax = 4 << 10
      $0.diskBytesMax = 16 << 10
      $0.upload { file in
        hanging.withLock { $0.append(file) }
        try await Task.sleep(for: .seconds(3600))
      }
    }
    try await recorder.append(FunnelEvent("first"))
    try await recorder.closeFile()
    #expect(await eventually { hanging.withLock { $0.count } == 1 })
    try await fill(recorder, place, count: 100, bound: 16 << 10)
    let file = hanging.withLock { $0[0].path }
    #expect(FileManager.default.fileExists(atPath: file))
    #expect(hanging.withLock { $0.count } == 1)
    #expect(try place.sequences().first == 0)
    try await recorder.close()
  }

  @Test func `events beyond the queue are dropped and counted, and no waiting call is`() {
    let queue = EventQueue(eventsMax: 10)
    let event = EventQueue.Event(event: FunnelEvent("a"), time: .init(Date()), now: Moment(date: Date()))
    var starts = 0
    func push(_ message: EventQueue.Message) { queue.push(message) { starts += 1 } }
    for _ in 0..<15 { push(.write(.event(event))) }
    push(.sync { _ in })
    #expect(starts == 1)
    var batches: [EventQueue.Batch] = []
    queue.drain { batch in
      if batches.isEmpty { push(.write(.event(event))) }
      batches.append(batch)
    }
    #expect(batches.map(\.messages.count) == [11, 1])
    #expect(batches.map(\.droppedCount) == [5, 0])
    #expect(starts == 1)
    push(.write(.event(event)))
    #expect(starts == 2)
  }
}
