import FunnelModel

/// Determines the layout of parsed records by walking over their fields along the paths of an import plan.
///
/// Not thread-safe: each worker owns one.
final class RecordWalker {
  /// The paths of the import plan.
  let tree: FlatFieldTree
  /// The paths without a node in ``tree`` whose values were left out so far.
  let unknownPaths = LeftOutPaths()

  /// Creates a walker along the paths of a tree.
  init(tree: FieldTree) {
    self.tree = FlatFieldTree(tree)
  }

  /// Returns an empty layout.
  ///
  /// - Parameter isReused: Whether the next record overwrites it.
  func makeLayout(isReused: Bool) -> RecordLayout { RecordLayout(slotCount: tree.slotCount, isReused: isReused) }

  /// Replaces the content of a layout by that of a record.
  func walk(_ fields: ImportedFields, into layout: RecordLayout) {
    layout.removeAll()
    unknownPaths.beginRecord()
    var walk = RecordWalk(fields: fields, tree: tree, layout: layout, unknownPaths: unknownPaths)
    walk.walk(0, fields.count, in: FlatFieldTree.root)
  }
}

/// One walk over the fields of a record.
private struct RecordWalk {
  let fields: ImportedFields
  let tree: FlatFieldTree
  let layout: RecordLayout
  let unknownPaths: LeftOutPaths
  /// The keys from the object of properties to the current value, joined by dots.
  private var prefix: [UInt8] = []

  init(fields: ImportedFields, tree: FlatFieldTree, layout: RecordLayout, unknownPaths: LeftOutPaths) {
    self.fields = fields
    self.tree = tree
    self.layout = layout
    self.unknownPaths = unknownPaths
  }

  /// Visits the members of an object.
  ///
  /// - Parameters:
  ///   - start: The index of the first member.
  ///   - end: The index after the last member and its descendants.
  ///   - parent: The node of the object.
  mutating func walk(_ start: Int, _ end: Int, in parent: Int) {
    let hasChildren = tree.nodes[parent].hasChildren
    let isIgnored = tree.nodes[parent].treatment == .ignored
    var index = start
    while index < end {
      let next = fields.end(of: index)
      let key = fields[index].key
      if hasChildren, let node = tree.child(of: parent, key) ?? tree.descendant(of: parent, dotted: key) {
        visit(index, at: node)
      } else if !isIgnored {
        visitUnnamed(index, in: parent)
      }
      index = next
    }
  }

  /// Adds a value that has a node, and its descendants, to the layout.
  private mutating func visit(_ index: Int, at number: Int) {
    let field = fields[index]
    let node = tree.nodes[number]
    if node.slot != FlatFieldTree.Node.noSlot { layout.slots[Int(node.slot)] = Int32(truncatingIfNeeded: index) }
    if node.isContainer, field.string != nil { layout.texts.append(Int32(truncatingIfNeeded: index)) }
    if field.isObject {
      if node.hasChildren || node.treatment == .property {
        walk(index + 1, fields.end(of: index), in: number)
      } else if node.treatment == .leftOut {
        layout.leftOut.append(Int32(number))
      }
    } else if field.isArray {
      visitArray(index, at: number)
    } else if node.isIdentity {
      if !field.isAbsent { layout.identities.append(.init(node: Int32(number), field: Int32(truncatingIfNeeded: index))) }
    } else if !node.isConsumed {
      switch node.treatment {
      // `unmapped` only applies to values without a node.
      case .ignored, .unmapped: break
      case .leftOut: if !field.isNull { layout.leftOut.append(Int32(number)) }
      case .property:
        if node.propertyKey.count > 0 {
          addProperty(index, key: node.propertyKey)
        } else if !field.isAbsent {
          // This scalar replaces the whole object of properties. Nothing is known of its content.
          layout.leftOut.append(Int32(number))
        }
      }
    }
  }

  /// Reads an array of key-value pairs like an object. Any other array is left out.
  private func visitArray(_ index: Int, at number: Int) {
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
        visitPair(value, key: key, in: number)
      }
      element = fields.end(of: element)
    }
  }

  /// Adds the value of a key-value pair to the layout.
  ///
  /// - Parameter number: The node of the array.
  private func visitPair(_ value: Int, key: UnsafeRawBufferPointer, in number: Int) {
    guard let child = tree.child(of: number, key) ?? tree.descendant(of: number, dotted: key) else {
      if tree.nodes[number].treatment == .property { addProperty(value, key: key) }
      return
    }
    let node = tree.nodes[child]
    if node.slot != FlatFieldTree.Node.noSlot { layout.slots[Int(node.slot)] = Int32(truncatingIfNeeded: value) }
    if node.isIdentity {
      if !fields[value].isAbsent {
        layout.identities.append(.init(node: Int32(child), field: Int32(truncatingIfNeeded: value)))
      }
    } else if !node.isConsumed, node.treatment == .property {
      addProperty(value, key: key)
    }
  }

  /// Whether the first element is `{"key":…,"value":…}`, as Google Analytics writes parameters.
  private func isPairs(_ first: Int, _ end: Int) -> Bool {
    guard first < end, fields[first].isObject else { return false }
    return fields.member("key", of: first) != nil && fields.member("value", of: first) != nil
  }

  /// Returns the field index of a pair's value, or `nil` if the pair has no scalar value.
  private func pairValue(of element: Int) -> Int? {
    // The value is a scalar, or an object in which one of `string_value`, `int_value`, … is not null.
    guard let value = fields.member("value", of: element) else { return nil }
    if !fields[value].isObject { return fields[value].isArray ? nil : value }
    var member = value + 1
    while member < fields.end(of: value) {
      if !fields[member].isNull, !fields[member].isObject, !fields[member].isArray { return member }
      member = fields.end(of: member)
    }
    return nil
  }

  /// Adds a value without a node to the layout. It is treated like its parent.
  private mutating func visitUnnamed(_ index: Int, in parent: Int) {
    let field = fields[index]
    let node = tree.nodes[parent]
    if node.treatment == .leftOut || node.treatment == .unmapped {
      if node.treatment == .leftOut ? !field.isNull : !field.isAbsent { leaveOut(field.key, in: tree.paths[parent]) }
    } else if field.isObject || field.isArray || !node.propertyKey.isEmpty {
      prefix = Array(node.propertyKey)
      visitNested(index, in: parent)
    } else {
      layout.properties.append(RecordLayout.Property(field: Int32(truncatingIfNeeded: index)))
    }
  }

  /// Adds a nested value to the properties. Its key is joined to the keys of its ancestors.
  private mutating func visitNested(_ index: Int, in parent: Int) {
    let field = fields[index]
    let parentLength = prefix.count
    if !prefix.isEmpty { prefix.append(UInt8(ascii: ".")) }
    prefix.append(contentsOf: field.key)
    defer { prefix.removeSubrange(parentLength...) }
    if field.isObject {
      var member = index + 1
      while member < fields.end(of: index), !layout.isTooLong {
        visitNested(member, in: parent)
        member = fields.end(of: member)
      }
    } else if field.isArray {
      prefix.withUnsafeBytes { leaveOut($0, in: tree.containers[parent]) }
      // The path counts toward the size that `isTooLong` limits.
      layout.keys.append(prefix)
    } else {
      prefix.withUnsafeBytes { addProperty(index, key: $0) }
    }
  }

  /// Adds a path to the left-out paths of the layout, once a record.
  private func leaveOut(_ key: UnsafeRawBufferPointer, in container: String) {
    if let number = unknownPaths.number(of: key, in: container) { layout.unknownLeftOut.append(number) }
  }

  /// Adds a property with a key of its own, unless the joined keys are too long already.
  private func addProperty(_ index: Int, key: UnsafeRawBufferPointer) {
    guard !layout.isTooLong else { return }
    let start = layout.keys.count
    layout.keys.append(raw: key)
    layout.properties.append(
      RecordLayout.Property(field: Int32(truncatingIfNeeded: index), keyStart: Int32(start), keyCount: Int32(key.count)))
  }
}
