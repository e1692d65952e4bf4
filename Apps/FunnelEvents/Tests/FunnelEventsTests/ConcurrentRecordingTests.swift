import FunnelEvents
import Foundation
import Testing

@Suite struct ConcurrentRecordingTests {
  @Test func `ten thousand events from eight tasks are all there, those of each task in their order`() async throws {
    let place = try RecorderPlace()
    let recorder = try place.recorder()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<1250 {
            recorder.record(FunnelEvent("tapped", props: ["task": .integer(task), "number": .integer(number)]))
          }
        }
      }
    }
    try await recorder.sync()
    #expect(try place.sequences() == Array(0..<10_000))
    var numbers: [Int: [Int]] = [:]
    for event in try place.events() {
      guard let task = event["props"]?["task"]?.integer, let number = event["props"]?["number"]?.integer else { continue }
      numbers[task, default: []].append(number)
    }
    #expect(numbers.count == 8)
    #expect(numbers.values.allSatisfy { $0 == Array(0..<1250) })
    let status = await recorder.status
    #expect(status.recorded == 10_000 && status.dropped == 0)
  }

  @Test func `what was recorded is written though nobody holds the recorder any more`() async throws {
    let place = try RecorderPlace()
    do {
      let recorder = try place.recorder()
      for _ in 0..<1000 { recorder.record(FunnelEvent("tapped")) }
    }
    #expect(try await eventually { try place.sequences() == Array(0..<1000) })
  }
}
