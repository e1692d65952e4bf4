import FunnelModel

/// Walks over the fields of records along the paths of a plan. Not to be shared between threads.
final class RecordWalker {
  let tree: FlatFieldTree
  /// The paths without a node that records had so far.
  let unknownPaths = LeftOutPaths()

  init(tree: FieldTree) {
    self.tree = FlatFieldTree(tree)
  }

  /// Returns an empty layout.
  ///
  /// - Parameter isReused: Whether the next record overwrites it.
  func makeLayout(isReused: Bool) -> RecordLayout { RecordLayout(slotCount: tree.slotCount, isReused: isReused) }

  /// Fills in the layout of a record.
  func walk(_ fields: ImportedFields, into layout: RecordLayout) {
    layout.removeAll()
    unknownPaths.beginRecord()
    var walk = RecordWalk(fields: fields, tree: tree, layout: layout, unknownPaths: unknownPaths)
    walk.walk(0, fields.count, in: FlatFieldTree.root)
  }
}

/// A walk over the fields of one record.
private struct RecordWalk {
  let fields: ImportedFields
  let tree: FlatFieldTree
  let layout: RecordLayout
  let unknownPaths: LeftOutPaths
  /// The keys on the way to the current value, joined.
  private var prefix: [UInt8] = []

  init(fields: ImportedFields, tree: FlatFieldTree, layout: RecordLayout, unknownPaths: LeftOutPaths) {
    (self.fields, self.tree, self.layout, self.unknownPaths) = (fields, tree, layout, unknownPaths)
  }

  mutating func walk(_ start: Int, _ end: Int, in parent: Int) {
    // Below an object that nobody looks into, there is nothing to find.
    let hasChildren = tree.nodes[parent].hasChildren
    let isIgnored = tree.nodes[parent].treatment == .ignored
    var index = start
    while index < end {
      let next = fields.end(of: index)
      let key = fields[index].key
      if hasChildren, let node = tree.child(of: parent, key) ?? tree.descendant(of: parent, dotted: key) {
        take(index, at: node)
      } else if !isIgnored {
        takeUnknown(index, in: parent)
      }
      index = next
    }
  }

  /// Takes a value that has a node.
  private mutating func take(_ index: Int, at number: Int) {
    let field = fields[index]
    let node = tree.nodes[number]
    if node.slot >= 0 { layout.slots[Int(node.slot)] = Int32(truncatingIfNeeded: index) }
    if node.isContainer, field.string != nil { layout.texts.append(Int32(truncatingIfNeeded: index)) }
    if field.isObject {
      if node.hasChildren || node.treatment == .property {
        walk(index + 1, fields.end(of: index), in: number)
      } else if node.treatment == .leftOut {
        layout.leftOut.append(Int32(number))
      }
    } else if field.isArray {
      takeArray(index, at: number)
    } else if node.isIdentity {
      if !field.isAbsent { layout.identities.append(.init(node: Int32(number), field: Int32(truncatingIfNeeded: index))) }
    } else if !node.isConsumed {
      switch node.treatment {
      // A column that is mapped has a node.
      case .ignored, .unmapped: break
      case .leftOut: if !field.isNull { layout.leftOut.append(Int32(number)) }
      case .property:
        if node.propertyKey.count > 0 {
          addProperty(index, key: node.propertyKey)
        } else if !field.isAbsent {
          // A scalar in place of the object of properties, such as their JSON in a string: nobody has looked at what is in it.
          layout.leftOut.append(Int32(number))
        }
      }
    }
  }

  /// Takes an array: one of pairs of key and value is read like an object, any other is left out.
  private func takeArray(_ index: Int, at number: Int) {
    let node = tree.nodes[number]
    let end = fields.end(of: index)
    guard node.treatment == .property || node.hasChildren, isPairs(index + 1, end) else {
      if node.treatment != .ignored { layout.leftOut.append(Int32(number)) }
      return
    }
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
    if node.slot >= 0 { layout.slots[Int(node.slot)] = Int32(truncatingIfNeeded: value) }
    if node.isIdentity {
      if !fields[value].isAbsent {
        layout.identities.append(.init(node: Int32(child), field: Int32(truncatingIfNeeded: value)))
      }
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
  private mutating func takeUnknown(_ index: Int, in parent: Int) {
    let field = fields[index]
    let node = tree.nodes[parent]
    if node.treatment == .leftOut || node.treatment == .unmapped {
      if node.treatment == .leftOut ? !field.isNull : !field.isAbsent { leaveOut(field.key, in: tree.paths[parent]) }
    } else if field.isObject || field.isArray || !node.propertyKey.isEmpty {
      prefix = Array(node.propertyKey)
      takeNested(index, in: parent)
    } else {
      layout.properties.append(RecordLayout.Property(field: Int32(truncatingIfNeeded: index)))
    }
  }

  /// Takes a value below an object of properties, whose key is joined with those on the way to it.
  private mutating func takeNested(_ index: Int, in parent: Int) {
    let field = fields[index]
    let length = prefix.count
    if !prefix.isEmpty { prefix.append(UInt8(ascii: ".")) }
    prefix.append(contentsOf: field.key)
    defer { prefix.removeSubrange(length...) }
    if field.isObject {
      var member = index + 1
      while member < fields.end(of: index), !layout.isTooLong {
        takeNested(member, in: parent)
        member = fields.end(of: member)
      }
    } else if field.isArray {
      prefix.withUnsafeBytes { leaveOut($0, in: tree.containers[parent]) }
      // The paths of lists grow like keys.
      layout.keys.append(prefix)
    } else {
      prefix.withUnsafeBytes { addProperty(index, key: $0) }
    }
  }

  /// Notes that the value of a key, or of several joined by dots, is left out.
  private func leaveOut(_ key: UnsafeRawBufferPointer, in container: String) {
    if let number = unknownPaths.number(of: key, in: container) { layout.unknownLeftOut.append(number) }
  }

  private func addProperty(_ index: Int, key: UnsafeRawBufferPointer) {
    guard !layout.isTooLong else { return }
    let start = layout.keys.count
    layout.keys.append(raw: key)
    layout.properties.append(
      RecordLayout.Property(field: Int32(truncatingIfNeeded: index), keyStart: Int32(start), keyCount: Int32(key.count)))
  }
}
