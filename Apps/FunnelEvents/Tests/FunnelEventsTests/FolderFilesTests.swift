@testable import FunnelEvents
import Testing

/// The files in a recorder's folder: the state, and what earlier processes left.
@Suite struct FolderFilesTests {
  private let folder: TemporaryFolder
  private let disk = TestDisk()

  init() throws { folder = try TemporaryFolder() }

  @Test func `without any room a change is undone, and an enforced one holds until it can be stored`() throws {
    var file = RecorderStateFile(in: folder.path, write: disk.write)
    disk.isFull = true
    #expect(throws: EventRecorderError.self) { try file.change { $0.user = "ann" } }
    #expect(file.state.user == nil && !file.hasUnstoredChange)
    #expect(throws: EventRecorderError.self) { try file.enforce { $0.user = "ann" } }
    file.countDropped(2)
    #expect(file.state.user == "ann" && file.hasUnstoredChange && file.unstoredDropCount == 2)
    disk.isFull = false
    try file.save()
    #expect(!file.hasUnstoredChange && file.unstoredDropCount == 0)
    var next = RecorderStateFile(in: folder.path, write: disk.write)
    #expect(try next.read() == nil)
    #expect(next.state == file.state)
  }

  @Test func `a state that is damaged is a problem, and a new one takes its place`() throws {
    try folder.write(Array("{".utf8), to: "recorder.state")
    var file = RecorderStateFile(in: folder.path, write: disk.write)
    let id = file.state.folderID
    let problem = try file.read()
    #expect(
      problem?.message
        == "\(folder.path)/recorder.state is damaged, and the current attempts are lost; begin them again, no event is lost")
    #expect(file.state.folderID == id)
  }

  @Test func `files are sorted by their names, and others are left out`() throws {
    let names = [
      "open-000000000009-1795168800000.ndjson", "open-000000000007-1795168800000-5f1c0a3b-1795100000000.ndjson",
      "events-000000000004-3-0c6f5e21a9b4.ndjson.gz", "events-000000000001-3-0c6f5e21a9b4.ndjson", "recorder.state", "lock",
    ]
    for name in names { try folder.write(name.contains("-000000000001-") ? [] : [1], to: name) }
    let found = FolderContents(names, in: folder.path)
    #expect(found.openFiles.map(\.first) == [7, 9])
    #expect(found.openFiles.map(\.clock) == [DeviceClock(session: "5f1c0a3b", offset: 1_795_100_000_000), nil])
    #expect(found.closedFiles == [ClosedFiles.File(name: names[2], first: 4, eventCount: 3, byteCount: 1)])
    #expect(found.emptiedFiles.map(\.next) == [4])
  }
}
