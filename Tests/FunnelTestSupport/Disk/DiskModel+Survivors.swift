/// The part of the unflushed changes that is on the disk after a power failure.
package enum Survival: Hashable, Sendable, CustomStringConvertible {
  /// All changes, as if only the process had been killed.
  case everything
  /// All changes, but of each file's last write only the first half, as if the process had been killed during the write.
  case everythingButTheEnd
  /// No changes.
  case nothing
  /// The changes of names, and no changes to files.
  case namesAlone
  /// The changes of names and of the files' lengths; the bytes that were added are zeros.
  case namesAndLengths
  /// The changes to files, and no changes of names.
  case bytesAlone
  /// Random changes: each write is whole, partial, zeros or missing; names change up to a random time, or each change is chosen
  /// on its own.
  case random(seed: UInt64)

  /// The cases that involve no random choice.
  package static let certain: [Survival] = [
    .everything, .everythingButTheEnd, .nothing, .namesAlone, .namesAndLengths, .bytesAlone,
  ]

  package var description: String {
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
  /// Returns the files and folders that are found after a power failure.
  package func survivors(_ survival: Survival) -> DiskTree {
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
      // The names are sorted so that a seed gives the same result each time.
      for (name, inner) in choice.names(of: folder).sorted(by: { $0.key < $1.key }) {
        collect(inner, path.isEmpty ? name : "\(path)/\(name)", &choice, into: &tree)
      }
    case nil: break
    }
  }

  /// Decides for each change whether it survives.
  private struct Choice {
    let survival: Survival
    var random: SeededGenerator
    /// The time of the last change of names that survives, or nil if each change is decided on its own.
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
        // The end of the write survives; its beginning has zeros or the previous bytes.
        let cut = Int.random(in: 0...bytes.count, using: &random)
        File.Change.write(offset: offset + cut, bytes: Array(bytes[cut...])).apply(to: &file)
      default: change.apply(to: &file)
      }
    }
  }
}
