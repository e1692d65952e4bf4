import FunnelModel

/// Compiles translation plans for records from an import plan and the layout of the record.
struct TranslationPlanCompiler {
  /// The import plan.
  let plan: ImportPlan
  /// A table that is reused for the keys of each object.
  private let keys = TextNumbers()

  /// Creates a compiler for an import plan.
  init(_ plan: ImportPlan) {
    self.plan = plan
  }

  /// Returns the translation plan for records with the layout of this one.
  ///
  /// - Parameters:
  ///   - name: The name of the record.
  ///   - rules: The rules that apply to the record. `nil` is a rule that keeps the event unchanged.
  ///   - subject: The field index of the subject.
  ///   - moment: The field index of the time.
  /// - Throws: The reason why no record with the layout can be an event.
  func program(
    for record: ImportedRecord, name: EventNames.Entry, rules: [EventRule?], subject: Int, moment: Int
  ) throws(RecordTranslator.Refusal) -> TranslationPlan {
    var draft = TranslationPlanDraft(subject: subject, moment: moment, keys: keys)
    for rule in rules {
      try beginEvent(by: rule, name: name, of: record, in: &draft)
      draft.append(",\"subject\":", .subject)
      if let app = plan.app { draft.append(",\"app\":", app) }
      if plan.sequence != nil { draft.append(.sequence) }
      if let rule {
        append(rule.flow, ",\"flow\":", of: record, to: &draft)
        append(rule.step, ",\"step\":", of: record, to: &draft)
      }
      appendID(of: record, isOnly: rules.count == 1, to: &draft)
      let used = appendContext(by: rule, of: record, to: &draft)
      appendProperties(by: rule, of: record, without: used, to: &draft)
      draft.endEvent()
    }
    return draft.finish()
  }

  /// Starts an event with its name.
  private func beginEvent(
    by rule: EventRule?, name: EventNames.Entry, of record: ImportedRecord, in draft: inout TranslationPlanDraft
  ) throws(RecordTranslator.Refusal) {
    switch rule?.name {
    case nil: draft.beginEvent(name: try name.nativeName())
    case .literal(let text): draft.beginEvent(name: text)
    case .slot(let slot, let path):
      guard let field = record.present(slot) else {
        throw RecordTranslator.Refusal(isMissing: true, message: "name: the record has no \(path)")
      }
      guard record.fields[field].string != nil else {
        throw RecordTranslator.Refusal(
          isMissing: false, message: "name is \(record.fields[field].kindName); a string is needed")
      }
      draft.beginEvent(nameField: field, path: path)
    }
  }

  /// Appends the flow or the step of a rule, or nothing if the record has no value for it.
  private func append(
    _ text: EventRule.RuleText?, _ key: StaticString, of record: ImportedRecord, to draft: inout TranslationPlanDraft
  ) {
    switch text {
    case nil: return
    case .literal(let text): draft.append(key, text)
    case .slot(let slot, _):
      guard let field = record.present(slot), record.fields[field].hasText else { return }
      draft.append(key, .folded, field: field)
    }
  }

  /// Appends the ID. It is a plain field only if the record becomes a single event.
  private func appendID(of record: ImportedRecord, isOnly: Bool, to draft: inout TranslationPlanDraft) {
    // The IDs of several events depend on the names, which differ from record to record.
    if isOnly, case .first(let slots) = plan.identity, let field = record.firstPresent(slots),
      record.fields[field].string != nil
    {
      return draft.append(",\"id\":", .scalar, field: field)
    }
    draft.append(.id)
  }

  /// Appends `ctx`. Returns the field indices of the members from the rule, which do not become properties.
  private func appendContext(
    by rule: EventRule?, of record: ImportedRecord, to draft: inout TranslationPlanDraft
  ) -> [Int] {
    var used: [Int] = []
    draft.beginObject(",\"ctx\":")
    for member in rule?.context ?? [] {
      guard let field = record.present(member.slot), record.fields[field].isScalar else { continue }
      used.append(field)
      member.key.withUnsafeBytes { draft.appendMember($0, .scalar, field: field) }
    }
    for member in plan.context {
      guard let field = record.firstPresent(member.slots), record.fields[field].isScalar else { continue }
      member.key.withUnsafeBytes { draft.appendMember($0, .scalar, field: field) }
    }
    draft.endObject()
    return used
  }

  /// Appends `props`: the members from the rule and the mapping first, so that they replace properties with their keys.
  private func appendProperties(
    by rule: EventRule?, of record: ImportedRecord, without contextFields: [Int], to draft: inout TranslationPlanDraft
  ) {
    // Google's export writes integers as strings.
    let value = plan.format == .ga4 ? TranslationPlan.Value.integer : .scalar
    draft.beginObject(",\"props\":")
    for member in (rule?.props ?? []) + plan.props {
      guard let field = record.field(member.slot), record.fields[field].isScalar else { continue }
      member.key.withUnsafeBytes { draft.appendMember($0, value, field: field) }
    }
    for property in record.layout.properties where !contextFields.contains(Int(property.field)) {
      draft.appendMember(record.key(of: property), value, field: Int(property.field))
    }
    draft.endObject()
  }
}
