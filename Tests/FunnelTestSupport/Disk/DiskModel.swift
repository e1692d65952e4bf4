import FunnelSystem

/// What a disk holds, what of it was flushed, and what was not yet.
///
/// The strictest reading of POSIX: a file's bytes and its length last once the file was flushed, a name once its folder was. Of all that
/// was changed since, any of it may have reached the disk and any may not (``survivors(_:)``). A value: copies are moments.
public struct DiskModel: Sendable {
  typealias Inode = Int

  /// A file: its bytes at its last flush, and what was done to them since.
  struct File: Sendable {
    var flushed: [UInt8] = []
    var changes: [Change] = []

    enum Change: Sendable {
      case write(offset: Int, bytes: [UInt8])
      case length(Int)
    }
  }

  /// A folder: its names at its last flush, and what was done to them since.
  struct Folder: Sendable {
    var flushed: [String: Inode] = [:]
    var changes: [Naming] = []
  }

  /// One change of names in a folder; a renaming is both of its halves or none.
  struct Naming: Sendable {
    var names: [String: Inode?]
    /// Counts the changes of names on the whole disk.
    var time: Int
  }

  enum Node: Sendable {
    case file(File)
    case folder(Folder)
  }

  private(set) var nodes: [Inode: Node] = [:]
  /// The path of the folder that is modelled; what lies outside of it is none of the model's business.
  public private(set) var root: String
  static let rootInode = 0
  private var nextInode = 1
  /// How many changes of names there were.
  private(set) var namings = 0

  /// The disk as it is now; all that is on it was flushed.
  public init(folder path: String) throws {
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
  /// The same disk in another folder, which holds what is seen of this one.
  public func moved(to root: String) -> DiskModel {
    var moved = self
    moved.root = root
    return moved
  }

  /// The inode at a path as whoever looks at the disk now sees it; nil where nothing is there or the path is not modelled.
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

  /// Notes that something new was made at a path.
  mutating func make(_ node: Node, at path: StoragePath) {
    guard let parent = inode(at: path.parent) else { return }
    nodes[nextInode] = node
    change([path.name: nextInode], in: parent)
    nextInode += 1
  }

  /// Notes that a name was taken away.
  mutating func remove(_ path: StoragePath) {
    if let parent = inode(at: path.parent) { change([path.name: nil], in: parent) }
  }

  /// Notes that a file got another name in its folder.
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

  /// Notes what was done to a file's bytes.
  mutating func change(_ inode: Inode, _ change: File.Change) {
    guard case .file(var file)? = nodes[inode] else { return }
    file.changes.append(change)
    nodes[inode] = .file(file)
  }

  /// Notes that all that was done to a file or to a folder's names is on the disk.
  mutating func flush(_ inode: Inode) {
    switch nodes[inode] {
    case .file(let file)?: nodes[inode] = .file(File(flushed: file.bytes))
    case .folder(let folder)?: nodes[inode] = .folder(Folder(flushed: folder.entries))
    case nil: break
    }
  }
}

extension DiskModel.File {
  /// The bytes as they are seen now.
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

  /// Makes a file so long; what it gains is zeros.
  static func set(length: Int, of file: inout [UInt8]) {
    if length < file.count {
      file.removeSubrange(length...)
    } else {
      file.append(contentsOf: repeatElement(0, count: length - file.count))
    }
  }
}

extension DiskModel.Folder {
  /// The names as they are seen now.
  var entries: [String: DiskModel.Inode] { changes.reduce(into: flushed) { $1.apply(to: &$0) } }
}

extension DiskModel.Naming {
  func apply(to names: inout [String: DiskModel.Inode]) {
    for (name, inode) in self.names { names[name] = inode }
  }
}
