import Crypto
import FunnelModel
import FunnelStorage

/// Appends members to the parts of their days, begins new parts where one is full, and makes all of it last.
struct MemberAppender {
  private let files: StoreFiles
  private let coverage: Coverage
  private let removed: Set<PartName>
  private let options: StoreWriter.Options
  private var current: OpenExtent?
  private var finished: [OpenExtent] = []
  private var changedFolders: Set<String> = []

  /// An extent that is being written.
  private struct OpenExtent {
    var extent: Extent
    var file: File
    var digest = SHA256()
  }

  init(files: StoreFiles, coverage: Coverage, removed: Set<PartName>, options: StoreWriter.Options) {
    self.files = files
    self.coverage = coverage
    self.removed = removed
    self.options = options
  }

  /// Appends a member. The members of a day come one after another.
  mutating func append(_ member: EncodedMember, _ area: PartName.Area, _ day: CivilDate) throws(FunnelError) {
    var target = try extent(for: area, day)
    current = nil
    try files.fileSystem.write(member.bytes, to: target.file, at: target.extent.offset + target.extent.bytes)
    target.digest.update(data: member.bytes)
    target.extent.bytes += member.bytes.count
    target.extent.rawBytes += member.rawBytes
    target.extent.records += member.records
    current = target
  }

  /// Waits until all that was appended is on the disk, and says what it was.
  mutating func finish() throws(FunnelError) -> [Extent] {
    endExtent()
    let (finished, fileSystem) = (finished.map(\.file), files.fileSystem)
    // Together, because the disk can serve many flushes at once in little more than the time of one.
    _ = try Parallel.map(count: finished.count, threads: options.threads) { (index) throws(FunnelError) in
      try fileSystem.sync(finished[index])
    }
    let folders = changedFolders.sorted(by: >).map(files.root.inside)
    _ = try Parallel.map(count: folders.count, threads: options.threads) { (index) throws(FunnelError) in
      try fileSystem.syncDirectory(folders[index])
    }
    return self.finished.map(\.extent)
  }

  private mutating func extent(for area: PartName.Area, _ day: CivilDate) throws(FunnelError) -> OpenExtent {
    if let current, current.extent.part.area == area, current.extent.part.day == day {
      if current.extent.offset + current.extent.bytes < options.partBytesTarget { return current }
      endExtent()
      return try begin(PartName(area: area, day: day, number: current.extent.part.number + 1))
    }
    endExtent()
    return try begin(coverage.openPart(area, day, without: removed, partBytesTarget: options.partBytesTarget))
  }

  private mutating func begin(_ part: PartName) throws(FunnelError) -> OpenExtent {
    let offset = coverage.bytes(of: part)
    if offset == 0 {
      for folder in [part.area.rawValue, part.folder].map(files.root.inside)
      where try files.fileSystem.status(of: folder) == nil {
        try files.fileSystem.createDirectory(folder)
      }
      // All the way up, though the folders may have been there: a command before may have made them and been killed.
      changedFolders.formUnion([part.folder, part.area.rawValue, ""])
    }
    let file = try files.fileSystem.open(files.path(of: part), for: offset == 0 ? .create(shared: false) : .update)
    return OpenExtent(extent: Extent(part: part, offset: offset, bytes: 0, rawBytes: 0, records: 0, sha256: ""), file: file)
  }

  private mutating func endExtent() {
    guard var ended = current else { return }
    ended.extent.sha256 = ended.digest.finalize().hexadecimal
    finished.append(ended)
    current = nil
  }
}
