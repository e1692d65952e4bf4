import FunnelModel

/// What one walk over a record found: the fields of the slots, the properties, and what is left out.
///
/// One is reused for all records of a thread, so that a record needs no allocation. Not to be shared between threads.
final class RecordWalker {
  /// A property: the index of its field, and its key.
  struct Property: BitwiseCopyable {
    var field: Int32
    /// The range of the key in the joined keys; an empty one stands for the key of the field itself.
    var keyStart: Int32 = 0
    var keyCount: Int32 = 0
  }

  let tree: FlatFieldTree
  private(set) var fields = ForeignFields.none
  /// The index of each slot's field; -1 for an absent value.
  let slots: UnsafeMutablePointer<Int32>
  private(set) var properties: [Property] = []
  /// The keys that are joined from several, one after another.
  private let keys = LineBuffer()
  /// Whether two properties may have one key, as `{"a.b":1,"a":{"b":2}}` has.
  private(set) var mayRepeatKeys = false
  /// The nodes whose values are left out.
  private(set) var leftOut: [Int32] = []
  /// The nodes of ids, with their fields: all but the subject are left out.
  private(set) var identities: [(node: Int32, field: Int32)] = []
  /// What is left out and has no node, as numbers of ``unknownPaths``. Each path comes once a record.
  private(set) var unknownLeftOut: [Int] = []
  /// The paths without a node that records had so far.
  let unknownPaths = LeftOutPaths()
  /// Whether joined keys take more bytes than a line may have: objects in objects repeat their keys.
  var isTooLong: Bool { keys.count > Limits.lineBytesMax }
  private var prefix: [UInt8] = []

  init(tree: FieldTree) {
    self.tree = FlatFieldTree(tree)
    slots = .allocate(capacity: max(tree.slotCount, 1))
    slots.initialize(repeating: -1, count: max(tree.slotCount, 1))
  }

  deinit { slots.deallocate() }

  /// Returns the key of a property, valid until the next walk.
  @inline(__always)
  func key(of property: Property) -> UnsafeRawBufferPointer {
    guard property.keyCount > 0 else { return fields[Int(property.field)].key }
    return UnsafeRawBufferPointer(rebasing: keys.bytes[Int(property.keyStart)..<Int(property.keyStart + property.keyCount)])
  }

  /// Returns the field that a slot took, or nil if it has none.
  @inline(__always)
  func field(_ slot: Int) -> Int? {
    let field = slots[slot]
    return field < 0 ? nil : Int(field)
  }

  /// Walks over the fields of the next record.
  func walk(_ fields: ForeignFields) {
    self.fields = fields
    for slot in 0..<tree.slotCount { slots[slot] = -1 }
    properties.removeAll(keepingCapacity: true)
    keys.removeAll()
    leftOut.removeAll(keepingCapacity: true)
    identities.removeAll(keepingCapacity: true)
    unknownLeftOut.removeAll(keepingCapacity: true)
    unknownPaths.beginRecord()
    mayRepeatKeys = false
    walk(0, fields.count, in: FlatFieldTree.root, fields, tree)
  }

  private func walk(_ start: Int, _ end: Int, in parent: Int, _ fields: ForeignFields, _ tree: FlatFieldTree) {
    // Below an object that nobody looks into, there is nothing to find.
    let hasChildren = tree.nodes[parent].hasChildren
    let isIgnored = tree.nodes[parent].treatment == .ignored
    var index = start
    while index < end {
      let next = fields.end(of: index)
      let key = fields[index].key
      if hasChildren, let node = tree.child(of: parent, key) ?? tree.descendant(of: parent, dotted: key) {
        take(index, at: node, fields, tree)
      } else if !isIgnored {
        takeUnknown(index, in: parent)
      }
      index = next
    }
  }

  /// Takes a value that has a node.
  private func take(_ index: Int, at number: Int, _ fields: ForeignFields, _ tree: FlatFieldTree) {
    let field = fields[index]
    let node = tree.nodes[number]
    if node.slot >= 0 { slots[Int(node.slot)] = Int32(truncatingIfNeeded: index) }
    if field.isObject {
      if node.hasChildren || node.treatment == .property {
        walk(index + 1, fields.end(of: index), in: number, fields, tree)
      } else if node.treatment == .leftOut {
        leftOut.append(Int32(number))
      }
    } else if field.isArray {
      takeArray(index, at: number)
    } else if node.isIdentity {
      if !field.isAbsent { identities.append((Int32(number), Int32(truncatingIfNeeded: index))) }
    } else if !node.isConsumed {
      switch node.treatment {
      // A column that is mapped has a node.
      case .ignored, .unmapped: break
      case .leftOut: if !field.isNull { leftOut.append(Int32(number)) }
      case .property:
        if node.propertyKey.count > 0 {
          addProperty(index, key: node.propertyKey)
        } else if !field.isAbsent {
          // A scalar in place of the object of properties, such as their JSON in a string: nobody has looked at what is in it.
          leftOut.append(Int32(number))
        }
      }
    }
  }

  /// Takes an array: one of pairs of key and value is read like an object, any other is left out.
  private func takeArray(_ index: Int, at number: Int) {
    let node = tree.nodes[number]
    let end = fields.end(of: index)
    guard node.treatment == .property || node.hasChildren, isPairs(index + 1, end) else {
      if node.treatment != .ignored { leftOut.append(Int32(number)) }
      return
    }
    mayRepeatKeys = true
    var element = index + 1
    while element < end {
      if fields[element].isObject, let key = fields.member("key", of: element).flatMap({ fields[$0].string }),
        let value = pairValue(of: element)
      {
        takePair(value, key: key, in: number)
      }
      element = fields.end(of: element)
    }
  }

  private func takePair(_ value: Int, key: UnsafeRawBufferPointer, in number: Int) {
    guard let child = tree.child(of: number, key) ?? tree.descendant(of: number, dotted: key) else {
      if tree.nodes[number].treatment == .property { addProperty(value, key: key) }
      return
    }
    let node = tree.nodes[child]
    if node.slot >= 0 { slots[Int(node.slot)] = Int32(truncatingIfNeeded: value) }
    if node.isIdentity {
      if !fields[value].isAbsent { identities.append((Int32(child), Int32(truncatingIfNeeded: value))) }
    } else if !node.isConsumed, node.treatment == .property {
      addProperty(value, key: key)
    }
  }

  /// Returns whether the elements are `{"key":…,"value":…}`, as Google Analytics writes parameters.
  private func isPairs(_ first: Int, _ end: Int) -> Bool {
    guard first < end, fields[first].isObject else { return false }
    return fields.member("key", of: first) != nil && fields.member("value", of: first) != nil
  }

  /// Returns the field of a pair's value: the scalar itself, or the first of `string_value`, `int_value`, … that is not null.
  private func pairValue(of element: Int) -> Int? {
    guard let value = fields.member("value", of: element) else { return nil }
    if !fields[value].isObject { return fields[value].isArray ? nil : value }
    var member = value + 1
    while member < fields.end(of: value) {
      if !fields[member].isNull, !fields[member].isObject, !fields[member].isArray { return member }
      member = fields.end(of: member)
    }
    return nil
  }

  /// Takes a value without a node: it is treated as its parent is.
  private func takeUnknown(_ index: Int, in parent: Int) {
    let field = fields[index]
    let node = tree.nodes[parent]
    if node.treatment == .leftOut || node.treatment == .unmapped {
      if node.treatment == .leftOut ? !field.isNull : !field.isAbsent { leaveOut(field.key, in: tree.paths[parent]) }
    } else if field.isObject || field.isArray || !node.propertyKey.isEmpty {
      prefix = Array(node.propertyKey)
      takeNested(index, in: parent)
    } else {
      properties.append(Property(field: Int32(truncatingIfNeeded: index)))
    }
  }

  /// Takes a value below an object of properties, whose key is joined with those on the way to it.
  private func takeNested(_ index: Int, in parent: Int) {
    let field = fields[index]
    let length = prefix.count
    if !prefix.isEmpty { prefix.append(UInt8(ascii: ".")) }
    prefix.append(contentsOf: field.key)
    defer { prefix.removeSubrange(length...) }
    if field.isObject {
      var member = index + 1
      while member < fields.end(of: index), !isTooLong {
        takeNested(member, in: parent)
        member = fields.end(of: member)
      }
    } else if field.isArray {
      prefix.withUnsafeBytes { leaveOut($0, in: tree.containers[parent]) }
      // The paths of lists grow like keys.
      keys.append(prefix)
    } else {
      prefix.withUnsafeBytes { addProperty(index, key: $0) }
    }
  }

  /// Notes that the value of a key, or of several joined by dots, is left out.
  private func leaveOut(_ key: UnsafeRawBufferPointer, in container: String) {
    if let number = unknownPaths.number(of: key, in: container) { unknownLeftOut.append(number) }
  }

  private func addProperty(_ index: Int, key: UnsafeRawBufferPointer) {
    guard !isTooLong else { return }
    let start = keys.count
    keys.append(raw: key)
    properties.append(
      Property(field: Int32(truncatingIfNeeded: index), keyStart: Int32(start), keyCount: Int32(key.count)))
    mayRepeatKeys = true
  }
}
