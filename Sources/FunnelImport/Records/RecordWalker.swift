import FunnelModel

/// Determines the layout of parsed records by walking over their fields along the paths of an import plan.
///
/// Not thread-safe: each worker owns one.
final class RecordWalker {
  /// The paths of the import plan.
  let tree: FieldTree
  /// The paths without a node in ``tree`` whose values were left out so far.
  let unknownPaths = LeftOutPaths()

  /// Creates a walker along the paths of a tree.
  init(tree: FieldTree) { self.tree = tree }

  /// Returns an empty layout.
  func makeLayout(_ lifetime: RecordLayout.Lifetime) -> RecordLayout {
    RecordLayout(slotCount: tree.slotCount, lifetime)
  }

  /// Replaces the content of a layout by that of a record.
  func walk(_ fields: ImportedFields, into layout: RecordLayout) {
    layout.removeAll()
    unknownPaths.beginRecord()
    var walk = RecordWalk(fields, tree, layout, unknownPaths)
    walk.walk(0..<fields.count, in: FieldTree.root)
  }
}

/// One walk over the fields of a record.
private struct RecordWalk: ~Escapable {
  let fields: ImportedFields
  let tree: FieldTree
  let layout: RecordLayout
  let unknownPaths: LeftOutPaths
  /// The keys from the object of properties to the current value, joined by dots.
  private var prefix: [UInt8] = []

  @_lifetime(copy fields)
  init(_ fields: ImportedFields, _ tree: FieldTree, _ layout: RecordLayout, _ unknownPaths: LeftOutPaths) {
    self.fields = fields
    self.tree = tree
    self.layout = layout
    self.unknownPaths = unknownPaths
  }

  /// Visits the members of an object.
  ///
  /// - Parameters:
  ///   - members: The indices of the members and their descendants.
  ///   - parent: The node of the object.
  @_lifetime(self: copy self)
  mutating func walk(_ members: Range<Int>, in parent: Int) {
    let node = tree.nodes[parent]
    var index = members.lowerBound
    while index < members.upperBound {
      if node.hasChildren, let child = tree.member(of: parent, fields[index].key) {
        visit(index, at: child)
      } else if node.treatment != .ignored {
        visitUnnamed(index, in: parent)
      }
      index = fields.end(of: index)
    }
  }

  /// Adds a value that has a node, and its descendants, to the layout.
  @_lifetime(self: copy self)
  private mutating func visit(_ index: Int, at nodeIndex: Int) {
    let field = fields[index]
    let node = tree.nodes[nodeIndex]
    if let slot = node.slot, !node.isAlternative || layout.field(slot) == nil { layout.setField(index, of: slot) }
    if node.isContainer, field.string != nil { layout.addText(index) }
    if field.isObject {
      if node.hasChildren || node.treatment == .property {
        walk(index + 1..<fields.end(of: index), in: nodeIndex)
      } else if node.treatment == .leftOut {
        layout.leaveOut(node: nodeIndex)
      }
    } else if field.isArray {
      visitArray(index, at: nodeIndex)
    } else if node.isIdentity {
      if !field.isAbsent { layout.addIdentity(index, node: nodeIndex) }
    } else if !node.isConsumed {
      visitScalar(index, at: nodeIndex)
    }
  }

  /// Adds a scalar to the properties or the left-out values.
  private func visitScalar(_ index: Int, at nodeIndex: Int) {
    let field = fields[index]
    let node = tree.nodes[nodeIndex]
    switch node.treatment {
    // `unmapped` only applies to values without a node.
    case .ignored, .unmapped: break
    case .leftOut: if !field.isNull { layout.leaveOut(node: nodeIndex) }
    case .property:
      if node.hasPropertyKey {
        tree.withPropertyKey(of: nodeIndex) { layout.addProperty(index, key: $0) }
      } else if !field.isAbsent {
        // This scalar replaces the whole object of properties. Nothing is known of its content.
        layout.leaveOut(node: nodeIndex)
      }
    }
  }

  /// Reads an array of key-value pairs like an object. Of any other array, the elements at indices that a path names are read,
  /// and all others are left out.
  @_lifetime(self: copy self)
  private mutating func visitArray(_ index: Int, at nodeIndex: Int) {
    let node = tree.nodes[nodeIndex]
    let end = fields.end(of: index)
    guard node.treatment == .property || node.hasChildren, isPairs(index + 1, end) else {
      if node.hasChildren, visitElements(index, at: nodeIndex) { return }
      if node.treatment != .ignored { layout.leaveOut(node: nodeIndex) }
      return
    }
    var element = index + 1
    while element < end {
      if fields[element].isObject, let keyIndex = fields.member("key", of: element), let key = fields[keyIndex].string,
        let value = pairValue(of: element)
      {
        visitPair(value, key: key, in: nodeIndex)
      }
      element = fields.end(of: element)
    }
  }

  /// Adds the elements of an array at indices that a path names, as in `properties.ids.0`. Returns whether these are all.
  @_lifetime(self: copy self)
  private mutating func visitElements(_ index: Int, at nodeIndex: Int) -> Bool {
    var element = index + 1
    var number = 0
    var areAllNamed = true
    while element < fields.end(of: index) {
      if let child = tree.child(of: nodeIndex, Array(String(number).utf8).span) {
        visit(element, at: child)
      } else {
        areAllNamed = false
      }
      number += 1
      element = fields.end(of: element)
    }
    return areAllNamed
  }

  /// Adds the value of a key-value pair to the layout.
  ///
  /// - Parameter array: The node of the array.
  private func visitPair(_ value: Int, key: Span<UInt8>, in array: Int) {
    guard let nodeIndex = tree.member(of: array, key) else {
      if tree.nodes[array].treatment == .property { layout.addProperty(value, key: key) }
      return
    }
    let node = tree.nodes[nodeIndex]
    if let slot = node.slot, !node.isAlternative || layout.field(slot) == nil { layout.setField(value, of: slot) }
    if node.isIdentity {
      if !fields[value].isAbsent { layout.addIdentity(value, node: nodeIndex) }
    } else if !node.isConsumed, node.treatment == .property {
      layout.addProperty(value, key: key)
    }
  }

  /// Returns whether the first element is `{"key":…,"value":…}`, as Google Analytics writes parameters.
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
      if !fields[member].isNull, fields[member].isScalar { return member }
      member = fields.end(of: member)
    }
    return nil
  }

  /// Adds a value without a node to the layout. It is treated like its parent.
  @_lifetime(self: copy self)
  private mutating func visitUnnamed(_ index: Int, in parent: Int) {
    let field = fields[index]
    let node = tree.nodes[parent]
    switch node.treatment {
    case .leftOut where field.isNull, .unmapped where field.isAbsent: break
    case .leftOut, .unmapped: layout.leaveOut(unknownPath: unknownPaths.count(field.key, in: tree.paths[parent]))
    case .ignored, .property:
      guard !field.isScalar || node.hasPropertyKey else { return layout.addProperty(index) }
      prefix = tree.withPropertyKey(of: parent) { [UInt8](copying: $0) }
      visitNested(index, in: parent)
    }
  }

  /// Adds a nested value to the properties. Its key is joined to the keys of its ancestors.
  @_lifetime(self: copy self)
  private mutating func visitNested(_ index: Int, in parent: Int) {
    let field = fields[index]
    let parentLength = prefix.count
    if !prefix.isEmpty { prefix.append(UInt8(ascii: ".")) }
    prefix.append(copying: field.key)
    if field.isObject {
      var member = index + 1
      while member < fields.end(of: index), !layout.isTooLong {
        visitNested(member, in: parent)
        member = fields.end(of: member)
      }
    } else if field.isArray {
      let id = unknownPaths.count(prefix.span, in: tree.containers[parent])
      layout.leaveOut(unknownPath: id, joined: prefix)
    } else {
      layout.addProperty(index, key: prefix.span)
    }
    prefix.removeSubrange(parentLength...)
  }
}
