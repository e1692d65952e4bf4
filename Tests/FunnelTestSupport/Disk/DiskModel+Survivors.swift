/// What of the changes that were not flushed is on the disk after the power went.
public enum Survival: Hashable, Sendable, CustomStringConvertible {
  /// All: as if only the process had been killed.
  case everything
  /// All, but of the last bytes that were written only a part: killed in the middle of a write.
  case everythingButTheEnd
  /// Nothing.
  case nothing
  /// Names, and of the files' bytes nothing.
  case namesAlone
  /// Names and the files' lengths; where bytes were added there are zeros.
  case namesAndLengths
  /// The files' bytes, and no names.
  case bytesAlone
  /// Anything: each write whole, in part, as zeros or not at all; names in the order they were given, or each for itself.
  case random(seed: UInt64)

  /// Those that are not left to chance.
  public static let certain: [Survival] = [
    .everything, .everythingButTheEnd, .nothing, .namesAlone, .namesAndLengths, .bytesAlone,
  ]

  public var description: String {
    switch self {
    case .everything: "killed"
    case .everythingButTheEnd: "killed in a write"
    case .nothing: "nothing unflushed left"
    case .namesAlone: "names left alone"
    case .namesAndLengths: "names and lengths left"
    case .bytesAlone: "bytes left alone"
    case .random(let seed): "seed \(seed)"
    }
  }
}

extension DiskModel {
  /// The files and folders that are found after the power went.
  public func survivors(_ survival: Survival) -> DiskTree {
    var choice = Choice(survival, model: self)
    var tree = DiskTree()
    collect(Self.rootInode, "", &choice, into: &tree)
    return tree
  }

  private func collect(_ inode: Inode, _ path: String, _ choice: inout Choice, into tree: inout DiskTree) {
    switch nodes[inode] {
    case .file(let file)?: tree.files[path] = choice.bytes(of: file)
    case .folder(let folder)?:
      if !path.isEmpty { tree.folders.append(path) }
      // In order of the names, so that a seed means the same in every run.
      for (name, inner) in choice.names(of: folder).sorted(by: { $0.key < $1.key }) {
        collect(inner, path.isEmpty ? name : "\(path)/\(name)", &choice, into: &tree)
      }
    case nil: break
    }
  }

  /// Decides, change by change, what is left.
  private struct Choice {
    let survival: Survival
    var random: SeededGenerator
    /// Names given later are lost; nil where each is decided for itself.
    var lastNaming: Int?

    init(_ survival: Survival, model: DiskModel) {
      self.survival = survival
      random = SeededGenerator(seed: 0)
      guard case .random(let seed) = survival else { return }
      random = SeededGenerator(seed: seed)
      if Bool.random(using: &random) { lastNaming = Int.random(in: 0...model.namings, using: &random) }
    }

    mutating func names(of folder: Folder) -> [String: Inode] {
      var names = folder.flushed
      for change in folder.changes where survives(change) { change.apply(to: &names) }
      return names
    }

    private mutating func survives(_ change: Naming) -> Bool {
      switch survival {
      case .everything, .everythingButTheEnd, .namesAlone, .namesAndLengths: true
      case .nothing, .bytesAlone: false
      case .random: lastNaming.map { change.time <= $0 } ?? Bool.random(using: &random)
      }
    }

    mutating func bytes(of file: File) -> [UInt8] {
      switch survival {
      case .everything, .bytesAlone: return file.bytes
      case .nothing, .namesAlone: return file.flushed
      case .everythingButTheEnd:
        guard case .write(let offset, let bytes)? = file.changes.last else { return file.bytes }
        var before = File(flushed: file.flushed, changes: file.changes.dropLast())
        before.changes.append(.write(offset: offset, bytes: Array(bytes.prefix(bytes.count / 2))))
        return before.bytes
      case .namesAndLengths:
        var bytes = file.flushed
        File.Change.set(length: file.bytes.count, of: &bytes)
        return bytes
      case .random:
        var bytes = file.flushed
        for change in file.changes { apply(change, to: &bytes) }
        return bytes
      }
    }

    private mutating func apply(_ change: File.Change, to file: inout [UInt8]) {
      guard case .write(let offset, let bytes) = change else {
        if Bool.random(using: &random) { change.apply(to: &file) }
        return
      }
      let end = offset + bytes.count
      switch Int.random(in: 0..<5, using: &random) {
      case 0: break
      case 1: File.Change.set(length: max(file.count, end), of: &file)
      case 2:
        let part = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        File.Change.write(offset: offset, bytes: part).apply(to: &file)
      case 3:
        // The end of it is there and its beginning is zeros, or what was there before.
        let cut = Int.random(in: 0...bytes.count, using: &random)
        File.Change.write(offset: offset + cut, bytes: Array(bytes[cut...])).apply(to: &file)
      default: change.apply(to: &file)
      }
    }
  }
}
