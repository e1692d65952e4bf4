import Foundation

/// The folder of a recorder: at most one open file, closed files, the state, and a lock.
///
/// A process may be killed between any two system calls, so each call leaves a folder from which the next process recovers:
/// - A line is written by one call, so at most the last line of the open file is incomplete. The next process ends it with a
///   line feed, and readers reject only that line.
/// - A closed file is complete before it gets its name, and the open file is deleted afterwards. If both exist, the next
///   process deletes the open one.
///
/// A file has the events of one setting of the device's clock, which is in the name of the open file, and in the state for closed ones.
final class RecorderFolder {
  /// The settings of a folder.
  struct Settings {
    let path: String
    let fileBytesMax: Int
    let closedBytesMax: Int
    /// Whether recording is stopped until the person opts in.
    let startsOptedOut: Bool
    let write: SystemCalls.Write
  }

  /// The open file.
  struct OpenFile {
    let file: AppendFile
    /// The `seq` of the first event.
    let first: Int
    var eventCount: Int
    /// The time at which it was opened.
    let start: Timestamp
    /// The setting of the device's clock for all its events, or `nil` if it is not known.
    let clock: DeviceClock?
  }

  private let settings: Settings
  private let lock: FolderLock
  /// The state, which is stored when a file is closed or an attempt changes.
  private var stateFile: RecorderStateFile
  /// The open file, or `nil` if there is none.
  private(set) var openFile: OpenFile?
  var closedFiles: ClosedFiles
  /// The lines that could not be written. They have their `seq` already.
  private(set) var waiting = WaitingLines()
  /// The problems that ``takeProblems()`` has not returned yet.
  private var problems: [EventRecorderError] = []

  /// Opens a folder, creates it if it does not exist, and recovers the files of earlier processes.
  ///
  /// - Throws: ``EventRecorderError`` with the code `storage`, or `folderInUse` if another recorder holds it.
  init(_ settings: Settings) throws(EventRecorderError) {
    precondition(settings.fileBytesMax > 0 && settings.closedBytesMax >= 0, "the limits of a folder are not negative")
    self.settings = settings
    stateFile = RecorderStateFile(in: settings.path, write: settings.write)
    closedFiles = ClosedFiles(in: settings.path, write: settings.write)
    try SystemCalls.makeFolder(settings.path)
    FolderAttributes.set(of: settings.path)
    lock = try FolderLock(settings.path + "/lock")
    try recover()
    stateFile.reserveRoom()
  }

  private var path: String { settings.path }

  /// The state.
  var state: RecorderState { stateFile.state }

  /// Whether recording is stopped.
  var isOptedOut: Bool { state.isOptedOut(byDefault: settings.startsOptedOut) }

  /// The size of all event files.
  var byteCount: Int { closedFiles.byteCount + (openFile?.file.byteCount ?? 0) }

  /// Returns the problems since the last call.
  func takeProblems() -> [EventRecorderError] {
    defer { problems = [] }
    return problems
  }

  /// Returns whether the open file must be closed before more bytes are appended, because of its size or its age.
  func isDue(adding byteCount: Int, at now: Moment, ageMax: TimeInterval) -> Bool {
    guard let openFile, openFile.file.byteCount > 0 else { return false }
    if openFile.file.byteCount + byteCount > settings.fileBytesMax { return true }
    guard isSameClock(openFile.clock, now.clock) else { return true }
    let age = TimeInterval(now.time.milliseconds - openFile.start.milliseconds) / 1000
    // The age is unknown if the clock was set back. Closing the file then keeps it from growing without end.
    return age >= ageMax || age < 0
  }

  private func isSameClock(_ first: DeviceClock?, _ second: DeviceClock?) -> Bool {
    guard let first, let second else { return first == nil && second == nil }
    return first.isSame(as: second)
  }

  /// Appends the line of an event. If that fails, nothing is changed.
  func append(_ line: WaitingLines.Line) throws(EventRecorderError) {
    assert(line.bytes.last == UInt8(ascii: "\n"), "a line ends with a line feed")
    removeEmptyFile(unlessFor: line)
    if openFile == nil { openFile = try makeOpenFile(for: line) }
    guard var open = openFile else { preconditionFailure("a file is open now") }
    // A file that can't be closed may grow to twice its size before events have to wait.
    guard open.file.byteCount + line.bytes.count <= 2 * settings.fileBytesMax else {
      throw EventRecorderError(.storage, "the open file is full and can't be closed; free some space")
    }
    try open.file.append(line.bytes)
    open.eventCount += 1
    openFile = open
    stateFile.advance(to: line.sequence + 1)
  }

  /// Removes the open file if it has another setting of the clock than an event, and is empty because an earlier event could not be written.
  private func removeEmptyFile(unlessFor line: WaitingLines.Line) {
    guard let open = openFile, open.file.byteCount == 0, !isSameClock(open.clock, line.recorded.clock) else { return }
    SystemCalls.remove(open.file.path)
    openFile = nil
  }

  private func makeOpenFile(for line: WaitingLines.Line) throws(EventRecorderError) -> OpenFile {
    let (time, clock) = (line.recorded.time, line.recorded.clock)
    let name = EventFileName.open(first: line.sequence, milliseconds: max(0, time.milliseconds), clock: clock).text
    let file = try AppendFile(path + "/" + name, write: settings.write)
    return OpenFile(file: file, first: line.sequence, eventCount: 0, start: time, clock: clock)
  }

  /// Keeps the line of an event in memory until it can be written. It gets the next `seq`.
  func letWait(_ line: WaitingLines.Line) {
    waiting.append(line)
    stateFile.advance(to: line.sequence + 1)
    noteUnstored()
  }

  /// Forgets the first of the waiting lines, which was written. Call ``noteUnstored()`` after the last one.
  func removeFirstWaiting() { waiting.removeFirst() }

  /// The number of events that are in no closed file.
  var unclosedCount: Int { (openFile?.eventCount ?? 0) + waiting.count }

  /// Notes how many events would be lost if the process was killed now, so that the next launch counts them as dropped.
  func noteUnstored() { lock.noteUnstored(waiting.count + stateFile.unstoredDropCount) }

  /// Waits until the events are on the disk.
  func sync() throws(EventRecorderError) {
    try openFile?.file.sync()
  }

  /// Changes the state and stores it, unless the change makes no difference.
  ///
  /// - Throws: ``EventRecorderError`` if it can't be stored. The state is then as before.
  func change(_ body: (inout RecorderState) -> Void) throws(EventRecorderError) {
    try stateFile.change(body)
    noteUnstored()
  }

  /// Changes the state at once, and stores it: who and what later events are about must not depend on room on the disk.
  ///
  /// - Throws: ``EventRecorderError`` if it can't be stored now. The change is in force all the same, and is stored with the next message.
  func enforce(_ body: (inout RecorderState) -> Void) throws(EventRecorderError) {
    try stateFile.enforce(body)
    noteUnstored()
  }

  /// Stores a change that is in force and could not be stored.
  func storeChange() throws(EventRecorderError) {
    if stateFile.hasUnstoredChange { try saveState() }
  }

  /// Deletes all event files, and the events that wait.
  func deleteEvents() {
    if let openFile { SystemCalls.remove(openFile.file.path) }
    openFile = nil
    closedFiles.deleteAll()
    waiting.removeAll()
    noteUnstored()
  }

  /// Counts dropped events. The count survives a kill, and is stored in the state with the next message.
  func countDropped(_ count: Int) {
    stateFile.countDropped(count)
    noteUnstored()
  }

  /// Returns the number of milliseconds by which the events of a closed file are moved to become times of the device's clock as it is set
  /// now, or 0 if that is not known.
  func shift(of file: ClosedFiles.File, to now: Moment) -> Int64 {
    guard let clock = state.clocks[file.first], let current = now.clock else { return 0 }
    return clock.shift(to: current) ?? 0
  }

  /// Compresses the open file, if it has events, and drops the oldest closed files if there are too many.
  func closeOpenFile() throws(EventRecorderError) {
    // A file is empty if the first event could not be written.
    guard let openFile, openFile.file.byteCount > 0 else { return }
    // Even a file with only an incomplete line uses up a `seq`, because its name identifies it.
    stateFile.advance(to: openFile.first + 1)
    // The state is stored first, so that `seq` continues even if every event file is uploaded and deleted. It also contains
    // the folder's ID, which becomes a part of the name.
    noteClock(of: openFile)
    do throws(EventRecorderError) {
      try saveState()
      try close(openFile)
    } catch {
      stateFile.noteUnstoredChange()
      try closeWithoutRoom(openFile, because: error)
    }
    try limitClosedFiles()
  }

  /// Closes a file on a full disk, where it can't be compressed: it only gets another name, so that it can be uploaded and make room. The
  /// name also keeps `seq` from beginning again before the end of the file, as long as the state can't be stored.
  ///
  /// - Throws: The error if the file can't be renamed.
  private func closeWithoutRoom(_ open: OpenFile, because error: EventRecorderError) throws(EventRecorderError) {
    let name = EventFileName.closed(first: open.first, count: open.eventCount, folderID: state.folderID, isCompressed: false)
      .text
    do throws(EventRecorderError) { try SystemCalls.rename(open.file.path, to: path + "/" + name) } catch _ { throw error }
    note(open, closedAs: name, byteCount: open.file.byteCount)
  }

  /// Ends the upload in progress.
  ///
  /// - Parameter isFileKept: Whether the file is tried again. Otherwise it is deleted.
  func endUpload(isFileKept: Bool) {
    guard !isFileKept, stateFile.hasUnstoredChange else {
      closedFiles.endUpload(isFileKept ? .keep : .delete)
      return
    }
    // The name is needed until the state is stored, for which the contents of the file make room.
    let path = closedFiles.endUpload(.empty)
    if (try? saveState()) != nil { SystemCalls.remove(path) }
  }

  /// Notes the setting of the clock for a file that is closed next, and forgets those of files that are no more.
  private func noteClock(of open: OpenFile) {
    let names = Set(closedFiles.files.map(\.first))
    stateFile.state.clocks = state.clocks.filter { names.contains($0.key) }
    stateFile.state.clocks[open.first] = open.clock
  }

  private func close(_ open: OpenFile) throws(EventRecorderError) {
    let name = EventFileName.closed(first: open.first, count: open.eventCount, folderID: state.folderID).text
    let compressed = GzipFile.compress(try SystemCalls.contents(of: open.file.path))
    try SystemCalls.replace(path + "/" + name, with: compressed, write: settings.write)
    SystemCalls.remove(open.file.path)
    note(open, closedAs: name, byteCount: compressed.count)
  }

  private func note(_ open: OpenFile, closedAs name: String, byteCount: Int) {
    closedFiles.insert(
      ClosedFiles.File(name: name, first: open.first, eventCount: open.eventCount, byteCount: byteCount))
    openFile = nil
  }

  /// Deletes the oldest closed files until the others are within the limit, and records a problem with the number of events.
  private func limitClosedFiles() throws(EventRecorderError) {
    let dropped = closedFiles.deleteOldest(beyond: settings.closedBytesMax)
    guard dropped > 0 else { return }
    stateFile.state.dropped += dropped
    problems.append(
      EventRecorderError(
        .dropped, "\(dropped) of the oldest events were dropped because diskBytesMax was reached; upload more often"))
    try saveState()
  }

  private func saveState() throws(EventRecorderError) {
    try stateFile.save()
    noteUnstored()
  }
}

// The recovery of the files of earlier processes.
extension RecorderFolder {
  private func recover() throws(EventRecorderError) {
    closedFiles.deleteCopies()
    let names = try SystemCalls.names(in: path)
    for name in names where name.hasSuffix(SystemCalls.temporarySuffix) { SystemCalls.remove(path + "/" + name) }
    let found = FolderContents(names, in: path)
    for file in found.closedFiles { closedFiles.insert(file) }
    if let problem = try stateFile.read() { problems.append(problem) }
    recoverLostCount()
    for file in closedFiles.files { stateFile.advance(to: file.first + file.eventCount) }
    recoverSequence(of: found.emptiedFiles)
    for file in found.openFiles { try reopen(file) }
    try limitClosedFiles()
  }

  /// Continues `seq` after files that were delivered before the state could be stored.
  private func recoverSequence(of emptied: [FolderContents.EmptiedFile]) {
    guard let next = emptied.map(\.next).max() else { return }
    stateFile.advance(to: next)
    stateFile.noteUnstoredChange()
    guard (try? saveState()) != nil else { return }
    for file in emptied { SystemCalls.remove(file.path) }
  }

  /// Counts the events that were in no file when the last process ended.
  private func recoverLostCount() {
    guard lock.lostCount > 0 else { return }
    countDropped(lock.lostCount)
    let events = lock.lostCount == 1 ? "1 event" : "\(lock.lostCount) events"
    problems.append(
      EventRecorderError(
        .dropped, "\(events) of an earlier launch were dropped, because there was no room when the app ended; free some space"))
  }

  /// Closes an open file of an earlier process. On a full disk the file stays open for the next process, because uploads have to make room first.
  private func closeOrLeave(_ open: OpenFile) {
    do throws(EventRecorderError) {
      noteClock(of: open)
      try saveState()
      try close(open)
    } catch {
      problems.append(error)
    }
  }

  /// Continues an open file of an earlier process, after closing an open file before it.
  private func reopen(_ found: FolderContents.OpenFile) throws(EventRecorderError) {
    // The process was killed between closing the file and deleting the open one.
    if closedFiles.files.contains(where: { $0.first == found.first }) { return SystemCalls.remove(found.path) }
    if let earlier = openFile { closeOrLeave(earlier) }
    let tail = FileTail(try SystemCalls.contents(of: found.path))
    let file = try AppendFile(found.path, needsLineFeed: tail.lastLine != .terminated, write: settings.write)
    // Without room, the line is ended with the next event.
    if tail.lastLine != .terminated { try? file.append([]) }
    if tail.lastLine == .torn {
      problems.append(
        EventRecorderError(
          .tornLine,
          "the last line of \(found.path) is incomplete because the app was killed; one event is lost, no action is needed"
        ))
    }
    openFile = OpenFile(file: file, first: found.first, eventCount: tail.eventCount, start: found.start, clock: found.clock)
    stateFile.advance(to: max(found.first, tail.lastSequence.map { $0 + 1 } ?? 0))
  }
}

@available(*, unavailable, message: "the recorder's actor owns the folder")
extension RecorderFolder: Sendable {}
