import FunnelModel

/// Compiles translation plans for records from an import plan and the layout of the record.
struct TranslationPlanCompiler {
  /// The import plan.
  let plan: ImportPlan
  /// A table that is reused for the keys of each object.
  private let keys = TextInterner()

  /// Creates a compiler for an import plan.
  init(_ plan: ImportPlan) { self.plan = plan }

  /// Returns the translation plan for records with the layout of this one.
  ///
  /// - Parameters:
  ///   - name: The name of the record.
  ///   - rules: The rules that apply to the record, at least one.
  ///   - subject: The field index of the subject.
  ///   - user: The source of the user, or `nil` if the record has none.
  ///   - timestamp: The field index of the time.
  /// - Throws: The reason why no record with the layout can be an event.
  func plan(
    for record: ImportedRecord, name: EventNames.Entry, rules: [RuleChoice.Rule], subject: Int,
    user: TranslationPlan.UserSource?, timestamp: Int
  ) throws(ImportRejection) -> TranslationPlan {
    precondition(!rules.isEmpty, "a record without rules is dropped")
    var builder = TranslationPlanBuilder(keys: keys)
    for choice in rules {
      let rule: EventRule? = if case .mapped(let rule) = choice { rule } else { nil }
      let linked = name.link.map { record.present($0.user.slot) != nil } ?? false
      try beginEvent(by: rule, name: linked ? Self.linkName : name.native, of: record, in: &builder)
      builder.append(",\"subject\":", .subject)
      if user != nil { builder.append(.user) }
      // The decoder caches the texts of such members, and finds them by the first one. So the one with most values comes first.
      if let rule {
        append(rule.step, ",\"step\":", of: record, to: &builder)
        append(rule.flow, ",\"flow\":", of: record, to: &builder)
      }
      if let app = plan.app { builder.append(",\"app\":", app) }
      if plan.sequence != nil { builder.append(.sequence) }
      if plan.sending != nil { builder.append(.sentAt) }
      appendID(of: record, isOnly: rules.count == 1, to: &builder)
      let used = appendContext(by: rule, of: record, to: &builder)
      appendProperties(by: rule, of: record, without: used + [subject] + (user.map { [$0.field] } ?? []), to: &builder)
      builder.endEvent()
    }
    return builder.finish(subject: subject, user: user, timestamp: timestamp)
  }

  private static let linkName = Array(UserLinkEvent.name.utf8)

  /// Starts an event with its name.
  ///
  /// - Parameter name: The name that the event has if the rule gives none.
  private func beginEvent(
    by rule: EventRule?, name: [UInt8], of record: ImportedRecord, in builder: inout TranslationPlanBuilder
  ) throws(ImportRejection) {
    switch rule?.name {
    case nil: builder.beginEvent(name: name)
    case .literal(let text): builder.beginEvent(name: text)
    case .slot(let slot, let path):
      guard let field = record.present(slot) else { throw .missing("name: the record has no \(path)") }
      let value = record.fields[field]
      guard value.kind == .string else { throw .invalid("name is \(value.kindName); a string is needed") }
      builder.beginEvent(nameField: field, path: path)
    }
  }

  /// Appends the flow or the step of a rule, or nothing if the record has no value for it.
  private func append(
    _ text: EventRule.RuleText?, _ key: StaticString, of record: ImportedRecord,
    to builder: inout TranslationPlanBuilder
  ) {
    switch text {
    case nil: return
    case .literal(let text): builder.append(key, text)
    case .slot(let slot, _):
      guard let field = record.present(slot), record.fields[field].hasText else { return }
      builder.append(key, .folded(field: Int32(field)))
    }
  }

  /// Appends the ID. It is a plain field only if the record becomes a single event.
  private func appendID(of record: ImportedRecord, isOnly: Bool, to builder: inout TranslationPlanBuilder) {
    // The IDs of several events depend on the names, which differ from record to record.
    if isOnly, case .first(let slots) = plan.identity, let field = record.firstPresent(slots),
      record.fields[field].kind == .string
    {
      return builder.append(",\"id\":", .scalar(field: Int32(field)))
    }
    builder.append(.id)
  }

  /// Appends `ctx`. Returns the field indices of the members from the rule, which do not become properties.
  private func appendContext(
    by rule: EventRule?, of record: ImportedRecord, to builder: inout TranslationPlanBuilder
  ) -> [Int] {
    var used: [Int] = []
    builder.beginObject(",\"ctx\":")
    for member in rule?.context ?? [] {
      guard let field = record.firstPresent(member.slots), record.fields[field].isScalar else { continue }
      used.append(field)
      builder.appendMember(member.key.span, value(Int32(field), member.type))
    }
    for member in plan.context {
      guard let field = record.firstPresent(member.slots), record.fields[field].isScalar else { continue }
      builder.appendMember(member.key.span, value(Int32(field), member.type))
    }
    builder.endObject()
    return used
  }

  /// Appends `props`: the members from the rule and the mapping first, so that they replace properties with their keys.
  private func appendProperties(
    by rule: EventRule?, of record: ImportedRecord, without usedFields: [Int],
    to builder: inout TranslationPlanBuilder
  ) {
    builder.beginObject(",\"props\":")
    for member in (rule?.props ?? []) + plan.props {
      guard let field = record.field(member.slots[0]), record.fields[field].isScalar else { continue }
      builder.appendMember(member.key.span, value(Int32(field), member.type))
    }
    for property in record.layout.properties where !usedFields.contains(Int(property.field)) {
      let value = self.value(property.field, .asWritten)
      record.layout.withKey(of: property, in: record.fields) { builder.appendMember($0, value) }
    }
    builder.endObject()
  }

  /// Returns the value of a property or of a member of `ctx` in a field.
  private func value(_ field: Int32, _ type: MappedMember.ValueType) -> TranslationPlan.Value {
    switch plan.format {
    // Google's export writes integers as strings.
    case .ga4: .integer(field: field)
    // All cells of CSV are strings.
    case .csv where type == .asWritten: .cell(field: field)
    default: .scalar(field: field)
    }
  }
}
