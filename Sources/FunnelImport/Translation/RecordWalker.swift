import FunnelModel

/// What one walk over a record found: the fields of the slots, the properties, and what is left out.
///
/// One value is reused for all records of a thread, so that a record needs no allocation.
struct RecordWalker {
  /// A property: its key, and the index of its field.
  struct Property {
    /// The key as a range of ``RecordWalker/keys``; nil for the key of the field itself.
    var keyRange: Range<Int>?
    var field: Int
  }

  private let tree: FieldTree
  private(set) var fields = ForeignFields.none
  /// The index of each slot's field; -1 for an absent value.
  private(set) var slots: [Int]
  private(set) var properties: [Property] = []
  /// The bytes of keys that are joined from several.
  private(set) var keys: [UInt8] = []
  /// Whether two properties may have one key, as `{"a.b":1,"a":{"b":2}}` has.
  private(set) var mayRepeatKeys = false
  /// The nodes whose values are left out.
  private(set) var leftOut: [Int] = []
  /// The nodes of ids, with their fields: all but the subject are left out.
  private(set) var identities: [(node: Int, field: Int)] = []
  /// Paths without a node that are left out.
  private(set) var unknownLeftOut: [String] = []
  /// Whether joined keys take more bytes than a line may have: objects in objects repeat their keys.
  var isTooLong: Bool { keys.count > Limits.lineBytesMax }
  private var prefix: [UInt8] = []

  init(tree: FieldTree) {
    self.tree = tree
    slots = Array(repeating: -1, count: tree.slotCount)
  }

  /// Returns the key of a property.
  func key<Result>(of property: Property, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard let range = property.keyRange else { return body(fields[property.field].key) }
    return keys.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[range])) }
  }

  /// Walks over the fields of the next record.
  mutating func walk(_ fields: ForeignFields) {
    self.fields = fields
    for slot in slots.indices { slots[slot] = -1 }
    properties.removeAll(keepingCapacity: true)
    keys.removeAll(keepingCapacity: true)
    leftOut.removeAll(keepingCapacity: true)
    identities.removeAll(keepingCapacity: true)
    unknownLeftOut.removeAll(keepingCapacity: true)
    prefix.removeAll(keepingCapacity: true)
    mayRepeatKeys = false
    walk(0..<fields.count, in: FieldTree.root)
  }

  private mutating func walk(_ range: Range<Int>, in parent: Int) {
    var index = range.lowerBound
    while index < range.upperBound {
      let end = fields.end(of: index)
      let key = fields[index].key
      if let node = tree.child(of: parent, key) {
        take(index, at: node)
      } else if key.contains(UInt8(ascii: ".")), let node = tree.descendant(of: parent, dotted: key) {
        take(index, at: node)
      } else {
        takeUnknown(index, in: parent)
      }
      index = end
    }
  }

  /// Takes a value that has a node.
  private mutating func take(_ index: Int, at number: Int) {
    let field = fields[index]
    if let slot = tree.nodes[number].slot { slots[slot] = index }
    if field.isObject {
      guard tree.nodes[number].hasChildren || tree.nodes[number].treatment == .property else {
        if tree.nodes[number].treatment == .leftOut { leftOut.append(number) }
        return
      }
      return walk(index + 1..<fields.end(of: index), in: number)
    }
    if field.isArray { return takeArray(index, at: number) }
    if tree.nodes[number].isIdentity {
      if !field.isAbsent { identities.append((number, index)) }
    } else if !tree.nodes[number].isConsumed {
      switch tree.nodes[number].treatment {
      case .ignored: break
      case .leftOut: if !field.isNull { leftOut.append(number) }
      case .property: addProperty(index, key: tree.nodes[number].propertyKey)
      }
    }
  }

  /// Takes an array: one of pairs of key and value is read like an object, any other is left out.
  private mutating func takeArray(_ index: Int, at number: Int) {
    let members = index + 1..<fields.end(of: index)
    guard tree.nodes[number].treatment == .property || tree.nodes[number].hasChildren, isPairs(members) else {
      if tree.nodes[number].treatment != .ignored { leftOut.append(number) }
      return
    }
    var element = members.lowerBound
    while element < members.upperBound {
      if let key = fields.member("key", of: element).flatMap({ fields[$0].string }),
        let value = pairValue(of: element)
      {
        takePair(value, key: key, in: number)
      }
      element = fields.end(of: element)
    }
  }

  private mutating func takePair(_ value: Int, key: UnsafeRawBufferPointer, in number: Int) {
    if let node = tree.child(of: number, key) ?? tree.descendant(of: number, dotted: key) {
      if let slot = tree.nodes[node].slot { slots[slot] = value }
      if tree.nodes[node].isIdentity {
        if !fields[value].isAbsent { identities.append((node, value)) }
      } else if !tree.nodes[node].isConsumed, tree.nodes[node].treatment == .property {
        addProperty(value, key: Array(key))
      }
    } else if tree.nodes[number].treatment == .property {
      addProperty(value, key: Array(key))
    }
    mayRepeatKeys = true
  }

  /// Returns whether the elements are `{"key":…,"value":…}`, as Google Analytics writes parameters.
  private func isPairs(_ members: Range<Int>) -> Bool {
    guard !members.isEmpty, fields[members.lowerBound].isObject else { return false }
    return fields.member("key", of: members.lowerBound) != nil && fields.member("value", of: members.lowerBound) != nil
  }

  /// Returns the field of a pair's value: the scalar itself, or the first of `string_value`, `int_value`, … that is not null.
  private func pairValue(of element: Int) -> Int? {
    guard fields[element].isObject, let value = fields.member("value", of: element) else { return nil }
    if !fields[value].isObject { return fields[value].isArray ? nil : value }
    var member = value + 1
    while member < fields.end(of: value) {
      if !fields[member].isNull, !fields[member].isObject, !fields[member].isArray { return member }
      member = fields.end(of: member)
    }
    return nil
  }

  /// Takes a value without a node: it is treated as its parent is.
  private mutating func takeUnknown(_ index: Int, in parent: Int) {
    let field = fields[index]
    switch tree.nodes[parent].treatment {
    case .ignored: return
    case .leftOut:
      if !field.isNull { unknownLeftOut.append("\(tree.nodes[parent].path).\(String(decoding: field.key, as: UTF8.self))") }
    case .property:
      let parentKey = tree.nodes[parent].propertyKey
      if field.isObject || field.isArray || !parentKey.isEmpty {
        prefix = parentKey
        takeNested(index, objectPath: parent)
        prefix.removeAll(keepingCapacity: true)
      } else {
        properties.append(Property(keyRange: nil, field: index))
      }
    }
  }

  /// Takes a value below an object of properties, whose key is joined with those on the way to it.
  private mutating func takeNested(_ index: Int, objectPath parent: Int) {
    let field = fields[index]
    let length = prefix.count
    if !prefix.isEmpty { prefix.append(UInt8(ascii: ".")) }
    prefix.append(contentsOf: field.key)
    defer { prefix.removeSubrange(length...) }
    if field.isObject {
      var member = index + 1
      while member < fields.end(of: index) {
        takeNested(member, objectPath: parent)
        member = fields.end(of: member)
      }
    } else if field.isArray {
      if !isTooLong { unknownLeftOut.append(path(ofPropertyIn: parent)) }
    } else {
      addProperty(index, key: prefix)
    }
  }

  /// Returns the full path of the property at the current prefix.
  private func path(ofPropertyIn parent: Int) -> String {
    let node = tree.nodes[parent]
    let container = node.path.split(separator: ".", omittingEmptySubsequences: false).prefix(node.propertyDepth ?? 0)
    return (container.map(String.init) + [String(decoding: prefix, as: UTF8.self)]).joined(separator: ".")
  }

  private mutating func addProperty(_ index: Int, key: [UInt8]) {
    guard !isTooLong else { return }
    let start = keys.count
    keys += key
    properties.append(Property(keyRange: start..<keys.count, field: index))
    mayRepeatKeys = true
  }
}
