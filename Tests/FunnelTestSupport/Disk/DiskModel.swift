import FunnelSystem

/// A model of a disk that distinguishes flushed changes from unflushed ones.
///
/// It follows the strictest reading of POSIX: a file's bytes and length are durable once the file was flushed, a name once its
/// folder was flushed. Any of the changes made since then may be on the disk or missing (``survivors(_:)``). The model is a
/// value, so a copy keeps the state of one moment.
package struct DiskModel: Sendable {
  typealias Inode = Int

  /// A file: its bytes at its last flush, and the changes made since.
  struct File: Sendable {
    var flushed: [UInt8] = []
    var changes: [Change] = []

    enum Change: Sendable {
      case write(offset: Int, bytes: [UInt8])
      case length(Int)
    }
  }

  /// A folder: its names at its last flush, and the changes made since.
  struct Folder: Sendable {
    var flushed: [String: Inode] = [:]
    var changes: [Naming] = []
  }

  /// A change of names in a folder. Both changes of a rename survive, or neither.
  struct Naming: Sendable {
    var names: [String: Inode?]
    /// The number of this change among all changes of names on the disk.
    var time: Int
  }

  enum Node: Sendable {
    case file(File)
    case folder(Folder)
  }

  private(set) var nodes: [Inode: Node] = [:]
  /// The path of the folder that is modelled. Paths outside of it are ignored.
  package private(set) var root: String
  static let rootInode = 0
  private var nextInode = 1
  /// The number of changes of names so far.
  private(set) var namings = 0

  /// Creates a model of a folder of the real disk, all of whose contents count as flushed.
  package init(folder path: String) throws {
    root = path
    nodes[Self.rootInode] = .folder(Folder())
    load(try DiskTree(of: path))
  }

  private mutating func load(_ tree: DiskTree) {
    var inodes = ["": Self.rootInode]
    for (path, node) in tree.folders.map({ ($0, Node.folder(Folder())) }) + tree.files.map({ ($0, .file(File(flushed: $1))) }) {
      let (parent, name) =
        path.lastIndex(of: "/").map { (String(path[..<$0]), String(path[path.index(after: $0)...])) } ?? ("", path)
      guard let above = inodes[parent], case .folder(var folder)? = nodes[above] else { continue }
      folder.flushed[name] = nextInode
      nodes[above] = .folder(folder)
      nodes[nextInode] = node
      inodes[path] = nextInode
      nextInode += 1
    }
  }
}

extension DiskModel {
  /// Returns the same disk for another folder, which must have the contents that this one shows.
  package func moved(to root: String) -> DiskModel {
    var moved = self
    moved.root = root
    return moved
  }

  /// Returns the inode at a path as readers see it now, or nil if nothing is there or the path is not modelled.
  func inode(at path: StoragePath) -> Inode? {
    guard let names = names(of: path) else { return nil }
    var inode = Self.rootInode
    for name in names {
      guard case .folder(let folder)? = nodes[inode], let next = folder.entries[name] else { return nil }
      inode = next
    }
    return inode
  }

  private func names(of path: StoragePath) -> [String]? {
    let text = path.description
    if text == root { return [] }
    guard text.hasPrefix(root + "/") else { return nil }
    return text.dropFirst(root.count + 1).split(separator: "/").map(String.init)
  }

  /// Records that a file or a folder was created at a path.
  mutating func make(_ node: Node, at path: StoragePath) {
    guard let parent = inode(at: path.parent) else { return }
    nodes[nextInode] = node
    change([path.name: nextInode], in: parent)
    nextInode += 1
  }

  /// Records that a name was removed.
  mutating func remove(_ path: StoragePath) {
    if let parent = inode(at: path.parent) { change([path.name: nil], in: parent) }
  }

  /// Records that a file was renamed within its folder.
  mutating func rename(_ path: StoragePath, to target: StoragePath) {
    guard let parent = inode(at: path.parent), let inode = inode(at: path) else { return }
    change([path.name: nil, target.name: inode], in: parent)
  }

  private mutating func change(_ names: [String: Inode?], in inode: Inode) {
    guard case .folder(var folder)? = nodes[inode] else { return }
    namings += 1
    folder.changes.append(Naming(names: names, time: namings))
    nodes[inode] = .folder(folder)
  }

  /// Records a change to a file's bytes.
  mutating func change(_ inode: Inode, _ change: File.Change) {
    guard case .file(var file)? = nodes[inode] else { return }
    file.changes.append(change)
    nodes[inode] = .file(file)
  }

  /// Records that a file, or the names in a folder, were flushed.
  mutating func flush(_ inode: Inode) {
    switch nodes[inode] {
    case .file(let file)?: nodes[inode] = .file(File(flushed: file.bytes))
    case .folder(let folder)?: nodes[inode] = .folder(Folder(flushed: folder.entries))
    case nil: break
    }
  }
}

extension DiskModel.File {
  /// The bytes as readers see them now.
  var bytes: [UInt8] { changes.reduce(into: flushed) { $1.apply(to: &$0) } }
}

extension DiskModel.File.Change {
  func apply(to file: inout [UInt8]) {
    switch self {
    case .write(let offset, let bytes):
      Self.set(length: max(file.count, offset + bytes.count), of: &file)
      file.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .length(let length): Self.set(length: length, of: &file)
    }
  }

  /// Sets the length of a file; the bytes that are added are zeros.
  static func set(length: Int, of file: inout [UInt8]) {
    if length < file.count {
      file.removeSubrange(length...)
    } else {
      file.append(contentsOf: repeatElement(0, count: length - file.count))
    }
  }
}

extension DiskModel.Folder {
  /// The names as readers see them now.
  var entries: [String: DiskModel.Inode] { changes.reduce(into: flushed) { $1.apply(to: &$0) } }
}

extension DiskModel.Naming {
  func apply(to names: inout [String: DiskModel.Inode]) {
    for (name, inode) in self.names { names[name] = inode }
  }
}
