import FunnelModel

extension RecorderFolder {
  /// Reads the files of earlier processes.
  func recover() throws(EventRecorderError) {
    var openFiles: [(first: Int, start: Timestamp, path: String)] = []
    for name in try SystemCalls.names(in: path) {
      if name.hasSuffix(SystemCalls.temporarySuffix) { SystemCalls.remove(path + "/" + name) }
      switch EventFileName(name) {
      case .open(let first, let milliseconds):
        openFiles.append((first, Timestamp(milliseconds: milliseconds), path + "/" + name))
      case .closed(let first, let count, _):
        let byteCount = SystemCalls.size(of: path + "/" + name) ?? 0
        closedFiles.append(ClosedFile(name: name, first: first, eventCount: count, byteCount: byteCount))
      case nil: break
      }
    }
    closedFiles.sort { $0.first < $1.first }
    if SystemCalls.size(of: path + "/recorder.state") != nil {
      state = RecorderState(json: try SystemCalls.contents(of: path + "/recorder.state")) ?? RecorderState()
    }
    for file in closedFiles { state.nextSequence = max(state.nextSequence, file.first + file.eventCount) }
    for (first, start, path) in openFiles.sorted(by: { $0.first < $1.first }) { try reopen(path, first: first, start: start) }
    try boundClosedFiles(keeping: nil)
  }

  /// Continues an open file of an earlier process, after closing an open file before it.
  private func reopen(_ path: String, first: Int, start: Timestamp) throws(EventRecorderError) {
    // The process was killed between closing the file and deleting the open one.
    if closedFiles.contains(where: { $0.first == first }) { return SystemCalls.remove(path) }
    if let earlier = openFile {
      // The state contains the folder's ID, which becomes a part of the name.
      try saveState()
      try closeFile(earlier.file.path, first: earlier.first, eventCount: earlier.eventCount)
      openFile = nil
    }
    let tail = FileTail(try SystemCalls.contents(of: path))
    let file = try AppendFile(path)
    if tail.isTorn {
      try file.append([UInt8(ascii: "\n")])
      problems.append(
        EventRecorderError(
          .tornLine, "the last line of \(path) is incomplete because the app was killed; one event is lost, no action is needed"
        ))
    } else if tail.isUnended {
      try file.append([UInt8(ascii: "\n")])
    }
    openFile = OpenFile(file: file, first: first, eventCount: tail.eventCount, start: start)
    state.nextSequence = max(state.nextSequence, first, tail.lastSequence.map { $0 + 1 } ?? 0)
  }
}

/// The end of an event file, which shows whether the process that wrote it was killed.
struct FileTail: Hashable {
  /// Whether the last line has no line feed.
  var isUnended: Bool
  /// Whether the last line is only a part of an event. Such a line has no line feed.
  var isTorn: Bool
  /// The number of complete events.
  var eventCount: Int
  /// The `seq` of the last complete event, or `nil` if there is none.
  var lastSequence: Int?

  /// Examines the contents of a file.
  init(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    isUnended = !bytes.isEmpty && bytes.last != UInt8(ascii: "\n")
    let sequences = lines.reversed().lazy.map(Self.sequence)
    isTorn = isUnended && sequences.first.flatMap { $0 } == nil
    // Incomplete lines of earlier processes are counted too: finding them would require parsing every line.
    eventCount = lines.count - (isTorn ? 1 : 0)
    lastSequence = sequences.first { $0 != nil }.flatMap { $0 }
  }

  /// Returns the `seq` of a line, or `nil` if it is not a complete event.
  private static func sequence(of line: ArraySlice<UInt8>) -> Int? {
    guard case .number(let text)? = (try? JSONDocument(parsing: Array(line)))?.root["seq"]?.value else { return nil }
    return Int(text)
  }
}
