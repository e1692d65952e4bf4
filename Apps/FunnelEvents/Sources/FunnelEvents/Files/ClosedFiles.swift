/// The closed files of a recorder's folder, oldest first, of which at most one is being uploaded.
///
/// The file that is being uploaded is not deleted to free space. If the device's clock was set since its events were recorded, a copy with
/// other times is uploaded instead, from the folder `sending`. The file itself is not changed, because the clock may be set once more.
struct ClosedFiles {
  /// A closed file.
  struct File: Hashable {
    let name: String
    /// The `seq` of the first event.
    let first: Int
    let eventCount: Int
    var byteCount: Int

    /// Whether it is a gzip file. There may have been no room to compress it.
    var isCompressed: Bool { name.hasSuffix(".gz") }
  }

  private let folder: String
  private let write: SystemCalls.Write
  private(set) var files: [File] = []
  /// The name of the file that is being uploaded, or `nil` if none is.
  private var uploading: String?

  /// Creates an empty list of the files in a folder.
  init(in folder: String, write: @escaping SystemCalls.Write) {
    self.folder = folder
    self.write = write
  }

  /// The size of all files.
  var byteCount: Int { files.reduce(0) { $0 + $1.byteCount } }

  /// Whether a file is being uploaded.
  var isUploading: Bool { uploading != nil }

  /// Adds a file, which exists in the folder.
  mutating func insert(_ file: File) {
    let index = files.firstIndex { $0.first > file.first } ?? files.count
    files.insert(file, at: index)
  }

  /// Removes files that no longer exist from the list.
  mutating func forgetMissing() {
    files = files.filter { SystemCalls.size(of: path(of: $0)) != nil }
  }

  /// Deletes the oldest files until the others are within a limit.
  ///
  /// - Returns: The number of events in the deleted files.
  mutating func deleteOldest(beyond bytesMax: Int) -> Int {
    var remaining = byteCount
    var dropped = 0
    for file in files where remaining > bytesMax && file.name != uploading {
      delete(file.name)
      remaining -= file.byteCount
      dropped += file.eventCount
    }
    return dropped
  }

  /// Marks a file as being uploaded.
  mutating func beginUpload(of file: File) {
    precondition(uploading == nil, "files are uploaded one after another")
    uploading = file.name
  }

  /// Writes the time of sending, by the device's clock, into each event of a file.
  ///
  /// A server that adds `received_at` thereby makes the correction of a wrong clock possible (specification section 1).
  ///
  /// - Throws: ``EventRecorderError`` if the time can't be written. The file is then uploaded as it is.
  mutating func stamp(_ file: File, sentAt time: Timestamp) throws(EventRecorderError) {
    let bytes = contents(SentTime.stamped(try events(in: file), time), of: file)
    try SystemCalls.replace(path(of: file), with: bytes, write: write)
    if let index = files.firstIndex(of: file) { files[index].byteCount = bytes.count }
  }

  /// Writes a copy of a file whose events are moved in time. It is deleted at the end of the upload.
  ///
  /// - Parameter time: The time of sending to write into each event, or `nil` for none.
  /// - Returns: The path of the copy, which has the file's name.
  /// - Throws: ``EventRecorderError`` if it can't be written.
  func copy(_ file: File, movedBy milliseconds: Int64, sentAt time: Timestamp?) throws(EventRecorderError) -> String {
    var events = EventTime.shifted(try events(in: file), by: milliseconds)
    if let time { events = SentTime.stamped(events, time) }
    try SystemCalls.makeFolder(sendingFolder)
    let path = "\(sendingFolder)/\(file.name)"
    try SystemCalls.replace(path, with: contents(events, of: file), write: write)
    return path
  }

  /// Deletes the copies of an earlier process.
  func deleteCopies() { SystemCalls.removeFolder(sendingFolder) }

  private var sendingFolder: String { folder + "/sending" }

  private func events(in file: File) throws(EventRecorderError) -> [UInt8] {
    let bytes = try SystemCalls.contents(of: path(of: file))
    guard file.isCompressed else { return bytes }
    guard let events = GzipFile.decompress(bytes) else {
      throw EventRecorderError(.storage, "\(path(of: file)) is no longer a gzip file; it is uploaded as it is")
    }
    return events
  }

  private func contents(_ events: [UInt8], of file: File) -> [UInt8] {
    file.isCompressed ? GzipFile.compress(events) : events
  }

  /// Whether a file is kept or deleted after its upload.
  enum End {
    case keep
    case delete
    /// Leave an empty file, whose name keeps the numbers of its events from being used again.
    case empty
  }

  /// Ends the upload in progress. Returns the path of the file.
  @discardableResult
  mutating func endUpload(_ end: End) -> String {
    guard let name = uploading else { preconditionFailure("an upload ends after it began") }
    uploading = nil
    SystemCalls.remove("\(sendingFolder)/\(name)")
    switch end {
    case .keep: break
    case .delete: delete(name)
    case .empty:
      SystemCalls.empty("\(folder)/\(name)")
      files.removeAll { $0.name == name }
    }
    return "\(folder)/\(name)"
  }

  /// Deletes all files. No upload may be in progress.
  mutating func deleteAll() {
    precondition(uploading == nil, "an upload ends before its file is deleted")
    for file in files { SystemCalls.remove(path(of: file)) }
    files = []
  }

  private func path(of file: File) -> String { "\(folder)/\(file.name)" }

  private mutating func delete(_ name: String) {
    SystemCalls.remove("\(folder)/\(name)")
    files.removeAll { $0.name == name }
  }
}
