package import FunnelModel

/// Reads the names of imported records, and the likely screens and apps, without translating the records.
///
/// Not thread-safe: each worker owns one.
package final class RecordInspector {
  /// The properties of one record.
  package struct Inspection: Hashable, Sendable {
    /// The event name as the record has it.
    package var imported: String
    /// The native form of the name. Empty if the name has no letter from a to z and no digit.
    package var native: String
    /// The path of the screen's name, or `nil` if the record is not about a screen.
    package var screenPath: ImportedPath?
    /// The native form of the app's name, or `nil` if the record does not name the app.
    package var app: String?
    /// Whether the record only links two IDs of a person.
    package var isLink: Bool
    /// The subject and the user, or `nil` if the record has no user.
    package var account: Account?
  }

  /// The subject and the user of a record.
  package struct Account: Hashable, Sendable {
    package var subject: [UInt8]
    package var user: [UInt8]
  }

  /// The records so far without a name, a time or a subject.
  package private(set) var failures = RoleFailures()

  private let format: ImportFormat
  private let reader: RecordReader
  private let names: EventNames
  private let envelope: EnvelopeReader
  private let appSlots: [Int]
  private let typeSlot: Int?
  private let screens: [(path: ImportedPath, slot: Int)]

  /// Creates an inspector of records of the plan's format.
  package init(_ plan: ImportPlan) {
    format = plan.format
    var tree = plan.tree
    appSlots = Self.appPaths(plan.format).map { tree.findOrInsertSlot($0) }
    screens = Self.screenPaths(plan.format).map { ($0, tree.findOrInsertSlot($0)) }
    typeSlot = if case .call(let type, _, _) = plan.name { type } else { nil }
    reader = RecordReader(plan.format, tree: tree, stamps: nil)
    names = EventNames(plan)
    envelope = EnvelopeReader(plan)
  }

  /// Returns the properties of a record, or `nil` if the record has no valid name or is not exactly one JSON object.
  ///
  /// The padding of the JSON parser must follow the record.
  package func inspect(_ text: Span<UInt8>) -> Inspection? {
    let reader = reader
    guard let record = reader.read(text) else { return nil }
    let name: EventNames.Entry
    do throws(ImportRejection) {
      name = try names.entry(of: record)
    } catch {
      failures.add(name: error)
      return nil
    }
    if name.chooser.choice(for: record) != nil {
      failures.add(
        time: envelope.timeRejection(of: record), subject: envelope.subjectRejection(of: record, link: name.link))
    }
    let native = String(decoding: name.native, as: UTF8.self)
    return Inspection(
      imported: name.imported, native: name.link == nil ? native : UserLinkEvent.name,
      screenPath: name.link == nil ? screenPath(of: record, native) : nil, app: app(of: record), isLink: name.link != nil,
      account: account(of: record, name))
  }

  /// Returns the subject and the user of a record, or `nil` if it has not both.
  private func account(of record: ImportedRecord, _ name: EventNames.Entry) -> Account? {
    guard let source = envelope.userSource(of: record, link: name.link),
      let user = try? envelope.user(source, of: record)?.text,
      let field = try? envelope.subjectField(of: record, link: name.link),
      let subject = try? envelope.subject(field, of: record).text
    else { return nil }
    return Account(subject: subject, user: user)
  }

  /// Returns the native form of the app's name, or `nil` if the record does not name the app.
  private func app(of record: ImportedRecord) -> String? {
    for slot in appSlots {
      guard let field = record.field(slot), let text = record.fields[field].string else { continue }
      // The last component of a bundle ID names the app: `com.example.notes`.
      let name = [UInt8](copying: text).split(separator: UInt8(ascii: ".")).last.map { NameFolding.fold($0.span) } ?? []
      if !name.isEmpty { return String(decoding: name, as: UTF8.self) }
    }
    return nil
  }

  /// Returns the path of the screen's name, or `nil` if the record is not about a screen.
  ///
  /// A record is about a screen if it is a screen call of the Segment specification, or if its name suggests a screen and
  /// it has a property for the screen's name.
  private func screenPath(of record: ImportedRecord, _ native: String) -> ImportedPath? {
    if let typeSlot, let field = record.field(typeSlot), let type = record.fields[field].string,
      type.isEqual(to: "screen") || type.isEqual(to: "page")
    {
      return "name"
    }
    let words = native.split(separator: "_")
    guard words.contains("screen") || words.contains("page") || words.contains("screenview") || words.contains("step") else {
      return nil
    }
    return screens.first { screen in record.field(screen.slot).map { record.fields[$0].string != nil } ?? false }?.path
  }

  private static func appPaths(_ format: ImportFormat) -> [ImportedPath] {
    switch format {
    case .segment, .rudderstack: ["context.app.name", "context.app.namespace"]
    case .mixpanel: ["properties.$app_name", "properties.$bundle_id", "properties.$app_namespace"]
    case .posthog: ["properties.$app_name", "properties.$app_namespace"]
    case .ga4: ["app_info.id"]
    case .snowplow: ["app_id"]
    case .native, .amplitude, .cloudevents, .json, .csv: []
    }
  }

  private static func screenPaths(_ format: ImportFormat) -> [ImportedPath] {
    let keys = ["screen", "screen_name", "$screen_name", "step", "step_name", "page", "name", "firebase_screen", "screenName"]
    let objects = FormatLayout.of(format).properties.map(\.text)
    return objects.flatMap { object in keys.compactMap { ImportedPath("\(object).\($0)") } }
  }
}
