/// The event files that earlier processes left in a recorder's folder.
struct FolderContents {
  /// A file to which events were appended.
  struct OpenFile {
    let path: String
    /// The `seq` of the first event.
    let first: Int
    /// The time at which it was opened.
    let start: Timestamp
    /// The setting of the device's clock for all its events, or `nil` if it is not known.
    let clock: DeviceClock?
  }

  /// A closed file that was delivered and emptied before the state could be stored.
  struct EmptiedFile {
    let path: String
    /// The `seq` after that of the last event.
    let next: Int
  }

  /// The open files, in the order of their events.
  private(set) var openFiles: [OpenFile] = []
  private(set) var closedFiles: [ClosedFiles.File] = []
  private(set) var emptiedFiles: [EmptiedFile] = []

  /// Sorts the files of a folder by their names. Files with other names are left out.
  init(_ names: [String], in folder: String) {
    for name in names {
      let path = folder + "/" + name
      switch EventFileName(name) {
      case .open(let first, let milliseconds, let clock):
        openFiles.append(OpenFile(path: path, first: first, start: Timestamp(milliseconds: milliseconds), clock: clock))
      case .closed(let first, let count, _, _):
        let byteCount = SystemCalls.size(of: path) ?? 0
        if byteCount > 0 {
          closedFiles.append(ClosedFiles.File(name: name, first: first, eventCount: count, byteCount: byteCount))
        } else {
          emptiedFiles.append(EmptiedFile(path: path, next: first + count))
        }
      case nil: break
      }
    }
    openFiles.sort { $0.first < $1.first }
  }
}
